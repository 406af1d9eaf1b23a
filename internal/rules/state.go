package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

var openingRules = []Rule{
	{
		Name: "row.state", On: OnSave, Do: (*Books).checkState,
		Text:    "A status must belong to the row's state; a state given alone takes its first status.",
		Example: "statecode 1 alone makes statuscode 2; statuscode 2 with statecode 0 is refused.",
	},
	{
		Name: "row.hierarchy", On: OnSave, Do: (*Books).checkHierarchy,
		Text:    "A row may not become its own ancestor.",
		Example: "Fund B has parent A; giving A the parent B is refused.",
	},
	{
		Name: "row.currency", On: OnSave, Do: (*Books).setCurrency,
		Text:    "A row's amounts are in its currency; the exchange rate is copied from the currency when the row is created or its currency changes, and later edits of the rate restate nothing.",
		Example: "A CAD gift at 1.3650 keeps that rate when the currency's rate becomes 1.4000.",
	},
}

// checkState pairs statecode and statuscode. The state is never inferred from the status.
func (b *Books) checkState(w *Write) error {
	t := w.New.Table
	state, status := t.Column("statecode"), t.Column("statuscode")
	if state == nil || status == nil {
		return nil
	}
	if w.New.Get(state).IsNull() {
		w.New.Set(state, state.Default)
	}
	code := w.New.Get(state).Int()
	moved := w.Old != nil && w.Old.Get(state) != w.New.Get(state)
	if w.New.Get(status).IsNull() || !w.Sent[status] && (w.Old == nil || moved) {
		w.New.Set(status, defaultStatus(state, code))
	}
	reason := w.New.Get(status).Int()
	for _, o := range status.Options.Options {
		if o.Value == reason && o.State == code {
			return nil
		}
	}
	label, _ := state.Options.LabelOf(code)
	return fault.New(fault.BadStatus, "%d is not a valid status code for state code %sState.%s on %s with Id %s.", reason, t.Name, label, t.Name, w.New.ID).
		At(t.Name, "rule row.state", "column statuscode")
}

// defaultStatus returns the status a state brings along.
func defaultStatus(state *schema.Column, code int64) value.Value {
	for _, o := range state.Options.Options {
		if o.Value == code {
			return value.Int(o.Status)
		}
	}
	return value.Null
}

// maxDepth bounds every walk along links that may form loops.
const maxDepth = 32

// checkHierarchy refuses a parent that leads back to the row.
func (b *Books) checkHierarchy(w *Write) error {
	for _, rel := range w.New.Table.Parents {
		if !rel.Hierarchical || rel.Parent != rel.Child || !w.Changed(rel.Column.Name) {
			continue
		}
		if err := b.checkLoop(w, rel.Column); err != nil {
			return err
		}
	}
	return nil
}

// checkLoop climbs from the new parent. The ancestors of a row that was there before are locked, so that nobody puts one of them below
// the row meanwhile; below a new row there is nobody.
func (b *Books) checkLoop(w *Write, parent *schema.Column) error {
	t := w.New.Table
	ancestor := b.env.Lock
	if w.Kind == query.Create {
		ancestor = b.env.Row
	}
	next := w.New.Get(parent).ID()
	for seen := (map[value.GUID]bool{}); !next.IsZero() && !seen[next]; {
		if next == w.New.ID {
			return fault.New(loopCode(t), "The value %s of '%s' would make the row its own ancestor.", w.New.Get(parent), parent.Name).
				At(t.Name, "rule row.hierarchy", "column "+parent.Name)
		}
		seen[next] = true
		row, err := ancestor(t, next)
		if err != nil {
			return err
		}
		next = parentOf(row, parent)
	}
	return nil
}

// loopCode is the code of a loop in the hierarchy of a table.
func loopCode(t *schema.Table) fault.Code {
	if t.Name == "account" {
		return fault.AccountLoop
	}
	return fault.HierarchyLoop
}

func parentOf(row *query.Row, parent *schema.Column) value.GUID {
	if row == nil {
		return value.GUID{}
	}
	return row.Get(parent).ID()
}
