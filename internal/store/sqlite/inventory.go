package sqlite

import (
	"maps"
	"slices"
	"strings"

	"almoner/internal/store/sqlgen"
)

// inventory is what a database file has: columns by table, and indexes.
type inventory struct {
	tables  map[string]map[string]bool
	indexes map[string]bool
}

// takeInventory looks at what is there.
func takeInventory(c *conn) (*inventory, error) {
	inv := &inventory{tables: map[string]map[string]bool{}, indexes: map[string]bool{}}
	const columns = "SELECT m.name, i.name FROM sqlite_master AS m, pragma_table_info(m.name) AS i WHERE m.type = 'table'"
	err := c.pairs(columns, func(table, column string) {
		if inv.tables[table] == nil {
			inv.tables[table] = map[string]bool{}
		}
		inv.tables[table][column] = true
	})
	if err != nil {
		return nil, err
	}
	err = c.pairs("SELECT name, tbl_name FROM sqlite_master WHERE type = 'index'", func(index, _ string) {
		inv.indexes[index] = true
	})
	return inv, err
}

// pairs calls fn with the first two cells of each row of a statement.
func (c *conn) pairs(text string, fn func(a, b string)) error {
	p, err := c.prepare(text)
	if err != nil {
		return err
	}
	defer p.release()
	for {
		more, err := p.Step()
		if err != nil || !more {
			return err
		}
		fn(p.ColumnText(0), p.ColumnText(1))
	}
}

// has tells whether an object of the model is there. Foreign keys are part of their tables.
func (inv *inventory) has(o sqlgen.Object) bool {
	switch o.Kind {
	case sqlgen.TableObject:
		return inv.tables[o.Name] != nil
	case sqlgen.ColumnObject:
		return inv.tables[o.Table][o.Name]
	case sqlgen.IndexObject:
		return inv.indexes[o.Name]
	default:
		return true
	}
}

// leftovers lists the tables and columns that are there although no object of the model asks for them.
func (inv *inventory) leftovers(objects []sqlgen.Object) []string {
	wanted := map[string]bool{metaTable: true}
	for _, o := range objects {
		switch o.Kind {
		case sqlgen.TableObject:
			wanted[o.Name] = true
		case sqlgen.ColumnObject:
			wanted[o.Table+"."+o.Name] = true
		}
	}
	var left []string
	for _, table := range slices.Sorted(maps.Keys(inv.tables)) {
		switch {
		case table == metaTable || table == sqlgen.ZoneTable || strings.HasPrefix(table, "sqlite_"):
		case !wanted[table]:
			left = append(left, table)
		default:
			for _, column := range slices.Sorted(maps.Keys(inv.tables[table])) {
				if !wanted[table+"."+column] {
					left = append(left, table+"."+column)
				}
			}
		}
	}
	return left
}
