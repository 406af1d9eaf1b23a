package metadata

import (
	"slices"
	"strings"

	"almoner/internal/messages"
	"almoner/internal/schema"
)

// boundPaths are the functions and actions called on a table's set or rows.
func (a *openAPI) boundPaths(t *schema.Table) object {
	var out object
	for _, m := range a.messages {
		if !callable(m, t) {
			continue
		}
		path, id := "/"+t.Set, t.Set
		var shared []pair
		if m.Binding == messages.OnRow {
			path, id = rowPath(t), t.Name
			shared = []pair{{"parameters", references("parameters", "id")}}
		}
		out = append(out, pair{path + "/" + namespace + m.Name + a.arguments(m), append(object(shared), a.call(t.Set, id+"_"+m.Name, m))})
	}
	return out
}

// callable tells whether a message is bound to a table. Actions bound to every table change rows, which a read-only table
// does not let them.
func callable(m *messages.Message, t *schema.Table) bool {
	switch {
	case m.Binding == messages.Unbound:
		return false
	case m.Tables == nil:
		return m.Function || !t.ReadOnly
	default:
		return slices.Contains(m.Tables, t.Name)
	}
}

func (a *openAPI) unboundPaths() object {
	var out object
	for _, m := range a.messages {
		if m.Binding == messages.Unbound {
			out = append(out, pair{"/" + m.Name + a.arguments(m), object{a.call("service", m.Name, m)}})
		}
	}
	return out
}

// arguments are the parentheses of a function with an alias for each parameter it needs; actions have none.
func (a *openAPI) arguments(m *messages.Message) string {
	if !m.Function {
		return ""
	}
	var args []string
	for _, p := range m.Params {
		if !p.Optional {
			args = append(args, p.Name+"=@"+p.Name)
		}
	}
	return "(" + strings.Join(args, ",") + ")"
}

// call is the operation by which a message is run.
func (a *openAPI) call(tag, id string, m *messages.Message) pair {
	var rest []pair
	method := "post"
	if m.Function {
		method = "get"
		rest = append(rest, pair{"parameters", aliasParameters(m)})
	} else if len(m.Params) > 0 {
		rest = append(rest, pair{"requestBody", object{{"content", object{{"application/json", object{{"schema", a.fields(m.Params)}}}}}}})
	}
	answer := done()
	if m.Returns != "" {
		answer = pair{"200", content("The result.", a.result(m))}
	}
	return pair{method, operation(tag, id, m.Doc, append(rest, pair{"responses", answers(answer)})...)}
}

// aliasParameters give the values of a function's parameters as query options: @Target={...}.
func aliasParameters(m *messages.Message) array {
	out := array{}
	for _, p := range m.Params {
		if !p.Optional {
			out = append(out, object{{"name", "@" + p.Name}, {"in", "query"}, {"required", true}, {"description", "OData literal of type " + p.Type + "."}, {"schema", object{{"type", "string"}}}})
		}
	}
	return out
}

func (a *openAPI) result(m *messages.Message) object {
	if len(m.Fields) > 0 {
		return a.fields(m.Fields)
	}
	return a.typeSchema(m.Returns)
}

// fields describes an object with these members.
func (a *openAPI) fields(fields []messages.Param) object {
	properties, required := object{}, array{}
	for _, f := range fields {
		properties = append(properties, pair{f.Name, a.typeSchema(f.Type)})
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}}
}

// typeSchema describes a CSDL type.
func (a *openAPI) typeSchema(typ string) object {
	if element := elementType(typ); element != typ {
		return object{{"type", "array"}, {"items", a.typeSchema(element)}}
	}
	if kind, ok := jsonTypes[typ]; ok {
		out := object{{"type", kind[0]}}
		if kind[1] != "" {
			out = append(out, pair{"format", kind[1]})
		}
		return out
	}
	name := strings.TrimPrefix(typ, namespace)
	if t := a.model.Table(name); t != nil && !t.Hidden {
		return rowSchema(t)
	}
	if slices.ContainsFunc(enumerations, func(e *enumeration) bool { return e.name == name }) {
		return object{{"type", "string"}}
	}
	return object{{"type", "object"}}
}
