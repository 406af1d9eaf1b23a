package service

import (
	"net/http"
	"net/http/pprof"

	"almoner/internal/auth"
)

// profiles serves the Go profiler to administrators.
func (s *Service) profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, err := s.Auth.Authenticate(r.Context(), r.Header.Get("Authorization"))
		if err != nil {
			plain(w, http.StatusUnauthorized, "a token is needed")
			return
		}
		caller, err := s.Auth.Caller(r.Context(), principal, auth.Impersonation{})
		if err != nil || !caller.Admin {
			plain(w, http.StatusForbidden, "profiles are for administrators")
			return
		}
		mux.ServeHTTP(w, r)
	})
}
