package query

// Rewriter changes a tree in place. Every hook is optional and is called after the parts of what it is given have been
// rewritten; what it returns takes the place of what it got. Sub-queries, sub-selects and expanded collections are reached
// too. A part that is shared between two places of a tree is seen once per place.
type Rewriter struct {
	Expr   func(Expr) (Expr, error)
	Filter func(Filter) (Filter, error)
	Link   func(*Link) error
	Query  func(*Query) error
}

// Rewrite applies a rewriter to a whole query: sources first, then filter, result shape and order.
func (r *Rewriter) Rewrite(q *Query) error {
	if err := r.links(append([]*Link{q.Root}, q.Links...)); err != nil {
		return err
	}
	if err := r.filter(&q.Where); err != nil {
		return err
	}
	if err := r.node(&q.Select); err != nil {
		return err
	}
	for i := range q.Order {
		if err := r.expr(&q.Order[i].Expr); err != nil {
			return err
		}
	}
	if r.Query == nil {
		return nil
	}
	return r.Query(q)
}

func (r *Rewriter) links(links []*Link) error {
	for _, l := range links {
		if err := r.filter(&l.On); err != nil {
			return err
		}
		if r.Link == nil {
			continue
		}
		if err := r.Link(l); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rewriter) node(n *Node) error {
	for i := range n.Outputs {
		o := &n.Outputs[i]
		if err := r.expr(&o.Expr); err != nil {
			return err
		}
		if err := r.expr(&o.Label); err != nil {
			return err
		}
	}
	for _, e := range n.Expands {
		if err := r.expand(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rewriter) expand(e *Expand) error {
	for _, one := range e.One {
		if err := r.node(one); err != nil {
			return err
		}
	}
	if e.Many == nil {
		return nil
	}
	if err := r.expr(&e.Parent); err != nil {
		return err
	}
	return r.Rewrite(e.Many)
}

func (r *Rewriter) exprs(list []Expr) error {
	for i := range list {
		if err := r.expr(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rewriter) expr(at *Expr) (err error) {
	switch e := (*at).(type) {
	case nil:
		return nil
	case Call:
		err = r.exprs(e.Args)
	case Test:
		err = r.filter(&e.Filter)
		*at = e
	case *Scalar:
		err = r.scalar(e)
	}
	if err != nil || r.Expr == nil {
		return err
	}
	*at, err = r.Expr(*at)
	return err
}

func (r *Rewriter) scalar(s *Scalar) error {
	if err := r.links([]*Link{s.Source}); err != nil {
		return err
	}
	if err := r.filter(&s.Where); err != nil {
		return err
	}
	return r.expr(&s.Pick)
}

func (r *Rewriter) filters(list []Filter) error {
	for i := range list {
		if err := r.filter(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rewriter) filter(at *Filter) (err error) {
	switch f := (*at).(type) {
	case nil:
		return nil
	case And:
		err = r.filters(f)
	case Or:
		err = r.filters(f)
	case Not:
		err = r.filter(&f.Filter)
		*at = f
	case Cond:
		if err = r.expr(&f.Left); err == nil {
			err = r.exprs(f.Args)
		}
		*at = f
	case *Exists:
		err = r.exists(f)
	case *InQuery:
		if err = r.expr(&f.Left); err == nil {
			err = r.Rewrite(f.Query)
		}
	}
	if err != nil || r.Filter == nil {
		return err
	}
	*at, err = r.Filter(*at)
	return err
}

func (r *Rewriter) exists(e *Exists) error {
	if err := r.links(append([]*Link{e.Link}, e.Links...)); err != nil {
		return err
	}
	return r.filter(&e.Where)
}

// Visitor looks at a tree without changing it; every hook is optional and sees the parts before the whole.
type Visitor struct {
	Expr   func(Expr)
	Filter func(Filter)
	Link   func(*Link)
	Query  func(*Query)
}

// Visit shows every part of a query to a visitor, sub-queries and expanded collections included.
func Visit(q *Query, v Visitor) {
	r := Rewriter{
		Expr:   looking(v.Expr),
		Filter: looking(v.Filter),
		Link:   func(l *Link) error { look(v.Link, l); return nil },
		Query:  func(q *Query) error { look(v.Query, q); return nil },
	}
	// A rewriter fails only when one of its hooks does, and these never do.
	_ = r.Rewrite(q)
}

func looking[T any](see func(T)) func(T) (T, error) {
	return func(part T) (T, error) { look(see, part); return part, nil }
}

func look[T any](see func(T), part T) {
	if see != nil {
		see(part)
	}
}
