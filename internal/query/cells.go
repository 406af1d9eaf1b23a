package query

import "almoner/internal/value"

// CellClass is how a result cell is read from Rows.
type CellClass uint8

// The classes of cells.
const (
	IntCell CellClass = iota
	FloatCell
	BytesCell
)

// Cells lists the classes of a node's cells in statement order: its outputs, then the nodes of its single-valued expands.
func Cells(n *Node) []CellClass {
	var out []CellClass
	for i := range n.Outputs {
		out = append(out, outputCells(&n.Outputs[i])...)
	}
	for _, e := range n.Expands {
		for _, one := range e.One {
			out = append(out, Cells(one)...)
		}
	}
	return out
}

func outputCells(o *Output) []CellClass {
	cells := []CellClass{classOf(OutputKind(o))}
	if o.HasTypeCell() {
		cells = append(cells, IntCell)
	}
	if o.Label != nil {
		cells = append(cells, BytesCell)
	}
	return cells
}

// OutputKind is the kind of value an output's cell holds, aggregates included.
func OutputKind(o *Output) value.Kind {
	switch o.Agg {
	case AggCount, AggCountColumn:
		return value.KindInt
	default:
		return KindOf(o.Expr)
	}
}

func classOf(k value.Kind) CellClass {
	switch k {
	case value.KindFloat:
		return FloatCell
	case value.KindText, value.KindID:
		return BytesCell
	default:
		return IntCell
	}
}
