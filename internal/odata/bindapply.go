package odata

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// maxOutputs bounds the keys and aggregates of one $apply.
const maxOutputs = 100

// apply binds a read with $apply into a grouped query. An $apply that only filters is an ordinary read.
func (b *binder) apply(t *schema.Table, o *Options) (*Bound, error) {
	for _, name := range []string{"$select", "$expand", "$filter", "$count"} {
		if o.Has(name) {
			return nil, badRequest("The query parameter '%s' cannot be used together with $apply.", name)
		}
	}
	a, err := ParseApply(o.Apply, o.Aliases)
	if err != nil {
		return nil, err
	}
	q, e := newQuery(b, t)
	for _, n := range a.Filters {
		f, err := e.filter(n)
		if err != nil {
			return nil, err
		}
		q.Where = query.AllOf(q.Where, f)
	}
	if !a.Grouped {
		return e.ungrouped(q, o)
	}
	q.Grouped = true
	if q.Select.Outputs, err = e.groups(a); err != nil {
		return nil, err
	}
	q.Order, err = e.groupOrder(q.Select.Outputs, o)
	return &Bound{Query: q, Apply: true}, err
}

// ungrouped completes a read whose $apply has filters only.
func (e *env) ungrouped(q *query.Query, o *Options) (*Bound, error) {
	if err := e.clauses(q, &Options{OrderBy: o.OrderBy, Aliases: o.Aliases}); err != nil {
		return nil, err
	}
	shape, _, err := e.node(nil, nil)
	if err != nil {
		return nil, err
	}
	q.Select = *shape
	return &Bound{Query: q}, nil
}

// groups binds the keys, then the aggregates, of a grouping.
func (e *env) groups(a *Apply) ([]query.Output, error) {
	if len(a.Keys)+len(a.Aggregates) > maxOutputs {
		return nil, badRequest("$apply: more than %d keys and aggregates.", maxOutputs)
	}
	var out []query.Output
	names := map[string]bool{}
	add := func(o query.Output, err error) error {
		if err == nil && names[o.Name] {
			err = badRequest("$apply: the name '%s' is used twice.", o.Name)
		}
		names[o.Name] = true
		out = append(out, o)
		return err
	}
	for _, key := range a.Keys {
		if err := add(e.groupKey(key)); err != nil {
			return nil, err
		}
	}
	for _, one := range a.Aggregates {
		if err := add(e.aggregate(one)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// groupKey binds one key. It answers under its own name, or, when it belongs to a related row, under that row's table and
// its name.
func (e *env) groupKey(key Member) (query.Output, error) {
	o, err := e.member(key)
	if err != nil {
		return query.Output{}, err
	}
	ref := o.expr.(query.Ref)
	c := ref.Column
	if c.Type == schema.TypeDateTime {
		return query.Output{}, badRequest("$apply: grouping by '%s', which is of type %s, is not supported.", c.Name, c.Type.Edm()).At(c.Table.Name, "column "+c.Name)
	}
	name := c.Wire
	if ref.Link != e.it.link {
		name = c.Table.Name + "_" + c.Wire
	}
	return query.Output{Name: name, Expr: ref, Column: c}, nil
}

// methods are the aggregate functions by name.
var methods = map[string]query.Agg{
	"sum": query.AggSum, "average": query.AggAvg, "min": query.AggMin, "max": query.AggMax, "countdistinct": query.AggCountColumn,
}

// aggregate binds one aggregate expression.
func (e *env) aggregate(a Aggregate) (query.Output, error) {
	if a.Expr == nil {
		return query.Output{Name: a.Alias, Expr: query.Ref{Link: e.it.link, Column: e.it.link.Table.Key}, Agg: query.AggCount}, nil
	}
	agg, ok := methods[a.Method]
	if !ok {
		return query.Output{}, badRequest("$apply: the aggregation method '%s' is not supported.", a.Method)
	}
	o, err := e.value(a.Expr)
	if err != nil {
		return query.Output{}, err
	}
	if o.constant() {
		return query.Output{}, badRequest("$apply: '%s' needs a property to aggregate.", a.Alias)
	}
	out := query.Output{Name: a.Alias, Expr: o.expr, Agg: agg, Distinct: agg == query.AggCountColumn}
	ref, isColumn := o.expr.(query.Ref)
	if isColumn && agg != query.AggCountColumn {
		out.Column = ref.Column
	}
	if !aggregates(agg, o) {
		return out, badRequest("$apply: '%s' cannot be aggregated with %s: it is of type %s.", a.Alias, a.Method, o.edm())
	}
	return out, nil
}

// aggregates tells whether an aggregate has a meaning for an operand: sums for numbers, extremes for dates too, counting for
// everything. Choices are integers by which nothing can be summed.
func aggregates(agg query.Agg, o operand) bool {
	if ref, ok := o.expr.(query.Ref); ok && ref.Column.Options != nil {
		return agg == query.AggCountColumn
	}
	switch agg {
	case query.AggCountColumn:
		return true
	case query.AggMin, query.AggMax:
		return numeric(o.kind()) || o.kind() == value.KindDate || o.kind() == value.KindTime
	default:
		return numeric(o.kind())
	}
}

// groupOrder binds the sort keys of a grouped query, which must be keys of the grouping; the other keys follow, so that groups always
// come in one order.
func (e *env) groupOrder(outputs []query.Output, o *Options) ([]query.Order, error) {
	var items []OrderItem
	var err error
	if o.OrderBy != "" {
		if items, err = ParseOrderBy(o.OrderBy, o.Aliases); err != nil {
			return nil, err
		}
	}
	var out []query.Order
	sorted := make([]bool, len(outputs))
	for _, item := range items {
		i := e.groupIndex(outputs, item.Expr)
		if i < 0 {
			return nil, badRequest("The query node SingleValueOpenPropertyAccess is not supported: with $apply, $orderby takes keys of the grouping only.")
		}
		if !sorted[i] {
			out = append(out, query.Order{Expr: query.OutputRef{Index: i}, Desc: item.Desc})
		}
		sorted[i] = true
	}
	for i := range outputs {
		if outputs[i].Agg == query.AggNone && !sorted[i] {
			out = append(out, query.Order{Expr: query.OutputRef{Index: i}})
		}
	}
	return out, nil
}

// groupIndex finds the key a sort key names; -1 if it names none.
func (e *env) groupIndex(outputs []query.Output, n Node) int {
	m, ok := n.(Member)
	if !ok {
		return -1
	}
	o, err := e.member(m)
	if err != nil {
		return -1
	}
	for i, out := range outputs {
		if out.Agg == query.AggNone && out.Expr == o.expr {
			return i
		}
	}
	return -1
}
