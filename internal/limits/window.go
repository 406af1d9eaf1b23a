package limits

import "time"

// window sums what happened in the last span of time, cut into buckets. It holds only buckets in which something happened.
// Sums cover the whole of the oldest bucket still touched by the window, so they are exact from above: an event leaves at
// most one bucket late, never early.
type window struct {
	buckets  []bucket // oldest first, from head on
	head     int
	requests int
	busy     time.Duration
}

type bucket struct {
	slot     int64
	requests int
	busy     time.Duration
}

// expire drops the buckets that lie wholly before the window ending in slot.
func (w *window) expire(slot int64) {
	for w.head < len(w.buckets) && w.buckets[w.head].slot < slot-bucketsPerWindow {
		w.requests -= w.buckets[w.head].requests
		w.busy -= w.buckets[w.head].busy
		w.head++
	}
	if w.head == len(w.buckets) {
		w.buckets, w.head = w.buckets[:0], 0
	} else if w.head > len(w.buckets)/2 {
		n := copy(w.buckets, w.buckets[w.head:])
		w.buckets, w.head = w.buckets[:n], 0
	}
}

// add counts requests and work in the bucket of slot, which is never before the newest one.
func (w *window) add(slot int64, requests int, busy time.Duration) {
	w.requests += requests
	w.busy += busy
	if n := len(w.buckets); n > w.head && w.buckets[n-1].slot >= slot {
		w.buckets[n-1].requests += requests
		w.buckets[n-1].busy += busy
		return
	}
	w.buckets = append(w.buckets, bucket{slot, requests, busy})
}

// roomAt returns the slot in which fewer than limit requests will be in the window.
func (w *window) roomAt(limit int) int64 {
	left := w.requests
	for _, b := range w.buckets[w.head:] {
		if left -= b.requests; left < limit {
			return b.slot + bucketsPerWindow + 1
		}
	}
	return 0
}

// restAt returns the slot in which less than limit of work will be in the window.
func (w *window) restAt(limit time.Duration) int64 {
	left := w.busy
	for _, b := range w.buckets[w.head:] {
		if left -= b.busy; left < limit {
			return b.slot + bucketsPerWindow + 1
		}
	}
	return 0
}
