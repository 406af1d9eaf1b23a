package seed

import (
	"encoding/binary"

	"almoner/internal/value"
)

// identities hands out the keys of rows. They look like those the service makes (version 7, ordered by time), but depend on
// the seed and on how many were handed out before alone.
type identities struct {
	seed  uint64
	count uint64
}

// next returns the key of a row made at a moment.
func (i *identities) next(moment int64) value.GUID {
	i.count++
	ms := uint64(moment)*1000 + i.count%1000
	var g value.GUID
	binary.BigEndian.PutUint64(g[:8], ms<<16|scramble(i.seed^i.count)&0xffff)
	binary.BigEndian.PutUint64(g[8:], scramble(i.seed+0x9e3779b97f4a7c15*i.count))
	g[6] = g[6]&0x0f | 0x70
	g[8] = g[8]&0x3f | 0x80
	return g
}

// scramble spreads the bits of a number over all of its places, one to one.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
