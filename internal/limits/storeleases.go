package limits

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// How leases are booked. A lease is booked in the span in which its last request may be made, so that what is booked in a
// window is never less than what was used in it.
const (
	spanLength = 5 * time.Second // length of a span, and life of a lease
	nodePulse  = 10 * time.Second
	nodeSilent = 35 * time.Second // after which a process counts as gone
	sweepBatch = 500
)

// StoreLeases is the count of requests shared through the tables limitlease and limitnode of a store.
type StoreLeases struct {
	store  store.Store
	limit  int
	window time.Duration
	now    func() time.Time // the machine's clock: processes must agree on it roughly
	log    *slog.Logger
	node   value.GUID
	nodes  atomic.Int64

	leases, processes                    *schema.Table
	identity, slot, taken, process, seen *schema.Column
}

var _ Leases = (*StoreLeases)(nil)

// NewStoreLeases shares a limit of requests per window among all processes on a store. Run must be running.
func NewStoreLeases(s store.Store, m *schema.Model, limit int, window time.Duration, now func() time.Time, log *slog.Logger) *StoreLeases {
	if now == nil {
		now = time.Now
	}
	if log == nil {
		log = slog.Default()
	}
	l := &StoreLeases{
		store: s, limit: limit, window: window, now: now, log: log, node: value.NewGUID(now()),
		leases: m.Table("limitlease"), processes: m.Table("limitnode"),
	}
	l.identity, l.slot, l.taken = l.leases.MustColumn("identity"), l.leases.MustColumn("slot"), l.leases.MustColumn("taken")
	l.process, l.seen = l.processes.MustColumn("node"), l.processes.MustColumn("seen")
	l.nodes.Store(1)
	return l
}

// Nodes is the number of processes lately heard of, this one included.
func (l *StoreLeases) Nodes() int { return int(l.nodes.Load()) }

// Take gives back what is left of an earlier lease and takes a new one: LeaseSize requests, or what the window still has.
func (l *StoreLeases) Take(ctx context.Context, id value.GUID, back Lease) (Lease, error) {
	var lease Lease
	err := l.store.Write(ctx, func(tx store.Tx) error {
		now := l.now()
		booked, err := l.booked(ctx, tx, id)
		if err != nil {
			return err
		}
		if back.Count > 0 {
			booked[back.Slot] -= int64(back.Count)
			if err := l.book(ctx, tx, id, back.Slot, -back.Count); err != nil {
				return err
			}
		}
		lease = l.offer(booked, now)
		if lease.Count == 0 {
			return nil
		}
		return l.book(ctx, tx, id, lease.Slot, lease.Count)
	})
	return lease, err
}

// booked reads what is booked for an identity by span.
func (l *StoreLeases) booked(ctx context.Context, tx store.Tx, id value.GUID) (map[int64]int64, error) {
	root := &query.Link{Table: l.leases}
	q := &query.Query{Root: root, Where: query.Equal(root, l.identity, value.ID(id))}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{l.slot, l.taken})}
	rows, err := tx.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64]int64{}
	for rows.Next() {
		out[rows.Int(0)] += rows.Int(1)
	}
	return out, rows.Err()
}

// offer makes a lease of what a window still has, or tells when the first booking leaves it.
func (l *StoreLeases) offer(booked map[int64]int64, now time.Time) Lease {
	current := now.UnixNano() / int64(spanLength)
	oldest := current - int64((l.window+spanLength-1)/spanLength)
	var sum int64
	leaves := current
	for slot, n := range booked {
		if slot >= oldest && n > 0 {
			sum += n
			leaves = min(leaves, slot)
		}
	}
	room := int64(l.limit) - sum
	if room <= 0 {
		again := time.Unix(0, (leaves+current-oldest+1)*int64(spanLength))
		return Lease{Wait: max(time.Second, again.Sub(now))}
	}
	return Lease{Count: int(min(LeaseSize, room)), Slot: current + 1, Life: spanLength}
}

func (l *StoreLeases) book(ctx context.Context, tx store.Tx, id value.GUID, slot int64, n int) error {
	return tx.Add(ctx, l.leases,
		[]query.Assign{{Column: l.identity, Value: value.ID(id)}, {Column: l.slot, Value: value.Int(slot)}},
		[]query.Assign{{Column: l.taken, Value: value.Int(int64(n))}})
}

// Run tells the other processes of this one, counts them, and clears away bookings that left every window, until ctx ends.
func (l *StoreLeases) Run(ctx context.Context) {
	pulse := time.NewTicker(nodePulse)
	defer pulse.Stop()
	for {
		if err := l.Pulse(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn("limits cannot be shared", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-pulse.C:
		}
	}
}

// Pulse does once what Run does regularly.
func (l *StoreLeases) Pulse(ctx context.Context) error {
	var alive int64
	err := l.store.Write(ctx, func(tx store.Tx) error {
		now := l.now()
		err := tx.Put(ctx, l.processes, []query.Assign{{Column: l.process, Value: value.ID(l.node)}, {Column: l.seen, Value: value.Int(now.Unix())}})
		if err != nil {
			return err
		}
		if alive, err = l.countNodes(ctx, tx, now); err != nil {
			return err
		}
		return l.sweep(ctx, tx, now)
	})
	if err == nil {
		l.nodes.Store(max(1, alive))
	}
	return err
}

// countNodes counts the processes heard of lately and forgets the others.
func (l *StoreLeases) countNodes(ctx context.Context, tx store.Tx, now time.Time) (alive int64, err error) {
	root := &query.Link{Table: l.processes}
	q := &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{l.process, l.seen})}}
	rows, err := tx.Read(ctx, q)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var gone []value.GUID
	for rows.Next() {
		if now.Sub(time.Unix(rows.Int(1), 0)) < nodeSilent {
			alive++
		} else {
			gone = append(gone, value.GUID(rows.Bytes(0)))
		}
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	rows.Close()
	for _, id := range gone {
		if err := tx.Remove(ctx, l.processes, []query.Assign{{Column: l.process, Value: value.ID(id)}}); err != nil {
			return 0, err
		}
	}
	return alive, nil
}

// sweep removes some bookings that left every window.
func (l *StoreLeases) sweep(ctx context.Context, tx store.Tx, now time.Time) error {
	root := &query.Link{Table: l.leases}
	before := now.Add(-l.window-2*spanLength).UnixNano() / int64(spanLength)
	q := &query.Query{
		Root:  root,
		Where: query.Cond{Left: query.Ref{Link: root, Column: l.slot}, Op: query.OpLt, Args: []query.Expr{query.Literal{Value: value.Int(before)}}},
		Order: []query.Order{{Expr: query.Ref{Link: root, Column: l.slot}}},
		Page:  query.Page{Size: sweepBatch},
	}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{l.slot})}
	rows, err := tx.Read(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	slots := map[int64]bool{}
	for rows.Next() {
		slots[rows.Int(0)] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	rows.Close()
	for slot := range slots {
		if err := tx.Remove(ctx, l.leases, []query.Assign{{Column: l.slot, Value: value.Int(slot)}}); err != nil {
			return err
		}
	}
	return nil
}
