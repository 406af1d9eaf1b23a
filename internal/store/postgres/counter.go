package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"sync"

	"github.com/jackc/pgx/v5"
)

// counters holds the named counters: a sequence for each, made when first asked for. Sequences are dumped, restored and
// copied with the database, nobody waits for another's commit to draw from one, and a number is never given twice.
type counters struct {
	store *Store
	mu    sync.Mutex
	known map[string]string // sequence of each counter that has been seen
}

// sequence returns the name of a counter's sequence, which is there afterwards.
func (c *counters) sequence(ctx context.Context, counter string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name, ok := c.known[counter]; ok {
		return name, nil
	}
	name := sequenceName(counter)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), c.store.writeLimit, errWriteLimit)
	defer cancel()
	if err := c.create(ctx, name); err != nil {
		return "", translate(ctx, err)
	}
	c.known[counter] = name
	return name, nil
}

// create makes a sequence on a connection outside the pool: the caller holds one of the pool already, and if all callers
// waited for a second one none would get it. It is committed at once, so that a transaction that fails does not take the
// sequence back from others.
func (c *counters) create(ctx context.Context, name string) error {
	return c.store.exclusively(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE SEQUENCE IF NOT EXISTS "+name)
		return err
	})
}

var plainCounter = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// sequenceName gives each counter a sequence name of its own. Names that are long or unusual are hashed; their prefix
// differs from that of the others, so that the two kinds never meet.
func sequenceName(counter string) string {
	if plainCounter.MatchString(counter) {
		return "almoner_number_" + counter
	}
	sum := sha256.Sum256([]byte(counter))
	return "almoner_numberx_" + hex.EncodeToString(sum[:16])
}
