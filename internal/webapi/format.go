package webapi

import (
	"strconv"
	"time"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// appendFormatted appends the formatted value of a cell (decision 29), or returns ok false when the kind has none. symbol is the
// currency symbol for money.
func appendFormatted(b []byte, c *schema.Column, kind value.Kind, v int64, f float64, symbol string) (out []byte, ok bool) {
	if c != nil && c.Options != nil && kind != value.KindText {
		label, ok := c.Options.LabelOf(v)
		return value.AppendJSONText(b, label), ok
	}
	switch kind {
	case value.KindMoney:
		return appendMoney(b, v, symbol), true
	case value.KindInt:
		return appendGrouped(b, v, 0), true
	case value.KindDecimal:
		return appendGrouped(b, v, scaleOf(c)), true
	case value.KindFloat:
		return appendFloat(b, f), true
	case value.KindDate:
		return appendUSDate(b, v), true
	case value.KindTime:
		return appendUSTime(b, v), true
	default:
		return b, false
	}
}

func scaleOf(c *schema.Column) int {
	if c == nil {
		return 2
	}
	return c.Scale
}

// appendMoney appends an amount with symbol, separators and two decimals, the minus in front: -$1,234.50.
func appendMoney(b []byte, cents int64, symbol string) []byte {
	if cents < 0 {
		b = append(b, '-')
		cents = -cents
	}
	return appendGrouped(value.AppendJSONText(b, symbol), cents, 2)
}

// appendGrouped appends a scaled integer with thousands separators.
func appendGrouped(b []byte, n int64, scale int) []byte {
	var digits [32]byte
	text := value.AppendDecimal(digits[:0], n, scale)
	if text[0] == '-' {
		b = append(b, '-')
		text = text[1:]
	}
	whole := len(text)
	if scale > 0 {
		whole -= scale + 1
	}
	for i := range whole {
		if i > 0 && (whole-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, text[i])
	}
	return append(b, text[whole:]...)
}

func appendFloat(b []byte, f float64) []byte {
	text := strconv.FormatFloat(f, 'f', 2, 64)
	n, _, err := value.ParseDecimal(text, 2)
	if err != nil {
		return append(b, text...)
	}
	return appendGrouped(b, n, 2)
}

func appendUSDate(b []byte, days int64) []byte {
	y, m, d := value.Civil(days)
	b = append(strconv.AppendInt(b, int64(m), 10), '/')
	b = append(strconv.AppendInt(b, int64(d), 10), '/')
	return strconv.AppendInt(b, int64(y), 10)
}

func appendUSTime(b []byte, seconds int64) []byte {
	return time.Unix(seconds, 0).UTC().AppendFormat(b, "1/2/2006 3:04 PM")
}
