package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"almoner/internal/store/sqlgen"
)

// catalogEntry names one object of the database. Indexes and keys have names of their own; their table is not compared.
type catalogEntry struct {
	kind  sqlgen.ObjectKind
	table string
	name  string
}

// catalog is what a schema holds.
type catalog map[catalogEntry]bool

const sqlInspect = `
SELECT 1, c.relname::text, c.relname::text FROM pg_class c WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p')
UNION ALL
SELECT 2, c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 3, '', c.relname::text FROM pg_class c WHERE c.relnamespace = $1 AND c.relkind IN ('i', 'I')
UNION ALL
SELECT 4, '', k.conname::text FROM pg_constraint k WHERE k.connamespace = $1 AND k.contype = 'f'`

// inspect lists the tables, columns, indexes and foreign keys of the current schema.
func inspect(ctx context.Context, conn *pgx.Conn) (catalog, error) {
	var namespace uint32
	err := conn.QueryRow(ctx, `SELECT oid FROM pg_namespace WHERE nspname = current_schema()`).Scan(&namespace)
	if err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, sqlInspect, namespace)
	if err != nil {
		return nil, err
	}
	kinds := map[int]sqlgen.ObjectKind{1: sqlgen.TableObject, 2: sqlgen.ColumnObject, 3: sqlgen.IndexObject, 4: sqlgen.KeyObject}
	found := catalog{}
	var kind int
	var entry catalogEntry
	_, err = pgx.ForEachRow(rows, []any{&kind, &entry.table, &entry.name}, func() error {
		entry.kind = kinds[kind]
		found[entry] = true
		return nil
	})
	return found, err
}

// entryOf names an object as the catalog does.
func entryOf(o sqlgen.Object) catalogEntry {
	switch o.Kind {
	case sqlgen.IndexObject, sqlgen.KeyObject:
		return catalogEntry{kind: o.Kind, name: o.Name}
	default:
		return catalogEntry{o.Kind, o.Table, o.Name}
	}
}

// missing lists the statements that make the objects the schema lacks.
func (c catalog) missing(objects []sqlgen.Object) []string {
	return sqlgen.Missing(objects, func(o sqlgen.Object) bool { return c[entryOf(o)] })
}

// leftovers lists columns of the model's tables that are not the model's.
func (c catalog) leftovers(objects []sqlgen.Object) []string {
	ours := catalog{}
	for _, o := range objects {
		ours[entryOf(o)] = true
	}
	var out []string
	for e := range c {
		table := catalogEntry{sqlgen.TableObject, e.table, e.table}
		if e.kind == sqlgen.ColumnObject && e.table != sqlgen.ZoneTable && ours[table] && !ours[e] {
			out = append(out, e.table+"."+e.name)
		}
	}
	return out
}
