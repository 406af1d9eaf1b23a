package storetest_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/pgtest"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var (
	seed  = flag.Int64("seed", 0, "seed of the vote; 0 draws one")
	trees = flag.Int("trees", 600, "number of trees voted on")
)

func openSQLite(t *testing.T) store.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vote.db"), storetest.Model(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openPostgres(t *testing.T) store.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.DSN(t), storetest.Model(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestVoteOnSQLite(t *testing.T) { storetest.Vote(t, drawn(), *trees, openSQLite(t)) }

func TestVoteOnBoth(t *testing.T) { storetest.Vote(t, drawn(), *trees, openSQLite(t), openPostgres(t)) }

func drawn() int64 {
	if *seed != 0 {
		return *seed
	}
	return time.Now().UnixNano()
}
