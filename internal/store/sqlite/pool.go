package sqlite

import (
	"context"
	"errors"
	"sync"
)

// pool lends reader connections, opened when first needed and kept open.
type pool struct {
	path  string
	slots chan struct{} // one token for each connection lent
	mu    sync.Mutex
	idle  []*conn
	shut  bool
}

func newPool(path string, size int) *pool {
	return &pool{path: path, slots: make(chan struct{}, size)}
}

// take lends a connection whose statements end with ctx; it waits for one until ctx ends.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := p.pick()
	if err != nil {
		<-p.slots
		return nil, err
	}
	c.stop.watch(ctx)
	return c, nil
}

// pick returns an idle connection or a new one.
func (p *pool) pick() (*conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		return nil, errClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	c, err := connect(p.path, forReading)
	if err != nil {
		return nil, err
	}
	c.renewInterrupt()
	return c, nil
}

// give takes a connection back. One that is not sound any more is closed, and the next borrower opens another.
func (p *pool) give(c *conn, sound bool) {
	if c.stop.disarm() {
		c.renewInterrupt()
	}
	if sound && !c.db.AutocommitEnabled() {
		sound = c.exec("ROLLBACK") == nil
	}
	p.mu.Lock()
	if sound && !p.shut {
		p.idle = append(p.idle, c)
		c = nil
	}
	p.mu.Unlock()
	if c != nil {
		_ = c.close() // it only read
	}
	<-p.slots
}

// close closes idle connections and waits for the lent ones.
func (p *pool) close() error {
	p.mu.Lock()
	p.shut = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	var errs []error
	for _, c := range idle {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// renewInterrupt replaces a spent interrupt.
func (c *conn) renewInterrupt() {
	c.stop = newInterrupt()
	c.db.SetInterrupt(c.stop.done)
}
