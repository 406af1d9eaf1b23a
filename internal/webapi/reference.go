package webapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// onReference answers calls on $ref: the link between two rows, not the rows.
func (s *Service) onReference(ctx context.Context, r *Request, t *target) (*Response, error) {
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return s.getReference(ctx, r, t)
	case !linkable(t.nav):
		return nil, fault.NoMethod(r.Method)
	case !t.nav.Many && (r.Method == http.MethodPut || r.Method == http.MethodPost):
		return s.putReference(ctx, r, t)
	case !t.nav.Many && r.Method == http.MethodDelete:
		return s.link(ctx, r, func(tx *engine.Tx) error { return clearLookup(tx, r, t) })
	case r.Method == http.MethodPost || r.Method == http.MethodPut:
		return s.addReference(ctx, r, t)
	case r.Method == http.MethodDelete:
		return s.removeReference(ctx, r, t)
	default:
		return nil, fault.NoMethod(r.Method)
	}
}

// linkable tells whether $ref may write a link. What a role may do comes with a depth, which only its messages can tell, and a row that
// joins two others keeps joining those.
func linkable(nav *schema.Nav) bool {
	switch {
	case nav.Through != nil:
		return nav.Through.Intersect.Name != "roleprivileges"
	case nav.Column != nil:
		return !nav.Column.Table.Link
	default:
		return true
	}
}

// getReference answers the address of the related row, or of all of them.
func (s *Service) getReference(ctx context.Context, r *Request, t *target) (*Response, error) {
	if t.nav.Many && t.id.IsZero() {
		return s.listReferences(ctx, r, t)
	}
	if t.missing {
		return noContent(), nil
	}
	if t.nav.Many {
		if err := s.isRelated(ctx, r, t); err != nil {
			return nil, err
		}
	}
	b := append([]byte{'{'}, r.contextPrefix("#$ref")...)
	b = value.AppendJSON(append(b, `"@odata.id":`...), r.Base+"/"+t.table.Set+"("+t.id.String()+")")
	return r.jsonResponse(http.StatusOK, append(b, '}')), nil
}

// isRelated refuses a row that the path does not lead to, or not for this caller.
func (s *Service) isRelated(ctx context.Context, r *Request, t *target) error {
	q := keysOnly(t.table)
	scope, err := r.scope(ctx, t, q.Root)
	if err != nil {
		return err
	}
	q.Where = query.AllOf(scope, query.Equal(q.Root, t.table.Key, value.ID(t.id)))
	plan, err := r.Session.Prepare(q)
	if err != nil {
		return err
	}
	if n, err := r.Session.Count(ctx, plan); err != nil || n > 0 {
		return err
	}
	return absent(ctx, r.Session, t.table, t.id)
}

// keysOnly is a query for the keys of a table's rows.
func keysOnly(t *schema.Table) *query.Query {
	root := &query.Link{Table: t}
	return &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}}
}

func (s *Service) listReferences(ctx context.Context, r *Request, t *target) (*Response, error) {
	q := keysOnly(t.table)
	scope, err := r.scope(ctx, t, q.Root)
	if err != nil {
		return nil, err
	}
	q.Where = scope
	plan, err := r.Session.Prepare(q)
	if err != nil {
		return nil, err
	}
	resp := newResponse(http.StatusOK)
	resp.Header.Set("Content-Type", r.contentType())
	resp.Stream = func(w io.Writer) error {
		return r.Session.Read(ctx, plan, engine.MaxPage, func(p *engine.Page) error { return r.writeReferences(plan, p, w) })
	}
	return resp, nil
}

func (r *Request) writeReferences(plan *engine.Plan, p *engine.Page, w io.Writer) error {
	enc := &encoder{base: r.Base}
	b := append([]byte{'{'}, r.contextPrefix("#Collection($ref)")...)
	b = append(b, `"value":[`...)
	for n := 0; n < p.Limit && p.Rows.Next(); n++ {
		if n > 0 {
			b = append(b, ',')
		}
		b = enc.reference(b, plan.Query.Root.Table, value.GUID(p.Rows.Bytes(plan.Root.Key)))
	}
	if err := p.Rows.Err(); err != nil {
		return err
	}
	_, err := w.Write(append(b, "]}"...))
	return err
}

// putReference sets a single-valued navigation property.
func (s *Service) putReference(ctx context.Context, r *Request, t *target) (*Response, error) {
	table, id, err := s.bodyReference(r)
	if err != nil {
		return nil, err
	}
	if err := fits(t.nav, table); err != nil {
		return nil, err
	}
	v := value.ID(id)
	if t.nav.Column.Polymorphic() {
		v = value.Ref(id, table.TypeCode)
	}
	return s.link(ctx, r, func(tx *engine.Tx) error { return setLookup(tx, r, t, v) })
}

// setLookup points a lookup elsewhere; one the service keeps itself is left as it is.
func setLookup(tx *engine.Tx, r *Request, t *target, v value.Value) error {
	cond, err := parseConditions(r.Header)
	if err != nil {
		return err
	}
	ch := &query.Change{Kind: query.Update, Table: t.nav.From, ID: t.parent, IfMatch: cond.versions}
	if c := t.nav.Column; !c.Computed && !c.CreateOnly {
		ch.Set = []query.Assign{{Column: c, Value: v}}
	}
	return tx.Update(ch)
}

// clearLookup empties a lookup.
func clearLookup(tx *engine.Tx, r *Request, t *target) error {
	if err := tx.MayClear(t.nav, t.parent); err != nil {
		return err
	}
	return setLookup(tx, r, t, value.Null)
}

// fits refuses a row of the wrong table for a navigation property.
func fits(nav *schema.Nav, t *schema.Table) error {
	if nav.To == t && t != nil {
		return nil
	}
	if nav.To == nil && nav.Column != nil {
		for _, target := range nav.Column.Targets {
			if target == t {
				return nil
			}
		}
	}
	return misfit(nav, t)
}

func misfit(nav *schema.Nav, t *schema.Table) error {
	return fault.New(fault.BadPayload, "The navigation property '%s' of '%s' cannot refer to a row of '%s'.", nav.Name, nav.From.Name, t.Name).At(nav.From.Name, "navigation "+nav.Name)
}

// addReference links a row to a collection of another.
func (s *Service) addReference(ctx context.Context, r *Request, t *target) (*Response, error) {
	table, id, err := s.bodyReference(r)
	if err != nil {
		return nil, err
	}
	if t.nav.Members || engine.IsMembership(t.nav) {
		return s.linkMany(ctx, r, t, func(tx *engine.Tx) error { return s.addMember(tx, t, table, id) })
	}
	if err := fits(t.nav, table); err != nil {
		return nil, err
	}
	return s.linkMany(ctx, r, t, func(tx *engine.Tx) error { return tx.Associate(t.nav, t.nav.From, t.parent, table, id) })
}

// removeReference unlinks: nav(id)/$ref, or nav/$ref?$id=….
func (s *Service) removeReference(ctx context.Context, r *Request, t *target) (*Response, error) {
	id := t.id
	if id.IsZero() {
		if r.Options.ID == "" {
			return nil, fault.New(fault.BadRequest, "The row to unlink is missing: give its key or $id.")
		}
		table, other, err := odata.ParseReference(s.engine.Model(), r.Options.ID)
		if err != nil {
			return nil, err
		}
		if table != t.table {
			return nil, misfit(t.nav, table)
		}
		id = other
	}
	if t.nav.Members || engine.IsMembership(t.nav) {
		return s.linkMany(ctx, r, t, func(tx *engine.Tx) error { return s.removeMember(tx, t, id) })
	}
	return s.linkMany(ctx, r, t, func(tx *engine.Tx) error { return tx.Dissociate(t.nav, t.nav.From, t.parent, id) })
}

// linkMany is link for a collection: If-Match speaks of the row the collection belongs to.
func (s *Service) linkMany(ctx context.Context, r *Request, t *target, fn func(*engine.Tx) error) (*Response, error) {
	cond, err := parseConditions(r.Header)
	if err != nil {
		return nil, err
	}
	return s.link(ctx, r, func(tx *engine.Tx) error {
		if err := tx.CheckVersion(t.nav.From, t.parent, cond.versions); err != nil {
			return err
		}
		return fn(tx)
	})
}

// link runs a change of links and answers 204.
func (s *Service) link(ctx context.Context, r *Request, fn func(*engine.Tx) error) (*Response, error) {
	var resp *Response
	err := s.writeOnce(ctx, r, &resp, func(tx *engine.Tx) error {
		resp = noContent()
		return fn(tx)
	})
	return resp, err
}

// bodyReference reads {"@odata.id": "…"}.
func (s *Service) bodyReference(r *Request) (*schema.Table, value.GUID, error) {
	var body struct {
		ID string `json:"@odata.id"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil || body.ID == "" {
		return nil, value.GUID{}, fault.New(fault.BadPayload, `The body must be {"@odata.id":"<address of the row>"}.`)
	}
	if table, id, ok, err := r.contentReference(body.ID); ok || err != nil {
		return table, id, err
	}
	return odata.ParseReference(s.engine.Model(), body.ID)
}
