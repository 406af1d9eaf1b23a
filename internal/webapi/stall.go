package webapi

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// A page is written while its cursor is open, and an open cursor holds a database snapshot. So that a client who reads slowly holds
// none, nothing is sent by who holds the cursor: chunks pass through a short queue to a goroutine that sends them, and when the queue
// has been full for patience, the rest of the page is spooled and sent after the cursor has been closed. Most answers are one chunk;
// it is held back and sent without a goroutine when the page has ended.
const (
	patience   = 200 * time.Millisecond
	queueDepth = 4
	spoolLimit = 256 << 20 // most bytes kept for one stalled client
	batchLimit = 1 << 30   // most bytes of the answer of a batch, which is kept until its last part has run
	spoolInRAM = 1 << 20   // of those, bytes kept in memory; the rest goes to a file
)

var errSpoolFull = errors.New("an answer that waits to be sent is too large to keep")

// relay hands chunks to a slow writer without waiting for it longer than patience.
type relay struct {
	to    io.Writer
	first *[]byte // the first chunk, until there is a second or no more
	begun bool    // there was a first chunk
	queue chan *[]byte
	done  chan error
	spool *overflow // nil until the client has stalled
}

func newRelay(to io.Writer) *relay { return &relay{to: to} }

// Write passes a copy of a chunk on.
func (r *relay) Write(p []byte) (int, error) {
	if r.spool != nil {
		return r.spool.Write(p)
	}
	chunk := takeBuffer()
	*chunk = append((*chunk)[:0], p...)
	return len(p), r.take(chunk)
}

// hand passes a whole buffer on and returns an empty one to go on with.
func (r *relay) hand(buf *[]byte) (*[]byte, error) {
	if r.spool != nil {
		_, err := r.spool.Write(*buf)
		return buf, err
	}
	err := r.take(buf)
	return takeBuffer(), err
}

// take holds the first chunk back and passes it on with the second.
func (r *relay) take(chunk *[]byte) error {
	if !r.begun {
		r.begun, r.first = true, chunk
		return nil
	}
	if first := r.first; first != nil {
		r.first = nil
		if err := r.pass(first); err != nil {
			return err
		}
	}
	return r.pass(chunk)
}

// pass puts a chunk into the queue, and the client that leaves it full for too long among the stalled.
func (r *relay) pass(chunk *[]byte) error {
	if r.spool != nil {
		_, err := r.spool.Write(*chunk)
		giveBuffer(chunk)
		return err
	}
	if r.queue == nil {
		r.start()
	}
	select {
	case r.queue <- chunk:
		return nil
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r.queue <- chunk:
		return nil
	case err := <-r.done:
		r.done <- err
		return err
	case <-timer.C:
		r.spool = &overflow{most: spoolLimit}
		_, err := r.spool.Write(*chunk)
		giveBuffer(chunk)
		return err
	}
}

func (r *relay) start() {
	queue, done := make(chan *[]byte, queueDepth), make(chan error, 1)
	r.queue, r.done = queue, done
	go func() {
		var err error
		for chunk := range queue {
			if _, err = r.to.Write(*chunk); err != nil {
				break
			}
			giveBuffer(chunk)
		}
		done <- err
	}()
}

// finish sends what is left. The cursor is closed by then, so that it may take as long as the client does.
func (r *relay) finish() error {
	defer r.abandon()
	if r.first != nil {
		_, err := r.to.Write(*r.first)
		return err
	}
	if err := r.drain(); err != nil || r.spool == nil {
		return err
	}
	return r.spool.copyTo(r.to)
}

// drain lets the sender finish its queue and ends it.
func (r *relay) drain() error {
	if r.queue == nil {
		return nil
	}
	close(r.queue)
	r.queue = nil
	return <-r.done
}

// abandon ends the sender and frees the spool; nobody writes to the client any more when it returns.
func (r *relay) abandon() {
	_ = r.drain() // an answer given up is not missed
	if r.first != nil {
		giveBuffer(r.first)
		r.first = nil
	}
	if r.spool != nil {
		r.spool.close()
	}
}

// overflow keeps bytes in memory and beyond that in a file nobody else sees.
type overflow struct {
	most   int // bytes kept at most
	memory bytes.Buffer
	file   *os.File
	size   int
}

func (o *overflow) Write(p []byte) (int, error) {
	if o.size += len(p); o.size > o.most {
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
