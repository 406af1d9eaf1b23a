package sqlgen

import (
	"errors"
	"slices"

	"almoner/internal/query"
	"almoner/internal/value"
)

// Template is a rendered query whose parameters include ids that change from run to run.
type Template struct {
	Size       int // the most rows wanted; 0: all
	statements []Statement
	places     []place
}

// place is where an id goes: a parameter of a statement, or an entry of a parameter that is a list.
type place struct{ statement, arg, entry, slot int }

// single marks a place that is a parameter of its own.
const single = -1

// ErrSlot says that an id meant to change from run to run is no parameter of the rendered query.
var ErrSlot = errors.New("an id of the query is not among its parameters")

// NewTemplate renders a query in which slots stand for the ids that change.
func NewTemplate(d *Dialect, calendar query.Calendar, q *query.Query, slots []value.GUID) (*Template, error) {
	statements, err := Read(d, calendar, q)
	if err != nil {
		return nil, err
	}
	t, err := findSlots(statements, slots)
	if err == nil {
		t.Size = q.Page.Size
	}
	return t, err
}

// findSlots finds the parameters that hold the slots' ids.
func findSlots(statements []Statement, slots []value.GUID) (*Template, error) {
	t := &Template{statements: statements}
	found := make([]bool, len(slots))
	note := func(id value.GUID, p place) {
		if p.slot = slices.Index(slots, id); p.slot >= 0 {
			found[p.slot] = true
			t.places = append(t.places, p)
		}
	}
	for i, st := range statements {
		for j, a := range st.Args {
			if a.Value.Kind() == value.KindID {
				note(a.Value.ID(), place{statement: i, arg: j, entry: single})
			}
			for k, id := range a.IDs {
				note(id, place{statement: i, arg: j, entry: k})
			}
		}
	}
	if slices.Contains(found, false) {
		return nil, ErrSlot
	}
	return t, nil
}

// Fill returns the statements with ids in the slots' places. The template itself stays as it is.
func (t *Template) Fill(ids []value.GUID) []Statement {
	out := slices.Clone(t.statements)
	for i := range out {
		out[i].Args = slices.Clone(out[i].Args)
	}
	for _, p := range t.places {
		arg := &out[p.statement].Args[p.arg]
		if p.entry == single {
			arg.Value = value.ID(ids[p.slot])
			continue
		}
		if len(arg.IDs) > 0 && &arg.IDs[0] == &t.statements[p.statement].Args[p.arg].IDs[0] {
			arg.IDs = slices.Clone(arg.IDs)
		}
		arg.IDs[p.entry] = ids[p.slot]
	}
	return out
}
