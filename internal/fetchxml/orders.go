package fetchxml

import (
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
)

// orders fills the sort keys: those of the entity, then those of its links in document order, then whatever is needed to
// make the order total.
func (b *binder) orders() error {
	count := 0
	for _, j := range b.joined {
		if count += len(j.syntax.Orders); count > query.MaxOrder {
			return malformed("it has %d orders; at most %d are allowed.", count, query.MaxOrder)
		}
		for _, o := range j.syntax.Orders {
			if err := b.order(j.link, o); err != nil {
				return err
			}
		}
	}
	b.bound.Query.Order = settled(b.bound.Query, b.bound.Query.Order)
	b.bound.sortKeys = sortKeys(b.bound.Query)
	return nil
}

func (b *binder) order(link *query.Link, o Order) error {
	if b.fetch.Aggregate {
		return b.orderByAlias(o)
	}
	if o.EntityName != "" {
		found, err := b.root.find(o.EntityName)
		if err != nil {
			return err
		}
		link = found
	}
	if o.Attribute == "" {
		return malformed("'order' needs an attribute.")
	}
	c, err := column(link.Table, o.Attribute)
	if err != nil {
		return err
	}
	b.addOrder(b.sortValue(query.Ref{Link: link, Column: c}), o.Descending)
	return nil
}

// orderByAlias orders the groups of an aggregate query, which can be told apart by their aliases alone.
func (b *binder) orderByAlias(o Order) error {
	switch {
	case o.Attribute != "":
		return fault.New(fault.FetchOrderByAttribute,
			"An attribute cannot be specified for an order clause for an aggregate Query. Use an alias instead of '%s'.", o.Attribute)
	case o.Alias == "":
		return fault.New(fault.FetchOrderNeedsAlias, "An alias is required for an order clause for an aggregate Query.")
	}
	q := b.bound.Query
	i := slices.IndexFunc(q.Select.Outputs, func(out query.Output) bool { return out.Name == o.Alias })
	if i < 0 {
		return fault.New(fault.FetchOrderNeedsAlias, "The alias '%s' of an order clause is not that of an attribute.", o.Alias)
	}
	q.Order = append(q.Order, query.Order{Expr: query.OutputRef{Index: b.groupSort(i)}, Desc: o.Descending})
	return nil
}

// groupSort is the output by which groups are sorted where one is asked for: that one, or for a choice or a lookup one more without a
// name, which holds the rank of its label or the name of what it points at.
func (b *binder) groupSort(i int) int {
	key := b.bound.Query.Select.Outputs[i]
	ref, ok := key.Expr.(query.Ref)
	if !ok || !key.GroupKey() {
		return i
	}
	e := b.sortValue(ref)
	if e == query.Expr(ref) {
		return i
	}
	b.add(query.Output{Expr: e, Follows: true})
	return len(b.bound.Query.Select.Outputs) - 1
}

// sortValue is what a column is sorted by: choices by their label unless asked otherwise, lookups by the name of what they
// point at.
func (b *binder) sortValue(ref query.Ref) query.Expr {
	if isChoice(ref.Column) && !b.fetch.RawOrder {
		return query.Call{Fn: query.FnLabelRank, Args: []query.Expr{ref}}
	}
	if title := query.TitleOf(ref); title != nil {
		return title
	}
	return ref
}

func isChoice(c *schema.Column) bool {
	return c.Type == schema.TypeChoice || c.Type == schema.TypeState || c.Type == schema.TypeStatus
}

// addOrder adds a sort key. The rows of a distinct query can be sorted only by what they put out, so that a sort key which
// is not among the outputs becomes one without a name.
func (b *binder) addOrder(e query.Expr, desc bool) {
	q := b.bound.Query
	if q.Distinct {
		e = query.OutputRef{Index: b.outputOf(e)}
	}
	q.Order = append(q.Order, query.Order{Expr: e, Desc: desc})
}

func (b *binder) outputOf(e query.Expr) int {
	outputs := b.bound.Query.Select.Outputs
	if ref, ok := e.(query.Ref); ok {
		for i := range outputs {
			if other, ok := outputs[i].Expr.(query.Ref); ok && other == ref {
				return i
			}
		}
	}
	b.add(query.Output{Expr: e})
	return len(b.bound.Query.Select.Outputs) - 1
}

// settled makes an order total where the key of the root alone does not: groups and distinct rows are told apart by what they
// put out, and a row that a join repeats by the keys of what was joined.
func settled(q *query.Query, order []query.Order) []query.Order {
	for _, e := range tieBreakers(q) {
		if !ordersBy(order, e) {
			order = append(order, query.Order{Expr: e})
		}
	}
	return order
}

func tieBreakers(q *query.Query) []query.Expr {
	var out []query.Expr
	switch {
	case q.Grouped || q.Distinct:
		for i := range q.Select.Outputs {
			if q.Select.Outputs[i].GroupKey() {
				out = append(out, query.OutputRef{Index: i})
			}
		}
	case slices.ContainsFunc(q.Links, repeats):
		for _, l := range append([]*query.Link{q.Root}, q.Links...) {
			if key := l.Table.Key; key != nil && (l == q.Root || repeats(l)) {
				out = append(out, query.Ref{Link: l, Column: key})
			}
		}
	}
	return out
}

// repeats tells whether a join may give several rows for one.
func repeats(l *query.Link) bool { return l.Kind != query.First && l.From != l.Table.Key }

// ordersBy tells whether an order holds a column or an output as it is.
func ordersBy(order []query.Order, e query.Expr) bool {
	return slices.ContainsFunc(order, func(o query.Order) bool {
		switch o.Expr.(type) {
		case query.Ref, query.OutputRef:
			return o.Expr == e
		default:
			return false
		}
	})
}
