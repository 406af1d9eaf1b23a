package limits

import (
	"sync"
	"time"

	"almoner/internal/value"
)

// shardCount spreads identities so that their bookkeeping rarely waits for each other. A power of two.
const shardCount = 64

// shard holds some of the identities in the order they were last seen.
type shard struct {
	mu    sync.Mutex
	byID  map[value.GUID]*identity
	ends  identity // ring: ends.older is the newest, ends.newer the oldest
	limit int
}

func (l *Limiter) shard(id value.GUID) *shard {
	return &l.shards[(id[14]^id[15])%shardCount]
}

func (s *shard) init(identities int) {
	s.byID = map[value.GUID]*identity{}
	s.ends.newer, s.ends.older = &s.ends, &s.ends
	s.limit = max(1, (identities+shardCount-1)/shardCount)
}

// pin returns the identity's entry and keeps it from being forgotten until unpin. Each call also forgets up to two
// identities that were silent for a whole window, and the longest silent one when there are too many.
func (s *shard) pin(id value.GUID, now, window time.Duration) *identity {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.byID[id]
	if in == nil {
		in = &identity{id: id}
		s.byID[id] = in
	} else {
		in.unlink()
	}
	in.pins++
	in.lastSeen = now
	in.linkAfter(&s.ends)
	for range 2 {
		s.sweep(now - window - longestWait)
	}
	return in
}

// sweep looks at the identity seen longest ago: it is forgotten when it was silent since a moment or when there are too
// many, and counts as seen when it has a request under way.
func (s *shard) sweep(silentSince time.Duration) {
	switch oldest := s.ends.newer; {
	case oldest.pins > 0:
		oldest.unlink()
		oldest.linkAfter(&s.ends)
	case oldest.lastSeen < silentSince || len(s.byID) > s.limit:
		oldest.unlink()
		delete(s.byID, oldest.id)
	}
}

func (s *shard) unpin(in *identity) {
	s.mu.Lock()
	in.pins--
	s.mu.Unlock()
}

func (s *shard) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID)
}

func (in *identity) unlink() {
	in.newer.older, in.older.newer = in.older, in.newer
}

// linkAfter puts the identity at the newest place of the ring.
func (in *identity) linkAfter(ends *identity) {
	in.newer, in.older = ends, ends.older
	ends.older.newer, ends.older = in, in
}
