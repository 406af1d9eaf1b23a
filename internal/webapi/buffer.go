package webapi

import "sync"

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}

// takeBuffer lends a pooled buffer; giveBuffer returns it. One that has grown far is left to the collector.
func takeBuffer() *[]byte { return buffers.Get().(*[]byte) }

func giveBuffer(b *[]byte) {
	if cap(*b) <= 1<<20 {
		buffers.Put(b)
	}
}
