package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"almoner/internal/service"
	"almoner/internal/settings"
)

func newServe(db *database) *cobra.Command {
	s := &serveCommand{db: db}
	cmd := &cobra.Command{Use: "serve", Short: "Serve the Web API until interrupted", Args: usageArgs(cobra.NoArgs), RunE: s.run}
	f := cmd.Flags()
	f.StringVar(&s.addr, "addr", "", "address to listen on; port 0 picks a free one (default 127.0.0.1:8080)")
	f.StringVar(&s.baseURL, "base-url", "", "address clients use, for tokens and links to the identity provider")
	f.StringVar(&s.config, "config", "", "YAML file of settings")
	f.StringVar(&s.clock, "clock", "", "start the service's clock at this moment (RFC 3339), for tests and rehearsals")
	f.StringVar(&s.cert, "tls-cert", "", "certificate file")
	f.StringVar(&s.key, "tls-key", "", "key file of the certificate")
	f.BoolVar(&s.behindProxy, "behind-proxy", false, "a proxy in front terminates TLS; trust its X-Forwarded-Proto")
	f.StringArrayVar(&s.set, "set", nil, "setting as NAME=VALUE; may be given several times")
	return cmd
}

// serveCommand is one run of the service.
type serveCommand struct {
	db                                      *database
	addr, baseURL, config, clock, cert, key string
	behindProxy                             bool
	set                                     []string
}

func (s *serveCommand) run(cmd *cobra.Command, _ []string) error {
	given, err := s.given()
	if err != nil {
		return usageError{err}
	}
	clock, err := startClock(s.clock)
	if err != nil {
		return usageError{err}
	}
	db, err := s.db.open(cmd.Context(), opening{serve: true, given: given, clock: clock})
	if err != nil {
		return err
	}
	defer db.store.Close()
	if s.clock != "" {
		db.log.Warn("THE SERVICE'S CLOCK IS SHIFTED", "now", clock().UTC().Format(time.RFC3339))
	}
	if err := checkAddress(db.settings); err != nil {
		return usageError{err}
	}
	keepSpareHeap()
	return s.serve(cmd.Context(), db, clock)
}

// given collects this start's settings, the strongest last: file, environment, flags.
func (s *serveCommand) given() ([]settings.Given, error) {
	var given []settings.Given
	if s.config != "" {
		file, err := os.Open(s.config)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		fromFile, err := settings.FromYAML(s.config, file)
		if err != nil {
			return nil, err
		}
		given = append(given, fromFile...)
	}
	given = append(given, settings.FromEnv(os.Environ())...)
	args := s.set
	for name, text := range map[string]string{"addr": s.addr, "base_url": s.baseURL, "tls.cert": s.cert, "tls.key": s.key} {
		if text != "" {
			args = append(args, name+"="+text)
		}
	}
	if s.behindProxy {
		args = append(args, "behind_proxy=true")
	}
	fromFlags, err := settings.FromFlags(args)
	return append(given, fromFlags...), err
}

// startClock makes the service's clock: the machine's, or one that begins at the given moment and runs on.
func startClock(text string) (func() time.Time, error) {
	if text == "" {
		return time.Now, nil
	}
	start, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fmt.Errorf("--clock %q is not a moment like 2026-06-30T12:00:00Z", text)
	}
	began := time.Now()
	return func() time.Time { return start.Add(time.Since(began)) }, nil
}

// checkAddress refuses to serve beyond this machine without TLS, unless a proxy takes care of it.
func checkAddress(s *settings.Settings) error {
	host, _, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return fmt.Errorf("--addr %q is not HOST:PORT", s.Addr)
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key go together")
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	if !loopback && s.TLSCert == "" && !s.BehindProxy {
		return fmt.Errorf("refusing to serve %s without TLS: give --tls-cert and --tls-key, or --behind-proxy", s.Addr)
	}
	return nil
}

// maxHeader is how large a request's line and headers may be together. A URL that is too long is refused by the Web API itself, in the
// platform's words, so that there is room for far longer ones than it takes.
const maxHeader = 1 << 20

// newServer bounds what a client may take before anybody knows who it is: the time and size of its headers, the life of an idle
// connection, and the versions of TLS. Bodies and answers have moving deadlines of their own.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// serve listens, answers until ctx ends, then finishes the requests under way.
func (s *serveCommand) serve(ctx context.Context, db *opened, clock func() time.Time) error {
	listener, err := net.Listen("tcp", db.settings.Addr)
	if err != nil {
		return err
	}
	scheme := "http"
	if db.settings.TLSCert != "" {
		scheme = "https"
	}
	origin := scheme + "://" + listener.Addr().String()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	handler, err := service.New(ctx, service.Options{
		Store: db.store, Model: db.model, Settings: db.settings, Clock: clock, Log: db.log, Origin: origin,
		Shared: db.store.Name() == "postgres",
	})
	if err != nil {
		return err
	}
	go handler.Run(background)
	server := newServer(handler, db.log)
	done := make(chan error, 1)
	go func() {
		if db.settings.TLSCert != "" {
			done <- server.ServeTLS(listener, db.settings.TLSCert, db.settings.TLSKey)
			return
		}
		done <- server.Serve(listener)
	}()
	fmt.Printf("listening on %s\n", origin)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	db.log.Warn("clients that neither send nor take what they began are cut off")
	return server.Close()
}
