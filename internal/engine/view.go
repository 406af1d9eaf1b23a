package engine

import (
	"context"
	"errors"

	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/value"
)

// View runs fn with the books as they are now, for functions of the rules that only look. All it reads is of one snapshot, and the
// caller's privileges do not apply to it: what the function needs has been checked by who calls it.
func (s *Session) View(ctx context.Context, fn func(rules.Env) error) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	return s.e.store.View(ctx, func(r store.Reader) error { return fn(lookout{ctx, s, r}) })
}

// lookout is the rules' environment for looking only.
type lookout struct {
	ctx    context.Context
	s      *Session
	source store.Reader
}

var _ rules.Env = lookout{}

var errLookOnly = errors.New("a function of the rules tried to write")

func (v lookout) Now() int64                   { return v.s.now }
func (v lookout) Model() *schema.Model         { return v.s.e.model }
func (v lookout) Settings() *settings.Settings { return v.s.e.Settings() }
func (v lookout) Warn(string)                  {}

func (v lookout) Row(t *schema.Table, id value.GUID) (*query.Row, error) {
	return v.source.Get(v.ctx, t, id, nil)
}

func (v lookout) Lock(t *schema.Table, id value.GUID) (*query.Row, error) { return v.Row(t, id) }

func (v lookout) LockAll([]query.Key) error         { return nil }
func (v lookout) BaseCurrency() (*query.Row, error) { return v.s.e.base(v.ctx) }

func (v lookout) Find(t *schema.Table, where []query.Assign, cols []*schema.Column) ([]*query.Row, error) {
	return findRows(v.Read, t, where, cols)
}

func (v lookout) Read(q *query.Query) (query.Rows, error) {
	if err := query.Resolve(q, v.s.e.resolveContext(v.s.caller, v.s.now)); err != nil {
		return nil, err
	}
	return v.source.Read(v.ctx, q)
}

func (v lookout) Derive(*schema.Table, value.GUID, []query.Assign) error { return errLookOnly }
func (v lookout) Touch(*schema.Table, value.GUID) error                  { return errLookOnly }
func (v lookout) Create(*schema.Table, []query.Assign) (value.GUID, error) {
	return value.GUID{}, errLookOnly
}
func (v lookout) Update(*schema.Table, value.GUID, []query.Assign) error { return errLookOnly }
func (v lookout) Delete(*schema.Table, value.GUID) error                 { return errLookOnly }
func (v lookout) Add(*schema.Table, []query.Assign, []query.Assign) error {
	return errLookOnly
}
func (v lookout) Put(*schema.Table, []query.Assign) error    { return errLookOnly }
func (v lookout) NextNumber(string) (int64, error)           { return 0, errLookOnly }
func (v lookout) ParseListQuery(string, *schema.Table) error { return errLookOnly }
