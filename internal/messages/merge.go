package messages

import (
	"context"
	"slices"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// mergeable are the tables whose rows may be merged.
var mergeable = []string{"account", "contact", "lead"}

// merging holds the message that makes one row of two.
var merging = []*Message{
	{
		Name: "Merge", Doc: "Merges a row into another: what pointed at the one points at the other, and it is deactivated.",
		Params: []Param{
			{Name: "Target", Type: entityType}, {Name: "Subordinate", Type: entityType},
			{Name: "UpdateContent", Type: entityType, Optional: true}, {Name: "PerformParentingChecks", Type: "Edm.Boolean", Optional: true},
		},
		Do: merge,
	},
}

// merger is one merge under way.
type merger struct {
	tx           *engine.Tx
	table        *schema.Table
	master, less value.GUID
}

func merge(ctx context.Context, c *Call) (*Result, error) {
	t, master, err := c.Params.Reference(c.Model(), "Target", nil)
	if err != nil {
		return nil, err
	}
	_, less, err := c.Params.Reference(c.Model(), "Subordinate", t)
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(mergeable, t.Name):
		return nil, fault.New(fault.MergeNotAllowed, "Rows of '%s' cannot be merged.", t.Name).At(t.Name)
	case master == less:
		return nil, fault.New(fault.MergeIdentical, "A row cannot be merged with itself.").At(t.Name, "id "+master.String())
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		m := &merger{tx, t, master, less}
		for _, step := range []func() error{
			func() error { return m.active(ctx) },
			func() error { return m.content(c) },
			m.repoint,
			m.retire,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// active refuses rows that are inactive already.
func (m *merger) active(ctx context.Context) error {
	for _, id := range []value.GUID{m.master, m.less} {
		row, err := m.tx.Find(ctx, m.table, id)
		if err != nil {
			return err
		}
		if row.Value("statecode").Int() != 0 {
			return fault.New(fault.MergeInactive, "The '%s' %s is inactive and cannot be merged.", m.table.Name, id).At(m.table.Name, "column statecode")
		}
	}
	return nil
}

// content takes over what the caller wants to keep of the row that goes.
func (m *merger) content(c *Call) error {
	change := &query.Change{Kind: query.Update, Table: m.table}
	if c.Params.Has("UpdateContent") {
		j, err := odata.ParseJSON(c.Params["UpdateContent"])
		if err != nil {
			return err
		}
		change, err = odata.BindObject(c.Model(), m.table, j, odata.BodyOptions{
			Kind: query.Update, RejectExcess: c.Session.Engine().Settings().ExcessDecimals == settings.DecimalsReject,
		})
		if err != nil {
			return fault.In(err, "parameter UpdateContent")
		}
	}
	change.ID = m.master
	return m.tx.Update(change)
}

// repoint makes the lookups that lead to the row that goes lead to the one that stays. That needs no privilege of the caller: the rows
// keep meaning the same person or organization.
func (m *merger) repoint() error {
	env := m.tx.Env()
	for _, r := range m.table.Childs {
		if r.System || r.Child.Key == nil || r.Column.Name == "masterid" {
			continue
		}
		children, err := env.Find(r.Child, []query.Assign{{Column: r.Column, Value: m.lookup(r.Column, m.less)}}, nil)
		if err != nil {
			return err
		}
		for _, child := range children {
			if err := m.move(r, child); err != nil {
				return err
			}
		}
	}
	return nil
}

// move points one row elsewhere. A list has each member once, so that a membership of both is one.
func (m *merger) move(r *schema.Relation, child *query.Row) error {
	env := m.tx.Env()
	to := query.Assign{Column: r.Column, Value: m.lookup(r.Column, m.master)}
	if r.Child.Name == "listmember" {
		list := r.Child.MustColumn("listid")
		already, err := env.Find(r.Child, []query.Assign{{Column: list, Value: child.Get(list)}, to}, nil)
		if err != nil {
			return err
		}
		if len(already) > 0 {
			return env.Delete(r.Child, child.ID)
		}
	}
	return env.Update(r.Child, child.ID, []query.Assign{to})
}

func (m *merger) lookup(c *schema.Column, id value.GUID) value.Value {
	if c.Polymorphic() {
		return value.Ref(id, m.table.TypeCode)
	}
	return value.ID(id)
}

// retire deactivates the row that goes and notes into which one it went.
func (m *merger) retire() error {
	t := m.table
	return m.tx.Update(&query.Change{Kind: query.Update, Table: t, ID: m.less, Set: []query.Assign{
		{Column: t.MustColumn("statecode"), Value: value.Int(1)},
		{Column: t.MustColumn("merged"), Value: value.Bool(true)},
		{Column: t.MustColumn("masterid"), Value: value.ID(m.master)},
	}})
}
