package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// spareHeap is how much garbage may gather before it is collected, however little is in use. The service keeps a few megabytes; by
// itself the collector would run at every few hundred requests.
const spareHeap = 12 << 20

// The least and the most a heap may grow between two collections, in percent of what is in use.
const (
	leastGrowth = 100
	mostGrowth  = 800
)

// keepSpareHeap tunes the collector after each of its runs, unless GOGC says how it shall be.
func keepSpareHeap() {
	if os.Getenv("GOGC") == "" {
		tuneCollector(nil)
	}
}

// heapMark is garbage from the start: its finalizer runs once after each collection.
type heapMark struct{ _ [64]byte }

func tuneCollector(*heapMark) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if inUse := live[0].Value.Uint64(); inUse > 0 {
		debug.SetGCPercent(int(min(mostGrowth, max(leastGrowth, 100*spareHeap/inUse))))
	}
	runtime.SetFinalizer(&heapMark{}, tuneCollector)
}
