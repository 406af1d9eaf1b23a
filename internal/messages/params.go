package messages

import (
	"encoding/json"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Has tells whether a parameter was sent and is not null.
func (p Params) Has(name string) bool {
	raw, ok := p[name]
	return ok && string(raw) != "null"
}

// Text reads a string parameter; "" when it is absent.
func (p Params) Text(name string) (string, error) {
	var s string
	return s, p.read(name, &s, "a string")
}

// Int reads an integer parameter; 0 when it is absent.
func (p Params) Int(name string) (int64, error) {
	var n int64
	return n, p.read(name, &n, "an integer")
}

// Bool reads a Boolean parameter; false when it is absent.
func (p Params) Bool(name string) (bool, error) {
	var b bool
	return b, p.read(name, &b, "true or false")
}

// ID reads a GUID parameter.
func (p Params) ID(name string) (value.GUID, error) {
	s, err := p.Text(name)
	if err != nil {
		return value.GUID{}, err
	}
	id, err := value.ParseGUID(s)
	if err != nil {
		return value.GUID{}, badParameter(name, "a GUID")
	}
	return id, nil
}

// Money reads a money parameter in minor units; 0 when it is absent.
func (p Params) Money(name string) (int64, error) {
	if !p.Has(name) {
		return 0, nil
	}
	var n json.Number
	if err := p.read(name, &n, "a number"); err != nil {
		return 0, err
	}
	cents, _, err := value.ParseDecimal(n.String(), 2)
	if err != nil {
		return 0, badParameter(name, "an amount of money")
	}
	return cents, nil
}

// Texts reads a list of strings.
func (p Params) Texts(name string) ([]string, error) {
	var list []string
	return list, p.read(name, &list, "a list of strings")
}

// Items reads a list of JSON values.
func (p Params) Items(name string) ([]json.RawMessage, error) {
	var list []json.RawMessage
	return list, p.read(name, &list, "a list")
}

func (p Params) read(name string, into any, what string) error {
	raw, ok := p[name]
	if !ok || string(raw) == "null" {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return badParameter(name, what)
	}
	return nil
}

func badParameter(name, what string) error {
	return fault.New(fault.BadPayload, "The parameter '%s' must be %s.", name, what).At("parameter " + name)
}

// Reference reads a parameter that names a row: an entity with its type and key, or {"@odata.id": …}. want is the table it must
// belong to, nil for any.
func (p Params) Reference(m *schema.Model, name string, want *schema.Table) (*schema.Table, value.GUID, error) {
	if !p.Has(name) {
		return nil, value.GUID{}, badParameter(name, "a row")
	}
	t, id, err := reference(m, p[name], want)
	if err != nil {
		return nil, value.GUID{}, fault.In(err, "parameter "+name)
	}
	return t, id, nil
}

// reference reads one entity reference.
func reference(m *schema.Model, raw json.RawMessage, want *schema.Table) (*schema.Table, value.GUID, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, value.GUID{}, fault.New(fault.BadPayload, "An entity reference must be a JSON object.")
	}
	if text := textOf(members["@odata.id"]); text != "" {
		t, id, err := odata.ParseReference(m, text)
		if err == nil && want != nil && t != want {
			err = misplaced(want, t)
		}
		return t, id, err
	}
	t := want
	if kind := textOf(members["@odata.type"]); kind != "" {
		name := strings.TrimPrefix(strings.TrimPrefix(kind, "#"), "Microsoft.Dynamics.CRM.")
		if t = m.Table(name); t == nil {
			return nil, value.GUID{}, fault.New(fault.BadPayload, "The type '%s' does not exist.", kind)
		}
	}
	if t == nil {
		return nil, value.GUID{}, fault.New(fault.BadPayload, "An entity reference needs @odata.type.")
	}
	if want != nil && t != want {
		return nil, value.GUID{}, misplaced(want, t)
	}
	id := keyOf(members, t)
	if id.IsZero() {
		return nil, id, fault.New(fault.BadPayload, "EdmEntityObject passed should have the key property value set.").At(t.Name, "column "+t.Key.Name)
	}
	return t, id, nil
}

func misplaced(want, got *schema.Table) error {
	return fault.New(fault.BadPayload, "The reference must be to '%s', not to '%s'.", want.Name, got.Name)
}

// keyOf reads the key member of an entity; principals may be named by ownerid.
func keyOf(members map[string]json.RawMessage, t *schema.Table) value.GUID {
	for _, name := range []string{t.Key.Name, "ownerid"} {
		if id, err := value.ParseGUID(textOf(members[name])); err == nil {
			return id
		}
	}
	return value.GUID{}
}

func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
