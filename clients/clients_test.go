// Package clients_test drives published OData and Dataverse clients, unmodified and exactly pinned, against the running program on
// both stores. The clients' tests are the *.test.mjs files beside this one.
package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"almoner/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestClients(t *testing.T) {
	needPackages(t)
	program := build(t)
	scratch := t.TempDir()
	t.Run("SQLite", func(t *testing.T) {
		run(t, start(t, program, filepath.Join(t.TempDir(), "clients.db")), scratch)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		run(t, start(t, program, pgtest.DSN(t)), scratch)
	})
}

// run lets every client talk to a service.
func run(t *testing.T, s *service, scratch string) {
	files, err := filepath.Glob("*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatal("no tests of clients found", err)
	}
	watch(t, append(files, "foundation.mjs")...)
	colleague := s.createUser("Colleague", "Integration")
	app := s.createApp("Mailer", "Integration")
	node := exec.CommandContext(t.Context(), "node", append([]string{"--test", "--test-reporter=spec", "--test-concurrency=3"}, files...)...)
	node.Env = append(os.Environ(),
		"ORIGIN="+s.origin, "BASE="+s.origin+"/api/data/v9.2", "TOKEN="+s.token(), "SCRATCH="+scratch,
		"COLLEAGUE="+colleague, "CLIENT_ID="+app.ClientID, "CLIENT_SECRET="+app.ClientSecret,
	)
	if out, err := node.CombinedOutput(); err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}
