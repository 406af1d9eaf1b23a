package synctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almoner/internal/pgtest"
	"almoner/internal/servicetest"
	"almoner/internal/store/sqlite"
)

const expiredCode = "0x80044352"

// firstLink reads a table with tracking and returns its delta link.
func (f *fixture) firstLink(set string) string {
	f.t.Helper()
	m := newMirror(f.client, set)
	if err := m.pull(); err != nil {
		f.t.Fatal(err)
	}
	return m.link
}

// delta follows a delta link and returns the names of rows, or the word gone for removals, and the next link.
func (f *fixture) delta(link, column string) (names []string, next string) {
	f.t.Helper()
	p, err := readPage(f.must("GET", link, "").body)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, raw := range p.Value {
		names = append(names, member(f.t, raw, column))
	}
	return names, p.Delta
}

// expectExpired fails the test unless a delta link is refused as too old.
func (f *fixture) expectExpired(link string) {
	f.t.Helper()
	set, query, _ := strings.Cut(link[strings.Index(link, api)+len(api):], "?")
	for _, target := range []string{link, set + "/$count?" + query} {
		if code, message := f.refused(400, "GET", target, ""); code != expiredCode || !strings.Contains(message, "full synchronization") {
			f.t.Errorf("%s: %s %s", target, code, message)
		}
	}
}

func TestTokensAge(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		link := f.firstLink("contacts")
		f.must("POST", "contacts", `{"lastname":"One"}`)
		f.later(30 * 24 * time.Hour)
		names, next := f.delta(link, "lastname")
		if len(names) != 1 {
			t.Errorf("after thirty days the delta holds %v", names)
		}
		f.later(time.Second)
		f.expectExpired(link)
		if names, _ := f.delta(next, "lastname"); len(names) != 0 {
			t.Errorf("a younger token gave %v", names)
		}
		set := f.Service.Engine.Settings().Clone()
		set.ChangesRetention = time.Minute
		f.Service.Engine.SetSettings(set)
		f.later(time.Hour)
		f.expectExpired(next)
	})
}

// TestTokensOfOldPages begins a read, leaves it for too long and goes on: the token at its end is as old as its beginning.
func TestTokensOfOldPages(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		f.must("POST", "contacts/Microsoft.Dynamics.CRM.CreateMultiple", `{"Targets":[{"lastname":"One"},{"lastname":"Two"}]}`)
		p, err := readPage(f.must("GET", "contacts", "", "Prefer", "odata.track-changes,odata.maxpagesize=1").body)
		if err != nil {
			t.Fatal(err)
		}
		f.later(31 * 24 * time.Hour)
		if p, err = readPage(f.must("GET", p.Next, "", "Prefer", "odata.track-changes,odata.maxpagesize=1").body); err != nil || p.Delta == "" {
			t.Fatal(p, err)
		}
		f.expectExpired(p.Delta)
	})
}

// TestTokensOfAnotherHistory uses delta links on a restored copy of the database they were made on.
func TestTokensOfAnotherHistory(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		dir := t.TempDir()
		f := serve(t, servicetest.OpenSQLite(t, filepath.Join(dir, "one.db")))
		f.must("POST", "contacts", `{"lastname":"One"}`)
		link := f.firstLink("contacts")
		if err := f.Store.Backup(t.Context(), filepath.Join(dir, "backup.db")); err != nil {
			t.Fatal(err)
		}
		if err := sqlite.Restore(t.Context(), filepath.Join(dir, "backup.db"), filepath.Join(dir, "two.db")); err != nil {
			t.Fatal(err)
		}
		serve(t, servicetest.OpenSQLite(t, filepath.Join(dir, "two.db"))).expectExpired(link)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		dsn := pgtest.DSN(t)
		f := serve(t, servicetest.OpenPostgreSQL(t, dsn))
		f.must("POST", "contacts", `{"lastname":"One"}`)
		link := f.firstLink("contacts")
		if err := f.Store.Close(); err != nil {
			t.Fatal(err)
		}
		serve(t, servicetest.OpenPostgreSQL(t, pgtest.Copy(t, dsn))).expectExpired(link)
	})
}

// TestTokensFromTheFuture puts an older copy of the file in the place of the one a delta link was made on.
func TestTokensFromTheFuture(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "one.db")
	f := serve(t, servicetest.OpenSQLite(t, file))
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f = serve(t, servicetest.OpenSQLite(t, file))
	f.must("POST", "contacts", `{"lastname":"One"}`)
	link := f.firstLink("contacts")
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "two.db"), old, 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, servicetest.OpenSQLite(t, filepath.Join(dir, "two.db"))).expectExpired(link)
}

// TestTokensOfOthers gives a delta link to other applications, some of which may not pull the table at all.
func TestTokensOfOthers(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		link := f.firstLink("contacts")
		other := f.as("other", "Reader")
		if _, message := other.refused(400, "GET", link, ""); !strings.Contains(message, "full synchronization") {
			t.Error(message)
		}
		for _, set := range []string{"contacts", "listmembers", "svc_gifts"} {
			if err := newMirror(other, set).pull(); err != nil {
				t.Error(err)
			}
		}
		if _, err := f.Registry().CreateRole(t.Context(), "Narrow", []string{"prvReadcontact:basic"}); err != nil {
			t.Fatal(err)
		}
		narrow := f.as("narrow", "Narrow")
		for _, set := range []string{"contacts", "svc_gifts"} {
			if code, message := narrow.refused(403, "GET", set, "", "Prefer", "odata.track-changes"); code != "0x80040220" {
				t.Error(code, message)
			}
		}
		if p, err := readPage(narrow.must("GET", "contacts", "").body); err != nil || p.Delta != "" {
			t.Errorf("who sees only own rows gets a delta link %q, %v", p.Delta, err)
		}
	})
}

// as returns a client of an application made for it.
func (f *fixture) as(name, role string) *client {
	f.t.Helper()
	return newClient(f.t, f.As(f.t, name, role).Token, f.nodes...)
}
