package webapi

import (
	"context"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/fetchxml"
	"almoner/internal/query"
	"almoner/internal/value"
)

// fetchPage is the paging of a FetchXML answer: by cookie, not by next link.
type fetchPage struct{ bound *fetchxml.Bound }

// fetchRows answers a collection asked for in FetchXML, directly or by a stored query.
func (s *Service) fetchRows(ctx context.Context, r *Request, t *target) (*Response, error) {
	text, err := s.fetchText(ctx, r)
	if err != nil {
		return nil, err
	}
	fetch, err := fetchxml.Parse(text)
	if err != nil {
		return nil, err
	}
	if fetch.Entity.Name != t.table.Name {
		return nil, fault.New(fault.FetchEntityMismatch, "The fetch names the entity '%s', but the set '%s' holds '%s'.", fetch.Entity.Name, t.table.Set, t.table.Name).At(t.table.Name)
	}
	bound, err := fetchxml.Bind(s.engine.Model(), fetch)
	if err != nil {
		return nil, err
	}
	scope, err := r.scope(ctx, t, bound.Query.Root)
	if err != nil {
		return nil, err
	}
	bound.Query.Where = query.AllOf(bound.Query.Where, scope)
	return s.listFetch(ctx, r, t, bound)
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
	l := &listing{context: "#" + t.table.Set, fetch: &fetchPage{bound}}
	l.limit = fetchLimit(r, bound)
	q := bound.Query
	if q.Page.After == nil && bound.Page > 1 {
		q.Page.Offset = (bound.Page - 1) * l.limit
	}
	if bound.Aggregate {
		if err := s.checkAggregate(ctx, r, bound); err != nil {
			return nil, err
		}
	}
	var err error
	if l.plan, err = r.Session.Prepare(q); err != nil {
		return nil, err
	}
	r.Options.Count = r.Options.Count || bound.ReturnTotal
	if err := s.countInto(ctx, r, l); err != nil {
		return nil, err
	}
	return s.list(ctx, r, l), nil
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

// checkAggregate refuses an aggregate over more rows than the setting allows.
func (s *Service) checkAggregate(ctx context.Context, r *Request, bound *fetchxml.Bound) error {
	limit := s.engine.Settings().AggregateLimit
	if limit == 0 || bound.AggregateLimit > 0 {
		return nil
	}
	n, err := r.Session.CountSource(ctx, bound.Query)
	if err != nil {
		return err
	}
	if n > int64(limit) {
		return fault.New(fault.AggregateLimit, "The maximum record limit is exceeded. Reduce the number of records to at most %d.", limit)
	}
	return nil
}

// close ends a page that is not the last with the cookie of the next, where the client asked for it.
func (f *fetchPage) close(r *Request, b []byte, first, last *query.Position) []byte {
	if f.bound.Top > 0 {
		return b
	}
	if r.Prefer.wants(pagingCookie) {
		b = appendString(append(b, `,"@`+pagingCookie+`":`...), f.bound.NextCookie(first, last).Annotation())
	}
	if r.Prefer.wants(moreRecords) {
		b = append(b, `,"@`+moreRecords+`":true`...)
	}
	return b
}
