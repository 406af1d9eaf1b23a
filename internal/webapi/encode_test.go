package webapi

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/value"
	"almoner/tables"
)

// fixedRow is a cursor that shows the same gift again and again: what it costs to encode is the encoder's own.
type fixedRow struct {
	left int
	id   [16]byte
}

func (f *fixedRow) Next() bool          { f.left--; return f.left >= 0 }
func (f *fixedRow) Null(i int) bool     { return i%3 == 1 }
func (f *fixedRow) Int(i int) int64     { return int64(i) * 123457 }
func (f *fixedRow) Float(i int) float64 { return float64(i) / 3 }
func (f *fixedRow) Bytes(int) []byte {
	return f.id[:]
}
func (f *fixedRow) Err() error { return nil }
func (f *fixedRow) Close()     {}

// giftEncoder makes the encoder of all columns of a gift but its texts, whose bytes the fixed row cannot tell from ids.
func giftEncoder(tb testing.TB) (*encoder, *engine.NodePlan) {
	m, err := tables.Model()
	if err != nil {
		tb.Fatal(err)
	}
	t := m.Table("svc_gift")
	root := &query.Link{Table: t}
	node := &query.Node{Link: root}
	plan := &engine.NodePlan{Node: node, Key: 0, Version: 2, Currency: -1}
	for _, c := range t.Columns {
		if c.Hidden || c.Type.Kind() == value.KindText || c.Polymorphic() {
			continue
		}
		plan.Cells = append(plan.Cells, len(node.Outputs))
		node.Outputs = append(node.Outputs, query.Output{Name: c.Wire, Expr: query.Ref{Link: root, Column: c}, Column: c})
	}
	r := &Request{Header: http.Header{}, Base: "http://x/api/data/v9.2"}
	e := &encoder{ctx: context.Background(), base: r.Base}
	e.root = e.node(r, plan)
	return e, plan
}

func encodeRows(e *encoder, rows int, b []byte) int {
	size := 0
	for cursor := (&fixedRow{left: rows}); cursor.Next(); {
		b = e.object(b[:0], e.root, cursor, nil, nil)
		size += len(b)
	}
	return size
}

func TestEncodingARowAllocatesNothing(t *testing.T) {
	e, _ := giftEncoder(t)
	b := make([]byte, 0, 64<<10)
	few := testing.AllocsPerRun(20, func() { encodeRows(e, 10, b) })
	many := testing.AllocsPerRun(20, func() { encodeRows(e, 1000, b) })
	if many > few {
		t.Errorf("10 rows cost %v allocations, 1000 rows %v", few, many)
	}
}

func BenchmarkEncode(b *testing.B) {
	e, plan := giftEncoder(b)
	buf := make([]byte, 0, 64<<10)
	for _, rows := range []int{1, 100, 5000} {
		b.Run(fmt.Sprintf("rows=%d/columns=%d", rows, len(plan.Cells)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(int64(encodeRows(e, rows, buf)))
			}
		})
	}
}
