package fetchxml

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

var aggs = map[string]query.Agg{
	"sum": query.AggSum, "avg": query.AggAvg, "min": query.AggMin, "max": query.AggMax, "count": query.AggCount, "countcolumn": query.AggCountColumn,
}

var groupings = map[string]query.Fn{
	"day": query.FnGroupDay, "week": query.FnGroupWeek, "month": query.FnGroupMonth, "quarter": query.FnGroupQuarter, "year": query.FnGroupYear,
	"fiscal-period": query.FnGroupFiscalPeriod, "fiscal-year": query.FnGroupFiscalYear,
}

// aggregated puts out one attribute of an aggregate query: a group key or an aggregate.
func (b *binder) aggregated(link *query.Link, c *schema.Column, a Attribute) error {
	switch {
	case a.Aggregate == "" && !a.GroupBy:
		return plainInAggregate(link.Table.Name, a.Name)
	case a.Aggregate != "" && a.GroupBy:
		return malformed("attribute '%s' cannot be both an aggregate and a group.", a.Name)
	case a.Alias == "":
		return malformed("attribute '%s' of an aggregate query needs an alias.", a.Name)
	case a.DateGrouping != "" && !(a.GroupBy && isDate(c)):
		return fault.New(fault.OperatorUnfit, "dategrouping on '%s' needs a date column and groupby=\"true\".", a.Name).At(link.Table.Name, "column "+a.Name)
	}
	ref := query.Ref{Link: link, Column: c}
	if a.GroupBy {
		return b.named(groupKey(ref, a))
	}
	agg := aggs[a.Aggregate]
	if !aggregable(agg, c) {
		return fault.New(fault.OperatorUnfit, "The aggregate '%s' cannot be used on '%s', which is of type %s.", a.Aggregate, c.Name, c.Type).
			At(link.Table.Name, "column "+c.Name)
	}
	o := query.Output{Name: a.Alias, Expr: ref, Column: c, Agg: agg, Distinct: a.Distinct && agg == query.AggCountColumn}
	if agg == query.AggCount || agg == query.AggCountColumn {
		o.Column = nil
	}
	return b.named(o)
}

func groupKey(ref query.Ref, a Attribute) query.Output {
	if a.DateGrouping == "" {
		return query.Output{Name: a.Alias, Expr: ref, Column: ref.Column}
	}
	return query.Output{Name: a.Alias, Expr: query.Call{Fn: groupings[a.DateGrouping], Args: []query.Expr{ref}}}
}

func isDate(c *schema.Column) bool { return c.Type == schema.TypeDate || c.Type == schema.TypeDateTime }

// aggregable tells whether an aggregate makes sense of a column: anything can be counted, numbers be added, and numbers and
// dates be compared.
func aggregable(agg query.Agg, c *schema.Column) bool {
	number := c.Options == nil && (c.Type.Kind() == value.KindInt || c.Type.Kind() == value.KindMoney ||
		c.Type.Kind() == value.KindDecimal || c.Type.Kind() == value.KindFloat)
	switch agg {
	case query.AggSum, query.AggAvg:
		return number
	case query.AggMin, query.AggMax:
		return number || isDate(c)
	default:
		return true
	}
}
