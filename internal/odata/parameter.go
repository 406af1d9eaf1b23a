package odata

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ParameterJSON turns the text of a function parameter, or of the alias it names, into the JSON an action would carry:
// strings, GUIDs, dates and members of enumerations become JSON strings, objects and arrays may use single or double
// quotes. An alias without a value is null.
func ParameterJSON(text string, aliases map[string]string) (json.RawMessage, error) {
	if strings.HasPrefix(text, "@") {
		text = aliases[text]
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" || text == "null":
		return json.RawMessage("null"), nil
	case text[0] == '{' || text[0] == '[' || text[0] == '"':
		j, err := ParseJSON(doubleQuoted(text))
		return json.RawMessage(j), err
	}
	p, err := newPlainParser(text)
	if err != nil {
		return nil, err
	}
	n, err := p.whole(p.unary)
	if err != nil {
		return nil, err
	}
	lit, ok := n.(Literal)
	if !ok {
		return nil, badPayload("The parameter value '%s' is not a constant.", clip(text))
	}
	return lit.json()
}

// json is a literal as JSON writes it.
func (l Literal) json() (json.RawMessage, error) {
	switch l.Kind {
	case NullLiteral:
		return json.RawMessage("null"), nil
	case BoolLiteral:
		return json.RawMessage(l.Text), nil
	case NumberLiteral:
		j, err := ParseJSON([]byte(strings.TrimPrefix(l.Text, "+")))
		if err != nil {
			return nil, badPayload("The parameter value '%s' is not a JSON number.", clip(l.Text))
		}
		return json.RawMessage(j), nil
	default:
		return json.Marshal(l.Text)
	}
}

// doubleQuoted rewrites strings in single quotes as JSON strings and leaves the rest as it is.
func doubleQuoted(text string) []byte {
	var b bytes.Buffer
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end, _ := scanString(text, i)
			b.WriteString(text[i:end])
			i = end - 1
		case '\'':
			i = writeDoubleQuoted(&b, text, i)
		default:
			b.WriteByte(c)
		}
	}
	return b.Bytes()
}

// writeDoubleQuoted rewrites the single-quoted string that begins at i and returns the place of its closing quote.
func writeDoubleQuoted(b *bytes.Buffer, text string, i int) int {
	b.WriteByte('"')
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' && i+1 < len(text) && text[i+1] == '\'':
			b.WriteByte(c)
			i++
		case c == '\'':
			b.WriteByte('"')
			return i
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return i
}
