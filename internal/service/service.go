// Package service wires the parts of a running Almoner together: engine, identity, limits and Web API behind one HTTP handler.
package service

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"almoner/internal/auth"
	"almoner/internal/console"
	"almoner/internal/engine"
	"almoner/internal/limits"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/webapi"
)

// Options are what a service is made of.
type Options struct {
	Store    store.Store
	Model    *schema.Model
	Settings *settings.Settings
	Clock    func() time.Time // the service's idea of now
	Log      *slog.Logger
	Origin   string               // scheme and host the service listens on
	Shared   bool                 // other processes serve the same database: limits are counted together
	Steady   func() time.Duration // the monotonic clock of the protection limits; nil for the machine's
}

// Service is everything one process serves.
type Service struct {
	Engine *engine.Engine
	Auth   *auth.Authenticator

	o       Options
	leases  *limits.StoreLeases // nil when this process counts alone
	handler http.Handler
}

// New wires a service. Run must be running while it answers.
func New(ctx context.Context, o Options) (*Service, error) {
	authenticator, err := newAuthenticator(ctx, o)
	if err != nil {
		return nil, err
	}
	secured := func(ctx context.Context) {
		if err := authenticator.Poll(context.WithoutCancel(ctx)); err != nil {
			o.Log.Warn("security data cannot be read", "error", err)
		}
	}
	eng, err := engine.New(ctx, engine.Options{Store: o.Store, Model: o.Model, Settings: o.Settings, Clock: o.Clock, Logger: o.Log, Secured: secured})
	if err != nil {
		return nil, err
	}
	s := &Service{Engine: eng, Auth: authenticator, o: o}
	if o.Shared && o.Settings.LimitRequests > 0 {
		s.leases = limits.NewStoreLeases(o.Store, o.Model, o.Settings.LimitRequests, o.Settings.LimitWindow, nil, o.Log)
	}
	s.handler = s.routes()
	return s, nil
}

// Run does what happens beside the requests until ctx ends.
func (s *Service) Run(ctx context.Context) {
	go s.Auth.Run(ctx)
	if s.leases != nil {
		go s.leases.Run(ctx)
	}
	s.Engine.Run(ctx)
}

// ServeHTTP answers every door of the program.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header(), r)
	s.handler.ServeHTTP(w, r)
}

func (s *Service) routes() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerDeferred(registry, s.Engine)
	api := webapi.New(webapi.Options{
		Engine: s.Engine, Auth: s.Auth, Limits: s.limiter(), Logger: s.o.Log, BehindProxy: s.o.Settings.BehindProxy,
		Metrics: webapi.NewMetrics(registry),
	})
	mux := http.NewServeMux()
	token := s.Auth.TokenHandler()
	mux.Handle("/oauth2/v2.0/token", token)
	mux.Handle("/{tenant}/oauth2/v2.0/token", token)
	mux.Handle("/{tenant}/oauth2/token", token)
	mux.Handle("/.well-known/openid-configuration", s.Auth.DiscoveryHandler())
	mux.Handle("/.well-known/jwks.json", s.Auth.KeysHandler())
	mux.Handle("/openapi.json", api.OpenAPI())
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("/readyz", s.ready)
	for _, pattern := range console.Patterns {
		mux.Handle(pattern, console.Handler())
	}
	mux.Handle("/metrics", guardMetrics(s.Auth, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})))
	mux.Handle("/debug/pprof/", s.profiles())
	mux.Handle("/", api.Nowhere())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The mux would answer a path with a doubled slash by a redirect; the Web API tolerates it.
		if webapi.Serves(r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// registerDeferred shows how the making of deferred totals is getting on.
func registerDeferred(registry *prometheus.Registry, e *engine.Engine) {
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "almoner_deferred_rows", Help: "Rows whose totals wait to be made anew."},
			func() float64 { waiting, _ := e.DeferredParents(); return float64(waiting) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "almoner_deferred_rows_done_total", Help: "Rows whose deferred totals this process has made anew."},
			func() float64 { _, done := e.DeferredParents(); return float64(done) }),
	)
}

func newAuthenticator(ctx context.Context, o Options) (*auth.Authenticator, error) {
	base := o.Origin
	if o.Settings.BaseURL != "" {
		base = o.Settings.BaseURL
	}
	registry := auth.NewRegistry(o.Store, o.Model, nil)
	if err := registry.Announce(ctx, base); err != nil {
		return nil, err
	}
	a := auth.Options{Directory: registry, Model: o.Model, BaseURL: base, TokenTTL: o.Settings.AccessTokenTTL, Log: o.Log}
	for _, i := range o.Settings.Issuers {
		a.Issuers = append(a.Issuers, auth.External{Issuer: i.Issuer, Audience: i.Audience, JWKSURI: i.JWKSURI})
	}
	return auth.New(a)
}

func (s *Service) limiter() *limits.Limiter {
	l, set := limits.Defaults(), s.o.Settings
	l.Requests, l.Window, l.Concurrency, l.Execution = set.LimitRequests, set.LimitWindow, set.LimitConcurrency, set.LimitExecution
	if s.leases == nil {
		return limits.New(l, s.o.Steady, nil)
	}
	return limits.New(l, s.o.Steady, s.leases)
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// ready tells whether the store answers and its schema is current.
func (s *Service) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := s.o.Store.Ping(ctx); err != nil {
		s.o.Log.Error("store does not answer", "error", err)
		plain(w, http.StatusServiceUnavailable, "store does not answer")
		return
	}
	missing, err := s.o.Store.Pending(ctx)
	if err != nil || len(missing) > 0 {
		plain(w, http.StatusServiceUnavailable, "schema is not current")
		return
	}
	plain(w, http.StatusOK, "ready")
}

// guardMetrics lets anybody on this machine read the metrics, and others with a token only.
func guardMetrics(a *auth.Authenticator, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() || r.Header.Get("X-Forwarded-For") != "" {
			if _, err := a.Authenticate(r.Context(), r.Header.Get("Authorization")); err != nil {
				plain(w, http.StatusUnauthorized, "a token is needed")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
