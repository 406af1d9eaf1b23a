package messages

import (
	"context"
	"slices"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

var stateParams = []Param{
	{Name: "State", Type: "Edm.Int32", Optional: true}, {Name: "Status", Type: "Edm.Int32", Optional: true},
	{Name: "statecode", Type: "Edm.Int32", Optional: true}, {Name: "statuscode", Type: "Edm.Int32", Optional: true},
}

const principalType = "Microsoft.Dynamics.CRM.principal"

// state holds the messages that change a row's state and owner; a PATCH does the same.
var state = []*Message{
	{Name: "SetState", Binding: OnRow, Params: stateParams, Doc: "Sets state and status of a row.", Do: setState},
	{Name: "SetState", Params: append([]Param{{Name: "EntityMoniker", Type: entityType}}, stateParams...), Doc: "Sets state and status of a row.", Do: setState},
	{Name: "Assign", Binding: OnRow, Params: []Param{{Name: "Assignee", Type: principalType}}, Doc: "Gives a row to another owner.", Do: assign},
	{Name: "Assign", Params: []Param{{Name: "Target", Type: entityType}, {Name: "Assignee", Type: principalType}}, Doc: "Gives a row to another owner.", Do: assign},
	{
		Name: "IsValidStateTransition", Function: true, Doc: "Whether a row may take a state and status.",
		Params:  []Param{{Name: "Entity", Type: entityType}, {Name: "NewState", Type: "Edm.String"}, {Name: "NewStatus", Type: "Edm.Int32"}},
		Returns: "Microsoft.Dynamics.CRM.IsValidStateTransitionResponse", Fields: []Param{{Name: "IsValid", Type: "Edm.Boolean"}}, Do: validTransition,
	},
}

// subject is the row a call is about: the bound one, or the parameter's.
func subject(c *Call, param string) (*schema.Table, value.GUID, error) {
	if c.Table != nil {
		return c.Table, c.ID, nil
	}
	return c.Params.Reference(c.Model(), param, nil)
}

func setState(_ context.Context, c *Call) (*Result, error) {
	t, id, err := subject(c, "EntityMoniker")
	if err != nil {
		return nil, err
	}
	if t.Column("statecode") == nil {
		return nil, fault.New(fault.BadPayload, "The table '%s' has no state.", t.Name).At(t.Name)
	}
	var set []query.Assign
	for _, p := range []struct{ column, long string }{{"statecode", "State"}, {"statuscode", "Status"}} {
		a, err := stateParam(c, t.MustColumn(p.column), p.long)
		if err != nil {
			return nil, err
		}
		if a != nil {
			set = append(set, *a)
		}
	}
	if len(set) == 0 {
		return nil, fault.New(fault.BadPayload, "The parameter 'State' of the operation 'SetState' is missing.").At("parameter State")
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		return tx.Update(&query.Change{Kind: query.Update, Table: t, ID: id, Set: set})
	})
}

// stateParam reads a state or status, by its parameter's name or the column's; nil when it is not sent, or is -1, which stands for
// the state's default.
func stateParam(c *Call, column *schema.Column, name string) (*query.Assign, error) {
	if !c.Params.Has(name) {
		name = column.Name
	}
	n, err := c.Params.Int(name)
	switch {
	case err != nil:
		return nil, err
	case !c.Params.Has(name) || n == -1 && column.Type == schema.TypeStatus:
		return nil, nil
	case !column.Options.Accepts(n):
		return nil, fault.New(fault.BadStatus, "%d is not a valid value of '%s' on '%s'.", n, column.Name, column.Table.Name).At(column.Table.Name, "column "+column.Name)
	}
	return &query.Assign{Column: column, Value: value.Int(n)}, nil
}

func assign(_ context.Context, c *Call) (*Result, error) {
	t, id, err := subject(c, "Target")
	if err != nil {
		return nil, err
	}
	owner := t.Column("ownerid")
	if t.Owner != schema.UserOwned {
		return nil, fault.New(fault.BadPayload, "Rows of '%s' belong to the organization and have no owner.", t.Name).At(t.Name)
	}
	principal, principalID, err := c.Params.Reference(c.Model(), "Assignee", nil)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(owner.Targets, principal) {
		return nil, fault.New(fault.BadPayload, "A row of '%s' cannot belong to a '%s'.", t.Name, principal.Name).At(t.Name, "parameter Assignee")
	}
	set := []query.Assign{{Column: owner, Value: value.Ref(principalID, principal.TypeCode)}}
	return nil, c.Write(func(tx *engine.Tx) error {
		return tx.Update(&query.Change{Kind: query.Update, Table: t, ID: id, Set: set})
	})
}

func validTransition(ctx context.Context, c *Call) (*Result, error) {
	t, id, err := c.Params.Reference(c.Model(), "Entity", nil)
	if err != nil {
		return nil, err
	}
	if _, err := c.Session.Find(ctx, t, id); err != nil {
		return nil, err
	}
	name, err := c.Params.Text("NewState")
	if err != nil {
		return nil, err
	}
	status, err := c.Params.Int("NewStatus")
	if err != nil {
		return nil, err
	}
	return &Result{Body: struct{ IsValid bool }{fitsState(t, name, status)}}, nil
}

// fitsState tells whether a status value belongs to the state of a label.
func fitsState(t *schema.Table, stateLabel string, status int64) bool {
	if t.Column("statecode") == nil {
		return false
	}
	for _, s := range t.MustColumn("statecode").Options.Options {
		for _, o := range t.MustColumn("statuscode").Options.Options {
			if s.Label == stateLabel && o.Value == status && o.State == s.Value {
				return true
			}
		}
	}
	return false
}
