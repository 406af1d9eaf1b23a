package engine

import (
	"encoding/json"
	"testing"

	"almoner/internal/value"
	"almoner/tables"
)

// TestDetailForms writes a detail in its short form and reads it in both others.
func TestDetailForms(t *testing.T) {
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	contact := m.Table("contact")
	x := &Tx{reader: reader{e: &Engine{model: m}}}
	name, parent := contact.MustColumn("lastname"), contact.MustColumn("parentcustomerid")
	odd := "a\tb\n\"c\" \\ é\u2028"
	id := value.GUID{1}
	update := x.appendChange(nil, name, true, value.Text("Ito"), value.Text(odd))
	update = x.appendChange(update, parent, true, value.Null, value.Ref(id, m.Table("account").TypeCode))
	create := x.appendChange(nil, name, false, value.Null, value.Text(odd))
	text := func(s string) *string { return &s }
	for stored, want := range map[string][]ChangedColumn{
		string(update): {{"lastname", text("Ito"), text(odd)}, {"parentcustomerid", nil, text("account," + id.String())}},
		string(create): {{"lastname", nil, text(odd)}},
		"":             nil,
	} {
		got := ChangedColumns(stored)
		var shown struct {
			Changed []struct {
				Name string  `json:"logicalName"`
				Old  *string `json:"oldValue"`
				New  *string `json:"newValue"`
			} `json:"changedAttributes"`
		}
		if err := json.Unmarshal(showDetail([]byte(stored)), &shown); err != nil {
			t.Fatalf("%q is shown as %s: %v", stored, showDetail([]byte(stored)), err)
		}
		if len(got) != len(want) || len(shown.Changed) != len(want) {
			t.Fatalf("%q has %d columns, %d shown; want %d", stored, len(got), len(shown.Changed), len(want))
		}
		for i, w := range want {
			for _, c := range []ChangedColumn{got[i], ChangedColumn(shown.Changed[i])} {
				if c.Name != w.Name || !same(c.Old, w.Old) || !same(c.New, w.New) {
					t.Errorf("%q reads %+v, want %+v", stored, c, w)
				}
			}
		}
	}
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
