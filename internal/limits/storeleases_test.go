package limits

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almoner/internal/fault"
	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/tables"
)

// cluster is some processes that share their limits through one database and one clock.
type cluster struct {
	fakeClock
	start  time.Time
	store  *sqlite.Store
	leases []*StoreLeases
	nodes  []*Limiter
}

func (c *cluster) wall() time.Time { return c.start.Add(c.now) }

func newCluster(t *testing.T, size int, s Settings) *cluster {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), m, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c := &cluster{start: time.Unix(1_800_000_000, 0), store: db}
	for range size {
		leases := NewStoreLeases(db, m, s.Requests, s.Window, c.wall, nil)
		c.leases = append(c.leases, leases)
		c.nodes = append(c.nodes, New(s, c.read, leases))
	}
	pulse(t, c.leases)
	return c
}

// pulse makes processes know of each other: the second round tells the first ones of the last ones.
func pulse(t *testing.T, leases []*StoreLeases) {
	t.Helper()
	for range 2 {
		for _, l := range leases {
			if err := l.Pulse(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestStoreLeasesShareOneLimit(t *testing.T) {
	s := Defaults()
	s.Requests = 200
	c := newCluster(t, 3, s)
	id := testID(1)
	admitted := 0
	for i := range 400 {
		if release, _, refusal := c.nodes[i%3].Begin(id); refusal == nil {
			release(0)
			admitted++
		}
	}
	if admitted != 200 {
		t.Errorf("three nodes admitted %d, want 200", admitted)
	}
	for _, l := range c.leases {
		if l.Nodes() != 3 {
			t.Errorf("a node knows of %d, want 3", l.Nodes())
		}
	}
	refusal := mustRefuse(t, c.nodes[0], id, fault.RateExceeded)
	if refusal.Retry < 295 {
		t.Errorf("retry %d, want about the window", refusal.Retry)
	}
	c.now += 2*longestWait + spanLength
	mustBegin(t, c.nodes[0], id)(0)
}

// TestLightCallersAreNotOvercounted has callers send a request now and then: what they lease and do not use must not count.
func TestLightCallersAreNotOvercounted(t *testing.T) {
	s := Defaults()
	s.Requests = 100
	c := newCluster(t, 2, s)
	for i := range 49 {
		for _, node := range c.nodes {
			release, _, refusal := node.Begin(testID(1))
			if refusal != nil {
				t.Fatalf("round %d refused: %v", i, refusal)
			}
			release(0)
		}
		c.now += 6 * time.Second
	}
}

func TestOldBookingsAndSilentNodesGo(t *testing.T) {
	c := newCluster(t, 2, Defaults())
	mustBegin(t, c.nodes[0], testID(1))(0)
	c.now += time.Hour
	if err := c.leases[1].Pulse(t.Context()); err != nil {
		t.Fatal(err)
	}
	root := &query.Link{Table: c.leases[0].leases}
	q := &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, root.Table.Columns)}}
	if n, err := c.store.Count(t.Context(), q); err != nil || n != 0 {
		t.Errorf("%d bookings left (%v), want none", n, err)
	}
	if n := c.leases[1].Nodes(); n != 1 {
		t.Errorf("%d nodes, want 1", n)
	}
}

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestNodesOnPostgres has several processes on one server admit requests of one caller at the same time. Two that book at
// once may both be granted the last lease, hence the slack the limit allows.
func TestNodesOnPostgres(t *testing.T) {
	const nodes = 3
	dsn := pgtest.DSN(t)
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	s := Defaults()
	s.Requests, s.Concurrency = 300, 0
	var leases []*StoreLeases
	for range nodes {
		db, err := postgres.Open(t.Context(), dsn, m, postgres.Options{MaxConns: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		leases = append(leases, NewStoreLeases(db, m, s.Requests, s.Window, nil, nil))
	}
	pulse(t, leases)
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for _, shared := range leases {
		l := New(s, nil, shared)
		for range 2 {
			wg.Go(func() {
				for range 200 {
					if release, _, refusal := l.Begin(testID(1)); refusal == nil {
						release(0)
						admitted.Add(1)
					}
				}
			})
		}
	}
	wg.Wait()
	if n := admitted.Load(); n < 300-nodes*LeaseSize || n > 300+nodes*LeaseSize {
		t.Errorf("%d requests admitted, want 300, give or take %d", n, nodes*LeaseSize)
	}
}
