package messages

import (
	"context"
	"encoding/json"
	"slices"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// initializing holds the function that prefills a new row from another one.
var initializing = []*Message{
	{
		Name: "InitializeFrom", Function: true, Doc: "A row that is not saved yet, with what it takes over from another.",
		Params: []Param{
			{Name: "EntityMoniker", Type: entityType}, {Name: "TargetEntityName", Type: "Edm.String"},
			{Name: "TargetFieldType", Type: "Microsoft.Dynamics.CRM.TargetFieldType", Optional: true},
		},
		Returns: entityType, Do: initializeFrom,
	},
}

// initializeFrom answers a body for a POST to the target's set: the lookup that leads to the source, and the columns both tables have
// under one name and type. Nothing is written.
func initializeFrom(ctx context.Context, c *Call) (*Result, error) {
	source, err := readable(ctx, c, "EntityMoniker")
	if err != nil {
		return nil, err
	}
	name, err := c.Params.Text("TargetEntityName")
	if err != nil {
		return nil, err
	}
	t := c.Model().Table(name)
	if t == nil || t.Hidden || t.ReadOnly {
		return nil, fault.New(fault.BadPayload, "The entity with a name = '%s' was not found.", name).At("parameter TargetEntityName")
	}
	if err := auth.Require(c.Session.Caller(), t, auth.Create); err != nil {
		return nil, err
	}
	d := &draft{model: c.Model(), source: source}
	d.member("@odata.type", "#Microsoft.Dynamics.CRM."+t.Name)
	link := linkTo(t, source.Table)
	if link == nil {
		return nil, fault.New(fault.NoRelationship, "No relationship leads from '%s' to '%s'.", t.Name, source.Table.Name).At(t.Name)
	}
	d.member(link.Nav+"@odata.bind", "/"+source.Table.Set+"("+source.ID.String()+")")
	for _, column := range t.Columns {
		if column != link {
			d.take(column)
		}
	}
	return &Result{Body: json.RawMessage(append(d.body, '}')), Context: t.Set + "/$entity"}, nil
}

// linkTo is the first lookup of a table that leads to another one; nil when there is none.
func linkTo(t, to *schema.Table) *schema.Column {
	for _, c := range t.Columns {
		if c.Type == schema.TypeLookup && !c.System && !c.Computed && slices.Contains(c.Targets, to) {
			return c
		}
	}
	return nil
}

// draft is the JSON object of a row not saved yet.
type draft struct {
	model  *schema.Model
	source *query.Row
	body   []byte
}

// take copies what the source holds under a column's name and type. Keys, names, system columns and what the service keeps itself
// stay behind.
func (d *draft) take(c *schema.Column) {
	from := d.source.Table.Column(c.Name)
	if from == nil || from.Type != c.Type || c == c.Table.Key || c == c.Table.Title || c.System || c.Computed || c.Hidden || !c.Stored() {
		return
	}
	v := d.source.Get(from)
	switch {
	case v.IsNull():
	case c.Type == schema.TypeLookup:
		d.bind(c, from, v)
	case v.Kind() == value.KindText || v.Kind() == value.KindID || v.Kind() == value.KindDate || v.Kind() == value.KindTime:
		d.member(c.Name, v.String())
	default:
		d.member(c.Name, json.RawMessage(v.String()))
	}
}

// bind points a lookup at the row the source's points at, where it may lead there.
func (d *draft) bind(c, from *schema.Column, v value.Value) {
	to := from.Targets[0]
	if from.Polymorphic() {
		to = d.model.ByCode(v.TypeCode())
	}
	if to != nil && slices.Contains(c.Targets, to) {
		d.member(c.Nav+"@odata.bind", "/"+to.Set+"("+v.ID().String()+")")
	}
}

func (d *draft) member(name string, v any) {
	sep := byte(',')
	if d.body == nil {
		sep = '{'
	}
	key, _ := json.Marshal(name) // text always has a JSON form
	val, _ := json.Marshal(v)    // and so have the numbers and Booleans of a row
	d.body = append(append(append(append(d.body, sep), key...), ':'), val...)
}
