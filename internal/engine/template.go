package engine

import (
	"context"
	"encoding/binary"
	"time"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Template is a read prepared for one caller and one shape of query, to be run many times with other ids. It is good as long as what it
// was made from is: caller, settings and giving year.
type Template struct {
	Plan     *Plan
	limit    int
	prepared store.Prepared
	caller   *auth.Caller
	settings *settings.Settings
	year     int
}

// Slot returns the id that stands for the n-th id of a shape. Slots look like no id the service makes.
func Slot(n int) value.GUID {
	g := value.GUID{0xff, 0xff, 0xff, 0xff, 's', 'l', 'o', 't'}
	binary.BigEndian.PutUint32(g[12:], uint32(n)+1)
	return g
}

// NewTemplate prepares a bound query whose ids are the first slots, for pages of at most limit rows. It returns nil when the query needs
// more than one statement per page.
func (s *Session) NewTemplate(q *query.Query, slots, limit int) (*Template, error) {
	plan, err := s.Prepare(q)
	if err != nil || plan.Root.hasMany() {
		return nil, err
	}
	plan.Query.Page.Size = limit + 1
	ids := make([]value.GUID, slots)
	for i := range ids {
		ids[i] = Slot(i)
	}
	prepared, err := s.e.store.Prepare(plan.Query, ids)
	if err != nil {
		return nil, err
	}
	cfg := s.e.Settings()
	return &Template{plan, limit, prepared, s.caller, cfg, rules.GivingYear(s.now, cfg)}, nil
}

// Fits tells whether the template still says what the query would mean in this session.
func (t *Template) Fits(s *Session) bool {
	cfg := s.e.Settings()
	return t.caller == s.caller && t.settings == cfg && t.year == rules.GivingYear(s.now, cfg)
}

// ReadTemplate runs a template with the ids of this request.
func (s *Session) ReadTemplate(ctx context.Context, t *Template, ids []value.GUID, fn func(*Page) error) error {
	if err := s.settleBefore(ctx, t.Plan.Query); err != nil {
		return err
	}
	defer s.logSlow(ctx, time.Now(), "read", t.Plan.Query)
	rows, err := t.prepared.Read(ctx, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	return fn(&Page{Plan: t.Plan, Rows: t.Plan.shown(rows), Limit: t.limit})
}
