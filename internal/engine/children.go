package engine

import (
	"context"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Children are the rows of one expanded collection for all parents of a page.
type Children struct {
	Plan *Plan
	Rows *query.Spool
	at   map[value.GUID][2]int // first row and number of rows of each parent
	sub  map[*query.Expand]*Children
}

// Of positions the rows on those of one parent and tells how many there are.
func (c *Children) Of(parent value.GUID) int {
	span := c.at[parent]
	c.Rows.Seek(span[0])
	return span[1]
}

// Sub returns the rows of a collection expanded inside this one.
func (c *Children) Sub() map[*query.Expand]*Children { return c.sub }

// children reads every collection expanded below a node for the first rows of a spool, as many as most says; for all when it is 0.
func (r *reader) children(ctx context.Context, source store.Reader, n *NodePlan, rows *query.Spool, most int) (map[*query.Expand]*Children, error) {
	out := map[*query.Expand]*Children{}
	for _, e := range n.Expands {
		for _, one := range e.One {
			below, err := r.children(ctx, source, one, rows, most)
			if err != nil {
				return nil, err
			}
			for k, v := range below {
				out[k] = v
			}
		}
		if e.Many == nil {
			continue
		}
		c, err := r.readChildren(ctx, source, e, keysOf(rows, n.Key, most))
		if err != nil {
			return nil, err
		}
		out[e.Expand] = c
	}
	return out, nil
}

// keysOf lists the different ids in a cell of the first rows, as many as most says; of all when it is 0.
func keysOf(rows *query.Spool, cell, most int) []value.GUID {
	if most == 0 {
		most = rows.Len()
	}
	var ids []value.GUID
	seen := map[value.GUID]bool{}
	rows.Seek(0)
	for n := 0; n < most && rows.Next(); n++ {
		if rows.Null(cell) {
			continue
		}
		if id := value.GUID(rows.Bytes(cell)); !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

func (r *reader) readChildren(ctx context.Context, source store.Reader, e ExpandPlan, parents []value.GUID) (*Children, error) {
	c := &Children{Plan: e.Many, Rows: query.NewSpool(append([]query.CellClass{query.BytesCell}, e.Many.cells...)), at: map[value.GUID][2]int{}}
	var err error
	if FromList(e.Expand.Nav) {
		if parents, err = r.fillDynamic(ctx, source, e, parents, c.Rows); err != nil {
			return nil, err
		}
	}
	if err := fillRelated(ctx, source, e, parents, c.Rows); err != nil {
		return nil, err
	}
	for i := 0; c.Rows.Next(); i++ {
		id := value.GUID(c.Rows.Bytes(0))
		span, ok := c.at[id]
		if !ok {
			span[0] = i
		}
		span[1]++
		c.at[id] = span
	}
	c.sub, err = r.children(ctx, source, e.Many.Root, c.Rows, 0)
	return c, err
}

// fillRelated spools the related rows of all parents by one statement.
func fillRelated(ctx context.Context, source store.Reader, e ExpandPlan, parents []value.GUID, spool *query.Spool) error {
	if len(parents) == 0 {
		return nil
	}
	rows, err := source.ReadChildren(ctx, e.Expand, parents)
	if err != nil {
		return err
	}
	defer rows.Close()
	_, err = spool.Fill(firstOfEach(e.Many.shown(rows), e.Expand.Show), 0)
	return err
}

// firstOfEach passes on the rows to be shown of each parent and one more, so that a parent with very many does not fill the memory. The
// parent's key is cell 0, and its rows come together. With most 0 all are passed on.
func firstOfEach(rows query.Rows, most int) query.Rows {
	if most == 0 {
		return rows
	}
	return &leadingRows{Rows: rows, most: most}
}

type leadingRows struct {
	query.Rows
	most   int
	parent value.GUID
	seen   int
}

// Next moves to the next row that is passed on.
func (l *leadingRows) Next() bool {
	for l.Rows.Next() {
		if id := value.GUID(l.Rows.Bytes(0)); id != l.parent {
			l.parent, l.seen = id, 0
		}
		if l.seen++; l.seen <= l.most+1 {
			return true
		}
	}
	return false
}
