package webapi

import (
	"context"
	"log/slog"
	"strconv"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/limits"
	"almoner/internal/messages"
	"almoner/internal/metadata"
	"almoner/internal/odata"
)

// Service answers everything under /api/data/.
type Service struct {
	engine   *engine.Engine
	auth     *auth.Authenticator
	limits   *limits.Limiter
	log      *slog.Logger
	proxied  bool // trust X-Forwarded-Proto
	messages map[string][]*messages.Message
	special  map[string]special
	metrics  *Metrics
	metadata *metadata.Service
	shapes   *shapeCache
	bodies   bodies
}

// special is a resource that is neither a table nor an operation.
type special struct {
	methods string // what it takes, for Allow
	answer  func(context.Context, *Request, *odata.Path) (*Response, error)
}

// Options are what a Service is made of.
type Options struct {
	Engine      *engine.Engine
	Auth        *auth.Authenticator
	Limits      *limits.Limiter
	Logger      *slog.Logger
	BehindProxy bool
	Metrics     *Metrics
}

// New makes the service.
func New(o Options) *Service {
	s := &Service{engine: o.Engine, auth: o.Auth, limits: o.Limits, log: o.Logger, proxied: o.BehindProxy, metrics: o.Metrics, messages: map[string][]*messages.Message{}, shapes: newShapeCache()}
	if s.log == nil {
		s.log = slog.Default()
	}
	for _, m := range messages.All() {
		s.messages[m.Name] = append(s.messages[m.Name], m)
	}
	s.special = map[string]special{"$batch": {actionMethods, s.batch}}
	s.addMetadata()
	return s
}

// answer runs a call and turns its failure into an error answer.
func (s *Service) answer(ctx context.Context, r *Request) (*Response, error) {
	resp, err := s.handle(ctx, r)
	if err != nil {
		s.logFailure(ctx, r, err)
		resp = r.errorResponse(err)
	}
	return s.finished(r, resp), nil
}

// finished puts on the headers every answer carries.
func (s *Service) finished(r *Request, resp *Response) *Response {
	resp.Header.Set("OData-Version", "4.0")
	return resp
}

func itoa(n int) string { return strconv.Itoa(n) }
