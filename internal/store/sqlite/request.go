package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"almoner/internal/store"
)

// errLeft stands for a caller that does not take its turn any more: its context ended before the first, or its goroutine
// ended inside the function.
var errLeft = errors.New("the caller of a write has left")

// request is one write on its way through the writer. Its function runs on the caller's own goroutine: the writer lends
// the transaction for a turn and gets it back, perhaps more than once, and answers when all is on disk.
type request struct {
	ctx  context.Context
	bulk bool
	fn   func(store.Tx) error
	turn chan *tx   // the writer lends the transaction
	ran  chan error // the caller gives it back
	done chan error // the answer

	// What the writer alone knows of it.
	begun bool // the function has been run once; its context does not count any more
	left  bool // the caller is gone
}

func newRequest(ctx context.Context, bulk bool, fn func(store.Tx) error) *request {
	return &request{ctx: ctx, bulk: bulk, fn: fn, turn: make(chan *tx), ran: make(chan error), done: make(chan error, 1)}
}

// wait takes the turns of a queued request until it is answered. Before the first, the context may end the wait.
func (r *request) wait() error {
	cancelled := r.ctx.Done()
	for {
		select {
		case t := <-r.turn:
			if cancelled != nil && r.ctx.Err() != nil {
				r.ran <- errLeft
				return r.ctx.Err()
			}
			cancelled = nil
			r.ran <- r.call(t)
		case err := <-r.done:
			return err
		case <-cancelled:
			return r.ctx.Err()
		}
	}
}

// call runs the function once. A panic becomes an error; when the goroutine ends inside the function, the transaction
// still goes back to the writer.
func (r *request) call(t *tx) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
			return
		}
		r.ran <- errLeft
	}()
	err = r.fn(t)
	returned = true
	return err
}

// offer lends the transaction for one turn and returns what the function said; errLeft when the caller is not there.
func (r *request) offer(t *tx) error {
	cancelled := r.ctx.Done()
	switch {
	case r.left:
		return errLeft
	case r.begun:
		cancelled = nil
	}
	var err error
	select {
	case r.turn <- t:
		r.begun = true
		err = <-r.ran
	case <-cancelled:
		err = errLeft
	}
	r.left = err == errLeft
	return err
}

// answer tells the caller how its write ended. One that has left hears nothing.
func (r *request) answer(err error) {
	if !r.left {
		r.done <- err
	}
}
