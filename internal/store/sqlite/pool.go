package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"
)

// closePatience is how long a closing store waits for readers to give their connections back.
const closePatience = 10 * time.Second

// pool lends reader connections, opened when first needed and kept open.
type pool struct {
	path  string
	slots chan struct{} // one token for each connection lent
	shut  chan struct{} // closed with the pool
	mu    sync.Mutex
	idle  []*conn
	epoch int // connections opened in an earlier one are not lent again
}

func newPool(path string, size int) *pool {
	return &pool{path: path, slots: make(chan struct{}, size), shut: make(chan struct{})}
}

// take lends a connection whose statements end with ctx; it waits for one until ctx ends.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case <-p.shut:
		return nil, errClosed
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
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	epoch := p.epoch
	p.mu.Unlock()
	c, err := connect(p.path, forReading)
	if err == nil {
		c.epoch = epoch
		c.renewInterrupt()
	}
	return c, err
}

// replace makes connections give way to new ones when they come back.
func (p *pool) replace() {
	p.mu.Lock()
	old := p.idle
	p.idle = nil
	p.epoch++
	p.mu.Unlock()
	for _, c := range old {
		_ = c.close() // it only read
	}
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
	if sound = sound && c.epoch == p.epoch; sound {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !sound {
		_ = c.close() // it only read
	}
	<-p.slots
}

// close waits for the connections that are lent and closes all.
func (p *pool) close() error {
	close(p.shut)
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	var errs []error
	for range cap(p.slots) {
		select {
		case p.slots <- struct{}{}:
		case <-patience.C:
			return errors.New("a reader has not given its connection back")
		}
	}
	for _, c := range p.idle {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// renewInterrupt replaces a spent interrupt.
func (c *conn) renewInterrupt() {
	c.stop = newInterrupt()
	c.db.SetInterrupt(c.stop.done)
}
