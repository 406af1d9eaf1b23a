package query

import "almoner/internal/fault"

// The platform's caps on one query.
const (
	MaxConditions = 500
	MaxLinks      = 15
)

// MaxOrder is how many keys a query may be sorted by: the condition that a row lies behind another nests with every one of them.
const MaxOrder = 32

// Size says how large a query is.
type Size struct {
	Conditions int // comparisons anywhere in the tree; a list of values counts once
	Links      int // joined sources anywhere in the tree, those of existence tests included
}

// Measure counts a whole tree. It is meant for a tree as bound: what the passes add counts too.
func Measure(q *Query) Size {
	var s Size
	Visit(q, Visitor{
		Filter: func(f Filter) {
			switch f := f.(type) {
			case Cond:
				s.Conditions++
			case *Exists:
				s.Links += 1 + len(f.Links)
			}
		},
		Query: func(q *Query) { s.Links += len(q.Links) },
	})
	return s
}

// CheckSize refuses a query beyond the caps.
func CheckSize(q *Query) error {
	switch s := Measure(q); {
	case s.Conditions > MaxConditions:
		return fault.New(fault.TooManyConditions, "The query has %d conditions; at most %d are allowed.", s.Conditions, MaxConditions).
			At(q.Root.Table.Name)
	case s.Links > MaxLinks:
		return fault.New(fault.TooManyLinks, "The query joins %d tables; at most %d are allowed.", s.Links, MaxLinks).At(q.Root.Table.Name)
	default:
		return nil
	}
}
