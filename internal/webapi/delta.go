package webapi

import (
	"context"
	"net/url"
	"strconv"

	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/schema"
)

// deltaLink is the address of the next pull of a table.
func (r *Request) deltaLink(t *schema.Table, token string) string {
	link := r.Base + "/" + t.Set + "?"
	if r.Options.Select != "" {
		link += "$select=" + url.QueryEscape(r.Options.Select) + "&"
	}
	return link + "$deltatoken=" + url.QueryEscape(token)
}

// deltaRows answers a delta link: what changed since its token, removals in their place, and the next delta link on the last page.
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
	l := &listing{context: "#" + t.table.Set + bound.Context + "/$delta", purpose: "delta " + purposeOf(r, t), track: &tracking{began: r.Session.Now()}}
	if r.Options.SkipToken == "" {
		if l.track.until, err = r.Session.Watermark(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.page(s.engine, r); err != nil {
		return nil, err
	}
	bound.Query.Page.After = l.cursor.Position
	if l.cursor.Position == nil {
		l.cursor.Since = since
	}
	r.addLabels(bound.Query)
	if l.deleted, err = r.Session.PrepareChanges(bound.Query, l.cursor.Since, l.track.until); err != nil {
		return nil, err
	}
	l.plan = l.deleted.Plan
	return s.list(ctx, r, l), nil
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
	n, err := r.Session.Count(ctx, changes.Plan)
	if err != nil {
		return nil, err
	}
	return textResponse(strconv.AppendInt(nil, n, 10)), nil
}
