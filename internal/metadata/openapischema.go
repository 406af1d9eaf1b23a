package metadata

import (
	"strconv"
	"strings"

	"almoner/internal/schema"
)

func rowSchema(t *schema.Table) object { return reference("schemas", t.Name) }

// schemas describes the rows of every table.
func (a *openAPI) schemas() object {
	var out object
	for _, t := range a.tables {
		out = append(out, pair{t.Name, object{{"type", "object"}, {"title", t.Label}, {"description", t.Doc}, {"properties", rowProperties(t)}}})
	}
	return out
}

// rowProperties are a row's columns, its navigation properties as they come expanded, and the binds that set lookups.
func rowProperties(t *schema.Table) object {
	out := object{{"@odata.etag", object{{"type", "string"}, {"readOnly", true}}}}
	for _, c := range served(t) {
		out = append(out, pair{c.Wire, columnSchema(c)})
	}
	for _, n := range navsOf(t) {
		out = append(out, pair{n.Name, navSchema(n)})
		if !n.Many && creatable(n.Column) {
			out = append(out, pair{n.Name + "@odata.bind", object{{"type", array{"string", "null"}}, {"writeOnly", true},
				{"description", "Address of the row to point at, such as /" + n.Column.Targets[0].Set + "(id)."}}})
		}
	}
	return out
}

func navSchema(n *schema.Nav) object {
	target := object{{"type", "object"}}
	if n.To != nil {
		target = rowSchema(n.To)
	}
	if n.Many {
		return object{{"type", "array"}, {"items", target}}
	}
	return object{{"anyOf", array{target, object{{"type", "null"}}}}}
}

// jsonTypes are the JSON type and format of each EDM type.
var jsonTypes = map[string][2]string{
	edmString: {"string", ""}, edmGuid: {"string", "uuid"}, edmInt32: {"integer", "int32"}, edmInt64: {"integer", "int64"}, edmDecimal: {"number", ""},
	edmDouble: {"number", "double"}, edmBoolean: {"boolean", ""}, edmDate: {"string", "date"}, edmDateTime: {"string", "date-time"},
}

func columnSchema(c *schema.Column) object {
	kind := jsonTypes[c.Type.Edm()]
	out := object{{"type", array{kind[0], "null"}}}
	if c == c.Table.Key {
		out[0].value = kind[0]
	}
	if kind[1] != "" {
		out = append(out, pair{"format", kind[1]})
	}
	if c.Max > 0 {
		out = append(out, pair{"maxLength", c.Max})
	}
	out = append(out, pair{"title", c.Label}, pair{"description", describeColumn(c)})
	if closedChoice(c) {
		out = append(out, pair{"enum", optionValues(c.Options)})
	}
	if !creatable(c) || c.Type == schema.TypeLookup {
		out = append(out, pair{"readOnly", true})
	}
	return out
}

// closedChoice tells whether a column takes only the listed values.
func closedChoice(c *schema.Column) bool {
	return c.Options != nil && !c.Options.Open && c.Type.Edm() == edmInt32
}

func optionValues(s *schema.OptionSet) array {
	out := make(array, 0, len(s.Options)+1)
	for _, o := range s.Options {
		out = append(out, o.Value)
	}
	return append(out, nil)
}

// describeColumn is a column's description with the labels of its options.
func describeColumn(c *schema.Column) string {
	if c.Options == nil || c.Type == schema.TypeBool {
		return c.Doc
	}
	labels := make([]string, 0, len(c.Options.Options))
	for _, o := range c.Options.Options {
		labels = append(labels, strconv.FormatInt(o.Value, 10)+" "+o.Label)
	}
	return strings.TrimSpace(c.Doc + " " + strings.Join(labels, ", ") + ".")
}
