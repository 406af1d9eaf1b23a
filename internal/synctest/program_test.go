package synctest

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"almoner/internal/programtest"
)

var seed = flag.Uint64("seed", 0, "seed of the random tests; 0 draws one")

func TestMain(m *testing.M) { os.Exit(programtest.Main(m)) }

// newSeed returns the seed of a run and prints it, so that the run can be made again.
func newSeed(t *testing.T) uint64 {
	n := *seed
	if n == 0 {
		n = rand.Uint64()
	}
	t.Logf("run it again with -seed %d", n)
	return n
}

// connect makes a client of the administrator that calls processes in turn.
func connect(t testing.TB, token string, nodes []*programtest.Node) *client {
	origins := make([]string, len(nodes))
	for i, n := range nodes {
		origins[i] = n.Origin()
	}
	return newClient(t, token, origins...)
}

// checkBooks stops the service and lets the program compare every derived value with what it is derived from.
func checkBooks(t *testing.T, db programtest.Database, nodes []*programtest.Node) {
	for _, n := range nodes {
		n.Kill()
	}
	db.Run(t, "recalc", "--check")
}

// tick is a short wait between two looks at something.
func tick() <-chan time.Time { return time.After(10 * time.Millisecond) }
