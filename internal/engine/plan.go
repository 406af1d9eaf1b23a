package engine

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Plan tells an encoder where the cells of a prepared query lie.
type Plan struct {
	Query *query.Query
	Root  *NodePlan
	Order []OrderCell // cells of the sort values, for the position of the next page; nil for grouped queries
	cells []query.CellClass

	details []int // cells of details of the change log; nil in most plans
}

// NodePlan is the cell layout of one object.
type NodePlan struct {
	Node     *query.Node
	Cells    []int // first cell of each output
	Key      int   // cell of the row's own key; -1 where there is none (grouped and distinct queries)
	Version  int   // cell of versionnumber; -1
	Currency int   // cell of transactioncurrencyid; -1
	Expands  []ExpandPlan
}

// ExpandPlan is the layout of one expanded navigation property.
type ExpandPlan struct {
	Expand *query.Expand
	One    []*NodePlan
	Many   *Plan // its cells are shifted by one: cell 0 of a child row is the parent's key
}

// OrderCell says where and how one sort value is read.
type OrderCell struct {
	Cell  int
	Kind  value.Kind
	Scale int
}

// newPlan adds the unnamed outputs an encoder needs (key, version, currency, sort values) and lays out the cells.
func newPlan(q *query.Query, offset int) *Plan {
	p := &Plan{Query: q}
	plain := !q.Grouped && !q.Distinct
	if plain {
		addHidden(&q.Select, q.Select.Link)
	}
	first := len(q.Select.Outputs)
	if plain {
		for _, o := range q.Order {
			q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: o.Expr})
		}
	}
	at := offset
	p.Root = p.layout(&q.Select, &at, plain)
	if plain {
		for i, o := range q.Order {
			p.Order = append(p.Order, OrderCell{Cell: p.Root.Cells[first+i], Kind: query.KindOf(o.Expr), Scale: scaleOf(o.Expr)})
		}
	}
	p.cells = query.Cells(&q.Select)
	return p
}

// maxCells is how many values one row of a statement may have, below what either store takes.
const maxCells = 1600

// checkedPlan lays out a query and refuses one that reads more values per row than a store can deliver.
func checkedPlan(q *query.Query) (*Plan, error) {
	p := newPlan(q, 0)
	if n := p.widest(); n > maxCells {
		return nil, fault.New(fault.BadRequest, "The query reads %d values per row; at most %d are possible. Select the columns you need.", n, maxCells).
			At(q.Root.Table.Name)
	}
	return p, nil
}

// widest is the number of cells of the plan's widest statement.
func (p *Plan) widest() int { return max(len(p.cells), p.Root.widest()) }

func (n *NodePlan) widest() int {
	most := 0
	for _, e := range n.Expands {
		for _, one := range e.One {
			most = max(most, one.widest())
		}
		if e.Many != nil {
			most = max(most, e.Many.widest()+1)
		}
	}
	return most
}

func scaleOf(e query.Expr) int {
	if r, ok := e.(query.Ref); ok {
		return r.Column.Scale
	}
	return 2
}

// addHidden makes sure a node reads its key, version and currency.
func addHidden(n *query.Node, l *query.Link) {
	for _, c := range []*schema.Column{l.Table.Key, l.Table.Column("versionnumber"), currencyOf(n, l.Table)} {
		if c != nil && findRef(n, l, c) < 0 {
			n.Outputs = append(n.Outputs, query.Output{Expr: query.Ref{Link: l, Column: c}, Column: c})
		}
	}
	for _, e := range n.Expands {
		for _, one := range e.One {
			addHidden(one, one.Link)
		}
	}
}

func currencyOf(n *query.Node, t *schema.Table) *schema.Column {
	for i := range n.Outputs {
		if c := n.Outputs[i].Column; c != nil && c.Type == schema.TypeMoney {
			return t.Column("transactioncurrencyid")
		}
	}
	return nil
}

// findRef returns the index of the plain output of a column, -1 if the node has none.
func findRef(n *query.Node, l *query.Link, c *schema.Column) int {
	for i := range n.Outputs {
		if r, ok := n.Outputs[i].Expr.(query.Ref); ok && r.Link == l && r.Column == c && n.Outputs[i].Agg == query.AggNone {
			return i
		}
	}
	return -1
}

// layout numbers the cells of a node in the order the store delivers them.
func (plan *Plan) layout(n *query.Node, at *int, keyed bool) *NodePlan {
	p := &NodePlan{Node: n, Key: -1, Version: -1, Currency: -1, Cells: make([]int, len(n.Outputs))}
	for i := range n.Outputs {
		p.Cells[i] = *at
		if isDetail(&n.Outputs[i]) {
			plan.details = append(plan.details, *at)
		}
		*at += n.Outputs[i].Cells()
	}
	if keyed && n.Link != nil {
		t := n.Link.Table
		p.Key = p.cellOf(t.Key)
		p.Version = p.cellOf(t.Column("versionnumber"))
		p.Currency = p.cellOf(t.Column("transactioncurrencyid"))
	}
	for _, e := range n.Expands {
		x := ExpandPlan{Expand: e}
		for _, one := range e.One {
			x.One = append(x.One, plan.layout(one, at, true))
		}
		if e.Many != nil {
			x.Many = newPlan(e.Many, 1)
		}
		p.Expands = append(p.Expands, x)
	}
	return p
}

func (p *NodePlan) cellOf(c *schema.Column) int {
	if c == nil {
		return -1
	}
	if i := findRef(p.Node, p.Node.Link, c); i >= 0 {
		return p.Cells[i]
	}
	return -1
}

// Position reads the sort values of the current row; nil where rows are put together and have none.
func (p *Plan) Position(rows query.Rows) *query.Position {
	if len(p.Order) == 0 {
		return nil
	}
	pos := &query.Position{Values: make([]value.Value, len(p.Order))}
	for i, o := range p.Order {
		pos.Values[i] = query.KindCell(rows, o.Cell, o.Kind, o.Scale)
	}
	return pos
}

// hasMany tells whether a page needs further statements for collections.
func (p *NodePlan) hasMany() bool {
	for _, e := range p.Expands {
		if e.Many != nil {
			return true
		}
		for _, one := range e.One {
			if one.hasMany() {
				return true
			}
		}
	}
	return false
}
