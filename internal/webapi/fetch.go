package webapi

import (
	"context"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/fetchxml"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// fetchPage is the paging of a FetchXML answer: by cookie; a stored query, whose text the client does not send, pages by next links too.
type fetchPage struct{ bound *fetchxml.Bound }

// fetchRows answers a collection asked for in FetchXML, directly or by a stored query.
func (s *Service) fetchRows(ctx context.Context, r *Request, t *target) (*Response, error) {
	if err := checkFetchOptions(r.Options, t.table); err != nil {
		return nil, err
	}
	text, err := s.fetchText(ctx, r)
	if err != nil {
		return nil, err
	}
	fetch, err := fetchxml.Parse(text)
	if err != nil {
		return nil, refusedAt(err, t.table)
	}
	if named := s.engine.Model().Table(fetch.Entity.Name); named != nil && !named.Hidden && named != t.table {
		return nil, fault.New(fault.FetchEntityMismatch, "The fetch names the entity '%s', but the set '%s' holds '%s'.", fetch.Entity.Name, t.table.Set, t.table.Name).At(t.table.Name)
	}
	bound, err := s.bindFetch(ctx, r, t, fetch)
	if err != nil {
		return nil, refusedAt(err, t.table)
	}
	return s.listFetch(ctx, r, t, bound)
}

// bindFetch binds a fetch on the rows of the target. With an aggregatelimit it runs over the first rows by key only, one more than
// the limit.
func (s *Service) bindFetch(ctx context.Context, r *Request, t *target, fetch *fetchxml.Fetch) (*fetchxml.Bound, error) {
	bound, err := fetchxml.Bind(s.engine.Model(), fetch)
	if err != nil {
		return nil, err
	}
	q := bound.Query
	scope, err := r.scope(ctx, t, q.Root)
	if err != nil {
		return nil, err
	}
	q.Where = query.AllOf(q.Where, scope)
	if bound.AggregateLimit == 0 {
		return bound, nil
	}
	first, err := fetchxml.Sources(s.engine.Model(), fetch)
	if err != nil {
		return nil, err
	}
	if scope, err = r.scope(ctx, t, first.Root); err != nil {
		return nil, err
	}
	first.Where = query.AllOf(first.Where, scope)
	first.Page.Size = bound.AggregateLimit + 1
	q.Where = query.AllOf(q.Where, &query.InQuery{Left: query.Ref{Link: q.Root, Column: t.table.Key}, Query: first})
	return bound, nil
}

// checkFetchOptions refuses what a FetchXML query says by itself: the two languages do not mix.
func checkFetchOptions(o *odata.Options, t *schema.Table) error {
	given := ""
	for _, name := range []string{"fetchXml", "savedQuery", "userQuery"} {
		switch {
		case o.Has(name) && given != "":
			return fault.New(fault.BadRequest, "The query parameters '%s' and '%s' cannot be used together.", given, name).At(t.Name)
		case o.Has(name):
			given = name
		}
	}
	refused := []string{"$select", "$expand", "$filter", "$orderby", "$apply", "$top", "$deltatoken"}
	if given == "fetchXml" {
		refused = append(refused, "$skiptoken")
	}
	for _, name := range refused {
		if o.Has(name) {
			return fault.New(fault.BadRequest, "The query parameter '%s' cannot be used together with '%s'.", name, given).At(t.Name)
		}
	}
	return nil
}

// fetchText returns the FetchXML of the request: its own, or that of a saved or user query on the same table.
func (s *Service) fetchText(ctx context.Context, r *Request) (string, error) {
	o := r.Options
	if o.FetchXML != "" {
		return o.FetchXML, nil
	}
	name, text := "savedquery", o.SavedQuery
	if text == "" {
		name, text = "userquery", o.UserQuery
	}
	id, err := value.ParseGUID(text)
	if err != nil {
		return "", fault.New(fault.BadRequest, "'%s' is not the id of a stored query.", text)
	}
	row, err := r.Session.Find(ctx, s.engine.Model().Table(name), id)
	if err != nil {
		return "", err
	}
	return row.Value("fetchxml").Text(), nil
}

func (s *Service) listFetch(ctx context.Context, r *Request, t *target, bound *fetchxml.Bound) (*Response, error) {
	r.addLabels(bound.Query)
	l := &listing{context: "#" + t.table.Set, fetch: &fetchPage{bound}, style: fetchedRows, applied: r.Prefer.PageSize}
	if err := l.fetchPage(s.engine, r, t, bound); err != nil {
		return nil, err
	}
	var err error
	if l.plan, err = r.Session.Prepare(bound.Query); err != nil {
		return nil, err
	}
	if bound.Aggregate && bound.AggregateLimit == 0 {
		if err := s.checkAggregate(ctx, r, l.plan); err != nil {
			return nil, err
		}
	}
	r.Options.Count = r.Options.Count || bound.ReturnTotal
	if err := s.countInto(ctx, r, l); err != nil {
		return nil, err
	}
	return s.list(ctx, r, l), nil
}

// fetchPage works out how many rows the answer holds and where it begins. A stored query begins where its next link says.
func (l *listing) fetchPage(e *engine.Engine, r *Request, t *target, bound *fetchxml.Bound) error {
	q := bound.Query
	l.limit = fetchLimit(r, bound)
	if q.Page.After == nil && bound.Page > 1 {
		q.Page.Offset = (bound.Page - 1) * l.limit
	}
	if r.Options.FetchXML != "" || bound.Top > 0 {
		return nil
	}
	l.next, l.purpose = true, purposeOf(r, t)
	l.cursor = engine.Cursor{Page: bound.Page, Size: l.limit, Position: q.Page.After, Offset: q.Page.Offset}
	if r.Options.SkipToken == "" {
		return nil
	}
	c, err := e.OpenCursor(l.purpose, r.Options.SkipToken)
	if err != nil {
		return refusedAt(err, t.table)
	}
	l.cursor = c
	if l.limit = r.Prefer.PageSize; l.limit == 0 {
		l.limit = c.Size
	}
	l.begin(q)
	return nil
}

func fetchLimit(r *Request, bound *fetchxml.Bound) int {
	switch {
	case bound.Top > 0:
		return min(bound.Top, engine.MaxPage)
	case bound.Count > 0:
		return min(bound.Count, engine.MaxPage)
	case r.Prefer.PageSize > 0:
		return r.Prefer.PageSize
	default:
		return engine.MaxPage
	}
}

// close ends a page that is not the last with the cookie of the next, where the client asked for it.
func (f *fetchPage) close(r *Request, b []byte, first, last *query.Position) []byte {
	if f.bound.Top > 0 {
		return b
	}
	if r.Prefer.wants(pagingCookie) {
		b = value.AppendJSON(append(b, `,"@`+pagingCookie+`":`...), f.bound.NextCookie(first, last).Annotation())
	}
	if r.Prefer.wants(moreRecords) {
		b = append(b, `,"@`+moreRecords+`":true`...)
	}
	return b
}
