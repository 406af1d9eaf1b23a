package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Run runs the suite. open opens a new, empty store of a model that counts days in UTC, and closes it when its test ends.
func Run(t *testing.T, open func(t *testing.T, m *schema.Model) store.Store) {
	m := Model(t)
	opened := open(t, m)
	fresh := func(t *testing.T) *suite {
		s := &suite{t: t, Store: opened, model: m, items: m.Table("tst_item"), parents: m.Table("tst_group")}
		t.Cleanup(s.clear)
		return s
	}
	for _, test := range []struct {
		name string
		run  func(*suite)
	}{
		{"values come back as stored", (*suite).roundTrip},
		{"a taken key is refused", (*suite).duplicate},
		{"a failed write leaves nothing", (*suite).rollback},
		{"a transaction sees its own writes", (*suite).ownWrites},
		{"put, add and remove", (*suite).composite},
		{"counters", (*suite).counters},
		{"versions", (*suite).versions},
		{"text is compared by its fold", (*suite).folding},
		{"patterns", (*suite).patterns},
		{"order and nulls", (*suite).order},
		{"pages add up to the whole", (*suite).paging},
		{"a position that does not fit", (*suite).misfit},
		{"children", (*suite).children},
		{"lookups", (*suite).lookups},
		{"groups", (*suite).groups},
		{"hierarchies", (*suite).hierarchy},
		{"numbers of different scales", (*suite).scales},
		{"large integers", (*suite).large},
		{"exchange is exact", (*suite).exchange},
		{"calendar", (*suite).calendar},
		{"many conditions", (*suite).manyConditions},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(fresh(t)) })
	}
	t.Run("vote", func(t *testing.T) {
		fresh(t)
		Vote(t, 1, 250, opened)
	})
}

// suite is one test on one store.
type suite struct {
	store.Store
	t       *testing.T
	model   *schema.Model
	items   *schema.Table
	parents *schema.Table
	ev      Evaluator
}

// id makes a GUID that sorts by n.
func id(n int) value.GUID { return value.GUID{0: byte(n >> 8), 1: byte(n), 15: 1} }

// set is the value of a column named in a test.
type set map[string]value.Value

func (s *suite) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// clear removes the rows of a test, so that the next one begins with an empty store.
func (s *suite) clear() {
	ctx := context.Background()
	parent := assigns(s.items, set{"tst_parent": value.Null})
	s.must(s.Write(ctx, func(tx store.Tx) error {
		items, err := keys(ctx, tx, s.items)
		if err != nil {
			return err
		}
		groups, err := keys(ctx, tx, s.parents)
		for _, id := range items {
			err = errors.Join(err, tx.Update(ctx, s.items, id, parent))
		}
		for _, id := range items {
			err = errors.Join(err, tx.Delete(ctx, s.items, id))
		}
		for _, id := range groups {
			err = errors.Join(err, tx.Delete(ctx, s.parents, id))
		}
		return err
	}))
}

// keys lists the keys of all rows of a table.
func keys(ctx context.Context, r store.Reader, t *schema.Table) ([]value.GUID, error) {
	rows, err := r.Read(ctx, from(t))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []value.GUID
	for rows.Next() {
		out = append(out, value.GUID(rows.Bytes(0)))
	}
	return out, rows.Err()
}

func (s *suite) write(fn func(tx store.Tx) error) {
	s.t.Helper()
	s.must(s.Write(s.t.Context(), fn))
}

// assigns turns a set into assignments in order of column.
func assigns(t *schema.Table, values set) []query.Assign {
	row := query.NewRow(t, value.GUID{})
	for name, v := range values {
		row.Put(name, v)
	}
	return row.Diff(nil)
}

// add inserts a row with the n-th key and tells the evaluator of it.
func (s *suite) add(t *schema.Table, n int, values set) {
	s.t.Helper()
	row := query.NewRow(t, id(n))
	row.Set(t.Key, value.ID(row.ID))
	for name, v := range values {
		row.Put(name, v)
	}
	if s.ev.Rows == nil {
		s.ev.Rows = map[*schema.Table][]*query.Row{}
	}
	s.ev.Rows[t] = append(s.ev.Rows[t], row)
	s.write(func(tx store.Tx) error { return tx.Insert(s.t.Context(), t, row.ID, row.Diff(nil)) })
}

// from makes a query for columns of a table, by key; the key itself comes first.
func from(t *schema.Table, columns ...string) *query.Query {
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	if t.Key != nil {
		q.Select.Outputs = query.Refs(root, []*schema.Column{t.Key})
		q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: t.Key}}}
	}
	for _, name := range columns {
		q.Select.Outputs = append(q.Select.Outputs, query.Refs(root, []*schema.Column{t.MustColumn(name)})...)
	}
	return q
}

// col refers to a column of a query's root.
func col(q *query.Query, name string) query.Ref {
	return query.Ref{Link: q.Root, Column: q.Root.Table.MustColumn(name)}
}

func lit(v value.Value) query.Expr { return query.Literal{Value: v} }

// all reads a query's rows in the form of show.
func (s *suite) all(r store.Reader, q *query.Query) []string {
	s.t.Helper()
	rows, err := r.Read(s.t.Context(), q)
	s.must(err)
	out, err := read(rows, query.Cells(&q.Select))
	s.must(err)
	return out
}

// agree fails unless store and evaluator give the same rows; it returns their number.
func (s *suite) agree(what string, q *query.Query) int {
	s.t.Helper()
	want, got := show(s.ev.Read(q)), s.all(s, q)
	if !slices.Equal(want, got) {
		s.t.Errorf("%s:\ngot  %q\nwant %q\n%s", what, got, want, explain(s.Store, q))
	}
	return len(got)
}

// matches lists the numbers of the rows, as given to add, for which a filter holds; the evaluator must agree.
func (s *suite) matches(what string, q *query.Query, where query.Filter) []int {
	s.t.Helper()
	q.Where = where
	s.agree(what, q)
	rows, err := s.Read(context.Background(), q)
	s.must(err)
	defer rows.Close()
	found := []int{}
	for rows.Next() {
		key := rows.Bytes(0)
		found = append(found, int(key[0])<<8|int(key[1]))
	}
	s.must(rows.Err())
	return found
}

// expect fails unless a filter holds for exactly these rows.
func (s *suite) expect(what string, q *query.Query, where query.Filter, want ...int) {
	s.t.Helper()
	if got := s.matches(what, q, where); !slices.Equal(got, append([]int{}, want...)) {
		s.t.Errorf("%s: rows %v, want %v\n%s", what, got, want, explain(s.Store, q))
	}
}
