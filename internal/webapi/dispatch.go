package webapi

import (
	"context"
	"net/http"

	"almoner/internal/fault"
	"almoner/internal/odata"
)

// handle answers one call: it finds what the URL names and lets the method's handler work on it.
func (s *Service) handle(ctx context.Context, r *Request) (*Response, error) {
	if len(r.Path)+len(r.RawQuery) > s.maxURL(r) {
		return nil, fault.New(fault.BadRequest, "The URI string is too long: at most %d characters are taken.", s.maxURL(r))
	}
	if err := checkVersions(r.Header); err != nil {
		return nil, err
	}
	path, err := odata.ParsePath(r.Path)
	if err != nil {
		return nil, err
	}
	if r.Options, err = odata.ParseOptions(r.RawQuery); err != nil {
		return nil, err
	}
	if r.Method == http.MethodOptions {
		return s.options(), nil
	}
	if len(path.Segments) == 0 {
		return s.serviceDocument(r)
	}
	if special := s.special[path.Segments[0].Name]; special != nil {
		return special(ctx, r, path)
	}
	if s.engine.Model().Set(path.Segments[0].Name) == nil && len(path.Segments) == 1 {
		return s.unbound(ctx, r, path.Segments[0])
	}
	t, err := r.resolve(ctx, path)
	if err != nil {
		return nil, err
	}
	return s.onTarget(ctx, r, t)
}

// onTarget picks the handler for a method on a target.
func (s *Service) onTarget(ctx context.Context, r *Request, t *target) (*Response, error) {
	switch {
	case t.message != "":
		return s.bound(ctx, r, t)
	case t.suffix == "$ref":
		return s.onReference(ctx, r, t)
	case t.column != nil:
		return s.onProperty(ctx, r, t)
	case t.isRow():
		return s.onRow(ctx, r, t)
	default:
		return s.onCollection(ctx, r, t)
	}
}

func (s *Service) onRow(ctx context.Context, r *Request, t *target) (*Response, error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return s.getRow(ctx, r, t)
	case http.MethodPatch:
		return s.patchRow(ctx, r, t)
	case http.MethodDelete:
		return s.deleteRow(ctx, r, t)
	default:
		return nil, fault.NoMethod(r.Method)
	}
}

func (s *Service) onCollection(ctx context.Context, r *Request, t *target) (*Response, error) {
	switch {
	case (r.Method == http.MethodGet || r.Method == http.MethodHead) && t.suffix == "$count":
		return s.countRows(ctx, r, t)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return s.getRows(ctx, r, t)
	case r.Method == http.MethodPost && t.suffix == "":
		return s.createRow(ctx, r, t)
	default:
		return nil, fault.NoMethod(r.Method)
	}
}

// checkVersions refuses protocol versions that cannot be honoured; 4.01 is taken as 4.0.
func checkVersions(h http.Header) error {
	for _, name := range []string{"OData-Version", "OData-MaxVersion"} {
		switch v := h.Get(name); v {
		case "", "4.0", "4.01", "4":
		default:
			return fault.New(fault.BadRequest, "The %s header has the value '%s'; only 4.0 is supported.", name, v)
		}
	}
	return nil
}

// maxURL is the longest URL taken, alone and inside a batch.
func (s *Service) maxURL(r *Request) int {
	if r.inBatch {
		return 65536
	}
	return 32768
}

func (s *Service) options() *Response {
	resp := noContent()
	resp.Header.Set("Allow", "OPTIONS,GET,HEAD,POST,PATCH,PUT,DELETE")
	return resp
}
