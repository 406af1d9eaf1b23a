package webapi

import (
	"context"
	"io"
	"net/http"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// listing is one answer made of rows: what it reads, how much of it, and what its envelope says.
type listing struct {
	plan    *engine.Plan
	shape   *shape        // prepared before; nil when the query was bound for this request
	ids     []value.GUID  // ids for the shape's slots
	limit   int           // most rows to put out
	context string        // fragment of @odata.context
	prefix  []byte        // members before value, each with its comma
	cursor  engine.Cursor // what a next link carries on
	purpose string        // what tokens of this listing are bound to
	next    bool          // a next link may follow
	track   *tracking     // the delta link of the last page; nil for none
	fetch   *fetchPage    // FetchXML paging; nil for OData
	style   rowStyle
	applied int // page size to echo
	tracked bool
	members value.GUID // the dynamic list all of whose members are read, page by page; zero for none
	ended   bool       // the last row was put out
}

// tracking is what the delta link of a tracked read says.
type tracking struct{ until, began int64 }

// getRows answers GET of a collection in any of the query languages.
func (s *Service) getRows(ctx context.Context, r *Request, t *target) (*Response, error) {
	o := r.Options
	switch {
	case t.table.Hidden:
		return nil, fault.NoSegment(t.table.Set)
	case o.FetchXML != "" || o.SavedQuery != "" || o.UserQuery != "":
		return s.fetchRows(ctx, r, t)
	case o.DeltaToken != "":
		return s.deltaRows(ctx, r, t)
	}
	l := &listing{purpose: purposeOf(r, t), style: listedRows}
	var err error
	if l.track, err = s.startTracking(ctx, r, t, l); err != nil {
		return nil, err
	}
	if err := l.page(s.engine, r); err != nil {
		return nil, refusedAt(err, t.table)
	}
	if sh, ids, err := s.listShape(ctx, r, t, l); sh != nil && err == nil {
		l.shape, l.ids, l.plan, l.context = sh, ids, sh.template.Plan, sh.context
		return s.list(ctx, r, l), nil
	}
	return s.boundRows(ctx, r, t, l)
}

// boundRows answers a list whose query is bound for this request alone.
func (s *Service) boundRows(ctx context.Context, r *Request, t *target, l *listing) (*Response, error) {
	bound, err := odata.Bind(s.engine.Model(), t.table, r.Options)
	if err != nil {
		return nil, refusedAt(err, t.table)
	}
	l.context = "#" + t.table.Set + bound.Context
	bound.LimitExpands(r.Prefer.PageSize, engine.MaxPage)
	l.begin(bound.Query)
	if bound.Apply {
		l.style = groupedRows
	}
	scope, err := r.scope(ctx, t, bound.Query.Root)
	if err != nil {
		return nil, err
	}
	if l.members, err = r.allMembersOf(ctx, t); err != nil {
		return nil, err
	}
	bound.Query.Where = query.AllOf(bound.Query.Where, scope)
	r.addLabels(bound.Query)
	if l.plan, err = r.Session.Prepare(bound.Query); err != nil {
		return nil, err
	}
	if bound.Apply {
		if err := s.checkAggregate(ctx, r, l.plan); err != nil {
			return nil, err
		}
	}
	if err := s.countInto(ctx, r, l); err != nil {
		return nil, err
	}
	return s.list(ctx, r, l), nil
}

// startTracking decides whether a listing ends in a delta link, and fixes the watermark before the first row is read.
func (s *Service) startTracking(ctx context.Context, r *Request, t *target, l *listing) (*tracking, error) {
	asked := r.Prefer.TrackChanges
	if asked {
		if err := checkTrackedOptions(r, t); err != nil {
			return nil, err
		}
		if err := r.Session.CheckTracking(t.table); err != nil {
			return nil, err
		}
	} else if !plainRead(r.Options, t) || r.Session.CheckTracking(t.table) != nil {
		return nil, nil
	}
	l.tracked = asked
	k := &tracking{began: r.Session.Now()}
	if r.Options.SkipToken != "" {
		return k, nil // the token of the first page carries the watermark
	}
	var err error
	k.until, err = r.Session.Watermark(ctx)
	return k, err
}

// plainRead tells whether a read of a whole table has no option but $select (decision 5).
func plainRead(o *odata.Options, t *target) bool {
	return t.nav == nil && o.Filter == "" && o.OrderBy == "" && o.Expand == "" && o.Apply == "" && o.Top == nil && !o.Count
}

func checkTrackedOptions(r *Request, t *target) error {
	o := r.Options
	for name, sent := range map[string]bool{"$filter": o.Filter != "", "$orderby": o.OrderBy != "", "$expand": o.Expand != "", "$top": o.Top != nil, "$apply": o.Apply != ""} {
		if sent {
			return fault.New(fault.BadRequest, "The query parameter %s is not supported when change tracking is enabled.", name).At(t.table.Name)
		}
	}
	if t.nav != nil {
		return fault.New(fault.BadRequest, "Change tracking is not supported on a navigation property.").At(t.table.Name)
	}
	return nil
}

// list makes the streaming answer of a listing.
func (s *Service) list(ctx context.Context, r *Request, l *listing) *Response {
	resp := newResponse(http.StatusOK)
	resp.Header.Set("Content-Type", r.contentType())
	r.setApplied(resp, r.Prefer.appliedHeader(l.applied, l.tracked))
	resp.Stream = func(w io.Writer) error { return s.streamList(ctx, r, l, w) }
	return resp
}

// flushAt is the size at which the buffer is handed to the socket.
const flushAt = 48 << 10

// streamList writes the envelope and its rows, flushing while the cursor moves.
func (s *Service) streamList(ctx context.Context, r *Request, l *listing, w io.Writer) error {
	out := newChunks(w)
	defer out.close()
	b := append(out.empty(), '{')
	b = append(b, r.contextPrefix(l.context)...)
	b = append(b, l.prefix...)
	err := l.read(ctx, r, func(p *engine.Page) error {
		var err error
		b, err = s.writeRows(ctx, r, l, p, out, b)
		return err
	})
	if err != nil {
		return err
	}
	if l.ended && !l.members.IsZero() {
		s.countMembers(ctx, l.members)
	}
	_, err = out.flush(b)
	return err
}

// read runs the listing's query.
func (l *listing) read(ctx context.Context, r *Request, fn func(*engine.Page) error) error {
	if l.shape != nil {
		return r.Session.ReadTemplate(ctx, l.shape.template, l.ids, fn)
	}
	return r.Session.Read(ctx, l.plan, l.limit, fn)
}

// encoder makes the encoder of the listing's rows.
func (l *listing) encoder(ctx context.Context, r *Request) *encoder {
	if l.shape != nil {
		return r.encoderWith(ctx, l.shape.root)
	}
	var attributes []string
	if l.fetch != nil {
		attributes = l.fetch.bound.Attributes
	}
	return r.newEncoder(ctx, l.plan, l.style, attributes)
}

func (s *Service) writeRows(ctx context.Context, r *Request, l *listing, p *engine.Page, out *chunks, b []byte) ([]byte, error) {
	enc := l.encoder(ctx, r)
	var pos *query.Position
	b, first, n, more := append(b, `"value":[`...), (*query.Position)(nil), 0, false
	for n < l.limit && p.Rows.Next() {
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = enc.object(b, enc.root, p.Rows, p.Children, nil)
		if n == 1 && l.fetch != nil {
			first = l.plan.Position(p.Rows)
		}
		if n == l.limit {
			pos = l.plan.Position(p.Rows)
			more = p.Rows.Next()
		}
		if len(b) >= flushAt {
			var err error
			if b, err = out.flush(b); err != nil {
				return b, err
			}
		}
	}
	if err := p.Rows.Err(); err != nil {
		return b, err
	}
	b, l.ended = append(b, ']'), !more
	return s.closeList(r, l, b, first, pos, more), nil
}

// closeList ends the envelope with the links that follow from the last row.
func (s *Service) closeList(r *Request, l *listing, b []byte, first, pos *query.Position, more bool) []byte {
	switch {
	case more && l.fetch != nil:
		b = l.fetch.close(r, b, first, pos)
		if l.next {
			b = s.nextLink(r, l, b, pos)
		}
	case more && l.next:
		b = s.nextLink(r, l, b, pos)
	case l.track != nil:
		table := l.plan.Root.Node.Link.Table
		token := r.Session.SealDelta(table, r.Options.Select, l.track.until, l.track.began)
		b = value.AppendJSON(append(b, `,"@odata.deltaLink":`...), r.deltaLink(table, token))
	}
	return append(b, '}')
}

// addLabels asks for the primary names of lookups where formatted values are wanted.
func (r *Request) addLabels(q *query.Query) {
	if r.Prefer.wants(formattedValue) {
		labelNode(&q.Select)
	}
}

func labelNode(n *query.Node) {
	for i := range n.Outputs {
		o := &n.Outputs[i]
		if ref, ok := o.Expr.(query.Ref); ok && o.Column != nil && o.Column.Type == schema.TypeLookup && o.Agg == query.AggNone && o.Label == nil {
			o.Label = query.TitleOf(ref)
		}
	}
	for _, e := range n.Expands {
		for _, one := range e.One {
			labelNode(one)
		}
		if e.Many != nil {
			labelNode(&e.Many.Select)
		}
	}
}
