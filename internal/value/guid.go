package value

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"
)

// GUID is a 16-byte identifier in network byte order, so that byte order is text order is store order.
type GUID [16]byte

// ErrGUID is returned for text that is not a GUID.
var ErrGUID = errors.New("not a GUID")

// NewGUID makes a time-ordered GUID (version 7), so that rows created together lie together in the store.
func NewGUID(now time.Time) GUID {
	var g GUID
	if _, err := rand.Read(g[6:]); err != nil {
		panic(err) // the kernel's random source never fails
	}
	ms := uint64(now.UnixMilli())
	binary.BigEndian.PutUint16(g[0:], uint16(ms>>32))
	binary.BigEndian.PutUint32(g[2:], uint32(ms))
	g[6] = g[6]&0x0f | 0x70
	g[8] = g[8]&0x3f | 0x80
	return g
}

// IsZero tells whether the GUID is all zero, which stands for "none".
func (g GUID) IsZero() bool { return g == GUID{} }

// ParseGUID reads the hyphenated form in any hex case, with or without braces.
func ParseGUID(s string) (GUID, error) {
	var g GUID
	if len(s) == 38 && s[0] == '{' && s[37] == '}' {
		s = s[1:37]
	}
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return g, ErrGUID
	}
	for i, pos := range guidPositions {
		hi, lo := unhex[s[pos]], unhex[s[pos+1]]
		if hi > 15 || lo > 15 {
			return GUID{}, ErrGUID
		}
		g[i] = hi<<4 | lo
	}
	return g, nil
}

// MustGUID is ParseGUID for constants.
func MustGUID(s string) GUID {
	g, err := ParseGUID(s)
	if err != nil {
		panic(err)
	}
	return g
}

// Append appends the lower-case hyphenated form.
func (g GUID) Append(b []byte) []byte {
	for i, c := range g {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			b = append(b, '-')
		}
		b = append(b, hexDigits[c>>4], hexDigits[c&15])
	}
	return b
}

// String returns the lower-case hyphenated form.
func (g GUID) String() string { return string(g.Append(make([]byte, 0, 36))) }

const hexDigits = "0123456789abcdef"

var guidPositions = [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

var unhex = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i := range 10 {
		t['0'+i] = byte(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = byte(10+i), byte(10+i)
	}
	return t
}()
