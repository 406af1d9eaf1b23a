package schema

import (
	"strconv"

	"almoner/internal/value"
)

// setDefault parses default:. A Boolean without one is false; "none" leaves a column without any.
func (c *compiler) setDefault(col *Column, d *columnDecl) {
	switch {
	case col.Type == TypeState:
		col.Default = value.Int(col.Options.Options[0].Value)
	case col.Type == TypeStatus:
		col.Default = value.Int(col.Options.Options[0].Value)
	case d.def == "none" || col.Hidden || col.Virtual != "":
		return
	case col.Type == TypeBool && d.def == "":
		col.Default = value.Bool(false)
	case d.def != "":
		var ok bool
		if col.Default, ok = parseDefault(col, d.def); !ok {
			c.problems.add(d.at, "column %s.%s cannot have the default %q", col.Table.Name, col.Name, d.def)
		}
	}
}

func parseDefault(col *Column, text string) (value.Value, bool) {
	switch col.Type.Kind() {
	case value.KindBool:
		b, err := strconv.ParseBool(text)
		return value.Bool(b), err == nil
	case value.KindInt:
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil && col.Options != nil && !col.Options.Accepts(n) {
			return value.Null, false
		}
		return value.Int(n), err == nil
	case value.KindMoney:
		n, excess, err := value.ParseDecimal(text, 2)
		return value.Money(n), err == nil && !excess
	case value.KindDecimal:
		n, excess, err := value.ParseDecimal(text, col.Scale)
		return value.Decimal(n, col.Scale), err == nil && !excess
	case value.KindText:
		return value.Text(text), col.Type != TypeMultiChoice
	}
	return value.Null, false
}
