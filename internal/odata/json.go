package odata

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"almoner/internal/fault"
)

// maxJSONDepth is how deep objects and arrays of a body may nest.
const maxJSONDepth = 64

// JSON is the text of one valid JSON value without blanks around it. Nothing is converted before it is asked for:
// numbers stay text, so no digit is lost, and a large body costs no tree.
type JSON []byte

// ParseJSON checks a whole body: one value, valid UTF-8, strict grammar, no name twice in one object, bounded depth. A
// byte order mark and blanks around the value are tolerated.
func ParseJSON(data []byte) (JSON, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, badPayload("An error occurred while validating input parameters: the body is not valid UTF-8.")
	}
	c := checker{data: data}
	start := c.blanks(0)
	end, err := c.value(start, 0)
	if err != nil {
		return nil, err
	}
	if c.blanks(end) != len(data) {
		return nil, c.malformed(end)
	}
	return JSON(data[start:end]), nil
}

// badPayload is the fault of everything wrong with a body.
func badPayload(format string, args ...any) *fault.Error {
	return fault.New(fault.BadPayload, format, args...)
}

// IsObject tells whether the value is an object.
func (j JSON) IsObject() bool { return len(j) > 0 && j[0] == '{' }

// IsArray tells whether the value is an array.
func (j JSON) IsArray() bool { return len(j) > 0 && j[0] == '[' }

// IsString tells whether the value is a string.
func (j JSON) IsString() bool { return len(j) > 0 && j[0] == '"' }

// IsNumber tells whether the value is a number.
func (j JSON) IsNumber() bool { return len(j) > 0 && (j[0] == '-' || j[0] >= '0' && j[0] <= '9') }

// IsNull tells whether the value is null.
func (j JSON) IsNull() bool { return string(j) == "null" }

// Bool returns the truth of a Boolean; ok is false for anything else.
func (j JSON) Bool() (b, ok bool) {
	return string(j) == "true", string(j) == "true" || string(j) == "false"
}

// Text returns the content of a string and the text of any other value, for messages and for numbers.
func (j JSON) Text() string {
	if !j.IsString() {
		return string(j)
	}
	s, _ := unquoteJSON(j)
	return s
}

// Members calls fn for each member of an object, in order, until it returns an error.
func (j JSON) Members(fn func(name string, member JSON) error) error {
	if !j.IsObject() {
		return nil
	}
	return j.each('}', func(i int) (int, error) {
		end, _ := scanString(j, i)
		name, _ := unquoteJSON(j[i:end])
		i = skipBlanks(j, skipBlanks(j, end)+1)
		end = skipValue(j, i)
		return end, fn(name, j[i:end])
	})
}

// Items calls fn for each item of an array, in order, until it returns an error.
func (j JSON) Items(fn func(item JSON) error) error {
	if !j.IsArray() {
		return nil
	}
	return j.each(']', func(i int) (int, error) {
		end := skipValue(j, i)
		return end, fn(j[i:end])
	})
}

// each calls one with the place of each entry of an object or array; one returns where the entry ends.
func (j JSON) each(closing byte, one func(i int) (int, error)) error {
	i := skipBlanks(j, 1)
	for j[i] != closing {
		end, err := one(i)
		if err != nil {
			return err
		}
		if i = skipBlanks(j, end); j[i] == ',' {
			i = skipBlanks(j, i+1)
		}
	}
	return nil
}

// Member returns the member of an object by its exact name; nil when there is none.
func (j JSON) Member(name string) JSON {
	var found JSON
	_ = j.Members(func(n string, v JSON) error {
		if n == name {
			found = v
		}
		return nil
	})
	return found
}

// skipBlanks returns the place of the first byte from i on that is no blank.
func skipBlanks(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the end of the valid value that begins at i.
func skipValue(data []byte, i int) int {
	depth := 0
	for ; i < len(data); i++ {
		switch data[i] {
		case '"':
			end, _ := scanString(data, i)
			i = end - 1
			if depth == 0 {
				return end
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				if depth < 0 {
					return i
				}
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// scanString returns the end of the quoted string that begins at i; ok is false when it is not closed or holds a control
// character.
func scanString[T ~string | ~[]byte](data T, i int) (end int, ok bool) {
	for i++; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i + 1, true
		case c == '\\':
			i++
		case c < 0x20:
			return i, false
		}
	}
	return len(data), false
}

// unquoteJSON returns the content of a quoted JSON string; ok is false for an unknown escape or half a surrogate pair.
func unquoteJSON(quoted []byte) (text string, ok bool) {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	out := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); i++ {
		if inner[i] != '\\' {
			out = append(out, inner[i])
			continue
		}
		var size int
		if out, size = appendEscape(out, inner[i:]); size == 0 {
			return "", false
		}
		i += size - 1
	}
	return string(out), true
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendEscape appends what the escape at the start of text stands for and returns its length; 0 when it is none.
func appendEscape(out, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return out, 0
	}
	if c, ok := escapes[text[1]]; ok {
		return append(out, c), 2
	}
	r, ok := hexEscape(text)
	if !ok {
		return out, 0
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), 6
	}
	low, ok := hexEscape(text[6:])
	if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
		return utf8.AppendRune(out, pair), 12
	}
	return out, 0
}

func hexEscape(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 32)
	return rune(n), err == nil
}
