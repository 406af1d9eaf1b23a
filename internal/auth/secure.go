package auth

import (
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Secure narrows a query, in place, to what its caller may read. Every table the request goes through (joined, filtered,
// grouped, ordered or expanded) must be readable, else 403 names the missing privilege. Where reading reaches only some
// rows, each occurrence of the table gets the filter for them: the root among the rows, a joined source in its join, so
// that an outer join still keeps the other side. Names of lookups, which no request asks for by name, are left out
// instead of refused. Side tables of the store are the service's own and are passed over.
func Secure(c *Caller, q *query.Query) error {
	if c.Admin {
		return nil
	}
	dropLabels(c, &q.Select)
	pass := query.Rewriter{
		Query:  func(q *query.Query) error { return secureQuery(c, q) },
		Filter: func(f query.Filter) (query.Filter, error) { return f, secureFilter(c, f) },
		Expr:   func(e query.Expr) (query.Expr, error) { return e, secureExpr(c, e) },
	}
	return pass.Rewrite(q)
}

func secureQuery(c *Caller, q *query.Query) error {
	if err := narrow(c, q.Root, &q.Where); err != nil {
		return err
	}
	return secureLinks(c, q.Links)
}

func secureLinks(c *Caller, links []*query.Link) error {
	for _, l := range links {
		if err := narrow(c, l, &l.On); err != nil {
			return err
		}
	}
	return nil
}

func secureFilter(c *Caller, f query.Filter) error {
	e, ok := f.(*query.Exists)
	if !ok {
		return nil
	}
	if err := narrow(c, e.Link, &e.Where); err != nil {
		return err
	}
	return secureLinks(c, e.Links)
}

func secureExpr(c *Caller, e query.Expr) error {
	if s, ok := e.(*query.Scalar); ok {
		return narrow(c, s.Source, &s.Where)
	}
	return nil
}

// narrow refuses a source the caller may not read and adds the filter for the rows they may to the condition it obeys.
func narrow(c *Caller, l *query.Link, where *query.Filter) error {
	if l.Table.Hidden {
		return nil
	}
	if err := Require(c, l.Table, Read); err != nil {
		return err
	}
	*where = query.AllOf(*where, rowFilter(c, l))
	return nil
}

// rowFilter is the condition a row of a source must satisfy for the caller to read it; nil when all rows do.
func rowFilter(c *Caller, l *query.Link) query.Filter {
	if ends := endsOf(c.model, l.Table); ends != nil {
		return joinFilter(c, l, ends)
	}
	if c.Depth(l.Table, Read) == Global {
		return nil
	}
	reach := query.Or{among(l, "ownerid", c.principals())}
	if units := c.unitsFor(l.Table, Read); len(units) > 0 {
		reach = append(reach, among(l, "owningbusinessunit", units))
	}
	return append(reach, sharedWith(c, l))
}

// joinFilter is the condition of a row that joins two others: both must be readable, since it tells of both. nil when all are.
func joinFilter(c *Caller, l *query.Link, ends []end) query.Filter {
	var both query.Filter
	for _, e := range ends {
		both = query.AllOf(both, endFilter(c, l, e))
	}
	return both
}

// endFilter is the condition that the row at one end of a joining row is readable; nil when all rows there are.
func endFilter(c *Caller, l *query.Link, e end) query.Filter {
	if !slices.ContainsFunc(e.tables, func(t *schema.Table) bool { return c.Depth(t, Read) != Global }) {
		return nil
	}
	reach := query.Or{query.Const(false)}
	for _, t := range e.tables {
		if readable(c, t) {
			other := &query.Link{Table: t, Parent: l, From: t.Key, To: e.column}
			reach = append(reach, &query.Exists{Link: other, Where: rowFilter(c, other)})
		}
	}
	return reach
}

// sharedWith holds for rows of a source that were shared for reading with the caller or one of their teams.
func sharedWith(c *Caller, l *query.Link) query.Filter {
	table := c.model.Table(shareTable)
	share := &query.Link{Table: table, Parent: l, From: table.MustColumn("objectid"), To: l.Table.Key}
	return &query.Exists{Link: share, Where: query.And{
		query.Equal(share, table.MustColumn("objecttypecode"), value.Text(l.Table.Name)),
		among(share, "principalid", c.principals()),
		query.Equal(share, table.MustColumn(shareReads), value.Bool(true)),
	}}
}

func among(l *query.Link, column string, ids []value.GUID) query.Filter {
	return in(query.Ref{Link: l, Column: l.Table.MustColumn(column)}, ids)
}

func in(left query.Expr, ids []value.GUID) query.Filter {
	args := make([]query.Expr, len(ids))
	for i, id := range ids {
		args[i] = query.Literal{Value: value.ID(id)}
	}
	return query.Cond{Left: left, Op: query.OpIn, Args: args}
}

// dropLabels takes away the names of lookups whose tables the caller may not read, in a result shape and in those of its
// expanded rows.
func dropLabels(c *Caller, n *query.Node) {
	for i := range n.Outputs {
		if o := &n.Outputs[i]; o.Label != nil {
			o.Label = readableLabel(c, o.Label)
		}
	}
	for _, e := range n.Expands {
		for _, one := range e.One {
			dropLabels(c, one)
		}
		if e.Many != nil {
			dropLabels(c, &e.Many.Select)
		}
	}
}

// readableLabel is what is left of a label: of several targets' names those that may be read, nil when none may.
func readableLabel(c *Caller, label query.Expr) query.Expr {
	switch e := label.(type) {
	case *query.Scalar:
		if !readable(c, e.Source.Table) {
			return nil
		}
	case query.Call:
		if e.Fn == query.FnCoalesce {
			return readableChoice(c, e)
		}
	}
	return label
}

func readableChoice(c *Caller, choice query.Call) query.Expr {
	var left []query.Expr
	for _, arg := range choice.Args {
		if arg = readableLabel(c, arg); arg != nil {
			left = append(left, arg)
		}
	}
	switch len(left) {
	case 0:
		return nil
	case 1:
		return left[0]
	default:
		return query.Call{Fn: choice.Fn, Args: left}
	}
}

func readable(c *Caller, t *schema.Table) bool { return t.Hidden || c.Depth(t, Read) > None }

// ReadsAll tells whether a caller may read every row of every table a query goes through.
func ReadsAll(c *Caller, q *query.Query) bool {
	all := true
	query.Visit(q, query.Visitor{
		Link: func(l *query.Link) { all = all && (l.Table.Hidden || c.Depth(l.Table, Read) == Global) },
	})
	return all
}
