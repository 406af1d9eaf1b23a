package metadata

import "strconv"

// object is a JSON object whose members keep their order.
type object []pair

type pair struct {
	key   string
	value any
}

// array is a JSON array.
type array []any

// texts makes an array of strings.
func texts(list ...string) array {
	out := make(array, 0, len(list))
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// appendTree appends a tree of objects, arrays, strings, whole numbers, booleans and nil.
func appendTree(b []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		b = append(b, '{')
		for _, p := range v {
			b = appendTree(appendKey(b, p.key), p.value)
		}
		return append(b, '}')
	case array:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTree(b, item)
		}
		return append(b, ']')
	case string:
		return appendString(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}
