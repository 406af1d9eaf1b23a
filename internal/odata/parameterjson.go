package odata

import (
	"encoding/json"
	"strings"
)

// ParameterJSON turns the text of a function parameter, or of the alias it names, into the JSON an action would carry: strings, GUIDs,
// dates and members of enumerations become JSON strings, objects and arrays may use single or double quotes. An alias without
// a value is null.
func ParameterJSON(text string, aliases map[string]string) (json.RawMessage, error) {
	if strings.HasPrefix(text, "@") {
		text = aliases[text]
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" || text == "null":
		return json.RawMessage("null"), nil
	case text[0] == '{' || text[0] == '[':
		j, err := ParseJSON(doubleQuoted(text))
		return json.RawMessage(j), err
	}
	parser, err := newParser(text, nil)
	if err != nil {
		return nil, err
	}
	n, err := parser.whole(parser.unary)
	if err != nil {
		return nil, err
	}
	lit, ok := n.(Literal)
	if !ok {
		return nil, badPayload("The parameter value '%s' is not a constant.", clip(text))
	}
	if lit.Kind == NumberLiteral || lit.Kind == BoolLiteral {
		return json.RawMessage(lit.Text), nil
	}
	return json.Marshal(lit.Text)
}
