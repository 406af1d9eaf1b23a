package programtest

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"almoner/internal/pgtest"
)

// Database is the address of a database, as --db takes it.
type Database string

// Each runs a test on each store, each time with an empty database that is served by nobody.
func Each(t *testing.T, test func(t *testing.T, db Database)) {
	t.Run("SQLite", func(t *testing.T) { test(t, Database(filepath.Join(t.TempDir(), "test.db"))) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, Database(pgtest.DSN(t))) })
}

// Try runs a subcommand on the database and returns what it prints. Its complaints are part of the error.
func (d Database) Try(t testing.TB, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(program(t), append(args, "--db", string(d))...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("almoner %s: %w\n%s%s", strings.Join(args, " "), err, out.Bytes(), complaint.Bytes())
	}
	return strings.TrimSpace(out.String()), nil
}

// Run is Try for a subcommand that must succeed.
func (d Database) Run(t testing.TB, args ...string) string {
	t.Helper()
	out, err := d.Try(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ServeAll starts processes that serve the database together until the test ends: one for a file, which only one process may serve, and
// two for a database on a server. Flags are those of almoner serve.
func (d Database) ServeAll(t testing.TB, flags ...string) []*Node {
	t.Helper()
	nodes := []*Node{d.Serve(t, flags...)}
	if strings.HasPrefix(string(d), "postgres:") {
		nodes = append(nodes, d.Serve(t, flags...))
	}
	return nodes
}
