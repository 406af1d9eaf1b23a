package engine

import (
	"almoner/internal/fault"
	"almoner/internal/fetchxml"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// env is the transaction as the rules see it.
type env struct{ x *Tx }

var _ rules.Env = env{}

func (v env) Now() int64                   { return v.x.now }
func (v env) Model() *schema.Model         { return v.x.e.model }
func (v env) Settings() *settings.Settings { return v.x.e.Settings() }
func (v env) Warn(text string)             { v.x.warnings = append(v.x.warnings, text) }

func (v env) Row(t *schema.Table, id value.GUID) (*query.Row, error) { return v.x.Row(t, id, false) }

func (v env) Lock(t *schema.Table, id value.GUID) (*query.Row, error) { return v.x.Row(t, id, true) }

func (v env) LockAll(keys []query.Key) error { return v.x.fetch(keys, nil) }

func (v env) BaseCurrency() (*query.Row, error) { return v.x.e.base(v.x.ctx) }

func (v env) Find(t *schema.Table, where []query.Assign, cols []*schema.Column) ([]*query.Row, error) {
	return findRows(v.Read, t, where, cols)
}

// findRows reads the rows whose columns hold the given values, in key order.
func findRows(read func(*query.Query) (query.Rows, error), t *schema.Table, where []query.Assign, cols []*schema.Column) ([]*query.Row, error) {
	if cols == nil {
		cols = t.StoredColumns()
	}
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, append([]*schema.Column{t.Key}, cols...))}
	var all query.And
	for _, a := range where {
		all = append(all, query.Equal(root, a.Column, a.Value))
	}
	q.Where = all
	q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: t.Key}}}
	rows, err := read(q)
	if err != nil {
		return nil, err
	}
	return query.ScanRows(t, cols, rows)
}

func (v env) Read(q *query.Query) (query.Rows, error) {
	if err := query.Resolve(q, v.x.e.resolveContext(v.x.caller, v.x.now)); err != nil {
		return nil, err
	}
	return v.x.source.Read(v.x.ctx, q)
}

func (v env) Derive(t *schema.Table, id value.GUID, set []query.Assign) error {
	e, err := v.x.load(t, id, true)
	if err != nil || e.row == nil {
		return err
	}
	row := e.row
	for _, a := range set {
		if row.Get(a.Column) == a.Value {
			continue
		}
		if row == e.row {
			row = e.row.Clone()
		}
		row.Set(a.Column, a.Value)
	}
	if row != e.row {
		v.x.put(e, row, false)
	}
	return nil
}

func (v env) Touch(t *schema.Table, id value.GUID) error {
	e, err := v.x.load(t, id, true)
	if err != nil || e.row == nil {
		return err
	}
	e.touched = true
	v.x.put(e, e.row, false)
	return nil
}

func (v env) Create(t *schema.Table, set []query.Assign) (value.GUID, error) {
	var id value.GUID
	err := v.nested(func() error {
		var err error
		id, err = v.x.create(&query.Change{Kind: query.Create, Table: t, Set: set}, true)
		return err
	})
	return id, err
}

func (v env) Update(t *schema.Table, id value.GUID, set []query.Assign) error {
	return v.nested(func() error {
		return v.x.update(&query.Change{Kind: query.Update, Table: t, ID: id, Set: set}, true)
	})
}

func (v env) Delete(t *schema.Table, id value.GUID) error {
	return v.nested(func() error { return v.x.delete(&query.Change{Kind: query.Delete, Table: t, ID: id}, true) })
}

// maxDepth bounds writes that cause writes.
const maxDepth = 64

func (v env) nested(do func() error) error {
	if v.x.depth >= maxDepth {
		return fault.New(fault.RuleRefused, "The write causes more than %d nested writes.", maxDepth)
	}
	v.x.depth++
	defer func() { v.x.depth-- }()
	return do()
}

func (v env) Add(t *schema.Table, key, add []query.Assign) error {
	return v.x.store.Add(v.x.ctx, t, key, add)
}

func (v env) Put(t *schema.Table, set []query.Assign) error { return v.x.store.Put(v.x.ctx, t, set) }

func (v env) NextNumber(counter string) (int64, error) {
	return v.x.store.NextNumber(v.x.ctx, counter)
}

func (v env) ParseListQuery(fetch string, member *schema.Table) error {
	_, err := fetchxml.Members(v.x.e.model, fetch, member)
	return err
}
