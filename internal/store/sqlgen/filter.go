package sqlgen

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// chainLimit is how many conditions are joined in a row; longer lists are halved, so that no store's limit on the depth of
// an expression is reached.
const chainLimit = 32

// all prints a filter as part of a conjunction: what binds weaker than AND is put in parentheses. A condition that is
// unknown to SQL does not hold; only negations make a difference of it, and they are printed as IS NOT TRUE.
func (p *printer) all(f query.Filter) {
	if p.full() {
		return
	}
	switch f := f.(type) {
	case nil:
		p.put("1=1")
	case query.And:
		p.chain(f, " AND ", "1=1")
	case query.Or:
		p.put("(")
		p.chain(f, " OR ", "1=0")
		p.put(")")
	case query.Not:
		p.put("(")
		p.all(f.Filter)
		p.put(") IS NOT TRUE")
	case query.Const:
		p.truth(bool(f))
	case query.Cond:
		p.condition(f)
	case *query.Exists:
		p.exists(f)
	case *query.InQuery:
		p.inQuery(f)
	default:
		p.fail("%T is no condition", f)
	}
}

// chain prints filters joined by a word; empty stands for none.
func (p *printer) chain(filters []query.Filter, word, empty string) {
	switch {
	case len(filters) == 0:
		p.put(empty)
	case len(filters) > chainLimit:
		half := len(filters) / 2
		p.put("(")
		p.chain(filters[:half], word, empty)
		p.put(")" + word + "(")
		p.chain(filters[half:], word, empty)
		p.put(")")
	default:
		for i, f := range filters {
			if i > 0 {
				p.put(word)
			}
			p.all(f)
		}
	}
}

func (p *printer) truth(holds bool) {
	if holds {
		p.put("1=1")
	} else {
		p.put("1=0")
	}
}

// positive maps the operators that hold exactly where another does not.
var positive = map[query.Op]query.Op{
	query.OpNe:               query.OpEq,
	query.OpNotIn:            query.OpIn,
	query.OpNotLike:          query.OpLike,
	query.OpNotContains:      query.OpContains,
	query.OpNotBeginsWith:    query.OpBeginsWith,
	query.OpNotEndsWith:      query.OpEndsWith,
	query.OpNotContainValues: query.OpContainValues,
	query.OpNotUnder:         query.OpUnder,
}

// condition prints one comparison.
func (p *printer) condition(c query.Cond) {
	if want := arity(c.Op); len(c.Args) < want {
		p.fail("operator %d with %d values", c.Op, len(c.Args))
		return
	}
	if op, negative := positive[c.Op]; negative {
		p.put("(")
		p.condition(query.Cond{Left: c.Left, Op: op, Args: c.Args})
		p.put(") IS NOT TRUE")
		return
	}
	switch c.Op {
	case query.OpEq, query.OpGt, query.OpGe, query.OpLt, query.OpLe:
		p.compare(c.Left, c.Op, c.Args[0])
	case query.OpBetween:
		p.compare(c.Left, query.OpGe, c.Args[0])
		p.put(" AND ")
		p.compare(c.Left, query.OpLe, c.Args[1])
	case query.OpNotBetween:
		p.put("(")
		p.compare(c.Left, query.OpLt, c.Args[0])
		p.put(" OR ")
		p.compare(c.Left, query.OpGt, c.Args[1])
		p.put(")")
	case query.OpNull:
		p.expr(c.Left)
		p.put(" IS NULL")
	case query.OpNotNull:
		p.expr(c.Left)
		p.put(" IS NOT NULL")
	case query.OpIn:
		p.in(c.Left, c.Args)
	case query.OpLike, query.OpContains, query.OpBeginsWith, query.OpEndsWith:
		p.like(c)
	case query.OpContainValues:
		p.containValues(c)
	case query.OpAbove, query.OpAboveOrEqual, query.OpUnder, query.OpUnderOrEqual:
		p.hierarchy(c)
	default:
		p.fail("operator %d has not been resolved", c.Op)
	}
}

// arity is the least number of values an operator needs; a list may be empty.
func arity(op query.Op) int {
	facts := op.Facts()
	switch {
	case facts == nil || facts.Arity == query.NoValue || facts.Arity == query.ManyValues:
		return 0
	case facts.Arity == query.TwoValues:
		return 2
	default:
		return 1
	}
}

// exists prints the test for a related row.
func (p *printer) exists(e *query.Exists) {
	p.put("EXISTS (SELECT 1")
	mark := p.reach(e.Link, e.Links)
	p.correlated(e.Link, e.Links, e.Where)
	p.put(")")
	p.leave(mark)
}

// inQuery prints the test whether a value is among those of a query's one output.
func (p *printer) inQuery(f *query.InQuery) {
	if len(f.Query.Select.Outputs) != 1 || f.Query.Grouped {
		p.fail("a value is looked for in a query that is grouped or has %d outputs", len(f.Query.Select.Outputs))
		return
	}
	out := f.Query.Select.Outputs[0]
	p.comparable(f.Left)
	p.put(" IN (SELECT ")
	mark := p.reach(f.Query.Root, f.Query.Links)
	p.comparable(out.Expr)
	p.from(f.Query.Root, f.Query.Links)
	p.where(f.Query.Where, nil)
	if f.Query.Page.Size > 0 {
		p.orderBy(orderTerms(f.Query))
		p.limit(f.Query.Page)
	}
	p.put(")")
	p.leave(mark)
}

// containValues prints the test whether a multi-choice has one of the values.
func (p *printer) containValues(c query.Cond) {
	p.put("(")
	for i, e := range c.Args {
		lit, ok := e.(query.Literal)
		if !ok {
			p.fail("a choice is compared with a computed value")
		}
		if i > 0 {
			p.put(" OR ")
		}
		p.put(p.d.position + "(','||")
		p.expr(c.Left)
		p.put("||',',")
		p.arg(value.Text("," + lit.Value.String() + ","))
		p.put(")>0")
	}
	if len(c.Args) == 0 {
		p.truth(false)
	}
	p.put(")")
}

// maxDepth bounds how far hierarchy operators walk.
const maxDepth = 100

// hierarchy prints the test whether a key or a lookup is above or under a row. The walk ends after maxDepth steps, so a
// loop in the data does no harm.
func (p *printer) hierarchy(c query.Cond) {
	ref, okRef := c.Left.(query.Ref)
	row, okRow := c.Args[0].(query.Literal)
	if !okRef || !okRow {
		p.fail("hierarchy operators need a column and a constant")
		return
	}
	relation := hierarchyOf(ref.Column)
	if relation == nil {
		p.fail("column %s.%s belongs to no hierarchy", ref.Column.Table.Name, ref.Column.Name)
		return
	}
	next, known := relation.Column.Name, relation.Child.Key.Name // upwards: from the key to the parent
	if c.Op == query.OpUnder || c.Op == query.OpUnderOrEqual {
		next, known = known, next
	}
	p.column(ref.Link, ref.Column)
	p.put(" IN (WITH RECURSIVE walk(id,depth) AS (SELECT ")
	p.constant(row.Value)
	p.put(",0 UNION SELECT h.")
	p.name(next)
	p.put(",walk.depth+1 FROM walk JOIN ")
	p.name(relation.Child.Name)
	p.put(" AS h ON h.")
	p.name(known)
	p.put("=walk.id WHERE walk.depth<")
	p.int(maxDepth)
	p.put(" AND h.")
	p.name(next)
	p.put(" IS NOT NULL) SELECT id FROM walk")
	if c.Op == query.OpUnder || c.Op == query.OpAbove {
		p.put(" WHERE depth>0")
	}
	p.put(")")
}

// hierarchyOf finds the relation that hierarchy operators walk: that of the table a column identifies rows of.
func hierarchyOf(c *schema.Column) *schema.Relation {
	table := identifies(c)
	if table == nil {
		return nil
	}
	for _, r := range table.Parents {
		if r.Hierarchical && r.Parent == table {
			return r
		}
	}
	return nil
}
