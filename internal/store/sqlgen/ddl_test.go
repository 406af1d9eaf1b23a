package sqlgen

import (
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"almoner/tables"
)

// memory opens an empty SQLite database in memory.
func memory(t *testing.T) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestDDLRunsOnSQLite(t *testing.T) {
	model, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	conn := memory(t)
	seen := map[string]bool{}
	for _, o := range DDL(SQLite, model) {
		id := string(rune('0'+o.Kind)) + o.Table + "." + o.Name
		if seen[id] {
			t.Errorf("%s is listed twice", id)
		}
		seen[id] = true
		if o.Kind == ColumnObject {
			continue
		}
		if err := sqlitex.ExecuteTransient(conn, o.SQL, nil); err != nil {
			t.Fatalf("%s\n%v", o.SQL, err)
		}
	}
}
