package synctest

import (
	"math/rand/v2"
	"sync"
	"testing"
)

const (
	writers = 8
	readers = 3
	kills   = 6
)

// TestDeltasMissNothing lets writers and readers loose on a service whose processes are killed and started again. What each reader has put
// together in the end must be what is in the tables, to the byte.
func TestDeltasMissNothing(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		db := newSQLite(t)
		synchronise(t, 40, run(t, db, "token"), startNode(t, db))
	})
	t.Run("postgres", func(t *testing.T) {
		db := newPostgres(t)
		synchronise(t, 80, run(t, db, "token"), startNode(t, db), startNode(t, db))
	})
}

// synchronise lets every writer make some writes.
func synchronise(t *testing.T, writes int, token string, nodes ...*node) {
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
	for range readers {
		reader := connect(t, token, nodes)
		for set := range keys {
			reading.Go(func() { follow(t, newMirror(reader, set), quiet) })
		}
	}
	killInTurn(t, nodes, w, int64(writers*writes/(kills+1)), &writing)
	close(quiet)
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

// follow pulls a table until nobody writes any more, then once more, and compares.
func follow(t *testing.T, m *mirror, quiet <-chan struct{}) {
	for last := false; !last; {
		select {
		case <-quiet:
			last = true
		default:
		}
		if err := m.pull(); err != nil {
			t.Error(err)
			return
		}
		<-tick()
	}
	whole, err := readAll(m.client, m.set)
	if err != nil {
		t.Error(err)
		return
	}
	compareMirror(t, m.set, m.rows, whole)
	t.Logf("%s: %d rows, pulled %d times", m.set, len(m.rows), m.pulls)
}

// killInTurn kills one process after the other, each time some more writes have been answered, and starts it again, until all writers are
// through.
func killInTurn(t *testing.T, nodes []*node, w *world, every int64, writing *sync.WaitGroup) {
	through := make(chan struct{})
	go func() { writing.Wait(); close(through) }()
	for killed := 0; ; killed++ {
		for w.done.Load() < int64(killed+1)*every {
			select {
			case <-through:
				t.Logf("%d processes killed", killed)
				return
			case <-tick():
			}
		}
		n := nodes[killed%len(nodes)]
		n.kill()
		n.start(t)
	}
}

// checkBooks stops the service and lets the program compare every derived value with what it is derived from.
func checkBooks(t *testing.T, nodes []*node) {
	for _, n := range nodes {
		n.kill()
	}
	run(t, nodes[0].db, "recalc", "--check")
}
