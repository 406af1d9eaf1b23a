package sqlgen

import (
	"math/big"
	"slices"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// shadowName is the name of the column that holds the fold of a text.
func shadowName(c *schema.Column) string { return c.Name + "_f" }

// codeName is the name of the column that holds the type code of a polymorphic lookup.
func codeName(c *schema.Column) string { return c.Name + "_t" }

// cellNames lists the SQL columns a column takes.
func cellNames(c *schema.Column) []string {
	switch {
	case c.Folded():
		return []string{c.Name, shadowName(c)}
	case c.Polymorphic():
		return []string{c.Name, codeName(c)}
	default:
		return []string{c.Name}
	}
}

// namesOf lists the SQL columns assignments take.
func namesOf(set []query.Assign) []string {
	names := make([]string, 0, argCount(set))
	for _, a := range set {
		names = append(names, cellNames(a.Column)...)
	}
	return names
}

// typesOf lists the types of the SQL columns assignments take.
func typesOf(d *Dialect, set []query.Assign) []string {
	types := make([]string, 0, argCount(set))
	for _, a := range set {
		types = append(types, d.types[a.Column.Type])
		switch {
		case a.Column.Folded():
			types = append(types, d.text)
		case a.Column.Polymorphic():
			types = append(types, d.code)
		}
	}
	return types
}

// argCount is how many SQL columns assignments take.
func argCount(set []query.Assign) int {
	n := len(set)
	for i := range set {
		if c := set[i].Column; c.Folded() || c.Polymorphic() {
			n++
		}
	}
	return n
}

// appendArgs appends what is stored in the SQL columns of assignments.
func appendArgs(args []Arg, set []query.Assign) []Arg {
	for i := range set {
		c, v := set[i].Column, set[i].Value
		args = append(args, Arg{Value: storedValue(c, v)})
		switch {
		case c.Folded():
			args = append(args, Arg{Value: shadow(c, v)})
		case c.Polymorphic():
			args = append(args, Arg{Value: typeCode(v)})
		}
	}
	return args
}

// shadow is the fold kept beside a text: always when the column is indexed, else only where SQL's own lower would not
// do.
func shadow(c *schema.Column, v value.Value) value.Value {
	if v.IsNull() || !c.Indexed && value.IsASCII(v.Text()) {
		return value.Null
	}
	return value.Text(value.Fold(v.Text()))
}

// typeCode is the table a polymorphic lookup points at; null when it points nowhere.
func typeCode(v value.Value) value.Value {
	if v.IsNull() {
		return value.Null
	}
	return value.Int(int64(v.TypeCode()))
}

// storedValue gives a number the scale of its column. Values of the binder have it already.
func storedValue(c *schema.Column, v value.Value) value.Value {
	kind := c.Type.Kind()
	if v.IsNull() || kind == v.Kind() && (kind != value.KindDecimal || v.Scale() == c.Scale) {
		return v
	}
	switch kind {
	case value.KindMoney:
		return rescaled(v, 2)
	case value.KindDecimal:
		return rescaled(v, c.Scale)
	case value.KindFloat:
		return value.Float(v.Float())
	default:
		return v
	}
}

// rescaled rounds a number to a scale; what does not fit is left as it is, for the store to refuse.
func rescaled(v value.Value, scale int) value.Value {
	worth := v.Rat()
	if worth == nil {
		return v
	}
	n, err := value.RoundRat(worth, scale)
	if err != nil {
		return v
	}
	return value.Decimal(n, scale)
}

// power is 10^n.
func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// zeros is the text of 10^n.
func zeros(n int) string { return "1" + strings.Repeat("0", n) }

// primaryKey lists the columns that identify a row: the key, or the first unique list of a table without one.
func primaryKey(t *schema.Table) []*schema.Column {
	if t.Key != nil {
		return []*schema.Column{t.Key}
	}
	if len(t.Unique) > 0 {
		return t.Unique[0]
	}
	return nil
}

func inPrimaryKey(t *schema.Table, c *schema.Column) bool { return slices.Contains(primaryKey(t), c) }
