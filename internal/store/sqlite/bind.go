package sqlite

import (
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// largeValue is the size from which a bound value is not kept with its statement.
const largeValue = 4 << 10

// bind gives a statement its parameters.
func (p *prepared) bind(args []sqlgen.Arg) {
	for i, a := range args {
		if a.IDs != nil {
			p.bindIDs(i+1, a.IDs)
		} else {
			p.bindValue(i+1, a.Value)
		}
	}
}

// bindValue gives parameter i a value in the form it is stored in.
func (p *prepared) bindValue(i int, v value.Value) {
	switch v.Kind() {
	case value.KindNull:
		p.BindNull(i)
	case value.KindText:
		p.large = p.large || len(v.Text()) > largeValue
		p.BindText(i, v.Text())
	case value.KindFloat:
		p.BindFloat(i, v.Float())
	case value.KindID:
		p.bindID(i, v.ID())
	default:
		p.BindInt64(i, v.Int())
	}
}

// bindID gives parameter i a GUID.
func (p *prepared) bindID(i int, id value.GUID) { p.BindBytes(i, id[:]) }

// bindIDs gives parameter i a list of GUIDs as one blob.
func (p *prepared) bindIDs(i int, ids []value.GUID) {
	blob := make([]byte, 0, len(ids)*len(value.GUID{}))
	for _, id := range ids {
		blob = append(blob, id[:]...)
	}
	p.large = p.large || len(blob) > largeValue
	p.BindBytes(i, blob)
}
