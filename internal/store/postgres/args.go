package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// driverStatements turns generated statements into the driver's form.
func driverStatements(generated []sqlgen.Statement) []statement {
	out := make([]statement, len(generated))
	for i, g := range generated {
		out[i] = driverStatement(g)
	}
	return out
}

func driverStatement(g sqlgen.Statement) statement {
	return statement{g.SQL, appendDriverArgs(make([]any, 0, len(g.Args)), g.Args)}
}

func appendDriverArgs(to []any, args []sqlgen.Arg) []any {
	for i := range args {
		to = append(to, driverArg(&args[i]))
	}
	return to
}

func driverArg(a *sqlgen.Arg) any {
	if a.IDs != nil {
		return guids(a.IDs)
	}
	return driverValue(a.Value)
}

// driverValue returns a value in the form it is stored in: money, decimals, choices, dates, times and Booleans are integers.
func driverValue(v value.Value) any {
	switch v.Kind() {
	case value.KindNull:
		return nil
	case value.KindText:
		return v.Text()
	case value.KindFloat:
		return v.Float()
	case value.KindID:
		return [16]byte(v.ID())
	default:
		return v.Int()
	}
}

// guids is a list of GUIDs sent as one uuid[] argument.
type guids []value.GUID

var _ pgtype.ArrayGetter = guids(nil)

// Dimensions implements pgtype.ArrayGetter.
func (g guids) Dimensions() []pgtype.ArrayDimension {
	return []pgtype.ArrayDimension{{Length: int32(len(g)), LowerBound: 1}}
}

// Index implements pgtype.ArrayGetter.
func (g guids) Index(i int) any { return [16]byte(g[i]) }

// IndexType implements pgtype.ArrayGetter.
func (g guids) IndexType() any { return [16]byte{} }
