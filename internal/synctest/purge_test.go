package synctest

import (
	"testing"
	"time"
)

const day = 24 * time.Hour

// TestPurge moves the clock past the times for which changes and audit are kept, and looks at what is left of them.
func TestPurge(t *testing.T) {
	for _, c := range []struct {
		name           string
		changes, audit time.Duration
		days           int // after which the purge runs
		lines, deltas  bool
	}{
		{"nothing is old", 30 * day, 30 * day, 29, true, true},
		{"all is old", 30 * day, 30 * day, 32, false, false},
		{"the audit is shorter", 30 * day, 7 * day, 8, false, true},
		{"the audit is longer", 7 * day, 30 * day, 10, true, false},
		{"the audit is for ever", 7 * day, 0, 1000, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachService(t, func(t *testing.T, f *fixture) {
				set := f.Service.Engine.Settings().Clone()
				set.ChangesRetention, set.AuditRetention = c.changes, c.audit
				f.Service.Engine.SetSettings(set)
				f.purge(c.days, c.lines, c.deltas)
			})
		})
	}
}

// purge writes, moves the clock, purges, and checks whether the lines of the audit and of deltas are there.
func (f *fixture) purge(days int, lines, deltas bool) {
	f.t.Helper()
	link := f.firstLink("contacts")
	kept := f.must("POST", "contacts", `{"lastname":"Kept"}`).id()
	f.must("DELETE", "contacts("+f.must("POST", "contacts", `{"lastname":"Gone"}`).id()+")", "")
	f.later(time.Duration(days) * day)
	for range 2 { // the second run begins where the first one ended
		if err := f.Service.Engine.Purge(f.t.Context()); err != nil {
			f.t.Fatal(err)
		}
	}
	if n := f.count("audits/$count?$filter=objecttypecode eq 'contact'"); (n == "3") != lines || !lines && n != "0" {
		f.t.Errorf("%s lines are left of the audit", n)
	}
	if deltas {
		if names, _ := f.delta(link, "lastname"); len(names) != 2 {
			f.t.Errorf("the delta holds %v", names)
		}
	} else {
		f.expectExpired(link)
	}
	f.must("PATCH", "contacts("+kept+")", `{"lastname":"Fresh"}`)
	if n := f.count("audits/$count?$filter=objecttypecode eq 'contact' and operation eq 2"); n != "1" {
		f.t.Errorf("a fresh line of the audit is missing: %s", n)
	}
}

// TestPurgeKeepsAnswers moves the service's clock: answers to repeatable requests go by the machine's.
func TestPurgeKeepsAnswers(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		header := repeatable(newID())
		first := f.must("POST", "contacts", `{"lastname":"Once"}`, header...)
		f.later(365 * day)
		if err := f.Service.Engine.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if again := f.must("POST", "contacts", `{"lastname":"Once"}`, header...); again.id() != first.id() {
			t.Errorf("a second contact %s beside %s", again.id(), first.id())
		}
	})
}
