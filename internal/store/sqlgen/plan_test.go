package sqlgen

import (
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// planOf is SQLite's plan for a statement on the product's tables, one line per step.
func planOf(t *testing.T, conn *sqlite.Conn, st Statement) string {
	t.Helper()
	stmt, _, err := conn.PrepareTransient("EXPLAIN QUERY PLAN " + st.SQL)
	if err != nil {
		t.Fatalf("%s\n%v", st.SQL, err)
	}
	defer stmt.Finalize()
	var lines []string
	for {
		more, err := stmt.Step()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return strings.Join(lines, "\n")
		}
		lines = append(lines, stmt.ColumnText(3))
	}
}

// created is a database in memory with the product's tables.
func created(t *testing.T) *sqlite.Conn {
	t.Helper()
	conn := memory(t)
	for _, sql := range Missing(DDL(SQLite, product(t)), func(Object) bool { return false }) {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			t.Fatalf("%s\n%v", sql, err)
		}
	}
	return conn
}

// What clients ask most must be an index search on SQLite, and come out of the index in order.
func TestPlans(t *testing.T) {
	conn := created(t)
	g := newGifts(t)
	key := value.ID(value.GUID{1})
	byDate := query.Order{Expr: g.col("svc_giftdate")}
	byDateDown := query.Order{Expr: g.col("svc_giftdate"), Desc: true}
	byNumber := query.Order{Expr: g.col("svc_giftnum")}
	down := func(q *query.Query) *query.Query {
		q.Order[len(q.Order)-1].Desc = true
		return q
	}
	for _, test := range []struct {
		name  string
		query *query.Query
		want  []string // of each statement
	}{
		{"equal text", g.read(is(g.col("svc_giftnum"), query.OpEq, value.Text("G-1"))), []string{"ix_svc_gift_svc_giftnum (svc_giftnum_f=?)"}},
		{"text of a list", g.read(is(g.col("svc_giftnum"), query.OpIn, value.Text("a"), value.Text("b"))), []string{"ix_svc_gift_svc_giftnum (svc_giftnum_f=?)"}},
		{"prefix", g.read(is(g.col("svc_giftnum"), query.OpBeginsWith, value.Text("G-")), byNumber), []string{"ix_svc_gift_svc_giftnum (svc_giftnum_f>? AND svc_giftnum_f<?)"}},
		{"lookup", g.read(is(g.col("svc_fund1"), query.OpEq, key)), []string{"ix_svc_gift_svc_fund1 (svc_fund1=?)"}},
		{"key", g.after(g.read(nil), key), []string{"PRIMARY KEY (svc_giftid>?)"}},
		{"first page by date", g.read(nil, byDate), []string{"SCAN t0 USING INDEX ix_svc_gift_svc_giftdate"}},
		{"last page by date", down(g.read(nil, byDateDown)), []string{"SCAN t0 USING INDEX ix_svc_gift_svc_giftdate"}},
		{"latest first", g.read(nil, byDateDown), []string{"SCAN t0 USING INDEX ix_svc_gift_svc_giftdate_down"}},
		{"latest first, after a date", g.after(g.read(nil, byDateDown), value.Date(5), key), []string{
			"ix_svc_gift_svc_giftdate_down (svc_giftdate=? AND svc_giftid>?)", "ix_svc_gift_svc_giftdate_down (svc_giftdate<?)",
			"ix_svc_gift_svc_giftdate_down (svc_giftdate=?)"}},
		{"dates up", g.after(g.read(nil, byDate), value.Date(5), key), []string{"ix_svc_gift_svc_giftdate ((svc_giftdate,svc_giftid)>(?,?))"}},
		{"dates down", down(g.after(g.read(nil, byDateDown), value.Date(5), key)), []string{
			"ix_svc_gift_svc_giftdate ((svc_giftdate,svc_giftid)<(?,?))", "ix_svc_gift_svc_giftdate_down (svc_giftdate=?)"}},
		{"dates from a null", g.after(g.read(nil, byDate), value.Null, key), []string{
			"ix_svc_gift_svc_giftdate_down (svc_giftdate=? AND svc_giftid>?)", "ix_svc_gift_svc_giftdate (svc_giftdate>?)"}},
		{"text up", g.after(g.read(nil, byNumber), value.Text("G-1"), key), []string{"ix_svc_gift_svc_giftnum ((svc_giftnum_f,svc_giftid)>(?,?))"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			statements, err := Read(SQLite, query.Calendar{}, test.query)
			if err != nil {
				t.Fatal(err)
			}
			if len(statements) != len(test.want) {
				t.Fatalf("%d statements, want %d", len(statements), len(test.want))
			}
			for i, st := range statements {
				plan := planOf(t, conn, st)
				ordered := !strings.Contains(plan, "TEMP B-TREE") || len(test.query.Order) == 1
				if !strings.Contains(plan, test.want[i]) || !ordered {
					t.Errorf("%s\n%s\nwant %s", st.SQL, plan, test.want[i])
				}
			}
		})
	}
}

// The history of a row is found by an index that has no place for what the service changed by itself.
func TestPlanOfHistory(t *testing.T) {
	conn := created(t)
	audit := product(t).Table("audit")
	root := &query.Link{Table: audit}
	col := func(name string) query.Ref { return query.Ref{Link: root, Column: audit.MustColumn(name)} }
	object := is(col("objectid"), query.OpEq, value.Ref(value.GUID{1}, 1))
	for _, derived := range []bool{false, true} {
		q := &query.Query{Root: root, Where: query.And{object, is(col("derived"), query.OpEq, value.Bool(derived))}}
		q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{audit.Key})}
		statements, err := Read(SQLite, query.Calendar{}, q)
		if err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, conn, statements[0])
		if used := strings.Contains(plan, "ix_audit_objectid_logversion (objectid=?"); used == derived {
			t.Errorf("derived %v: %s\n%s", derived, statements[0].SQL, plan)
		}
	}
}

func TestPlanOfChildren(t *testing.T) {
	conn := created(t)
	g := newGifts(t)
	for _, top := range []int{0, 5} {
		e := &query.Expand{Many: g.read(nil), Parent: g.col("svc_fund1"), Top: top}
		st, err := Children(SQLite, query.Calendar{}, e, []value.GUID{{1}})
		if err != nil {
			t.Fatal(err)
		}
		if plan := planOf(t, conn, st); !strings.Contains(plan, "SEARCH t0 USING INDEX ix_svc_gift_svc_fund1 (svc_fund1=?)") {
			t.Errorf("top %d: %s\n%s", top, st.SQL, plan)
		}
	}
}
