package webapi

import (
	"context"
	"strconv"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/value"
)

// countInto reads the total when $count=true asks for it and puts it, with the annotations that go along, before the rows. They say -1
// where no count was asked for.
func (s *Service) countInto(ctx context.Context, r *Request, l *listing) error {
	total, exceeded := int64(-1), false
	if r.Options.Count {
		n, err := r.Session.Count(ctx, l.plan)
		if err != nil {
			return err
		}
		total, exceeded = s.capped(n)
		l.prefix = append(r.appendCount(append(l.prefix, `"@odata.count":`...), total), ',')
	}
	if r.Prefer.wants(totalCount) {
		l.prefix = append(strconv.AppendInt(append(l.prefix, `"@`+totalCount+`":`...), total, 10), ',')
	}
	if r.Prefer.wants(totalExceeded) {
		l.prefix = append(strconv.AppendBool(append(l.prefix, `"@`+totalExceeded+`":`...), exceeded), ',')
	}
	if r.Prefer.wants(globalVersion) {
		l.prefix = value.AppendJSON(append(l.prefix, `"@`+globalVersion+`":`...), s.engine.Model().Version)
		l.prefix = append(l.prefix, ',')
	}
	return nil
}

// capped is a count as the setting count.cap lets it be told, and whether there are more rows than that.
func (s *Service) capped(n int64) (told int64, exceeded bool) {
	if limit := int64(s.engine.Settings().CountCap); limit > 0 && n > limit {
		return limit, true
	}
	return n, false
}

// appendCount appends a number of rows, quoted where the client wants numbers so.
func (r *Request) appendCount(b []byte, n int64) []byte {
	if r.quotesNumbers() {
		return append(strconv.AppendInt(append(b, '"'), n, 10), '"')
	}
	return strconv.AppendInt(b, n, 10)
}

// checkAggregate refuses an aggregate over more rows than the setting allows.
func (s *Service) checkAggregate(ctx context.Context, r *Request, plan *engine.Plan) error {
	limit := s.engine.Settings().AggregateLimit
	if limit == 0 {
		return nil
	}
	n, err := r.Session.CountSource(ctx, plan)
	if err != nil {
		return err
	}
	if n > int64(limit) {
		return fault.New(fault.AggregateLimit, "The maximum record limit is exceeded. Reduce the number of records to at most %d.", limit).
			At(plan.Query.Root.Table.Name)
	}
	return nil
}

// countRows answers /$count as plain text.
func (s *Service) countRows(ctx context.Context, r *Request, t *target) (*Response, error) {
	if r.Options.DeltaToken != "" {
		return s.countChanges(ctx, r, t)
	}
	for _, name := range []string{"fetchXml", "savedQuery", "userQuery"} {
		if r.Options.Has(name) {
			return nil, fault.New(fault.BadRequest, "The query parameter '%s' cannot be used with /$count.", name).At(t.table.Name)
		}
	}
	bound, err := odata.Bind(s.engine.Model(), t.table, r.Options)
	if err != nil {
		return nil, refusedAt(err, t.table)
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
	n, _ = s.capped(n)
	return textResponse(strconv.AppendInt(nil, n, 10)), nil
}
