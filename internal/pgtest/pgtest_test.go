package pgtest

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	one, two := DSN(t), DSN(t)
	if err := execute(one, "CREATE TABLE seen (x int)"); err != nil {
		t.Fatal(err)
	}
	if err := execute(two, "CREATE TABLE seen (x int)"); err != nil {
		t.Fatalf("the second database is not empty: %v", err)
	}
}

func TestCollations(t *testing.T) {
	order := func(dsn string) (sorted string) {
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		err = conn.QueryRow(ctx, `SELECT string_agg(x, '' ORDER BY x) FROM (VALUES ('a'), ('B'), ('c')) AS v (x)`).Scan(&sorted)
		if err != nil {
			t.Fatal(err)
		}
		return sorted
	}
	if got := order(DSN(t)); got != "Bac" {
		t.Errorf("C collation orders %q", got)
	}
	if got := order(LinguisticDSN(t)); got != "aBc" {
		t.Errorf("linguistic collation orders %q", got)
	}
}

func TestStopRemovesTheFolder(t *testing.T) {
	c, err := Start("fsync=on")
	if err != nil {
		Missing(t, err)
	}
	if err := execute(c.DSN(), "DO $$ BEGIN ASSERT current_setting('fsync') = 'on'; END $$"); err != nil {
		t.Error(err)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.dir); !os.IsNotExist(err) {
		t.Errorf("folder is still there: %v", err)
	}
}

func TestWithDatabase(t *testing.T) {
	got, err := withDatabase("postgres://u:p@h:1/postgres?host=%2Ftmp%2Fx", "other")
	if err != nil || got != "postgres://u:p@h:1/other?host=%2Ftmp%2Fx" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := withDatabase("host=/tmp", "other"); err == nil {
		t.Error("a keyword DSN was taken")
	}
}
