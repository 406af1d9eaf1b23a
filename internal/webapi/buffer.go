package webapi

import (
	"io"
	"sync"
)

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}

// takeBuffer lends a pooled buffer; giveBuffer returns it. One that has grown far is left to the collector.
func takeBuffer() *[]byte { return buffers.Get().(*[]byte) }

func giveBuffer(b *[]byte) {
	if cap(*b) <= 1<<20 {
		buffers.Put(b)
	}
}

// chunks writes a body in pieces out of pooled buffers. A piece is handed over as it is where the writer takes whole buffers, so that a
// page is not copied on its way to the socket.
type chunks struct {
	to  io.Writer
	buf *[]byte
}

func newChunks(to io.Writer) *chunks { return &chunks{to, takeBuffer()} }

// empty returns the buffer to begin with.
func (c *chunks) empty() []byte { return (*c.buf)[:0] }

// flush writes a piece that was begun with the last empty buffer, and returns the next one.
func (c *chunks) flush(piece []byte) ([]byte, error) {
	*c.buf = piece
	if way, ok := c.to.(*relay); ok {
		next, err := way.hand(c.buf)
		c.buf = next
		return c.empty(), err
	}
	_, err := c.to.Write(piece)
	return c.empty(), err
}

// close gives the buffer back.
func (c *chunks) close() { giveBuffer(c.buf) }
