package value

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Errors of the number parsers.
var (
	ErrNumber = errors.New("not a number")
	ErrRange  = errors.New("number out of range")
)

// ParseDecimal reads a JSON number (an exponent is allowed) as an integer scaled by 10^scale. Digits beyond the
// scale are rounded half away from zero; excess reports that there were any.
func ParseDecimal(s string, scale int) (n int64, excess bool, err error) {
	neg, digits, exp, ok := splitNumber(s)
	if !ok {
		return 0, false, ErrNumber
	}
	digits = strings.TrimLeft(digits, "0")
	shift := exp + scale // value = digits * 10^shift in scaled units
	switch {
	case digits == "":
		return 0, false, nil
	case shift >= 0:
		if len(digits)+shift > 19 {
			return 0, false, ErrRange
		}
		digits += strings.Repeat("0", shift)
	case -shift > len(digits):
		return 0, true, nil
	}
	up := false
	if shift < 0 {
		cut := len(digits) + shift
		rest := digits[cut:]
		digits = digits[:cut]
		excess = strings.Trim(rest, "0") != ""
		up = rest[0] >= '5'
	}
	if len(digits) > 19 {
		return 0, false, ErrRange
	}
	var u uint64
	if digits != "" {
		if u, err = strconv.ParseUint(digits, 10, 64); err != nil {
			return 0, false, ErrRange
		}
	}
	if up {
		u++
	}
	if u > math.MaxInt64 {
		return 0, false, ErrRange
	}
	if neg {
		return -int64(u), excess, nil
	}
	return int64(u), excess, nil
}

// splitNumber takes a decimal literal apart: sign, all digits without the point, and the power of ten of the last digit.
func splitNumber(s string) (neg bool, digits string, exp int, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		if err != nil || e > 400 || e < -400 {
			return false, "", 0, false
		}
		exp, s = e, s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	digits = whole + frac
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false, "", 0, false
	}
	return neg, digits, exp - len(frac), true
}

// AppendDecimal appends n / 10^scale with exactly scale decimals.
func AppendDecimal(b []byte, n int64, scale int) []byte {
	if scale == 0 {
		return strconv.AppendInt(b, n, 10)
	}
	u := uint64(n)
	if n < 0 {
		b = append(b, '-')
		u = -u
	}
	var buf [24]byte
	i := len(buf)
	for k := 0; k < scale || u > 0 || k == scale; k++ {
		if k == scale {
			i--
			buf[i] = '.'
		}
		i--
		buf[i] = byte('0' + u%10)
		u /= 10
	}
	return append(b, buf[i:]...)
}

// AppendFloat appends the shortest decimal text of f without an exponent.
func AppendFloat(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', -1, 64) }

// RoundFloat rounds f, taken as its shortest decimal text, to scale decimals, half away from zero; excess reports that it had more. A
// float too large to have that many stays as it is.
func RoundFloat(f float64, scale int) (rounded float64, excess bool) {
	n, excess, err := ParseDecimal(string(AppendFloat(nil, f)), scale)
	if err != nil || !excess {
		return f, false
	}
	rounded, _ = strconv.ParseFloat(string(AppendDecimal(nil, n, scale)), 64) // digits and a point always are a float
	return rounded, true
}

// Rat returns the exact worth of a numeric value; floats enter as their shortest decimal text (rule M28). Null is nil.
func (v Value) Rat() *big.Rat {
	switch v.kind {
	case KindNull:
		return nil
	case KindFloat:
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(v.Float(), 'f', -1, 64))
		return r
	case KindMoney:
		return big.NewRat(v.n, 100)
	case KindDecimal:
		return new(big.Rat).SetFrac(big.NewInt(v.n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.scale)), nil))
	default:
		return big.NewRat(v.n, 1)
	}
}

// RoundRat rounds r to scale decimals, half away from zero, and returns it in scaled units.
func RoundRat(r *big.Rat, scale int) (int64, error) {
	num := new(big.Int).Mul(r.Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	neg := num.Sign() < 0
	num.Abs(num)
	num.Lsh(num, 1).Add(num, r.Denom())
	num.Quo(num, new(big.Int).Lsh(r.Denom(), 1))
	if neg {
		num.Neg(num)
	}
	if !num.IsInt64() {
		return 0, ErrRange
	}
	return num.Int64(), nil
}
