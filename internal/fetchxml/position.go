package fetchxml

import (
	"strconv"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// NextCookie makes the cookie of the bound page from the positions of its first and last row: the values of every sort key
// of the query, the key the engine appended included. Without positions the cookie carries the page number alone, and the
// next page is found by counting.
func (b *Bound) NextCookie(first, last *query.Position) *Cookie {
	c := &Cookie{Page: b.Page}
	if first == nil || last == nil || len(first.Values) != len(last.Values) {
		return c
	}
	for i := range last.Values {
		column := CookieColumn{Name: b.sortKey(i).name}
		column.First, column.FirstNull = cookieText(first.Values[i])
		column.Last, column.LastNull = cookieText(last.Values[i])
		c.Columns = append(c.Columns, column)
	}
	return c
}

// cookieText prints a value: GUIDs in braces and upper case, everything else as the wire does.
func cookieText(v value.Value) (text string, null bool) {
	switch v.Kind() {
	case value.KindNull:
		return "", true
	case value.KindID:
		return "{" + strings.ToUpper(v.String()) + "}", false
	case value.KindBool:
		return strconv.FormatInt(v.Int(), 10), false
	default:
		return v.String(), false
	}
}

// sortKey is one sort key of a query as a cookie knows it.
type sortKey struct {
	name  string
	kind  value.Kind
	scale int // decimals, of a decimal
}

// sortKeys describes the sort keys of a query as bound: the passes that follow may give them another form.
func sortKeys(q *query.Query) []sortKey {
	keys := make([]sortKey, len(q.Order))
	for i, o := range q.Order {
		keys[i] = sortKeyOf(q, o.Expr)
	}
	return keys
}

func sortKeyOf(q *query.Query, e query.Expr) sortKey {
	if at, ok := e.(query.OutputRef); ok {
		o := &q.Select.Outputs[at.Index]
		if o.Name != "" {
			return sortKey{o.Name, query.OutputKind(o), scaleOf(o.Expr)}
		}
		e = o.Expr
	}
	ref, ok := baseRef(e)
	switch {
	case !ok:
		return sortKey{"order", query.KindOf(e), 0}
	case ref.Link.Parent == nil:
		return sortKey{ref.Column.Name, query.KindOf(e), scaleOf(e)}
	default:
		return sortKey{ref.Link.Alias + "." + ref.Column.Name, query.KindOf(e), scaleOf(e)}
	}
}

func scaleOf(e query.Expr) int {
	if ref, ok := e.(query.Ref); ok {
		return ref.Column.Scale
	}
	return 0
}

// sortKey returns the i-th sort key. Behind the last comes the root's key, which the engine appends.
func (b *Bound) sortKey(i int) sortKey {
	if i < len(b.sortKeys) {
		return b.sortKeys[i]
	}
	return sortKey{name: b.Query.Root.Table.Key.Name, kind: value.KindID}
}

// position turns a cookie's last row into a position of the query. A cookie made for another order is refused.
func (b *Bound) position(c *Cookie) (*query.Position, error) {
	n := len(b.sortKeys)
	if len(c.Columns) != n && len(c.Columns) != n+1 {
		return nil, badCookie("it was made for another query")
	}
	pos := &query.Position{}
	for i, column := range c.Columns {
		key := b.sortKey(i)
		if column.Name != key.name {
			return nil, badCookie("it was made for another query")
		}
		v, err := key.parse(column)
		if err != nil {
			return nil, err
		}
		pos.Values = append(pos.Values, v)
	}
	return pos, nil
}

// parse reads the last value of a column.
func (k sortKey) parse(c CookieColumn) (value.Value, error) {
	if c.LastNull {
		return value.Null, nil
	}
	v, err := k.value(c.Last)
	if err != nil {
		return value.Null, badCookie("the value of " + c.Name + " is not of its type")
	}
	return v, nil
}

func (k sortKey) value(text string) (value.Value, error) {
	switch k.kind {
	case value.KindText:
		return value.Text(text), nil
	case value.KindID:
		g, err := value.ParseGUID(text)
		return value.ID(g), err
	case value.KindMoney:
		n, _, err := value.ParseDecimal(text, 2)
		return value.Money(n), err
	case value.KindDecimal:
		n, _, err := value.ParseDecimal(text, k.scale)
		return value.Decimal(n, k.scale), err
	case value.KindFloat:
		f, err := strconv.ParseFloat(text, 64)
		return value.Float(f), err
	case value.KindDate:
		days, err := value.ParseDate(text)
		return value.Date(days), err
	case value.KindTime:
		seconds, err := value.ParseTime(text)
		return value.Time(seconds), err
	case value.KindBool:
		n, err := strconv.ParseInt(text, 10, 64)
		return value.Bool(n != 0), err
	default:
		n, err := strconv.ParseInt(text, 10, 64)
		return value.Int(n), err
	}
}
