package storetest_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
	_ "time/tzdata"

	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var (
	seed  = flag.Int64("seed", 20240301, "seed of the vote; 0 draws one")
	trees = flag.Int("trees", 2000, "number of trees voted on by all three; a tenth of it by two")
)

func openSQLite(t *testing.T, calendar query.Calendar) store.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vote.db"), storetest.Model(t), sqlite.Options{Calendar: calendar})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openPostgres(t *testing.T, calendar query.Calendar) store.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.DSN(t), storetest.Model(t), postgres.Options{Calendar: calendar})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fiscal is a calendar with daylight saving time whose year begins in July.
func fiscal(t *testing.T) query.Calendar {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return query.Calendar{Zone: zone, StartMonth: 7}
}

func TestVoteOnSQLite(t *testing.T) {
	storetest.VoteIn(t, fiscal(t), drawn(), *trees/10, openSQLite(t, fiscal(t)))
}

func TestVoteOnBoth(t *testing.T) {
	storetest.VoteIn(t, fiscal(t), drawn(), *trees, openSQLite(t, fiscal(t)), openPostgres(t, fiscal(t)))
}

func drawn() int64 {
	if *seed != 0 {
		return *seed
	}
	return time.Now().UnixNano()
}
