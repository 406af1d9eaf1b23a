package fetchxml

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// argument turns a text into the value an operator compares a column with.
func argument(op *query.OpFacts, c *schema.Column, text string) (value.Value, error) {
	switch o := op.Op; {
	case o >= query.OpOn && o <= query.OpOnOrBefore:
		return day(c, text)
	case o >= query.OpLastXHours && o <= query.OpOlderThanXYears:
		return count(c, text)
	case op.Dates:
		return integer(c, text)
	case isTextOp(o):
		return value.Text(text), nil
	case o == query.OpContainValues || o == query.OpNotContainValues:
		return integer(c, text)
	default:
		return literal(c, text)
	}
}

// literal turns a text into a value of a column's own type.
func literal(c *schema.Column, text string) (value.Value, error) {
	trimmed := strings.TrimSpace(text)
	switch c.Type {
	case schema.TypeMultiChoice:
		return choices(c, trimmed)
	case schema.TypeInteger, schema.TypeBigInt, schema.TypeChoice, schema.TypeState, schema.TypeStatus:
		return integer(c, trimmed)
	case schema.TypeMoney, schema.TypeDecimal:
		return decimal(c, trimmed)
	case schema.TypeFloat:
		return float(c, trimmed)
	case schema.TypeBool:
		return boolean(c, trimmed)
	case schema.TypeDate:
		return date(c, trimmed)
	case schema.TypeDateTime:
		if seconds, err := value.ParseTime(trimmed); err == nil {
			return value.Time(seconds), nil
		}
		return bad(c, text, "a date and time")
	case schema.TypeID, schema.TypeGUID, schema.TypeLookup:
		if g, err := value.ParseGUID(trimmed); err == nil {
			return value.ID(g), nil
		}
		return bad(c, text, "a GUID")
	default:
		return value.Text(text), nil
	}
}

// bad refuses a value that does not fit its column.
func bad(c *schema.Column, text, want string) (value.Value, error) {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return value.Null, fault.New(fault.FetchBadValue, "The value '%s' for attribute '%s' is not %s.", text, c.Name, want).
		At(c.Table.Name, "column "+c.Name)
}

func integer(c *schema.Column, text string) (value.Value, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return bad(c, text, "an integer")
	}
	return value.Int(n), nil
}

// count reads the x of last-x-days and its like.
func count(c *schema.Column, text string) (value.Value, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n <= 0 {
		_, err := bad(c, text, "a positive integer")
		refusal := fault.As(err)
		refusal.Code = fault.FetchBadX
		return value.Null, refusal
	}
	return value.Int(n), nil
}

// decimal reads an exact number; one with more decimals than the column has is compared as it is, not rounded.
func decimal(c *schema.Column, text string) (value.Value, error) {
	n, excess, err := value.ParseDecimal(text, c.Scale)
	switch {
	case err == value.ErrRange || err == nil && excess:
		return float(c, text)
	case err != nil:
		return bad(c, text, "a number")
	case c.Type == schema.TypeMoney:
		return value.Money(n), nil
	default:
		return value.Decimal(n, c.Scale), nil
	}
}

func float(c *schema.Column, text string) (value.Value, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return bad(c, text, "a number")
	}
	return value.Float(f), nil
}

func boolean(c *schema.Column, text string) (value.Value, error) {
	switch strings.ToLower(text) {
	case "true", "1":
		return value.Bool(true), nil
	case "false", "0":
		return value.Bool(false), nil
	default:
		return bad(c, text, "true, false, 1 or 0")
	}
}

// date reads a calendar date; a moment stands for the date it is written with.
func date(c *schema.Column, text string) (value.Value, error) {
	if days, err := value.ParseDate(text); err == nil {
		return value.Date(days), nil
	}
	if _, err := value.ParseTime(text); err != nil {
		return bad(c, text, "a date")
	}
	return date(c, text[:len("yyyy-mm-dd")])
}

// day reads the value of on, on-or-after and on-or-before: a date, or a moment whose day is meant.
func day(c *schema.Column, text string) (value.Value, error) {
	text = strings.TrimSpace(text)
	if days, err := value.ParseDate(text); err == nil {
		return value.Date(days), nil
	}
	if c.Type == schema.TypeDate {
		return date(c, text)
	}
	if seconds, err := value.ParseTime(text); err == nil {
		return value.Time(seconds), nil
	}
	return bad(c, text, "a date")
}

// choices reads a comma-separated list of integers into the form in which it is stored: ascending, each once.
func choices(c *schema.Column, text string) (value.Value, error) {
	var numbers []int64
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return bad(c, text, "a list of integers")
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	parts := make([]string, 0, len(numbers))
	for _, n := range slices.Compact(numbers) {
		parts = append(parts, strconv.FormatInt(n, 10))
	}
	return value.Text(strings.Join(parts, ",")), nil
}
