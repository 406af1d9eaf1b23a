package webapi

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

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
	deleted *engine.Changes
	applied int // page size to echo
	tracked bool
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
	l := &listing{purpose: purposeOf(r, t)}
	var err error
	if l.track, err = s.startTracking(ctx, r, t, l); err != nil {
		return nil, err
	}
	if err := l.page(s.engine, r); err != nil {
		return nil, err
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
		return nil, err
	}
	l.context = "#" + t.table.Set + bound.Context
	l.next = l.next && !bound.Apply
	bound.Query.Page.After = l.cursor.Position
	scope, err := r.scope(ctx, t, bound.Query.Root)
	if err != nil {
		return nil, err
	}
	bound.Query.Where = query.AllOf(bound.Query.Where, scope)
	r.addLabels(bound.Query)
	if l.plan, err = r.Session.Prepare(bound.Query); err != nil {
		return nil, err
	}
	if err := s.countInto(ctx, r, l); err != nil {
		return nil, err
	}
	return s.list(ctx, r, l), nil
}

// page works out how many rows the answer holds and where it begins (decision 1).
func (l *listing) page(e *engine.Engine, r *Request) error {
	size := r.Prefer.PageSize
	l.applied = size
	if r.Options.SkipToken != "" {
		c, err := e.OpenCursor(l.purpose, r.Options.SkipToken)
		if err != nil {
			return err
		}
		if size > 0 {
			c.Size = size
		}
		l.cursor = c
		if l.track != nil {
			l.track.until, l.track.began = c.Until, c.Began
		}
	} else {
		l.cursor = firstCursor(size, r.Options.Top)
	}
	l.limit = l.cursor.Size
	l.next = true
	if left := l.cursor.Left; left > 0 && left <= l.limit {
		l.limit, l.next = left, false
	}
	if r.Options.Top != nil && *r.Options.Top == 0 {
		l.limit, l.next = 0, false
	}
	return nil
}

// firstCursor is where a listing starts: $top caps, maxpagesize pages, $top of the page cap or more pages too.
func firstCursor(size int, top *int) engine.Cursor {
	c := engine.Cursor{Page: 1, Size: size}
	if size == 0 {
		c.Size = engine.MaxPage
	}
	if top != nil && (size > 0 || *top < engine.MaxPage) {
		c.Left = *top
	}
	return c
}

// purposeOf names the query a token belongs to: everything of the URL but the token itself.
func purposeOf(r *Request, t *target) string {
	o := r.Options
	top := ""
	if o.Top != nil {
		top = strconv.Itoa(*o.Top)
	}
	nav := ""
	if t.nav != nil {
		nav = t.nav.Name + t.parent.String()
	}
	return strings.Join([]string{t.table.Name, nav, o.Select, o.Filter, o.OrderBy, o.Expand, o.Apply, top, r.Session.Caller().User.String()}, "\x00")
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

// countInto reads the total when $count=true asks for it and puts it, with the annotations that go along, before the rows.
func (s *Service) countInto(ctx context.Context, r *Request, l *listing) error {
	if r.Prefer.wants(totalCount) || r.Options.Count {
		total := int64(-1)
		if r.Options.Count {
			n, err := r.Session.Count(ctx, l.plan)
			if err != nil {
				return err
			}
			total = n
			l.prefix = r.appendCount(append(l.prefix, `"@odata.count":`...), n)
			l.prefix = append(l.prefix, ',')
		}
		s.totals(r, l, total)
	}
	if r.Prefer.wants(globalVersion) {
		l.prefix = appendString(append(l.prefix, `"@`+globalVersion+`":`...), s.engine.Model().Version)
		l.prefix = append(l.prefix, ',')
	}
	return nil
}

// appendCount appends a number of rows, quoted where the client wants numbers so.
func (r *Request) appendCount(b []byte, n int64) []byte {
	if r.quotesNumbers() {
		return append(strconv.AppendInt(append(b, '"'), n, 10), '"')
	}
	return strconv.AppendInt(b, n, 10)
}

func (s *Service) totals(r *Request, l *listing, total int64) {
	limit := int64(s.engine.Settings().CountCap)
	exceeded := limit > 0 && total >= limit
	if r.Prefer.wants(totalCount) {
		l.prefix = append(strconv.AppendInt(append(l.prefix, `"@`+totalCount+`":`...), total, 10), ',')
	}
	if r.Prefer.wants(totalExceeded) {
		l.prefix = append(strconv.AppendBool(append(l.prefix, `"@`+totalExceeded+`":`...), exceeded), ',')
	}
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
	buf := takeBuffer()
	defer giveBuffer(buf)
	b := append((*buf)[:0], '{')
	b = append(b, r.contextPrefix(l.context)...)
	b = append(b, l.prefix...)
	err := l.read(ctx, r, func(p *engine.Page) error {
		var err error
		b, err = s.writeRows(ctx, r, l, p, w, b)
		return err
	})
	*buf = b
	if err != nil {
		return err
	}
	_, err = w.Write(b)
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
		return r.encoderWith(ctx, l.shape.root, false)
	}
	return r.newEncoder(ctx, l.plan, l.fetch != nil)
}

func (s *Service) writeRows(ctx context.Context, r *Request, l *listing, p *engine.Page, w io.Writer, b []byte) ([]byte, error) {
	enc := l.encoder(ctx, r)
	var pos *query.Position
	b, first, n, more := append(b, `"value":[`...), (*query.Position)(nil), 0, false
	for n < l.limit && p.Rows.Next() {
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = l.row(b, enc, p)
		if n == 1 && l.fetch != nil {
			first = l.plan.Position(p.Rows)
		}
		if n == l.limit {
			pos = l.plan.Position(p.Rows)
			more = p.Rows.Next()
		}
		if len(b) >= flushAt {
			if _, err := w.Write(b); err != nil {
				return b, err
			}
			b = b[:0]
		}
	}
	if err := p.Rows.Err(); err != nil {
		return b, err
	}
	b = append(b, ']')
	return s.closeList(r, l, b, first, pos, more), nil
}

// row appends one row, or the removal that stands in its place in a delta.
func (l *listing) row(b []byte, enc *encoder, p *engine.Page) []byte {
	if l.deleted != nil && p.Rows.Null(l.plan.Root.Key) {
		return enc.removal(b, l.plan.Root.Node.Link.Table, value.GUID(p.Rows.Bytes(l.deleted.Object)))
	}
	return enc.object(b, enc.root, p.Rows, p.Children, nil)
}

// removal appends the entry of a deleted row.
func (e *encoder) removal(b []byte, t *schema.Table, id value.GUID) []byte {
	b = appendString(append(b, `{"@odata.context":`...), e.base+"/$metadata#"+t.Set+"/$deletedEntity")
	b = id.Append(append(b, `,"id":"`...))
	return append(b, `","reason":"deleted"}`...)
}

// closeList ends the envelope with the links that follow from the last row.
func (s *Service) closeList(r *Request, l *listing, b []byte, first, pos *query.Position, more bool) []byte {
	switch {
	case l.fetch != nil && more:
		b = l.fetch.close(r, b, first, pos)
	case l.fetch == nil && more && l.next:
		b = appendString(append(b, `,"@odata.nextLink":`...), r.link("$skiptoken", s.engine.SealCursor(l.purpose, l.following(pos))))
	case l.track != nil:
		table := l.plan.Root.Node.Link.Table
		token := r.Session.SealDelta(table, r.Options.Select, l.track.until, l.track.began)
		b = appendString(append(b, `,"@odata.deltaLink":`...), r.deltaLink(table, token))
	}
	return append(b, '}')
}

// following is the cursor of the next page.
func (l *listing) following(pos *query.Position) engine.Cursor {
	c := l.cursor
	c.Page++
	c.Position = pos
	if c.Left > 0 {
		c.Left -= l.limit
	}
	if l.track != nil {
		c.Until, c.Began = l.track.until, l.track.began
	}
	return c
}

// link is the request's own URL with one option replaced.
func (r *Request) link(option, val string) string {
	var kept []string
	for _, pair := range strings.Split(r.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); pair != "" && (err != nil || decoded != option) {
			kept = append(kept, strings.ReplaceAll(pair, " ", "%20"))
		}
	}
	kept = append(kept, option+"="+url.QueryEscape(val))
	return r.Base + "/" + strings.TrimPrefix(r.Path, "/") + "?" + strings.Join(kept, "&")
}

// countRows answers /$count as plain text.
func (s *Service) countRows(ctx context.Context, r *Request, t *target) (*Response, error) {
	if r.Options.DeltaToken != "" {
		return s.countChanges(ctx, r, t)
	}
	bound, err := odata.Bind(s.engine.Model(), t.table, r.Options)
	if err != nil {
		return nil, err
	}
	scope, err := r.scope(ctx, t, bound.Query.Root)
	if err != nil {
		return nil, err
	}
	bound.Query.Where = query.AllOf(bound.Query.Where, scope)
	plan, err := r.Session.Prepare(bound.Query)
	if err != nil {
		return nil, err
	}
	n, err := r.Session.Count(ctx, plan)
	if err != nil {
		return nil, err
	}
	return textResponse(strconv.AppendInt(nil, n, 10)), nil
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
