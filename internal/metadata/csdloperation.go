package metadata

import (
	"strings"

	"almoner/internal/messages"
)

// results writes the complex types messages answer with, each once.
func (d *csdl) results() {
	seen := map[string]bool{}
	for _, m := range d.messages {
		name := strings.TrimPrefix(m.Returns, namespace)
		if len(m.Fields) == 0 || seen[name] {
			continue
		}
		seen[name] = true
		d.element("ComplexType", []attribute{{"Name", name}}, func() {
			for _, f := range m.Fields {
				d.resultField(f)
			}
		})
	}
}

// resultField writes one member of a result; a row in it is reached by navigation.
func (d *csdl) resultField(f messages.Param) {
	if d.isEntity(f.Type) {
		d.element("NavigationProperty", []attribute{{"Name", f.Name}, {"Type", f.Type}}, nil)
		return
	}
	d.element("Property", []attribute{{"Name", f.Name}, {"Type", f.Type}, {"Scale", scaleOf(f.Type)}}, nil)
}

// isEntity tells whether a type is a row or a collection of rows.
func (d *csdl) isEntity(typ string) bool {
	name, ok := strings.CutPrefix(elementType(typ), namespace)
	return ok && (name == baseType || name == principalType || name == expandoType || d.tableOf(typ) != "")
}

// elementType is what a collection is of, or the type itself.
func elementType(typ string) string {
	return strings.TrimSuffix(strings.TrimPrefix(typ, "Collection("), ")")
}

// tableOf is the set of the table a type or collection names; "" when it names none.
func (d *csdl) tableOf(typ string) string {
	name, ok := strings.CutPrefix(elementType(typ), namespace)
	if t := d.model.Table(name); ok && t != nil {
		return t.Set
	}
	return ""
}

// operations writes every function and action, a bound one once per table it may be called on.
func (d *csdl) operations() {
	for _, m := range d.messages {
		for _, binding := range bindingTypes(m) {
			d.operation(m, binding)
		}
	}
}

// bindingTypes lists the types a message is bound to: "" for an unbound one, any row or set of rows for one that is bound
// to every table.
func bindingTypes(m *messages.Message) []string {
	if m.Binding == messages.Unbound {
		return []string{""}
	}
	tables := m.Tables
	if tables == nil {
		tables = []string{baseType}
	}
	var out []string
	for _, t := range tables {
		typ := namespace + t
		if m.Binding == messages.OnSet {
			typ = "Collection(" + typ + ")"
		}
		out = append(out, typ)
	}
	return out
}

func (d *csdl) operation(m *messages.Message, binding string) {
	kind := "Action"
	if m.Function {
		kind = "Function"
	}
	bound := ""
	if binding != "" {
		bound = "true"
	}
	d.element(kind, []attribute{{"Name", m.Name}, {"IsBound", bound}}, func() {
		if binding != "" {
			d.element("Parameter", []attribute{{"Name", bindingName(m)}, {"Type", binding}, {"Nullable", "false"}}, nil)
		}
		for _, p := range m.Params {
			d.parameter(p)
		}
		if m.Returns != "" {
			d.element("ReturnType", []attribute{{"Type", m.Returns}, {"Nullable", "false"}, {"Scale", scaleOf(m.Returns)}}, nil)
		}
		d.describe(m.Doc)
	})
}

// bindingName is the platform's name for the parameter a message is called on.
func bindingName(m *messages.Message) string {
	if m.Binding == messages.OnSet {
		return "entityset"
	}
	return "entity"
}

func (d *csdl) parameter(p messages.Param) {
	nullable := "false"
	if p.Optional {
		nullable = "true"
	}
	d.element("Parameter", []attribute{{"Name", p.Name}, {"Type", p.Type}, {"Nullable", nullable}, {"Scale", scaleOf(p.Type)}}, func() {
		if p.Optional && d.annotations {
			d.element("Annotation", []attribute{{"Term", coreNamespace + ".OptionalParameter"}}, func() { d.element("Record", nil, nil) })
		}
	})
}
