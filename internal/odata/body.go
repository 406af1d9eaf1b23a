package odata

import (
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// BodyOptions say how a body is to be read.
type BodyOptions struct {
	Kind         query.ChangeKind // Create or Update
	RejectExcess bool             // refuse more decimals than a column has, instead of rounding them
	Quoted       bool             // IEEE754Compatible: 64-bit integers and decimals may be strings
	// Reference resolves a value that begins with $, the Content-ID of an earlier request of a change set; nil where there is
	// none.
	Reference func(ref string) (set string, id value.GUID, err error)
}

// BindBody turns the JSON body of a create or an update into a change. Change.ID is the key the body gives, zero if none.
// Set holds only what a client may set: computed columns, those set at creation only (on update) and annotations are
// dropped. Which rows the references lead to has not been looked at.
func BindBody(m *schema.Model, t *schema.Table, data []byte, o BodyOptions) (*query.Change, error) {
	j, err := ParseJSON(data)
	if err != nil {
		return nil, err
	}
	return BindObject(m, t, j, o)
}

// BindObject is BindBody for one object inside a larger body, such as a target of CreateMultiple.
func BindObject(m *schema.Model, t *schema.Table, j JSON, o BodyOptions) (*query.Change, error) {
	if !j.IsObject() {
		return nil, badPayload("An error occurred while validating input parameters: a JSON object is expected for '%s'.", t.Name).At(t.Name)
	}
	b := &body{model: m, table: t, options: o, change: &query.Change{Kind: o.Kind, Table: t}}
	if err := j.Members(b.member); err != nil {
		return nil, err
	}
	return b.change, b.checkLookups()
}

// body is the state of binding one object.
type body struct {
	model   *schema.Model
	table   *schema.Table
	options BodyOptions
	change  *query.Change
}

// member binds one member of the object.
func (b *body) member(name string, j JSON) error {
	if i := strings.IndexByte(name, '@'); i >= 0 {
		return b.annotation(name[:i], name[i+1:], j)
	}
	if c := property(b.table, name); c != nil {
		return b.column(c, j)
	}
	if nav := b.table.Nav(name); nav != nil {
		return b.nested(nav, j)
	}
	return b.unknown(name)
}

// annotation binds nav@odata.bind and passes over every other annotation; a name without a dot is none.
func (b *body) annotation(property, term string, j JSON) error {
	if !strings.Contains(term, ".") {
		return badPayload("The annotation '%s@%s' is not valid: its name must contain a dot.", property, term).At(b.table.Name)
	}
	if term != "odata.bind" {
		return nil
	}
	nav := b.table.Nav(property)
	if nav == nil {
		e := badPayload("An undeclared property '%s' which only has property annotations in the payload but no property value was found in the payload. "+
			"In OData, only declared navigation properties and declared named streams can be represented as properties without values.", property)
		if near := b.table.NearNav(property); near != "" {
			e.Message += " Did you mean '" + near + "@odata.bind'?"
		}
		return e.At(b.table.Name, "column "+property)
	}
	return b.bind(nav, j)
}

func (b *body) unknown(name string) error {
	e := badPayload("The property '%s' does not exist on type 'Microsoft.Dynamics.CRM.%s'. Make sure to only use property names that are defined by the type.", name, b.table.Name)
	if near := b.table.Near(name); near != "" {
		e.Message += " Did you mean '" + near + "'?"
	}
	return e.At(b.table.Name, "column "+name)
}

// column binds a value for a column.
func (b *body) column(c *schema.Column, j JSON) error {
	switch {
	case c.BaseOf != nil:
		return fault.New(fault.NotUpdateable, "The column '%s' is kept by the service and cannot be written; write '%s' instead.", c.Name, c.BaseOf.Name).
			At(b.table.Name, "column "+c.Name)
	case j.IsNull() && cannotBeNull(c):
		return b.nullRefused(c)
	case c == b.table.Key:
		return b.key(c, j)
	case c.Type == schema.TypeLookup:
		return badRequest("The property '%s' cannot be written: set the navigation property '%s@odata.bind' instead.", c.Wire, c.Nav).
			At(b.table.Name, "column "+c.Name)
	case c.Computed || !c.Stored() || c.CreateOnly && b.options.Kind == query.Update:
		return nil
	}
	v, err := BindValue(c, j, b.options)
	if err != nil {
		return err
	}
	b.change.Set = append(b.change.Set, query.Assign{Column: c, Value: v})
	return nil
}

// cannotBeNull tells whether a client may not empty a column; what it cannot set at all is passed over instead.
func cannotBeNull(c *schema.Column) bool { return c.Need == schema.SystemRequired && !c.Computed }

func (b *body) nullRefused(c *schema.Column) error {
	return fault.New(fault.InvalidArgument, "The column '%s' of '%s' cannot be null.", c.Name, b.table.Name).At(b.table.Name, "column "+c.Name)
}

func (b *body) key(c *schema.Column, j JSON) error {
	v, err := BindValue(c, j, b.options)
	b.change.ID = v.ID()
	return err
}
