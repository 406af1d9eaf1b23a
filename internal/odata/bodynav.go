package odata

import (
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// bind binds nav@odata.bind: a reference or null for a single-valued property, a list of references for a collection.
func (b *body) bind(nav *schema.Nav, j JSON) error {
	switch {
	case nav.Many:
		return b.bindMany(nav, j)
	case j.IsNull():
		return b.setLookup(nav, value.Null)
	case !j.IsString():
		return b.wrong(nav, "its @odata.bind must be the URL of one row")
	}
	t, id, err := b.reference(nav, j.Text())
	if err != nil {
		return err
	}
	return b.setLookup(nav, lookupValue(nav.Column, t, id))
}

func (b *body) bindMany(nav *schema.Nav, j JSON) error {
	if b.options.Kind != query.Create {
		return b.wrong(nav, "collections can be bound on create only; use $ref")
	}
	if !j.IsArray() {
		return b.wrong(nav, "its @odata.bind must be an array of URLs")
	}
	if nav.To == nil {
		return b.wrong(nav, "its members cannot be bound; add them with AddListMembersList")
	}
	n := query.Nested{Nav: nav}
	err := j.Items(func(item JSON) error {
		if !item.IsString() {
			return b.wrong(nav, "its @odata.bind must be an array of URLs")
		}
		_, id, err := b.reference(nav, item.Text())
		n.Binds = append(n.Binds, id)
		return err
	})
	b.change.Nested = append(b.change.Nested, n)
	return err
}

// nested binds a navigation property with a value: null clears a lookup, objects are rows to create along.
func (b *body) nested(nav *schema.Nav, j JSON) error {
	if j.IsNull() && !nav.Many {
		return b.setLookup(nav, value.Null)
	}
	if b.options.Kind != query.Create {
		return badRequest("Related rows cannot be written in an update: '%s' must be null or set by '%s@odata.bind'.", nav.Name, nav.Name).
			At(b.table.Name, "column "+nav.Name)
	}
	n := query.Nested{Nav: nav}
	add := func(item JSON) error {
		ch, err := b.child(nav, item)
		n.Creates = append(n.Creates, ch)
		return err
	}
	var err error
	switch {
	case nav.Many && j.IsArray():
		err = j.Items(add)
	case !nav.Many && j.IsObject():
		err = add(j)
	default:
		err = b.wrong(nav, "an object is expected for one related row, an array of objects for a collection")
	}
	b.change.Nested = append(b.change.Nested, n)
	return err
}

// child binds an object inside a create. Where the property leads to several tables the object says which by @odata.type.
func (b *body) child(nav *schema.Nav, j JSON) (*query.Change, error) {
	to := nav.To
	if to == nil {
		name := strings.TrimPrefix(strings.TrimPrefix(j.Member("@odata.type").Text(), "#"), namespace)
		to = b.model.Table(name)
		if nav.Many || to == nil || !allows(nav, to) {
			return nil, b.wrong(nav, "the object must say by @odata.type of which table it is")
		}
	}
	o := b.options
	o.Kind = query.Create
	return BindObject(b.model, to, j, o)
}

// reference resolves the row an @odata.bind names and checks that the property may lead there.
func (b *body) reference(nav *schema.Nav, text string) (*schema.Table, value.GUID, error) {
	t, id, err := b.resolve(text)
	if err != nil {
		return nil, value.GUID{}, fault.In(fault.In(err, "column "+nav.Name), b.table.Name)
	}
	if !allows(nav, t) {
		return nil, value.GUID{}, b.wrong(nav, "it does not lead to '"+t.Name+"'")
	}
	return t, id, nil
}

func (b *body) resolve(text string) (*schema.Table, value.GUID, error) {
	if !strings.HasPrefix(strings.TrimPrefix(text, "/"), "$") {
		return ParseReference(b.model, text)
	}
	if b.options.Reference == nil {
		return nil, value.GUID{}, badRequest("Content-ID Reference: '%s' does not exist in the batch context.", clip(text))
	}
	set, id, err := b.options.Reference(text)
	if err != nil {
		return nil, value.GUID{}, err
	}
	t := b.model.Set(set)
	if t == nil {
		return nil, value.GUID{}, unparsed(text)
	}
	return t, id, nil
}

// allows tells whether a navigation property may lead to a row of a table.
func allows(nav *schema.Nav, t *schema.Table) bool {
	if nav.To != nil {
		return nav.To == t
	}
	if nav.Column == nil {
		return false
	}
	for _, target := range nav.Column.Targets {
		if target == t {
			return true
		}
	}
	return false
}

// lookupValue is the value of a lookup that points at a row.
func lookupValue(c *schema.Column, t *schema.Table, id value.GUID) value.Value {
	if c.Polymorphic() {
		return value.Ref(id, t.TypeCode)
	}
	return value.ID(id)
}

// setLookup assigns the lookup behind a navigation property. Of several properties of one lookup at most one may hold a row;
// nulls beside it only say that the others are not meant.
func (b *body) setLookup(nav *schema.Nav, v value.Value) error {
	c := nav.Column
	if c.Computed || c.CreateOnly && b.options.Kind == query.Update {
		return nil
	}
	for i := range b.change.Set {
		old := &b.change.Set[i]
		if old.Column != c {
			continue
		}
		if old.Value.IsNull() {
			old.Value = v
			return nil
		}
		if v.IsNull() || v == old.Value {
			return nil
		}
		return b.wrong(nav, "the lookup '"+c.Name+"' is set twice")
	}
	b.change.Set = append(b.change.Set, query.Assign{Column: c, Value: v})
	return nil
}

// checkLookups refuses a lookup that may not be empty and that none of its properties has given a row.
func (b *body) checkLookups() error {
	for _, a := range b.change.Set {
		if a.Column.Type == schema.TypeLookup && a.Value.IsNull() && cannotBeNull(a.Column) {
			return b.nullRefused(a.Column)
		}
	}
	return nil
}

// wrong says that a navigation property cannot be given so.
func (b *body) wrong(nav *schema.Nav, why string) error {
	return badPayload("The navigation property '%s' of '%s' cannot be set: %s.", nav.Name, b.table.Name, why).At(b.table.Name, "column "+nav.Name)
}
