package auth

import (
	"strings"

	"almoner/internal/fault"
)

// Mask is a set of rights on one row.
type Mask int64

// maskOrder is the rights with their bits, in the order in which a mask is printed.
var maskOrder = []struct {
	right Right
	bit   Mask
}{
	{Read, 1}, {Write, 2}, {Append, 4}, {AppendTo, 16}, {Create, 32}, {Delete, 65536}, {Share, 262144}, {Assign, 524288},
}

// rowRights are the rights that make sense on a row that exists.
const rowRights = Mask(1 | 2 | 4 | 16 | 65536 | 262144 | 524288)

// Bit returns the right's bit in access masks.
func (r Right) Bit() Mask {
	for _, m := range maskOrder {
		if m.right == r {
			return m.bit
		}
	}
	return 0
}

// Has tells whether the mask holds a right.
func (m Mask) Has(r Right) bool { return m&r.Bit() != 0 }

// String prints the mask as the wire does: "ReadAccess, WriteAccess"; "None" when it is empty.
func (m Mask) String() string {
	var names []string
	for _, o := range maskOrder {
		if m&o.bit != 0 {
			names = append(names, o.right.String()+"Access")
		}
	}
	if names == nil {
		return "None"
	}
	return strings.Join(names, ", ")
}

// ParseMask reads a mask in the form String prints, blanks optional. An unknown name is the client's mistake.
func ParseMask(text string) (Mask, error) {
	var m Mask
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "None" {
			continue
		}
		bit := maskBit(name)
		if bit == 0 {
			return 0, fault.New(fault.BadPayload, "'%s' is not an access right; known are %s.", name, (rowRights | Create.Bit()).String())
		}
		m |= bit
	}
	return m, nil
}

func maskBit(name string) Mask {
	for _, o := range maskOrder {
		if name == o.right.String()+"Access" {
			return o.bit
		}
	}
	return 0
}
