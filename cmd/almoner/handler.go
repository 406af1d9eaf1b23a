package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/limits"
	"almoner/internal/webapi"
)

// newHandler wires the service together and starts what runs beside the requests until ctx ends.
func newHandler(ctx context.Context, db *opened, clock func() time.Time, origin string) (http.Handler, error) {
	eng, err := engine.New(ctx, engine.Options{Store: db.store, Model: db.model, Settings: db.settings, Clock: clock, Logger: db.log})
	if err != nil {
		return nil, err
	}
	authenticator, err := newAuthenticator(ctx, db, origin)
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	api := webapi.New(webapi.Options{
		Engine: eng, Auth: authenticator, Limits: newLimiter(db), Logger: db.log, BehindProxy: db.settings.BehindProxy,
		Metrics: webapi.NewMetrics(registry),
	})
	go authenticator.Run(ctx)
	go eng.Run(ctx)
	mux := http.NewServeMux()
	mux.Handle("/api/data/", api)
	token := authenticator.TokenHandler()
	mux.Handle("/oauth2/v2.0/token", token)
	mux.Handle("/{tenant}/oauth2/v2.0/token", token)
	mux.Handle("/{tenant}/oauth2/token", token)
	mux.Handle("/.well-known/openid-configuration", authenticator.DiscoveryHandler())
	mux.Handle("/.well-known/jwks.json", authenticator.KeysHandler())
	mux.Handle("/openapi.json", api.OpenAPI())
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) { ready(w, r, db) })
	mux.Handle("/metrics", guardMetrics(authenticator, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusNotFound, "not found") })
	return mux, nil
}

func newAuthenticator(ctx context.Context, db *opened, origin string) (*auth.Authenticator, error) {
	base := origin
	if db.settings.BaseURL != "" {
		base = db.settings.BaseURL
	}
	registry := auth.NewRegistry(db.store, db.model, nil)
	if err := registry.Announce(ctx, base); err != nil {
		return nil, err
	}
	o := auth.Options{Directory: registry, Model: db.model, BaseURL: base, TokenTTL: db.settings.AccessTokenTTL, Log: db.log}
	for _, i := range db.settings.Issuers {
		o.Issuers = append(o.Issuers, auth.External{Issuer: i.Issuer, Audience: i.Audience, JWKSURI: i.JWKSURI})
	}
	return auth.New(o)
}

func newLimiter(db *opened) *limits.Limiter {
	l := limits.Defaults()
	s := db.settings
	l.Requests, l.Window, l.Concurrency, l.Execution = s.LimitRequests, s.LimitWindow, s.LimitConcurrency, s.LimitExecution
	return limits.New(l, nil, nil)
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// ready tells whether the store answers and its schema is current.
func ready(w http.ResponseWriter, r *http.Request, db *opened) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := db.store.Ping(ctx); err != nil {
		db.log.Error("store does not answer", "error", err)
		plain(w, http.StatusServiceUnavailable, "store does not answer")
		return
	}
	missing, err := db.store.Pending(ctx)
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
