package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable names the environment variable that holds the DSN of a cluster to use instead of starting one. Its user must be
// allowed to create databases.
const Variable = "ALMONER_TEST_PG"

const databaseLimit = 30 * time.Second

// shared is the cluster of this process. It runs while someone uses it: a test, or Main for the whole run.
var shared struct {
	sync.Mutex
	cluster *Cluster
	err     error
	users   int
}

// Main runs the tests of a package on one cluster, which starts with the first test that asks for a database and is stopped
// at the end. A package's TestMain is: os.Exit(pgtest.Main(m)).
func Main(m *testing.M) int {
	shared.Lock()
	shared.users++
	shared.Unlock()
	defer release()
	return m.Run()
}

// DSN makes an empty database for a test, drops it when the test ends, and returns its address. Its collation is "C". Where
// PostgreSQL is missing the test is skipped, or fails when the variable CI is true.
func DSN(t testing.TB) string {
	t.Helper()
	return database(t, "LC_COLLATE 'C' LC_CTYPE 'C'")
}

// LinguisticDSN is DSN for a database that orders and compares text by the rules of English, as a foundation's own cluster
// may. The test is skipped where the server was built without ICU.
func LinguisticDSN(t testing.TB) string {
	t.Helper()
	return database(t, "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LC_COLLATE 'C' LC_CTYPE 'C'")
}

// Copy makes a copy of a test's database, to which nobody may be connected.
func Copy(t testing.TB, dsn string) string {
	t.Helper()
	return create(t, "TEMPLATE "+databaseName(dsn))
}

func database(t testing.TB, locale string) string {
	t.Helper()
	return create(t, "TEMPLATE template0 ENCODING 'UTF8' "+locale)
}

// create makes a database that is dropped when the test ends.
func create(t testing.TB, like string) string {
	t.Helper()
	admin := adminDSN(t)
	name := "test_" + randomName()
	if err := execute(admin, "CREATE DATABASE "+name+" "+like); err != nil {
		Missing(t, fmt.Errorf("pgtest: create database: %w", err))
	}
	t.Cleanup(func() {
		if err := execute(admin, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)); err != nil {
			t.Errorf("pgtest: drop database: %v", err)
		}
	})
	dsn, err := withDatabase(admin, name)
	if err != nil {
		t.Fatal(err)
	}
	return dsn
}

// adminDSN returns the address of the cluster to use, starting one if need be.
func adminDSN(t testing.TB) string {
	t.Helper()
	if dsn := os.Getenv(Variable); dsn != "" {
		return dsn
	}
	c, err := acquire()
	if err != nil {
		Missing(t, err)
	}
	t.Cleanup(release)
	return c.DSN()
}

func acquire() (*Cluster, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = Start()
	}
	if shared.err != nil {
		return nil, shared.err
	}
	shared.users++
	return shared.cluster, nil
}

func release() {
	shared.Lock()
	defer shared.Unlock()
	shared.users--
	if shared.users > 0 || shared.cluster == nil {
		return
	}
	if err := shared.cluster.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	shared.cluster = nil
}

// Missing skips a test that cannot run here. On a build machine, and for any reason but an absent PostgreSQL, that is a failure.
func Missing(t testing.TB, err error) {
	t.Helper()
	var refused interface{ SQLState() string }
	absent := errors.Is(err, ErrMissing) || errors.As(err, &refused) && refused.SQLState() == "0A000"
	if absent && os.Getenv("CI") != "true" {
		t.Skipf("NOT TESTED ON POSTGRESQL: %v", err)
	}
	t.Fatal(err)
}

func execute(dsn, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), databaseLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

func randomName() string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // the kernel's random source never fails
	}
	return hex.EncodeToString(b[:])
}
