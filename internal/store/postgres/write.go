package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"almoner/internal/store"
)

const (
	maxAttempts = 12
	firstPause  = 2 * time.Millisecond
	longestWait = 250 * time.Millisecond
)

// Write implements store.Store. A transaction that lost against another one (deadlock, serialization failure, a key that was
// free or a row that was there when it looked) is run again from the start after a short random pause; after a deadlock alone.
func (s *Store) Write(ctx context.Context, fn func(store.Tx) error) error {
	return s.transact(ctx, fn, beside)
}

// Bulk implements store.Store. Numbers and versions are drawn in large blocks.
func (s *Store) Bulk(ctx context.Context, fn func(store.Tx) error) error {
	return s.transact(ctx, fn, loading)
}

func (s *Store) transact(ctx context.Context, fn func(store.Tx) error, how entry) error {
	pause, clashes := firstPause, 0
	for attempt := 1; ; attempt++ {
		err, lost := s.attempt(ctx, fn, how)
		if lost == nil {
			return err
		}
		switch state := stateOf(lost); {
		case state == stateUnique || state == stateForeignKey:
			clashes++
		case state == stateDeadlock && how == beside:
			how = alone
		}
		if clashes > 1 {
			return err
		}
		if attempt == maxAttempts {
			return busy(lost)
		}
		ctx = context.WithoutCancel(ctx)    // fn has begun: from here on the write goes on whatever its caller does
		time.Sleep(pause/2 + rand.N(pause)) // #nosec G404 -- jitter, not a secret
		pause = min(2*pause, longestWait)
	}
}

// attempt runs the transaction once. lost is its database error when it may succeed if run again.
func (s *Store) attempt(ctx context.Context, fn func(store.Tx) error, how entry) (err, lost error) {
	x, err := s.openSession(ctx, s.pool, true)
	if err != nil {
		return err, nil
	}
	defer x.end()
	t := newTransaction(x, how)
	if err = fn(t); err == nil {
		err = x.commit(ctx)
	}
	if err != nil && mayRunAgain(x.failed) {
		lost = x.failed
	}
	return err, lost
}

// mayRunAgain tells whether a failed transaction can succeed if run again: it lost against another, or it never reached the
// server.
func mayRunAgain(err error) bool {
	switch stateOf(err) {
	case stateSerialization, stateDeadlock, stateUnique, stateForeignKey:
		return true
	case "":
		return err != nil && pgconn.SafeToRetry(err)
	default:
		return false
	}
}
