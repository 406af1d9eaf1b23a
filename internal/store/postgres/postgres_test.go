package postgres

import (
	"context"
	"os"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// A model small enough to be made anew for each test.
const (
	contactTable = `
table: contact
set: contacts
label: Contact
code: 2
system: link
title: fullname
columns:
  fullname: {type: string, max: 100, index: true}
`
	departmentTable = `
table: svc_department
set: svc_departments
label: Department
code: 10008
system: link
title: svc_departmentname
columns:
  svc_departmentname: {type: string, max: 100, index: true}
  svc_note: {type: string, max: 100}
  svc_manager: {type: lookup, to: contact, nav: svc_Manager}
  svc_parentdepartment: {type: lookup, to: svc_department, nav: svc_ParentDepartment}
`
	tallyTable = `
table: tally
label: Tally
hidden: true
system: none
key: none
unique:
  - [word, year]
columns:
  word: {type: string, max: 100}
  year: {type: integer}
  total: {type: bigint}
`
)

var smallModel = sync.OnceValues(func() (*schema.Model, error) {
	decls, err := schema.Load("test", fstest.MapFS{
		"contact.yaml": {Data: []byte(contactTable)}, "department.yaml": {Data: []byte(departmentTable)}, "tally.yaml": {Data: []byte(tallyTable)},
	})
	if err != nil {
		return nil, err
	}
	return schema.Compile(decls)
})

func testModel(t testing.TB) *schema.Model {
	t.Helper()
	m, err := smallModel()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// openTest opens a store on a database of its own.
func openTest(t testing.TB, options Options) *Store {
	t.Helper()
	return openDSN(t, pgtest.DSN(t), options)
}

func openDSN(t testing.TB, dsn string, options Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), dsn, testModel(t), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func departments(s *Store) *schema.Table { return s.model.Table("svc_department") }

// assign makes assignments from pairs of column name and value.
func assign(t *schema.Table, pairs ...any) []query.Assign {
	var set []query.Assign
	for i := 0; i < len(pairs); i += 2 {
		set = append(set, query.Assign{Column: t.MustColumn(pairs[i].(string)), Value: pairs[i+1].(value.Value)})
	}
	return set
}

func named(t *schema.Table, name string) []query.Assign {
	return assign(t, "svc_departmentname", value.Text(name))
}

// newID makes a fresh key.
func newID() value.GUID { return value.NewGUID(time.Now()) }

func mustWrite(t testing.TB, s *Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// insertDepartments adds n departments and returns their keys in ascending order.
func insertDepartments(t testing.TB, s *Store, n int) []value.GUID {
	t.Helper()
	ids := make([]value.GUID, n)
	mustWrite(t, s, func(tx store.Tx) error {
		for i := range ids {
			ids[i] = value.GUID{0: 1, 14: byte(i >> 8), 15: byte(i)}
			if err := tx.Insert(t.Context(), departments(s), ids[i], named(departments(s), "D")); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

// allDepartments reads key and name of every department by key.
func allDepartments(s *Store, size int) *query.Query {
	table := departments(s)
	root := &query.Link{Table: table}
	return &query.Query{
		Root: root,
		Select: query.Node{Link: root, Outputs: []query.Output{
			{Name: "id", Expr: query.Ref{Link: root, Column: table.Key}, Column: table.Key},
			{Name: "name", Expr: query.Ref{Link: root, Column: table.Title}, Column: table.Title},
		}},
		Order: []query.Order{{Expr: query.Ref{Link: root, Column: table.Key}}},
		Page:  query.Page{Size: size},
	}
}

// nameOf reads a department's name; "" when there is no such row.
func nameOf(t testing.TB, s *Store, id value.GUID) string {
	t.Helper()
	row, err := s.Get(context.Background(), departments(s), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	if row == nil {
		return ""
	}
	return row.Get(departments(s).Title).Text()
}
