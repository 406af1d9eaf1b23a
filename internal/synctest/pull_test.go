package synctest

import (
	"math/rand/v2"
	"sync"
	"testing"
)

const (
	writers   = 8
	writes    = 45 // of each writer
	readers   = 3
	killEvery = 70 // writes between two kills
)

// TestDeltasMissNothing lets writers and readers loose on a service whose processes are killed and started again. What each reader has put
// together in the end must be what is in the tables, to the byte.
func TestDeltasMissNothing(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		db := newSQLite(t)
		synchronise(t, run(t, db, "token"), startNode(t, db))
	})
	t.Run("postgres", func(t *testing.T) {
		db := newPostgres(t)
		synchronise(t, run(t, db, "token"), startNode(t, db), startNode(t, db))
	})
}

func synchronise(t *testing.T, token string, nodes ...*node) {
	seed := newSeed(t)
	c := connect(t, token, nodes)
	w := newWorld(c)
	quiet := make(chan struct{}) // closed when the last write is answered
	var writing, reading sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			one := &writer{world: w, client: connect(t, token, nodes), random: rand.New(rand.NewPCG(seed, uint64(i)))}
			for range writes {
				one.write()
			}
		})
	}
	for i := range readers {
		mirrors := everyTable(connect(t, token, nodes))
		reading.Go(func() { follow(t, i, mirrors, quiet) })
	}
	killInTurn(t, nodes, w, quiet, &writing)
	reading.Wait()
	if all := w.done.Load(); w.taken.Load() < all/2 {
		t.Errorf("only %d of %d writes were accepted", w.taken.Load(), all)
	}
	t.Logf("%d of %d writes accepted", w.taken.Load(), w.done.Load())
	checkBooks(t, nodes)
}

func connect(t testing.TB, token string, nodes []*node) *client {
	origins := make([]string, len(nodes))
	for i, n := range nodes {
		origins[i] = n.origin()
	}
	return newClient(t, token, origins...)
}

func everyTable(c *client) []*mirror {
	var all []*mirror
	for set := range keys {
		all = append(all, newMirror(c, set))
	}
	return all
}

// follow pulls all tables until nobody writes any more, then once more, and compares.
func follow(t *testing.T, reader int, mirrors []*mirror, quiet <-chan struct{}) {
	for last := false; !last; {
		select {
		case <-quiet:
			last = true
		default:
		}
		for _, m := range mirrors {
			if err := m.pull(); err != nil {
				t.Error(err)
				return
			}
		}
	}
	for _, m := range mirrors {
		whole, err := readAll(m.client, m.set)
		if err != nil {
			t.Error(err)
			return
		}
		compareMirror(t, m.set, m.rows, whole)
		if m.set == "svc_gifts" {
			t.Logf("reader %d pulled %s %d times and has %d rows", reader, m.set, m.pulls, len(m.rows))
		}
	}
}

// killInTurn kills one process after the other, each time some writes have been answered, and starts it again. It closes quiet when all
// writers are through.
func killInTurn(t *testing.T, nodes []*node, w *world, quiet chan<- struct{}, writing *sync.WaitGroup) {
	through := make(chan struct{})
	go func() { writing.Wait(); close(through) }()
	defer close(quiet)
	kills := 0
	for next := int64(killEvery); ; next += killEvery {
		for w.done.Load() < next {
			select {
			case <-through:
				t.Logf("%d kills", kills)
				return
			case <-tick():
			}
		}
		n := nodes[kills%len(nodes)]
		n.kill()
		n.start(t)
		kills++
	}
}

// checkBooks stops the service and lets the program compare every derived value with what it is derived from.
func checkBooks(t *testing.T, nodes []*node) {
	for _, n := range nodes {
		n.kill()
	}
	run(t, nodes[0].db, "recalc", "--check")
}
