package synctest

import (
	"math/rand/v2"
	"sync"
	"testing"

	"almoner/internal/programtest"
)

const (
	writers = 8
	readers = 3
	kills   = 6
)

// TestDeltasMissNothing lets writers and readers loose on a service whose processes are killed and started again. What each reader has put
// together in the end must be what is in the tables, to the byte.
func TestDeltasMissNothing(t *testing.T) {
	programtest.Each(t, synchronise)
}

// synchronise lets every writer make some writes, more where more processes share them.
func synchronise(t *testing.T, db programtest.Database) {
	nodes, token := db.ServeAll(t), db.Run(t, "token")
	writes := 40 * len(nodes)
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
	checkBooks(t, db, nodes)
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
func killInTurn(t *testing.T, nodes []*programtest.Node, w *world, every int64, writing *sync.WaitGroup) {
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
		n.Kill()
		n.Start(t)
	}
}
