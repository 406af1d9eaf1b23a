package wiretest_test

import (
	"flag"
	"path/filepath"
	"testing"

	"almoner/internal/wiretest"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/wire from what the service says on SQLite")

func TestConversationsOnSQLite(t *testing.T) { each(t, onSQLite(t), *update) }

func TestConversationsOnPostgreSQL(t *testing.T) {
	if *update {
		return
	}
	each(t, onPostgreSQL(t), false)
}

// each holds every conversation with a service of its own on a fresh database.
func each(t *testing.T, on stores, update bool) {
	files, err := filepath.Glob("../../testdata/wire/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations found", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { wiretest.Run(t, file, on.serve(t, wiretest.Settings(t, file)...), update) })
	}
}
