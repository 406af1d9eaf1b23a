package webapi

import (
	"context"
	"io"
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

// deltaLink is the address of the next pull of a table.
func (r *Request) deltaLink(t *schema.Table, token string) string {
	link := r.Base + "/" + t.Set + "?"
	if r.Options.Select != "" {
		link += "$select=" + strings.ReplaceAll(url.QueryEscape(r.Options.Select), "%2C", ",") + "&"
	}
	return link + "$deltatoken=" + url.QueryEscape(token)
}

// delta is the answer to a delta link: the rows that changed since its token, then the rows that went, and the next delta link on the
// last page.
type delta struct {
	*listing
	changes *engine.Changes
	buf     []byte
	out     io.Writer
	n       int             // entries put out
	last    *query.Position // of the last entry of a full page
	more    bool            // entries follow on another page
}

func (s *Service) deltaRows(ctx context.Context, r *Request, t *target) (*Response, error) {
	if err := s.checkDelta(r, t); err != nil {
		return nil, err
	}
	since, err := r.Session.OpenDelta(t.table, &r.Options.Select, r.Options.DeltaToken)
	if err != nil {
		return nil, err
	}
	bound, err := odata.Bind(s.engine.Model(), t.table, r.Options)
	if err != nil {
		return nil, err
	}
	l := &listing{context: "#" + t.table.Set + bound.Context + "/$delta", purpose: "delta " + purposeOf(r, t), track: &tracking{began: r.Session.Now()}, style: listedRows}
	if r.Options.SkipToken == "" {
		if l.track.until, err = r.Session.Watermark(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.page(s.engine, r); err != nil {
		return nil, err
	}
	r.addLabels(bound.Query)
	d := &delta{listing: l}
	if d.changes, err = r.Session.PrepareChanges(bound.Query, since, l.track.until); err != nil {
		return nil, err
	}
	l.plan = d.changes.Live
	resp := s.list(ctx, r, l)
	resp.Stream = func(w io.Writer) error { return d.stream(ctx, r, w) }
	return resp, nil
}

// stream writes the envelope and its entries, flushing while the cursors move.
func (d *delta) stream(ctx context.Context, r *Request, w io.Writer) error {
	buf := takeBuffer()
	defer giveBuffer(buf)
	d.out, d.buf = w, append((*buf)[:0], '{')
	d.buf = append(append(d.buf, r.contextPrefix(d.context)...), `"value":[`...)
	err := d.entries(ctx, r)
	if err == nil {
		d.close(r)
		_, err = w.Write(d.buf)
	}
	*buf = d.buf
	return err
}

// entries writes the rows and, when they are through, the removals.
func (d *delta) entries(ctx context.Context, r *Request) error {
	live, removed := d.changes.Live, d.changes.Removed
	if !d.cursor.Removed {
		live.Query.Page.After = d.cursor.Position
		err := r.Session.Read(ctx, live, d.limit, func(p *engine.Page) error {
			enc := r.newEncoder(ctx, live, listedRows, nil)
			return d.fill(p, func() { d.buf = enc.object(d.buf, enc.root, p.Rows, p.Children, nil) })
		})
		if err != nil || d.more {
			return err
		}
		d.cursor.Position, d.last = nil, nil
	}
	d.cursor.Removed = true
	removed.Query.Page.After = d.cursor.Position
	context := r.Base + "/$metadata#" + live.Root.Node.Link.Table.Set + "/$deletedEntity"
	return r.Session.Read(ctx, removed, max(1, d.limit-d.n), func(p *engine.Page) error {
		return d.fill(p, func() { d.buf = appendRemoval(d.buf, context, value.GUID(p.Rows.Bytes(d.changes.Object))) })
	})
}

// fill writes entries until the page is full, and finds out whether more follow.
func (d *delta) fill(p *engine.Page, put func()) error {
	for d.n < d.limit && p.Rows.Next() {
		if d.n++; d.n > 1 {
			d.buf = append(d.buf, ',')
		}
		put()
		if d.n == d.limit {
			d.last = p.Plan.Position(p.Rows)
		}
		if len(d.buf) >= flushAt {
			if _, err := d.out.Write(d.buf); err != nil {
				return err
			}
			d.buf = d.buf[:0]
		}
	}
	d.more = d.n == d.limit && p.Rows.Next()
	return p.Rows.Err()
}

// appendRemoval appends the entry of a deleted row.
func appendRemoval(b []byte, context string, id value.GUID) []byte {
	b = value.AppendJSON(append(b, `{"@odata.context":`...), context)
	b = id.Append(append(b, `,"id":"`...))
	return append(b, `","reason":"deleted"}`...)
}

// close ends the envelope with the link that follows.
func (d *delta) close(r *Request) {
	e, table := r.Session.Engine(), d.changes.Live.Root.Node.Link.Table
	if d.buf = append(d.buf, ']'); d.more {
		d.buf = value.AppendJSON(append(d.buf, `,"@odata.nextLink":`...), r.link("$skiptoken", e.SealCursor(d.purpose, d.following(d.last))))
	} else {
		token := r.Session.SealDelta(table, r.Options.Select, d.track.until, d.track.began)
		d.buf = value.AppendJSON(append(d.buf, `,"@odata.deltaLink":`...), r.deltaLink(table, token))
	}
	d.buf = append(d.buf, '}')
}

func (s *Service) checkDelta(r *Request, t *target) error {
	if err := checkTrackedOptions(r, t); err != nil {
		return err
	}
	if r.Options.Count {
		return fault.New(fault.BadRequest, "The query parameter $count is not supported when change tracking is enabled.").At(t.table.Name)
	}
	return r.Session.CheckTracking(t.table)
}

// countChanges answers /$count?$deltatoken=…: the number of entries the delta would hold. The token may be one of any columns of
// the table (decision 49).
func (s *Service) countChanges(ctx context.Context, r *Request, t *target) (*Response, error) {
	if err := s.checkDelta(r, t); err != nil {
		return nil, err
	}
	since, err := r.Session.OpenDelta(t.table, nil, r.Options.DeltaToken)
	if err != nil {
		return nil, err
	}
	until, err := r.Session.Watermark(ctx)
	if err != nil {
		return nil, err
	}
	bound, err := odata.Bind(s.engine.Model(), t.table, &odata.Options{})
	if err != nil {
		return nil, err
	}
	changes, err := r.Session.PrepareChanges(bound.Query, since, until)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, plan := range []*engine.Plan{changes.Live, changes.Removed} {
		n, err := r.Session.Count(ctx, plan)
		if err != nil {
			return nil, err
		}
		total += n
	}
	return textResponse(strconv.AppendInt(nil, total, 10)), nil
}
