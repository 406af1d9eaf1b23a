package rules

import (
	"maps"
	"slices"

	"almoner/internal/query"
	"almoner/internal/value"
)

// Touched is a set of rows whose derived values may be wrong: parents, which show totals over other rows, and others, whose derived
// values follow from themselves or, of a list, from its members. A deferred transaction leaves parents out of date; Recompute makes the
// rows anew.
type Touched struct {
	Gifts, Requests, Donors, Funds, Groups map[value.GUID]bool

	others map[string]map[value.GUID]bool // by table
}

// NewTouched makes an empty set.
func NewTouched() Touched {
	return Touched{
		Gifts: map[value.GUID]bool{}, Requests: map[value.GUID]bool{}, Donors: map[value.GUID]bool{}, Funds: map[value.GUID]bool{},
		Groups: map[value.GUID]bool{},
	}
}

// Add puts a row into the set.
func (t *Touched) Add(table string, id value.GUID) {
	if t.Gifts == nil {
		*t = NewTouched()
	}
	rows := t.Of(table)
	if rows == nil {
		rows = map[value.GUID]bool{}
		if t.others == nil {
			t.others = map[string]map[value.GUID]bool{}
		}
		t.others[table] = rows
	}
	rows[id] = true
}

// Tables names the tables the set has rows of, in the order in which the rows are locked.
func (t Touched) Tables() []string {
	names := slices.DeleteFunc(slices.Clone(TouchedTables), func(name string) bool { return len(t.Of(name)) == 0 })
	return append(names, slices.Sorted(maps.Keys(t.others))...)
}

func (t Touched) empty() bool {
	return len(t.Gifts)+len(t.Requests)+len(t.Donors)+len(t.Funds)+len(t.Groups)+len(t.others) == 0
}

// Of returns the rows of one table; nil for one that is no parent's and has no rows in the set.
func (t Touched) Of(table string) map[value.GUID]bool {
	switch table {
	case "svc_gift":
		return t.Gifts
	case "svc_request":
		return t.Requests
	case "svc_donor":
		return t.Donors
	case "svc_fund":
		return t.Funds
	case "svc_fundgroup":
		return t.Groups
	default:
		return t.others[table]
	}
}

// Sorted lists the rows of one table in the order in which they are locked.
func (t Touched) Sorted(table string) []value.GUID { return sortedIDs(t.Of(table)) }

// TouchedTables names the tables of parents in the order in which they are locked.
var TouchedTables = []string{"svc_gift", "svc_request", "svc_donor", "svc_fund", "svc_fundgroup"}

// Touched returns the parents that a deferred transaction has left out of date so far; call it before Settle.
func (b *Books) Touched() Touched { return b.touched }

// touchGift marks a gift and its parents for a deferred recalculation.
func (b *Books) touchGift(id value.GUID, rows ...*query.Row) {
	b.touched.Gifts[id] = true
	for _, r := range rows {
		if r == nil {
			continue
		}
		markSet(b.touched.Donors, r.Value("svc_donor"))
		for _, name := range fundNames {
			markSet(b.touched.Funds, r.Value(name))
		}
	}
}

// touchPaymentFunds marks the funds a gift's payments go to: what they count depends on the gift.
func (b *Books) touchPaymentFunds(f *giftFile) error {
	if err := b.readFile(f); err != nil {
		return err
	}
	for _, p := range f.payments {
		markSet(b.touched.Funds, lookup(p.fund))
	}
	return nil
}

func markSet(m map[value.GUID]bool, v value.Value) {
	if !v.IsNull() {
		m[v.ID()] = true
	}
}
