package odata

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// BindValue converts a JSON value to what a column holds: of the right type, within its range, length and options. The
// empty text is null (decision 35).
func BindValue(c *schema.Column, j JSON, o BodyOptions) (value.Value, error) {
	if j.IsNull() {
		return value.Null, nil
	}
	switch c.Type {
	case schema.TypeString, schema.TypeMemo, schema.TypeName:
		return bindText(c, j)
	case schema.TypeMultiChoice:
		return bindMultiChoice(c, j)
	case schema.TypeBool:
		b, ok := j.Bool()
		if !ok {
			return value.Null, cannotConvert(c, j)
		}
		return value.Bool(b), nil
	case schema.TypeID, schema.TypeGUID, schema.TypeLookup:
		id, err := value.ParseGUID(j.Text())
		if err != nil || !j.IsString() {
			return value.Null, cannotConvert(c, j)
		}
		return value.ID(id), nil
	case schema.TypeDate, schema.TypeDateTime:
		return bindMoment(c, j)
	case schema.TypeFloat:
		return bindFloat(c, j, o)
	default:
		return bindNumber(c, j, o)
	}
}

// BindProperty converts the body of a PUT of one column, {"value": ...}. ok is false where the column is kept by the
// service, so that the value is to be ignored.
func BindProperty(c *schema.Column, data []byte, o BodyOptions) (v value.Value, ok bool, err error) {
	j, err := ParseJSON(data)
	if err != nil {
		return value.Null, false, err
	}
	member := j.Member("value")
	if member == nil {
		return value.Null, false, badPayload("The body of a single property must be an object with the member 'value'.").At(c.Table.Name, "column "+c.Name)
	}
	b := &body{table: c.Table, options: o, change: &query.Change{Kind: o.Kind, Table: c.Table}}
	if err := b.column(c, member); err != nil || len(b.change.Set) == 0 {
		return value.Null, false, err
	}
	return b.change.Set[0].Value, true, nil
}

// cannotConvert says that a JSON value is of the wrong type for a column.
func cannotConvert(c *schema.Column, j JSON) error {
	return badPayload("Cannot convert the literal '%s' to the expected type '%s' of the property '%s'.", clip(j.Text()), c.Type.Edm(), c.Wire).
		At(c.Table.Name, "column "+c.Name)
}

func bindText(c *schema.Column, j JSON) (value.Value, error) {
	if !j.IsString() {
		return value.Null, cannotConvert(c, j)
	}
	text := j.Text()
	if text == "" {
		return value.Null, nil
	}
	if !legalText(text) {
		return value.Null, fault.New(fault.BadCharacters, "The column '%s' of '%s' contains characters that are not allowed in XML.", c.Name, c.Table.Name).
			At(c.Table.Name, "column "+c.Name)
	}
	if c.Max > 0 && len(text) > c.Max && utf16Length(text) > c.Max {
		return value.Null, fault.New(fault.TextTooLong, "A validation error occurred.  The length of the '%s' attribute of the '%s' entity exceeded the maximum allowed length of '%d'.",
			c.Name, c.Table.Name, c.Max).At(c.Table.Name, "column "+c.Name)
	}
	return value.Text(text), nil
}

// legalText tells whether XML 1.0 could carry every character.
func legalText(text string) bool {
	for _, r := range text {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return false
		}
	}
	return true
}

func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// bindMultiChoice reads a comma-separated list of options and puts it in ascending order.
func bindMultiChoice(c *schema.Column, j JSON) (value.Value, error) {
	if !j.IsString() {
		return value.Null, cannotConvert(c, j)
	}
	if strings.TrimSpace(j.Text()) == "" {
		return value.Null, nil
	}
	var options []int64
	for _, part := range strings.Split(j.Text(), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return value.Null, cannotConvert(c, j)
		}
		if err := checkOption(c, n); err != nil {
			return value.Null, err
		}
		options = append(options, n)
	}
	slices.Sort(options)
	var text []string
	for _, n := range slices.Compact(options) {
		text = append(text, strconv.FormatInt(n, 10))
	}
	return value.Text(strings.Join(text, ",")), nil
}

func bindMoment(c *schema.Column, j JSON) (value.Value, error) {
	if !j.IsString() {
		return value.Null, cannotConvert(c, j)
	}
	var days int64
	var v value.Value
	if c.Type == schema.TypeDate {
		n, err := value.ParseDate(j.Text())
		if err != nil {
			return value.Null, cannotConvert(c, j)
		}
		days, v = n, value.Date(n)
	} else {
		n, err := value.ParseTime(j.Text())
		if err != nil {
			return value.Null, cannotConvert(c, j)
		}
		days, v = value.DateOf(n, nil), value.Time(n)
	}
	if days < value.MinDate || days > value.MaxDate {
		return value.Null, fault.New(fault.DateRange, "The date '%s' of '%s' is outside the range 1753-01-01 to 9999-12-30.", clip(j.Text()), c.Name).
			At(c.Table.Name, "column "+c.Name)
	}
	return v, nil
}

func bindFloat(c *schema.Column, j JSON, o BodyOptions) (value.Value, error) {
	f, err := strconv.ParseFloat(j.Text(), 64)
	switch {
	case !j.IsNumber() || errors.Is(err, strconv.ErrSyntax):
		return value.Null, cannotConvert(c, j)
	case err != nil || (c.Low != 0 || c.High != 0) && (f < float64(c.Low) || f > float64(c.High)):
		return value.Null, outOfRange(c, j)
	}
	rounded, excess := value.RoundFloat(f, schema.FloatScale)
	if excess && o.RejectExcess {
		return value.Null, tooPrecise(c, j, schema.FloatScale)
	}
	return value.Float(rounded), nil
}

// bindNumber reads integers, choices, money and decimals, all of which are scaled integers inside.
func bindNumber(c *schema.Column, j JSON, o BodyOptions) (value.Value, error) {
	quoted := o.Quoted && j.IsString() && (c.Type == schema.TypeBigInt || c.Type == schema.TypeMoney || c.Type == schema.TypeDecimal)
	if !j.IsNumber() && !quoted {
		return value.Null, cannotConvert(c, j)
	}
	scale := c.Scale
	if c.Type == schema.TypeMoney {
		scale = 2
	}
	n, excess, err := value.ParseDecimal(j.Text(), scale)
	whole := c.Type != schema.TypeMoney && c.Type != schema.TypeDecimal
	switch {
	case errors.Is(err, value.ErrRange):
		return value.Null, outOfRange(c, j)
	case err != nil || excess && whole:
		return value.Null, cannotConvert(c, j)
	case excess && (o.RejectExcess || c.Name == "exchangerate"): // a rate is taken exactly or not at all
		return value.Null, tooPrecise(c, j, scale)
	}
	if c.Options != nil {
		return value.Int(n), checkOption(c, n)
	}
	if low, high := numberRange(c); n < low || n > high {
		return value.Null, outOfRange(c, j)
	}
	return exactValue(n, c.Type.Kind(), scale), nil
}

// numberRange is the range of a column in scaled units: its own, or that of its type.
func numberRange(c *schema.Column) (low, high int64) {
	switch {
	case c.Low != 0 || c.High != 0:
		return c.Low, c.High
	case c.Type == schema.TypeInteger:
		return math.MinInt32, math.MaxInt32
	case c.Type == schema.TypeMoney:
		return -922337203685477_00, 922337203685477_00
	default:
		return math.MinInt64, math.MaxInt64
	}
}

// tooPrecise says that a number has more decimals than its column.
func tooPrecise(c *schema.Column, j JSON, scale int) error {
	return fault.New(fault.DecimalRange, "The value %s of '%s' has more than %d decimals.", clip(j.Text()), c.Name, scale).
		At(c.Table.Name, "column "+c.Name)
}

func outOfRange(c *schema.Column, j JSON) error {
	code, name := fault.DecimalRange, "decimal"
	if c.Type.Kind() == value.KindInt {
		code, name = fault.IntegerRange, "integer"
	}
	return fault.New(code, "A validation error occurred. The %s value %s of '%s' on record of type '%s' is outside the valid range.", name, clip(j.Text()), c.Name, c.Table.Name).
		At(c.Table.Name, "column "+c.Name)
}

// checkOption refuses a number that is no option of a choice, state or status, unless the rules decide.
func checkOption(c *schema.Column, n int64) error {
	if c.Ruled || c.Options.Accepts(n) {
		return nil
	}
	if c.Type == schema.TypeState || c.Type == schema.TypeStatus {
		return fault.New(fault.BadStatus, "%d is not a valid value of '%s' on '%s'.", n, c.Name, c.Table.Name).At(c.Table.Name, "column "+c.Name)
	}
	accepted := make([]int64, len(c.Options.Options))
	for i, option := range c.Options.Options {
		accepted[i] = option.Value
	}
	return fault.Option(c.Table.Name, c.Name, n, accepted).At(c.Table.Name, "column "+c.Name)
}
