package metadata

import (
	"encoding/json"
	"strconv"

	"almoner/internal/value"
)

// appendString appends a JSON string.
func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // text always has a JSON form
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendKey appends a member's name with its colon, and a comma in front unless it is the first of its object.
func appendKey(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(appendString(b, name), ':')
}

// appendValue appends what a member yields. A structured value inside another is written whole.
func appendValue(b []byte, m *member, v any) []byte {
	switch v := v.(type) {
	case nil:
		if m.many {
			return append(b, "[]"...)
		}
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case value.GUID:
		return append(v.Append(append(b, '"')), '"')
	case []string:
		return appendStrings(b, v)
	case element:
		return appendElement(b, m.shape, v, everything)
	case []element:
		return appendElements(b, m.shape, v, everything)
	default:
		panic("metadata: member " + m.name + " yields a value of no known kind")
	}
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// appendElements appends an array. declared is the type the reader expects.
func appendElements(b []byte, declared *shape, list []element, sel *selection) []byte {
	b = append(b, '[')
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendElement(b, declared, e, sel)
	}
	return append(b, ']')
}

func appendElement(b []byte, declared *shape, e element, sel *selection) []byte {
	return append(appendMembers(append(b, '{'), declared, e, sel), '}')
}

// appendMembers appends the inside of an object: its type where the reader could not know it, the selected properties,
// and what is expanded.
func appendMembers(b []byte, declared *shape, e element, sel *selection) []byte {
	if e.shape != declared {
		b = appendString(appendKey(b, "@odata.type"), "#"+e.shape.qualified())
	}
	for _, m := range sel.properties(e.shape) {
		if !m.nav {
			b = appendValue(appendKey(b, m.name), m, m.get(e.of))
		}
	}
	for _, x := range sel.expand {
		b = x.append(appendKey(b, x.member.name), e)
	}
	return b
}

// append writes the expanded navigation property of an element.
func (x *expansion) append(b []byte, e element) []byte {
	switch v := x.member.get(e.of).(type) {
	case element:
		return appendElement(b, x.member.shape, v, &x.selection)
	case []element:
		return appendElements(b, x.member.shape, x.window.apply(v), &x.selection)
	default:
		return append(b, "null"...)
	}
}
