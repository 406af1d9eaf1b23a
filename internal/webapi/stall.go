package webapi

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// A page is written while its cursor is open, and an open cursor holds a database snapshot. So that a client who reads slowly holds
// none, writes beyond the first pass through a short queue to a goroutine that sends them; when the queue has been full for
// patience, the rest of the page is spooled and sent after the cursor has been closed.
const (
	patience   = 200 * time.Millisecond
	queueDepth = 4
	spoolLimit = 256 << 20 // most bytes kept for one stalled client
	spoolInRAM = 1 << 20   // of those, bytes kept in memory; the rest goes to a file
)

var errSpoolFull = errors.New("the client has stalled and its answer is too large to keep")

// relay hands chunks to a slow writer without waiting for it longer than patience.
type relay struct {
	to      io.Writer
	queue   chan []byte
	done    chan error
	spool   *overflow // nil until the client has stalled
	started bool
}

func newRelay(to io.Writer) *relay { return &relay{to: to} }

// Write passes a chunk on. The first one is written directly: most answers have no second.
func (r *relay) Write(p []byte) (int, error) {
	switch {
	case !r.started:
		r.started = true
		return r.to.Write(p)
	case r.spool != nil:
		return r.spool.Write(p)
	case r.queue == nil:
		r.start()
	}
	chunk := bytes.Clone(p)
	select {
	case r.queue <- chunk:
		return len(p), nil
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r.queue <- chunk:
		return len(p), nil
	case err := <-r.done:
		r.done <- err
		return 0, err
	case <-timer.C:
		r.spool = &overflow{}
		return r.spool.Write(p)
	}
}

func (r *relay) start() {
	r.queue, r.done = make(chan []byte, queueDepth), make(chan error, 1)
	go func() {
		var err error
		for chunk := range r.queue {
			if err == nil {
				_, err = r.to.Write(chunk)
			}
			if err != nil {
				break
			}
		}
		r.done <- err
	}()
}

// finish sends what is left. The cursor is closed by then, so that it may take as long as the client does.
func (r *relay) finish() error {
	if r.queue != nil {
		close(r.queue)
		if err := <-r.done; err != nil {
			r.abandon()
			return err
		}
	}
	if r.spool == nil {
		return nil
	}
	defer r.abandon()
	return r.spool.copyTo(r.to)
}

// abandon frees the spool and ends the sender.
func (r *relay) abandon() {
	if r.spool != nil {
		r.spool.close()
	}
}

// overflow keeps bytes in memory and beyond that in a file nobody else sees.
type overflow struct {
	memory bytes.Buffer
	file   *os.File
	size   int
}

func (o *overflow) Write(p []byte) (int, error) {
	if o.size += len(p); o.size > spoolLimit {
		return 0, errSpoolFull
	}
	if o.file == nil && o.memory.Len()+len(p) <= spoolInRAM {
		return o.memory.Write(p)
	}
	if o.file == nil {
		f, err := hiddenFile()
		if err != nil {
			return 0, err
		}
		o.file = f
	}
	return o.file.Write(p)
}

func (o *overflow) copyTo(w io.Writer) error {
	if _, err := w.Write(o.memory.Bytes()); err != nil || o.file == nil {
		return err
	}
	if _, err := o.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, o.file, make([]byte, 64<<10))
	return err
}

func (o *overflow) close() {
	if o.file != nil {
		o.file.Close()
		o.file = nil
	}
}

// hiddenFile is a temporary file without a name: it goes with its last handle.
func hiddenFile() (*os.File, error) {
	f, err := os.CreateTemp("", "almoner-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
