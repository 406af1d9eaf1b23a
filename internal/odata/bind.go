package odata

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
)

// Bound is a bound query together with what an encoder needs to know beside it.
type Bound struct {
	Query   *query.Query
	Context string // the select list of @odata.context with its parentheses, "" when nothing was selected or expanded
	Count   bool   // $count=true
	Top     *int   // $top; nil when not sent
	Apply   bool   // the rows are groups: no key, no etag, null keys left out
	Nested  bool   // an expand inside an expand: page sizes hold for expanded collections too
}

// Bind turns the options of a read on a table into a query. The select list comes in request order with the key and,
// beside money, the currency behind it; navigation paths share one join each. Page.Size is $top and nothing else: a $top
// of 0 asks for no rows, though a Page.Size of 0 would give all, so callers look at Bound.Top.
func Bind(_ *schema.Model, t *schema.Table, o *Options) (*Bound, error) {
	b := &binder{}
	var bound *Bound
	var err error
	if o.Apply != "" {
		bound, err = b.apply(t, o)
	} else {
		bound, err = b.read(t, o)
	}
	if err != nil {
		return nil, err
	}
	bound.Count, bound.Top = o.Count, o.Top
	if o.Top != nil {
		bound.Query.Page.Size = *o.Top
	}
	return bound, b.checkSize(bound.Query)
}

// LimitExpands bounds the rows of expanded collections: to most, or, where expands nest, to pages of size rows if that is above 0. A
// $top of the client's own that is not greater stays as it is.
func (b *Bound) LimitExpands(size, most int) {
	if !b.Nested || size == 0 || size > most {
		size = most
	}
	limitExpands(&b.Query.Select, size, size < most)
}

// LeaveOutNested empties the collections that are expanded inside another expanded property.
func (b *Bound) LeaveOutNested() {
	for _, e := range b.Query.Select.Expands {
		for _, one := range e.One {
			emptyCollections(one)
		}
		if e.Many != nil {
			emptyCollections(&e.Many.Select)
		}
	}
}

// emptyCollections makes every collection below a node hold no rows.
func emptyCollections(n *query.Node) {
	for _, e := range n.Expands {
		for _, one := range e.One {
			emptyCollections(one)
		}
		if e.Many != nil {
			e.Many.Where = query.Const(false)
		}
	}
}

// limitExpands shows at most so many rows of each collection. For few of many the store picks them, and one more to tell whether there
// are more; where hardly any parent has that many it would be the dearer way.
func limitExpands(n *query.Node, most int, few bool) {
	for _, e := range n.Expands {
		for _, one := range e.One {
			limitExpands(one, most, few)
		}
		if e.Many == nil {
			continue
		}
		if e.Top == 0 || e.Top > most {
			e.Top, e.Show = 0, most
			if few {
				e.Top = most + 1
			}
		}
		limitExpands(&e.Many.Select, most, few)
	}
}

// binder is the state of binding one request.
type binder struct {
	values int  // constants in lists so far
	joins  int  // joined tables and expanded properties so far
	nested bool // an expand inside an expand was asked for
}

// maxListValues bounds the constants of all lists of one query, well below the parameters a statement may have.
const maxListValues = 5000

func (b *binder) read(t *schema.Table, o *Options) (*Bound, error) {
	q, e := newQuery(b, t)
	if err := e.clauses(q, o); err != nil {
		return nil, err
	}
	var names []string
	var items []ExpandItem
	var err error
	if o.Select != "" {
		if names, err = ParseSelect(o.Select); err != nil {
			return nil, err
		}
	}
	if o.Expand != "" {
		if items, err = ParseExpand(o.Expand); err != nil {
			return nil, err
		}
	}
	for _, item := range items {
		b.nested = b.nested || len(item.Expand) > 0
	}
	shape, context, err := e.node(names, items)
	if err != nil {
		return nil, err
	}
	q.Select = *shape
	return &Bound{Query: q, Context: context, Nested: b.nested}, nil
}

// clauses binds $filter and $orderby of the root.
func (e *env) clauses(q *query.Query, o *Options) error {
	if o.Filter != "" {
		n, err := ParseFilter(o.Filter, o.Aliases)
		if err != nil {
			return err
		}
		if q.Where, err = e.filter(n); err != nil {
			return err
		}
	}
	if o.OrderBy == "" {
		return nil
	}
	items, err := ParseOrderBy(o.OrderBy, o.Aliases)
	if err != nil {
		return err
	}
	q.Order, err = e.order(items)
	return err
}

// newQuery begins a query on a table and the environment its expressions are bound in.
func newQuery(b *binder, t *schema.Table) (*query.Query, *env) {
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select.Link = root
	return q, &env{b: b, it: scope{root, newSource(b, &q.Links)}}
}

// join counts one more joined table or expanded property.
func (b *binder) join() error {
	if b.joins++; b.joins > query.MaxLinks {
		return tooManyJoins()
	}
	return nil
}

func tooManyJoins() error {
	return fault.New(fault.TooManyLinks, "Number of link entities in query exceeded maximum limit. At most %d joins and expands are allowed.", query.MaxLinks)
}

// checkSize refuses a query with more conditions than the platform takes.
func (b *binder) checkSize(q *query.Query) error {
	if n := query.Measure(q).Conditions; n > query.MaxConditions {
		return fault.New(fault.TooManyConditions, "Number of conditions in query exceeded maximum limit: %d, at most %d are allowed.", n, query.MaxConditions).
			At(q.Root.Table.Name, "$filter")
	}
	return nil
}
