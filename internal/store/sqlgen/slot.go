package sqlgen

import (
	"slices"

	"almoner/internal/value"
)

// Template is a rendered query whose parameters include ids that change from run to run.
type Template struct {
	statements []Statement
	places     []place
}

// place is where an id goes: a parameter of a statement.
type place struct{ statement, arg, slot int }

// NewTemplate finds the parameters that hold the slots' ids.
func NewTemplate(statements []Statement, slots []value.GUID) *Template {
	t := &Template{statements: statements}
	for i, st := range statements {
		for j, a := range st.Args {
			if a.Value.Kind() != value.KindID {
				continue
			}
			if slot := slices.Index(slots, a.Value.ID()); slot >= 0 {
				t.places = append(t.places, place{i, j, slot})
			}
		}
	}
	return t
}

// Fill returns the statements with ids in the slots' places. The template itself stays as it is.
func (t *Template) Fill(ids []value.GUID) []Statement {
	out := slices.Clone(t.statements)
	for i := range out {
		out[i].Args = slices.Clone(out[i].Args)
	}
	for _, p := range t.places {
		out[p.statement].Args[p.arg].Value = value.ID(ids[p.slot])
	}
	return out
}
