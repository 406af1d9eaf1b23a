package odata

import (
	"errors"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/tables"
)

const (
	guidA = "0b2a6c1e-0000-4000-8000-00000000000a"
	guidB = "0b2a6c1e-0000-4000-8000-00000000000b"
)

func testModel(t testing.TB) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func testTable(t testing.TB, name string) *schema.Table {
	t.Helper()
	table := testModel(t).Table(name)
	if table == nil {
		t.Fatalf("the model has no table %s", name)
	}
	return table
}

func bindQuery(t testing.TB, table, rawQuery string) (*Bound, error) {
	t.Helper()
	o, err := ParseOptions(rawQuery)
	if err != nil {
		return nil, err
	}
	return Bind(testModel(t), testTable(t, table), o)
}

// wantFault checks that err is a fault of a status and code whose message holds a text.
func wantFault(t testing.TB, err error, status int, code fault.Code, text string) {
	t.Helper()
	var f *fault.Error
	switch {
	case err == nil:
		t.Fatalf("no error, want %d %s %q", status, code, text)
	case !errors.As(err, &f):
		t.Fatalf("error %v is not a fault", err)
	case f.Status != status || f.Code != code || !strings.Contains(f.Message, text):
		t.Fatalf("fault %d %s %q, want %d %s %q", f.Status, f.Code, f.Message, status, code, text)
	}
}
