package synctest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestOwnWritesAreInTheNextDelta writes and pulls in turn, beside writers that do not stop.
func TestOwnWritesAreInTheNextDelta(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		link := f.firstLink("contacts")
		quiet := make(chan struct{})
		var busy sync.WaitGroup
		for i := range 3 {
			busy.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-quiet:
						return
					default:
						f.must("POST", "svc_donors", fmt.Sprintf(`{"svc_formaldefault":"Donor %d of %d"}`, n, i))
					}
				}
			})
		}
		for i := range 15 {
			name := fmt.Sprint("Contact ", i)
			f.must("POST", "contacts", `{"lastname":"`+name+`"}`)
			var names []string
			if names, link = f.delta(link, "lastname"); len(names) != 1 || names[0] != name {
				t.Errorf("after %s the delta holds %v", name, names)
				break
			}
		}
		close(quiet)
		busy.Wait()
	})
}

// TestOneOfManyWins lets many writers change or delete one row, all with the tag it has: one is taken, the others are refused.
func TestOneOfManyWins(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		row := "contacts(" + f.must("POST", "contacts", `{"lastname":"One"}`).id() + ")"
		for _, c := range []struct{ method, target, body string }{
			{"PATCH", row, `{"jobtitle":"%d"}`},
			{"PUT", row + "/jobtitle", `{"value":"put %d"}`},
			{"POST", row + "/Microsoft.Dynamics.CRM.SetState", `{"State":1}`},
			{"DELETE", row, ""},
		} {
			tag := f.must("GET", row+"?$select=contactid", "").header.Get("ETag")
			if got := f.rush(c.method, c.target, c.body, tag); got[204] != 1 || got[204]+got[412]+got[404] != 12 {
				t.Errorf("%s %s: %v", c.method, c.target, got)
			}
		}
	})
}

// rush sends a request twelve times at once under one tag and counts the answers by status.
func (f *fixture) rush(method, target, body, tag string) map[int]int {
	var mu sync.Mutex
	var all sync.WaitGroup
	got := map[int]int{}
	for i := range 12 {
		all.Go(func() {
			text := body
			if strings.Contains(body, "%d") {
				text = fmt.Sprintf(body, i)
			}
			a, err := f.send(method, target, text, "If-Match", tag)
			if err != nil {
				f.t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			got[a.status]++
		})
	}
	all.Wait()
	return got
}

// TestPagesWhileRowsChange changes rows between the pages of a first read and of a delta: what is put together in the end is the table.
func TestPagesWhileRowsChange(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		w := newWorld(f.client)
		for range 20 {
			w.add("contacts", f.must("POST", "contacts", contact(0)).id())
		}
		m := newMirror(f.client, "contacts")
		n := 0
		m.between = func() {
			ids := w.ids["contacts"]
			for range 9 {
				n++
				f.must("PATCH", "contacts("+ids[n%len(ids)]+")", fmt.Sprintf(`{"lastname":"Changed %d"}`, n), "If-Match", "*")
			}
			f.must("DELETE", "contacts("+ids[len(ids)-1]+")", "")
			w.ids["contacts"] = append(ids[:len(ids)-1:len(ids)-1], f.must("POST", "contacts", contact(n)).id())
		}
		for range 4 {
			if err := m.pull(); err != nil {
				t.Fatal(err)
			}
		}
		if n < 6*9 {
			t.Errorf("only %d pages were turned", n/9)
		}
		m.between = nil
		if err := m.pull(); err != nil {
			t.Fatal(err)
		}
		whole, err := readAll(f.client, "contacts")
		if err != nil {
			t.Fatal(err)
		}
		compareMirror(t, "contacts", m.rows, whole)
	})
}

// TestLongURLs sends a query too long for a URL of its own in a batch, which takes twice as much.
func TestLongURLs(t *testing.T) {
	eachService(t, func(t *testing.T, f *fixture) {
		long := func(n int) string {
			return "contacts?$select=lastname&$filter=lastname eq '" + strings.Repeat("x", n-len("contacts?$select=lastname&$filter=lastname eq ''")) + "'"
		}
		f.refused(400, "GET", long(33_000), "")
		a := f.must("POST", "$batch", (&batch{}).request("GET "+long(60_000), "").end(), "Content-Type", batchType)
		if !strings.Contains(a.body, `"value":[]`) {
			t.Error(a)
		}
		a, err := f.send("POST", "$batch", (&batch{}).request("GET "+long(70_000), "").end(), "Content-Type", batchType)
		if err != nil || a.status != 400 || !strings.Contains(a.body, "too long") {
			t.Error(a, err)
		}
	})
}
