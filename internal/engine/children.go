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

// children reads every collection expanded below a node for all rows of a spool.
func children(ctx context.Context, source store.Reader, n *NodePlan, rows *query.Spool) (map[*query.Expand]*Children, error) {
	out := map[*query.Expand]*Children{}
	for _, e := range n.Expands {
		for _, one := range e.One {
			below, err := children(ctx, source, one, rows)
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
		c, err := readChildren(ctx, source, e, keysOf(rows, n.Key))
		if err != nil {
			return nil, err
		}
		out[e.Expand] = c
	}
	return out, nil
}

func keysOf(rows *query.Spool, cell int) []value.GUID {
	var ids []value.GUID
	seen := map[value.GUID]bool{}
	for rows.Seek(0); rows.Next(); {
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

func readChildren(ctx context.Context, source store.Reader, e ExpandPlan, parents []value.GUID) (*Children, error) {
	c := &Children{Plan: e.Many, Rows: query.NewSpool(append([]query.CellClass{query.BytesCell}, e.Many.cells...)), at: map[value.GUID][2]int{}}
	if len(parents) == 0 {
		return c, nil
	}
	rows, err := source.ReadChildren(ctx, e.Expand, parents)
	if err != nil {
		return nil, err
	}
	_, err = c.Rows.Fill(firstOfEach(e.Many.shown(rows), e.Expand.Show), 0)
	rows.Close()
	if err != nil {
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
	c.sub, err = children(ctx, source, e.Many.Root, c.Rows)
	return c, err
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
