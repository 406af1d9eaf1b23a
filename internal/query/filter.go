package query

// Filter is a condition on a row: And, Or, Not, Cond, *Exists, *InQuery or Const. Logic has two values: a comparison
// with null is false except where an operator says otherwise, and Not turns exactly that around (decision 31).
type Filter interface{ filter() }

// And holds when all of its filters do; an empty And holds.
type And []Filter

// Or holds when one of its filters does; an empty Or does not.
type Or []Filter

// Not holds when its filter does not.
type Not struct{ Filter Filter }

// Const is a filter that always or never holds.
type Const bool

// Cond compares expressions. Args has as many entries as the operator asks for.
type Cond struct {
	Left Expr
	Op   Op
	Args []Expr
}

// Exists holds when Link has a row that matches it (by From and To, and On) and satisfies Where. Link.Parent belongs to the
// enclosing query; Links are joined to Link inside.
type Exists struct {
	Link  *Link
	Links []*Link
	Where Filter
}

// InQuery holds when Left is among the values of the one output of Query.
type InQuery struct {
	Left  Expr
	Query *Query
}

func (And) filter()      {}
func (Or) filter()       {}
func (Not) filter()      {}
func (Const) filter()    {}
func (Cond) filter()     {}
func (*Exists) filter()  {}
func (*InQuery) filter() {}

// AllOf joins filters by and, leaving out nil ones; nil when nothing is left.
func AllOf(filters ...Filter) Filter {
	var all And
	for _, f := range filters {
		switch f := f.(type) {
		case nil:
		case And:
			all = append(all, f...)
		default:
			all = append(all, f)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		return all
	}
}
