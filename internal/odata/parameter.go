package odata

import (
	"bytes"
	"strings"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// Parameters are the arguments of a function call by name, as text with aliases put in. They are converted when asked for;
// a parameter that was not sent, or is null, comes back with ok false.
type Parameters struct {
	function string
	values   map[string]string
}

// BindParameters collects the inline parameters of a function's segment. An alias without a value is null.
func BindParameters(function string, args []Arg, aliases map[string]string) (*Parameters, error) {
	p := &Parameters{function: function, values: map[string]string{}}
	for _, a := range args {
		if _, twice := p.values[a.Name]; a.Name == "" || twice {
			return nil, badRequest("The function '%s' takes named parameters, each at most once.", function)
		}
		text := a.Value
		if strings.HasPrefix(text, "@") {
			text = aliases[text]
		}
		p.values[a.Name] = strings.TrimSpace(text)
	}
	return p, nil
}

// Only refuses parameters other than those named.
func (p *Parameters) Only(names ...string) error {
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for name := range p.values {
		if !known[name] {
			return badPayload("The parameter '%s' is not a parameter of the function '%s'.", name, p.function)
		}
	}
	return nil
}

// text returns the text of a parameter that was sent and is not null.
func (p *Parameters) text(name string) (string, bool) {
	text, ok := p.values[name]
	return text, ok && text != "" && text != "null"
}

func (p *Parameters) wrong(name, want string) error {
	return badPayload("The parameter '%s' of the function '%s' must be %s; '%s' is not.", name, p.function, want, clip(p.values[name]))
}

// literal parses a parameter as one literal.
func (p *Parameters) literal(name string) (lit Literal, ok bool, err error) {
	text, ok := p.text(name)
	if !ok {
		return lit, false, nil
	}
	parser, err := newParser(text, nil)
	if err != nil {
		return lit, false, err
	}
	n, err := parser.whole(parser.unary)
	if err != nil {
		return lit, false, err
	}
	if lit, ok = n.(Literal); !ok {
		return lit, false, p.wrong(name, "a constant")
	}
	return lit, true, nil
}

// Text returns a quoted string.
func (p *Parameters) Text(name string) (text string, ok bool, err error) {
	lit, ok, err := p.literal(name)
	if err == nil && ok && lit.Kind != StringLiteral {
		return "", false, p.wrong(name, "a string in single quotes")
	}
	return lit.Text, ok, err
}

// Int returns an integer.
func (p *Parameters) Int(name string) (n int64, ok bool, err error) {
	lit, ok, err := p.literal(name)
	if err != nil || !ok {
		return 0, false, err
	}
	if n, ok = lit.integer(); !ok {
		return 0, false, p.wrong(name, "an integer")
	}
	return n, true, nil
}

// Bool returns true or false.
func (p *Parameters) Bool(name string) (b, ok bool, err error) {
	lit, ok, err := p.literal(name)
	if err == nil && ok && lit.Kind != BoolLiteral {
		return false, false, p.wrong(name, "true or false")
	}
	return lit.Text == "true", ok, err
}

// GUID returns a GUID, quoted or not.
func (p *Parameters) GUID(name string) (id value.GUID, ok bool, err error) {
	lit, ok, err := p.literal(name)
	if err != nil || !ok {
		return id, false, err
	}
	id, bad := value.ParseGUID(lit.Text)
	if bad != nil || lit.Kind != GUIDLiteral && lit.Kind != StringLiteral {
		return id, false, p.wrong(name, "a GUID")
	}
	return id, true, nil
}

// Enum returns the member of an enumeration, written as Microsoft.Dynamics.CRM.Type'Member', 'Member' or its number.
func (p *Parameters) Enum(name string) (member string, ok bool, err error) {
	lit, ok, err := p.literal(name)
	if err == nil && ok && lit.Kind != TypedLiteral && lit.Kind != StringLiteral && lit.Kind != NumberLiteral {
		return "", false, p.wrong(name, "a member of an enumeration")
	}
	return lit.Text, ok, err
}

// JSON returns an object or an array, with strings in single or double quotes.
func (p *Parameters) JSON(name string) (j JSON, ok bool, err error) {
	text, ok := p.text(name)
	if !ok {
		return nil, false, nil
	}
	j, err = ParseJSON(doubleQuoted(text))
	if err == nil && !j.IsObject() && !j.IsArray() {
		err = p.wrong(name, "an object or an array")
	}
	return j, err == nil, err
}

// Strings returns an array of strings.
func (p *Parameters) Strings(name string) (texts []string, ok bool, err error) {
	j, ok, err := p.JSON(name)
	if err != nil || !ok {
		return nil, false, err
	}
	if !j.IsArray() {
		return nil, false, p.wrong(name, "an array of strings")
	}
	err = j.Items(func(item JSON) error {
		if !item.IsString() {
			return p.wrong(name, "an array of strings")
		}
		texts = append(texts, item.Text())
		return nil
	})
	return texts, err == nil, err
}

// Reference returns the row named by {'@odata.id':'svc_gifts(<id>)'}, or by an object with @odata.type and its key.
func (p *Parameters) Reference(m *schema.Model, name string) (t *schema.Table, id value.GUID, ok bool, err error) {
	j, ok, err := p.JSON(name)
	if err != nil || !ok {
		return nil, id, false, err
	}
	t, id, err = BindReference(m, j)
	return t, id, err == nil, err
}

// BindReference reads an object that names a row: by @odata.id, or by @odata.type together with the table's key (ownerid
// for users and teams too).
func BindReference(m *schema.Model, j JSON) (*schema.Table, value.GUID, error) {
	if ref := j.Member("@odata.id"); ref.IsString() {
		return ParseReference(m, ref.Text())
	}
	name := strings.TrimPrefix(strings.TrimPrefix(j.Member("@odata.type").Text(), "#"), namespace)
	t := m.Table(name)
	if t == nil || t.Key == nil {
		return nil, value.GUID{}, badPayload("An object that stands for a row must say of which table it is by @odata.type, or carry @odata.id.")
	}
	for _, key := range []string{t.Key.Wire, "ownerid"} {
		if k := j.Member(key); k.IsString() {
			id, err := value.ParseGUID(k.Text())
			if err != nil {
				return nil, id, cannotConvert(t.Key, k)
			}
			return t, id, nil
		}
	}
	return nil, value.GUID{}, badPayload("EdmEntityObject passed should have the key property value set.").At(t.Name, "column "+t.Key.Name)
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
