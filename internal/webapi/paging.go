package webapi

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"almoner/internal/engine"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

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

// begin makes a query start where the cursor stands: behind a row, or, where rows are put together, behind a number of them.
func (l *listing) begin(q *query.Query) {
	q.Page.After = l.cursor.Position
	q.Page.Offset = l.cursor.Offset
}

// purposeOf names the query a token belongs to: everything of the URL but the token itself.
func purposeOf(r *Request, t *target) string {
	from := ""
	if t.nav != nil {
		from = t.nav.Name + t.parent.String()
	}
	return r.purpose(t.table, from, r.Options)
}

// purpose names a query on a table, or on the collection of one row.
func (r *Request) purpose(t *schema.Table, from string, o *odata.Options) string {
	parts := []string{t.Name, from, o.Select, o.Filter, o.OrderBy, o.Expand, o.Apply, o.SavedQuery, o.UserQuery, r.Session.Caller().User.String()}
	if o.Top != nil {
		parts = append(parts, strconv.Itoa(*o.Top))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Aliases)) {
		parts = append(parts, name, o.Aliases[name])
	}
	return strings.Join(parts, "\x00")
}

// nextLink appends the link to the page after this one.
func (s *Service) nextLink(r *Request, l *listing, b []byte, pos *query.Position) []byte {
	token := s.engine.SealCursor(l.purpose, l.following(pos))
	return value.AppendJSON(append(b, `,"@odata.nextLink":`...), r.link("$skiptoken", token))
}

// following is the cursor of the next page. Groups have no position; they are counted.
func (l *listing) following(pos *query.Position) engine.Cursor {
	c := l.cursor
	c.Page++
	if c.Position = pos; pos == nil {
		c.Offset += l.limit
	}
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

// collectionToken makes the tokens by which an expanded collection is read on from its own URL. What that URL asks for is what the
// property's options say.
func (r *Request) collectionToken(p engine.ExpandPlan) func(parent value.GUID, last *query.Position) string {
	nav := p.Expand.Nav
	return func(parent value.GUID, last *query.Position) string {
		o, err := odata.ParseOptions(strings.TrimPrefix(linkQuery(p.Expand.Text, ""), "?"))
		if err != nil {
			return "" // options that were understood inside $expand are understood by themselves
		}
		c := engine.Cursor{Page: 2, Size: p.Expand.Show, Position: last}
		return r.Session.Engine().SealCursor(r.purpose(nav.To, nav.Name+parent.String(), o), c)
	}
}
