package synctest

import (
	"fmt"
	"strings"
	"testing"
)

// benchServices runs a benchmark with a service on each store.
func benchServices(b *testing.B, bench func(*testing.B, *fixture)) {
	b.Run("SQLite", func(b *testing.B) { bench(b, serve(b, newSQLite(b))) })
	b.Run("PostgreSQL", func(b *testing.B) { bench(b, serve(b, newPostgreSQL(b))) })
}

// BenchmarkHundredGifts makes a hundred gifts: with one request each, in one change set, and with CreateMultiple.
func BenchmarkHundredGifts(b *testing.B) {
	benchServices(b, func(b *testing.B, f *fixture) {
		w := newWorld(f.client)
		gift := fmt.Sprintf(`{"svc_giftdate":"2026-03-01","svc_amount1":10,"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`,
			w.ids["svc_donors"][0], w.ids["svc_funds"][0])
		parts, targets := make([][2]string, 100), make([]string, 100)
		for i := range parts {
			parts[i], targets[i] = [2]string{"POST svc_gifts", gift}, gift
		}
		set := (&batch{}).changeSet(parts...).end()
		b.Run("singles", func(b *testing.B) {
			for b.Loop() {
				for range 100 {
					f.must("POST", "svc_gifts", gift)
				}
			}
		})
		b.Run("changeset", func(b *testing.B) {
			for b.Loop() {
				f.must("POST", "$batch", set, "Content-Type", batchType)
			}
		})
		b.Run("createmultiple", func(b *testing.B) {
			for b.Loop() {
				f.must("POST", "svc_gifts/Microsoft.Dynamics.CRM.CreateMultiple", targetsOf(targets))
			}
		})
	})
}

// BenchmarkDelta pulls a thousand changed rows out of a small and out of a large table: a delta costs what changed.
func BenchmarkDelta(b *testing.B) {
	benchServices(b, func(b *testing.B, f *fixture) {
		rows := 0
		for _, size := range []int{10_000, 100_000} {
			for ; rows < size; rows += 1000 {
				f.contacts(fmt.Sprint("row ", rows))
			}
			link := f.lastLink("contacts")
			f.contacts("changed")
			rows += 1000
			b.Run(fmt.Sprintf("1000of%d", size), func(b *testing.B) {
				for b.Loop() {
					if n := strings.Count(f.must("GET", link, "").body, `"contactid"`); n != 1000 {
						b.Fatalf("the delta holds %d rows", n)
					}
				}
			})
		}
	})
}

// contacts makes a thousand contacts in one request.
func (f *fixture) contacts(name string) {
	f.t.Helper()
	f.must("POST", "contacts/Microsoft.Dynamics.CRM.CreateMultiple", targetsOf(strings.Split(strings.Repeat(`{"lastname":"`+name+`"}|`, 999)+`{"lastname":"`+name+`"}`, "|")))
}

// lastLink reads a table in large pages and returns its delta link.
func (f *fixture) lastLink(set string) string {
	f.t.Helper()
	for target := set + "?$select=lastname"; ; {
		p, err := readPage(f.must("GET", target, "").body)
		if err != nil {
			f.t.Fatal(err)
		}
		if p.Delta != "" {
			return p.Delta
		}
		target = p.Next
	}
}
