package webapi

import (
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"almoner/internal/fault"
)

// What request bodies may take: one of them, and all under way together.
const (
	maxBody   = 128 << 20
	maxBodies = 1 << 30
)

var errBodies = errors.New("the request bodies under way are too large together")

// bodies counts the bytes of all request bodies under way.
type bodies struct {
	held atomic.Int64
	tidy atomic.Bool // memory is about to be given back
}

// A body from largeBody on leaves much more memory behind than the service otherwise needs. It is given back to the system soon after.
const (
	largeBody = 16 << 20
	tidyAfter = time.Second
)

// release notes the end of a body.
func (b *bodies) release(size int64) {
	b.held.Add(-size)
	if size >= largeBody && b.tidy.CompareAndSwap(false, true) {
		time.AfterFunc(tidyAfter, func() {
			b.tidy.Store(false)
			debug.FreeOSMemory()
		})
	}
}

// read reads a request's body. It is refused when it is too large, by itself (413) or together with the others (503), and given up
// when the client stops sending. What it took is given back by free.
func (b *bodies) read(w http.ResponseWriter, hr *http.Request) (body []byte, free func(), err error) {
	if hr.ContentLength == 0 {
		return nil, func() {}, nil
	}
	in := &bodyReader{from: http.MaxBytesReader(nil, hr.Body, maxBody), deadline: http.NewResponseController(w).SetReadDeadline, bodies: b}
	free = func() { b.release(in.held) }
	if hr.ContentLength > maxBody {
		return nil, free, bodyFault(&http.MaxBytesError{Limit: maxBody})
	}
	body, err = io.ReadAll(in)
	_ = in.deadline(time.Time{}) // recorders have none
	if err != nil {
		return nil, free, bodyFault(err)
	}
	return body, free, nil
}

func bodyFault(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return fault.New(fault.BodyTooLarge, "The request message is too large: at most %d bytes are taken.", maxBody)
	case errors.Is(err, errBodies):
		return fault.Unavailable(err, 1)
	default:
		return fault.Wrap(err, fault.BadPayload, "The request body could not be read.")
	}
}

// bodyReader reads with a deadline that moves along as long as the client sends.
type bodyReader struct {
	from     io.Reader
	deadline func(time.Time) error
	bodies   *bodies
	held     int64
	moved    time.Time
}

// Read reads on, counting what is held.
func (r *bodyReader) Read(p []byte) (int, error) {
	if now := time.Now(); now.Sub(r.moved) > stall/8 {
		r.moved = now
		_ = r.deadline(now.Add(stall)) // recorders and pipes have none; the read then simply blocks
	}
	n, err := r.from.Read(p)
	r.held += int64(n)
	if r.bodies.held.Add(int64(n)) > maxBodies {
		return n, errBodies
	}
	return n, err
}
