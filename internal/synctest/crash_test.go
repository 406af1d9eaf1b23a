package synctest

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"almoner/internal/programtest"
)

const (
	crashes      = 5
	crashWriters = 4
	crashAfter   = 12 // writes answered in a round before the process is killed
	setContacts  = 3  // contacts in a change set
)

// TestKillLosesNothing kills the program in the middle of writes, again and again. What it answered must be there, what it did not answer
// must be there whole or not at all, and the books must be right.
func TestKillLosesNothing(t *testing.T) {
	programtest.Each(t, func(t *testing.T, db programtest.Database) {
		n := db.Serve(t)
		nodes := []*programtest.Node{n}
		c := connect(t, db.Run(t, "token"), nodes)
		l := &ledger{world: newWorld(c), sent: map[string]bool{}}
		for round := range crashes {
			l.round(t, c, n, round)
			l.check(t, c)
		}
		t.Logf("%d writes answered, %d not", l.count(true), l.count(false))
		checkBooks(t, db, nodes)
	})
}

// ledger is what the writers know of their writes: each is one change set of several rows that carry its name.
type ledger struct {
	*world
	mu   sync.Mutex
	sent map[string]bool // the name, and whether it was answered
}

func (l *ledger) note(name string, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[name] = answered
}

func (l *ledger) count(answered bool) (n int) {
	for _, is := range l.sent {
		if is == answered {
			n++
		}
	}
	return n
}

// round lets writers write until the process is killed under them, and starts it again.
func (l *ledger) round(t *testing.T, c *client, n *programtest.Node, round int) {
	var answered atomic.Int64
	var writing sync.WaitGroup
	for w := range crashWriters {
		writing.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("%d-%d-%d", round, w, i)
				l.note(name, false)
				a, err := c.send("POST", "$batch", l.changeSet(name), "Content-Type", batchType)
				if err != nil {
					return // the process is gone
				}
				if a.status != 200 {
					t.Errorf("%s: %s", name, a)
					return
				}
				l.note(name, true)
				answered.Add(1)
			}
		})
	}
	for answered.Load() < crashAfter && !t.Failed() {
		<-tick()
	}
	n.Kill()
	writing.Wait()
	n.Start(t)
}

// changeSet makes contacts, a gift and a payment of it, all with one name.
func (l *ledger) changeSet(name string) string {
	var parts [][2]string
	for range setContacts {
		parts = append(parts, [2]string{"POST contacts", `{"lastname":"` + name + `"}`})
	}
	gift := fmt.Sprintf(`{"svc_giftnum":"%s","svc_giftdate":"2026-03-01","svc_amount1":10,"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`,
		name, l.ids["svc_donors"][0], l.ids["svc_funds"][0])
	parts = append(parts, [2]string{"POST svc_gifts", gift},
		[2]string{"POST svc_giftpayments", fmt.Sprintf(`{"svc_amount":10,"svc_check":"%s","svc_GiftNumber@odata.bind":"$%d"}`, name, setContacts+1)})
	return (&batch{}).changeSet(parts...).end()
}

// check compares the ledger with the tables.
func (l *ledger) check(t *testing.T, c *client) {
	t.Helper()
	contacts := tally(t, c, "contacts", "lastname")
	gifts := tally(t, c, "svc_gifts", "svc_giftnum")
	payments := tally(t, c, "svc_giftpayments", "svc_check")
	for name, answered := range l.sent {
		got := [3]int{contacts[name], gifts[name], payments[name]}
		switch {
		case got == [3]int{setContacts, 1, 1}:
		case answered:
			t.Errorf("%s was answered, but its contacts, gifts and payments are %v", name, got)
		case got != [3]int{}:
			t.Errorf("%s was not answered and is half there: its contacts, gifts and payments are %v", name, got)
		}
	}
}

// tally counts the rows of a set by the value of a column.
func tally(t *testing.T, c *client, set, column string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for target := set + "?$select=" + column; target != ""; {
		p, err := readPage(c.must("GET", target, "").body)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range p.Value {
			var row map[string]any
			if err := json.Unmarshal(raw, &row); err != nil {
				t.Fatal(err)
			}
			name, _ := row[column].(string)
			counts[name]++
		}
		target = p.Next
	}
	return counts
}
