package main

import (
	"context"
	"os"

	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/value"
)

// overlayPrefix marks the settings rows that hold an applied overlay's files.
const overlayPrefix = "overlay:"

// readSettings reads every row of the settings table.
func readSettings(ctx context.Context, st store.Reader, m *schema.Model) (map[string]string, error) {
	t := m.Table("setting")
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.MustColumn("name"), t.MustColumn("value")})}
	rows, err := st.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		out[string(rows.Bytes(0))] = string(rows.Bytes(1))
	}
	return out, rows.Err()
}

// storeSettings writes the business settings that this start has changed, and logs each with its old and new value and the node.
func storeSettings(ctx context.Context, db *opened, before *settings.Settings) error {
	var changed []settings.Change
	for _, c := range settings.Diff(before, db.settings) {
		if settings.IsBusiness(c.Name) {
			changed = append(changed, c)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	node, err := os.Hostname()
	if err != nil {
		node = "unknown"
	}
	return db.store.Write(ctx, func(tx store.Tx) error {
		if settings.NeedsRecalc(before, db.settings) {
			if err := putSetting(ctx, tx, db.model, engine.RecalcPending, "yes"); err != nil {
				return err
			}
		}
		for _, c := range changed {
			db.log.Warn("setting changed", "name", c.Name, "old", c.Old, "new", c.New, "node", node)
			if err := putSetting(ctx, tx, db.model, c.Name, c.New); err != nil {
				return err
			}
		}
		return nil
	})
}

func putSetting(ctx context.Context, tx store.Tx, m *schema.Model, name, text string) error {
	t := m.Table("setting")
	return tx.Put(ctx, t, []query.Assign{
		{Column: t.MustColumn("name"), Value: value.Text(name)}, {Column: t.MustColumn("value"), Value: value.Text(text)},
	})
}
