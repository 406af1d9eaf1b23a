package sqlgen

import (
	"strconv"

	"almoner/internal/query"
	"almoner/internal/value"
)

// Read renders a query. The statements are run in turn until Page.Size rows have come: there is one, or up to three when the page
// begins after a position (each of them is limited to Page.Size).
func Read(d *Dialect, cal query.Calendar, q *query.Query) ([]Statement, error) {
	if merged(q) {
		return one(renderMerged(d, cal, q))
	}
	if q.Page.After != nil && q.Page.Offset > 0 {
		p := newPrinter(d, cal)
		p.fail("a page begins after a position or at an offset, not both")
		return one(p.statement())
	}
	parts, err := stretches(orderTerms(q), q.Page.After)
	if err != nil {
		return nil, err
	}
	out := make([]Statement, len(parts))
	for i, part := range parts {
		if out[i], err = renderStretch(d, cal, q, part); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func one(st Statement, err error) ([]Statement, error) {
	if err != nil {
		return nil, err
	}
	return []Statement{st}, nil
}

// renderStretch renders the rows of one stretch.
func renderStretch(d *Dialect, cal query.Calendar, q *query.Query, part stretch) (Statement, error) {
	p := newPrinter(d, cal)
	p.put("SELECT ")
	p.reach(q.Root, q.Links)
	p.cells(q, nil)
	p.from(q.Root, q.Links)
	var within func()
	if !part.empty() {
		within = func() { p.stretch(part) }
	}
	p.where(q.Where, within)
	p.orderBy(part.terms)
	p.limit(q.Page)
	return p.statement()
}

// renderMerged renders a grouped or distinct query with its order and page.
func renderMerged(d *Dialect, cal query.Calendar, q *query.Query) (Statement, error) {
	p := newPrinter(d, cal)
	if q.Page.After != nil {
		p.fail("grouped and distinct queries page by offset")
	}
	p.groups(q)
	p.orderBy(p.mergedTerms(q))
	p.limit(q.Page)
	return p.statement()
}

// groups prints a grouped or distinct query without order and page; its sources stay in reach.
func (p *printer) groups(q *query.Query) {
	p.put("SELECT ")
	p.reach(q.Root, q.Links)
	p.cells(q, nil)
	p.from(q.Root, q.Links)
	p.where(q.Where, nil)
	p.groupBy(q)
}

// Count renders the number of rows a query gives without its page.
func Count(d *Dialect, cal query.Calendar, q *query.Query) (Statement, error) {
	p := newPrinter(d, cal)
	p.put("SELECT count(*)")
	if merged(q) {
		p.put(" FROM (")
		p.groups(q)
		p.put(") AS g")
		return p.statement()
	}
	p.reach(q.Root, q.Links)
	p.from(q.Root, q.Links)
	p.where(q.Where, nil)
	return p.statement()
}

// Children renders the Many query of an expand for all parents at once: cell 0 is the parent's key, rows come ordered by
// parent, at most Top for each when Top > 0. Args[0] is the list of parents.
func Children(d *Dialect, cal query.Calendar, e *query.Expand, parents []value.GUID) (Statement, error) {
	p := newPrinter(d, cal)
	q := e.Many
	if merged(q) || q.Page.After != nil {
		p.fail("an expanded collection is neither grouped nor paged by position")
		return p.statement()
	}
	if parents == nil {
		parents = []value.GUID{}
	}
	p.args = append(p.args, Arg{IDs: parents})
	p.reach(q.Root, q.Links)
	if e.Top > 0 {
		p.topChildren(e)
	} else {
		p.allChildren(e)
	}
	return p.statement()
}

// allChildren prints all related rows in order of their parents.
func (p *printer) allChildren(e *query.Expand) {
	p.put("SELECT ")
	p.expr(e.Parent)
	p.put(",")
	p.cells(e.Many, nil)
	p.ofParents(e)
	p.put(" ORDER BY ")
	p.expr(e.Parent)
	for _, t := range orderTerms(e.Many) {
		p.put(",")
		p.term(t)
	}
}

// topChildren prints the first related rows of each parent.
func (p *printer) topChildren(e *query.Expand) {
	count := 0
	inner := len(p.sql)
	p.put("SELECT ")
	p.expr(e.Parent)
	p.put(" AS k,")
	p.cells(e.Many, func(cell int) {
		p.put(" AS c")
		p.int(int64(cell))
		count = cell + 1
	})
	p.put(",row_number() OVER (PARTITION BY ")
	p.expr(e.Parent)
	p.orderBy(orderTerms(e.Many))
	p.put(") AS n")
	p.ofParents(e)
	rows := string(p.sql[inner:])
	p.sql = p.sql[:inner]
	p.put("SELECT k")
	for i := range count {
		p.put(",c")
		p.int(int64(i))
	}
	p.put(" FROM (")
	p.put(rows)
	p.put(") AS r WHERE n<=")
	p.int(int64(e.Top))
	p.put(" ORDER BY k,n")
}

// ofParents prints FROM and WHERE of the rows related to any of the parents, which are the first parameter.
func (p *printer) ofParents(e *query.Expand) {
	p.from(e.Many.Root, e.Many.Links)
	p.where(e.Many.Where, func() { p.d.idSet(p, func() { p.expr(e.Parent) }, 1) })
}

// where prints WHERE with a filter and a further condition; either may be nil.
func (p *printer) where(f query.Filter, more func()) {
	if f == nil && more == nil {
		return
	}
	p.put(" WHERE ")
	if more != nil {
		more()
	}
	if f != nil && more != nil {
		p.put(" AND ")
	}
	if f != nil {
		p.all(f)
	}
}

// limit prints LIMIT and OFFSET of a page. The limit is written out, not a parameter: SQLite plans by its value and would prepare a
// statement anew each time it is bound.
func (p *printer) limit(page query.Page) {
	switch {
	case page.Size > 0:
		p.put(" LIMIT ")
		p.sql = strconv.AppendInt(p.sql, int64(page.Size), 10)
	case page.Offset > 0:
		p.put(p.d.noLimit)
	}
	if page.Offset > 0 {
		p.put(" OFFSET ")
		p.int(int64(page.Offset))
	}
}
