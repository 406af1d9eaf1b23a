package webapi

import (
	"context"
	"net/http"

	"almoner/internal/fault"
	"almoner/internal/messages"
	"almoner/internal/odata"
)

// handle answers one call: it finds what the URL names and lets the method's handler work on it.
func (s *Service) handle(ctx context.Context, r *Request) (*Response, error) {
	if most := maxURL(r); r.length > most {
		return nil, fault.New(fault.BadRequest, "The URI string is too long: it has %d characters, and at most %d are taken.", r.length, most)
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
	r.allow = readMethods
	if r.Method == http.MethodOptions {
		return s.options(ctx, r, path)
	}
	if len(path.Segments) == 0 {
		return s.serviceDocument(r)
	}
	if special, ok := s.special[path.Segments[0].Name]; ok {
		r.allow = special.methods
		return special.answer(ctx, r, path)
	}
	if s.engine.Model().Set(path.Segments[0].Name) == nil && len(path.Segments) == 1 {
		return s.unbound(ctx, r, path.Segments[0])
	}
	t, err := r.resolve(ctx, path)
	if err != nil {
		return nil, err
	}
	if t.message != "" {
		return s.bound(ctx, r, t)
	}
	if r.Options.ID != "" && t.suffix != "$ref" {
		return nil, fault.New(fault.BadRequest, "The query parameter '$id' is not supported.")
	}
	r.allow = t.methods()
	return s.onTarget(ctx, r, t)
}

// What everything that cannot be written takes, and what is only ever called to act.
const (
	readMethods   = "OPTIONS,GET,HEAD"
	actionMethods = "OPTIONS,POST"
)

// methods lists what a target that is no operation takes, for Allow.
func (t *target) methods() string {
	switch {
	case t.table.ReadOnly || t.suffix == "$count" || t.suffix == "$value" || t.suffix == "$ref" && !linkable(t.nav) || t.column != nil && !t.table.Updatable():
		return readMethods
	case t.suffix == "$ref" && t.nav.Many:
		return readMethods + ",POST,PUT,DELETE"
	case t.suffix == "$ref" || t.column != nil:
		return readMethods + ",PUT,DELETE"
	case t.nav != nil && !t.nav.Many || t.nav != nil && t.isRow():
		return readMethods
	case t.isRow() && !t.table.Updatable():
		return readMethods + ",DELETE"
	case t.isRow():
		return readMethods + ",PATCH,DELETE"
	default:
		return readMethods + ",POST"
	}
}

// onTarget picks the handler for a method on a target.
func (s *Service) onTarget(ctx context.Context, r *Request, t *target) (*Response, error) {
	switch {
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

// onRow answers calls on one row. A row reached through a navigation property is only read there: whoever writes it names it by its
// own set, and whoever means the link says $ref.
func (s *Service) onRow(ctx context.Context, r *Request, t *target) (*Response, error) {
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return s.getRow(ctx, r, t)
	case r.Method == http.MethodPatch && t.nav == nil:
		return s.patchRow(ctx, r, t)
	case r.Method == http.MethodDelete && t.nav == nil:
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
func maxURL(r *Request) int {
	if r.inBatch {
		return 65536
	}
	return 32768
}

// options answers OPTIONS: which methods the resource takes.
func (s *Service) options(ctx context.Context, r *Request, path *odata.Path) (*Response, error) {
	if err := s.allow(ctx, r, path); err != nil {
		return nil, err
	}
	resp := noContent()
	resp.Header.Set("Allow", r.allow)
	return resp, nil
}

// allow finds out which methods a path takes.
func (s *Service) allow(ctx context.Context, r *Request, path *odata.Path) error {
	if len(path.Segments) == 0 {
		return nil
	}
	first := path.Segments[0]
	if special, ok := s.special[first.Name]; ok {
		r.allow = special.methods
		return nil
	}
	if s.engine.Model().Set(first.Name) == nil && len(path.Segments) == 1 {
		return r.allowMessage(s.unboundMessage(first.Name))
	}
	t, err := r.resolve(ctx, path)
	if err != nil {
		return err
	}
	if t.message != "" {
		return r.allowMessage(s.boundMessage(t))
	}
	r.allow = t.methods()
	return nil
}

// allowMessage notes what a message takes, if it was found.
func (r *Request) allowMessage(m *messages.Message, err error) error {
	if err == nil {
		r.allow = messageMethods(m)
	}
	return err
}
