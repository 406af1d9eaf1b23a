package query

import (
	"encoding/binary"
	"math"
)

// Spool is a cursor over rows copied out of another one, kept in one compact buffer. It lets a statement be closed before
// its rows have been encoded: when related rows must be read first, or when a client stalls.
type Spool struct {
	classes []CellClass
	data    []byte
	starts  []int // offset of each row
	next    int
	cells   []int // offset of each cell of the current row; -1 for null
}

var _ Rows = (*Spool)(nil)

// NewSpool makes an empty spool for rows of the given cells.
func NewSpool(classes []CellClass) *Spool {
	return &Spool{classes: classes, cells: make([]int, len(classes))}
}

// Fill copies at most limit rows (all when limit is 0) and returns how many it took.
func (s *Spool) Fill(rows Rows, limit int) (int, error) {
	n := 0
	for (limit == 0 || n < limit) && rows.Next() {
		s.copyRow(rows)
		n++
	}
	return n, rows.Err()
}

// Size is the number of bytes the spool holds.
func (s *Spool) Size() int { return len(s.data) }

// Len is the number of rows the spool holds.
func (s *Spool) Len() int { return len(s.starts) }

func (s *Spool) copyRow(rows Rows) {
	s.starts = append(s.starts, len(s.data))
	for i, class := range s.classes {
		if rows.Null(i) {
			s.data = append(s.data, 0)
			continue
		}
		s.data = append(s.data, 1)
		switch class {
		case IntCell:
			s.data = binary.LittleEndian.AppendUint64(s.data, uint64(rows.Int(i)))
		case FloatCell:
			s.data = binary.LittleEndian.AppendUint64(s.data, math.Float64bits(rows.Float(i)))
		case BytesCell:
			b := rows.Bytes(i)
			s.data = binary.AppendUvarint(s.data, uint64(len(b)))
			s.data = append(s.data, b...)
		}
	}
}

// Next moves to the next row.
func (s *Spool) Next() bool {
	if s.next >= len(s.starts) {
		return false
	}
	at := s.starts[s.next]
	s.next++
	for i, class := range s.classes {
		present := s.data[at] == 1
		at++
		if !present {
			s.cells[i] = -1
			continue
		}
		s.cells[i] = at
		if class != BytesCell {
			at += 8
			continue
		}
		n, size := binary.Uvarint(s.data[at:])
		at += size + int(n)
	}
	return true
}

// Seek makes row i the one Next moves to.
func (s *Spool) Seek(i int) { s.next = i }

// Null tells whether cell i is null.
func (s *Spool) Null(i int) bool { return s.cells[i] < 0 }

// Int returns cell i as an integer.
func (s *Spool) Int(i int) int64 { return int64(s.word(i)) }

// Float returns cell i as a float.
func (s *Spool) Float(i int) float64 { return math.Float64frombits(s.word(i)) }

func (s *Spool) word(i int) uint64 {
	if s.cells[i] < 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(s.data[s.cells[i]:])
}

// Bytes returns cell i's bytes, valid as long as the spool.
func (s *Spool) Bytes(i int) []byte {
	if s.cells[i] < 0 {
		return nil
	}
	n, size := binary.Uvarint(s.data[s.cells[i]:])
	start := s.cells[i] + size
	return s.data[start : start+int(n)]
}

// Err is always nil: what failed, failed in Fill.
func (s *Spool) Err() error { return nil }

// Close releases the rows.
func (s *Spool) Close() { s.data, s.starts = nil, nil }
