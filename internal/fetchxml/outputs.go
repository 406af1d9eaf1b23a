package fetchxml

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
)

// outputs fills the shape of a row: columns of the root under their wire names, those of links as alias.column, or each
// under the alias it was given.
func (b *binder) outputs() error {
	q := b.bound.Query
	q.Select.Link = q.Root
	for _, j := range b.joined {
		if err := b.sourceOutputs(j); err != nil {
			return err
		}
	}
	if len(q.Select.Outputs) == 0 {
		return malformed("an aggregate or distinct query needs at least one attribute.")
	}
	return nil
}

func (b *binder) sourceOutputs(j joined) error {
	s := j.syntax
	root := j.link.Parent == nil
	everything := s.AllAttributes || root && len(s.Attributes) == 0 && !s.NoAttributes
	if everything && b.fetch.Aggregate {
		if s.AllAttributes {
			return plainInAggregate(s.Name, "all-attributes")
		}
		everything = false
	}
	if everything {
		b.allColumns(j.link)
	}
	for _, a := range s.Attributes {
		if err := b.attribute(j.link, a); err != nil {
			return err
		}
	}
	if root && !b.fetch.Aggregate && !b.fetch.Distinct {
		return b.ensureKey()
	}
	return nil
}

func plainInAggregate(table, name string) error {
	return fault.New(fault.FetchPlainInAggregate,
		"An attribute can not be requested when an aggregate operation has been specified and its neither groupby not aggregate. NodeXml : %s.", name).
		At(table, "column "+name)
}

// allColumns puts out every column a client may see. Distinct rows have no key.
func (b *binder) allColumns(link *query.Link) {
	for _, c := range link.Table.Columns {
		if c.Hidden || b.bound.Query.Distinct && c == link.Table.Key {
			continue
		}
		b.names[plainName(link, c)] = true
		b.add(query.Output{Name: plainName(link, c), Expr: query.Ref{Link: link, Column: c}, Column: c})
	}
}

// plainName is the name of a column that has no alias.
func plainName(link *query.Link, c *schema.Column) string {
	if link.Parent == nil {
		return c.Wire
	}
	return link.Alias + "." + c.Name
}

func (b *binder) add(o query.Output) {
	attribute := ""
	if ref, ok := baseRef(o.Expr); ok && o.Name != ref.Column.Wire && o.Name != "" {
		attribute = ref.Column.Name
	}
	b.bound.Query.Select.Outputs = append(b.bound.Query.Select.Outputs, o)
	b.bound.Attributes = append(b.bound.Attributes, attribute)
}

// baseRef is the column a bound expression is made of: the column itself, the one grouped by, the choice whose label ranks, or the
// lookup whose target's name is taken.
func baseRef(e query.Expr) (query.Ref, bool) {
	switch e := e.(type) {
	case query.Ref:
		return e, true
	case query.Call:
		if len(e.Args) > 0 {
			return baseRef(e.Args[0])
		}
	case *query.Scalar:
		return query.Ref{Link: e.Source.Parent, Column: e.Source.To}, true
	}
	return query.Ref{}, false
}

// attribute puts out one column. A column asked for twice without an alias comes once.
func (b *binder) attribute(link *query.Link, a Attribute) error {
	c, err := column(link.Table, a.Name)
	if err != nil {
		return err
	}
	if b.fetch.Aggregate {
		return b.aggregated(link, c, a)
	}
	if a.Aggregate != "" || a.GroupBy || a.DateGrouping != "" {
		return malformed("attribute '%s' asks for an aggregate, but 'fetch' does not say aggregate=\"true\".", a.Name)
	}
	o := query.Output{Name: plainName(link, c), Expr: query.Ref{Link: link, Column: c}, Column: c}
	switch {
	case a.RowAggregate:
		return b.childCount(link, c, a)
	case a.Alias == "" && b.names[o.Name]:
		return nil
	case a.Alias != "":
		o.Name = a.Alias
	}
	return b.named(o)
}

// named adds an output whose name must still be free.
func (b *binder) named(o query.Output) error {
	if b.names[o.Name] {
		return fault.New(fault.FetchDuplicateAlias, "The name '%s' is used for more than one attribute.", o.Name)
	}
	b.names[o.Name] = true
	b.add(o)
	return nil
}

// ensureKey puts the root's key out where it was not asked for: rows always carry it.
func (b *binder) ensureKey() error {
	root := b.bound.Query.Root
	if key := root.Table.Key; key != nil && !b.names[key.Wire] {
		return b.named(query.Output{Name: key.Wire, Expr: query.Ref{Link: root, Column: key}, Column: key})
	}
	return nil
}

// childCount puts out how many rows stand directly below a row in the hierarchy of its table.
func (b *binder) childCount(link *query.Link, c *schema.Column, a Attribute) error {
	parent := hierarchy(link.Table)
	if parent == nil || a.Alias == "" {
		return malformed("rowaggregate on '%s' needs an alias and a table with a hierarchical relationship.", c.Name)
	}
	key := link.Table.Key
	source := &query.Link{Table: link.Table, Parent: link, From: parent, To: key}
	return b.named(query.Output{
		Name: a.Alias,
		Expr: &query.Scalar{Source: source, Pick: query.Ref{Link: source, Column: key}, Agg: query.AggCount},
	})
}

// hierarchy is the lookup by which a table's rows form a tree; nil if they do not.
func hierarchy(t *schema.Table) *schema.Column {
	for _, r := range t.Parents {
		if r.Hierarchical && r.Parent == t {
			return r.Column
		}
	}
	return nil
}
