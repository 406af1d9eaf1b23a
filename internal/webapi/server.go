package webapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/value"
)

// ServeHTTP answers one HTTP request. Who is asking is decided before anything is routed.
func (s *Service) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	began := time.Now()
	r := &Request{Method: hr.Method, Header: hr.Header, ID: value.NewGUID(began), Base: s.baseOf(hr), length: len(hr.RequestURI)}
	r.Prefer = parsePrefer(hr.Header)
	ctx := withRequestID(hr.Context(), r.ID)
	resp, release := s.admit(ctx, r, hr)
	if release != nil {
		defer func() { release(time.Since(began)) }()
	}
	if resp == nil {
		var free func()
		resp, free = s.serve(ctx, w, r, hr)
		defer free()
	}
	s.send(w, hr, r, resp)
	resp.free()
	s.metrics.observe(hr.Method, resp.Status, time.Since(began))
	if s.log.Enabled(ctx, slog.LevelDebug) {
		s.log.DebugContext(ctx, "request", "request", r.ID, "method", hr.Method, "path", hr.URL.Path, "status", resp.Status, "took", time.Since(began))
	}
}

// admit finds out who asks and whether they may ask now. It returns an answer when they may not; release must be called with the time
// the request took.
func (s *Service) admit(ctx context.Context, r *Request, hr *http.Request) (resp *Response, release func(time.Duration)) {
	refuse := func(err error) *Response {
		s.logFailure(ctx, r, err)
		return s.finished(r, r.errorResponse(err))
	}
	principal, err := s.auth.Authenticate(ctx, hr.Header.Get("Authorization"))
	if err != nil {
		resp := refuse(err)
		resp.Header.Set("WWW-Authenticate", s.auth.Challenge(ctx, originOf(r.Base), err))
		return resp, nil
	}
	release, remaining, limited := s.limits.Begin(principal.Client)
	if limited != nil {
		return refuse(limited), release
	}
	caller, err := s.auth.Caller(ctx, principal, auth.ImpersonationOf(hr.Header))
	if err != nil {
		return refuse(err), release
	}
	r.principal = principal
	r.Session = s.engine.Session(caller)
	r.Session.Deferred = r.Prefer.Deferred && caller.Admin
	r.remaining = remaining
	return nil, release
}

// serve answers an admitted request; free is to be called when the answer has been sent.
func (s *Service) serve(ctx context.Context, w http.ResponseWriter, r *Request, hr *http.Request) (resp *Response, free func()) {
	body, free, err := s.bodies.read(w, hr)
	if err == nil {
		r.Body = body
		resp, err = s.serveVersion(ctx, r, hr)
	}
	if err != nil {
		s.logFailure(ctx, r, err)
		resp = s.finished(r, r.errorResponse(err))
	}
	return resp, free
}

func (s *Service) serveVersion(ctx context.Context, r *Request, hr *http.Request) (*Response, error) {
	version, rest := splitVersion(hr.URL.EscapedPath())
	if !versions[version] {
		return nil, fault.NoSegment(version)
	}
	r.Path, r.RawQuery = rest, hr.URL.RawQuery
	if hr.Method != http.MethodGet {
		var err error
		if r.repeat, err = parseRepeat(r); err != nil {
			return nil, err
		}
	}
	return s.answer(ctx, r)
}

// baseOf is the service's address as the client wrote it: its Host, and the version asked for.
func (s *Service) baseOf(hr *http.Request) string {
	scheme := "http"
	if hr.TLS != nil || s.proxied && hr.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	version, _ := splitVersion(hr.URL.Path)
	if !versions[version] {
		version = "v9.2"
	}
	return scheme + "://" + hr.Host + apiPrefix + version
}

// originOf is the scheme and host of a base address.
func originOf(base string) string {
	origin, _, _ := strings.Cut(base, apiPrefix)
	return origin
}

// logFailure logs a refusal: what the client sees at debug level, what it does not see as an error.
func (s *Service) logFailure(ctx context.Context, r *Request, err error) {
	e := fault.As(err)
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, errClientGone):
		s.log.DebugContext(ctx, "client went away", "request", r.ID)
	case e.Status >= 500:
		s.log.ErrorContext(ctx, "request failed", "request", r.ID, "method", r.Method, "path", r.Path, "status", e.Status, "error", err)
	default:
		s.log.DebugContext(ctx, "request refused", "request", r.ID, "method", r.Method, "path", r.Path, "status", e.Status, "code", e.Code, "message", e.Message)
	}
}

type requestIDKey struct{}

func withRequestID(ctx context.Context, id value.GUID) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}
