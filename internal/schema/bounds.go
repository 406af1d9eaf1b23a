package schema

import (
	"math"

	"almoner/internal/value"
)

// Ranges of numbers that declare none: the platform's for money and decimals, in whole units.
const (
	moneyRange   = 922337203685477
	decimalRange = 100000000000
	maxScale     = 10
)

// setRange gives numbers their scale and bounds.
func (c *compiler) setRange(col *Column, d *columnDecl) {
	switch col.Type {
	case TypeMoney:
		col.Scale = 2
		col.Low, col.High = -moneyRange*100, moneyRange*100
	case TypeDecimal:
		col.Scale = min(max(d.scale, 1), maxScale)
		col.High = scaled(decimalRange, col.Scale)
		col.Low = -col.High
	}
	c.bound(d, d.low, col.Scale, &col.Low)
	c.bound(d, d.high, col.Scale, &col.High)
	if d.low != "" || d.high != "" {
		c.completeRange(col, d)
	}
}

// completeRange fills the missing half of an integer's range.
func (c *compiler) completeRange(col *Column, d *columnDecl) {
	low, high := int64(math.MinInt32), int64(math.MaxInt32)
	if col.Type == TypeBigInt {
		low, high = math.MinInt64, math.MaxInt64
	}
	if col.Type.Kind() == value.KindInt {
		if d.low == "" {
			col.Low = low
		}
		if d.high == "" {
			col.High = high
		}
	}
	if col.Low > col.High {
		c.problems.add(d.at, "column %s.%s: low is above high", col.Table.Name, col.Name)
	}
}

func (c *compiler) bound(d *columnDecl, text string, scale int, dst *int64) {
	if text == "" {
		return
	}
	n, excess, err := value.ParseDecimal(text, scale)
	if err != nil || excess {
		c.problems.add(d.at, "column %s: %q is not a bound with %d decimals", d.name, text, scale)
		return
	}
	*dst = n
}

// scaled is n * 10^scale, or the largest integer when that does not fit.
func scaled(n int64, scale int) int64 {
	for range scale {
		if n > math.MaxInt64/10 {
			return math.MaxInt64
		}
		n *= 10
	}
	return n
}
