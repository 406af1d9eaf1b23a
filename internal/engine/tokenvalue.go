package engine

import (
	"errors"
	"strconv"

	"almoner/internal/value"
)

// encodeValue writes a value as a kind letter and its text; null is empty.
func encodeValue(v value.Value) string {
	switch v.Kind() {
	case value.KindNull:
		return ""
	case value.KindText:
		return "t" + v.Text()
	case value.KindID:
		return "g" + v.ID().String()
	case value.KindFloat:
		return "f" + strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case value.KindDecimal:
		return "n" + strconv.Itoa(v.Scale()) + ":" + strconv.FormatInt(v.Int(), 10)
	default:
		return string(intLetters[v.Kind()]) + strconv.FormatInt(v.Int(), 10)
	}
}

var intLetters = map[value.Kind]byte{value.KindBool: 'b', value.KindInt: 'i', value.KindMoney: 'm', value.KindDate: 'd', value.KindTime: 's'}

var errValue = errors.New("malformed value in token")

func decodeValue(s string) (value.Value, error) {
	if s == "" {
		return value.Null, nil
	}
	rest := s[1:]
	switch s[0] {
	case 't':
		return value.Text(rest), nil
	case 'g':
		g, err := value.ParseGUID(rest)
		return value.ID(g), err
	case 'f':
		f, err := strconv.ParseFloat(rest, 64)
		return value.Float(f), err
	case 'n':
		return decodeDecimal(rest)
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil {
		return value.Null, err
	}
	switch s[0] {
	case 'b':
		return value.Bool(n != 0), nil
	case 'i':
		return value.Int(n), nil
	case 'm':
		return value.Money(n), nil
	case 'd':
		return value.Date(n), nil
	case 's':
		return value.Time(n), nil
	}
	return value.Null, errValue
}

func decodeDecimal(s string) (value.Value, error) {
	for i := range len(s) {
		if s[i] != ':' {
			continue
		}
		scale, err := strconv.Atoi(s[:i])
		if err != nil {
			return value.Null, err
		}
		n, err := strconv.ParseInt(s[i+1:], 10, 64)
		return value.Decimal(n, scale), err
	}
	return value.Null, errValue
}
