package engine

import (
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// duplicateRules are the columns which, all equal, make two rows of a table duplicates: the same e-mail address, or the same name and
// telephone.
var duplicateRules = map[string][][]string{
	"account": {{"emailaddress1"}, {"name", "telephone1"}},
	"contact": {{"emailaddress1"}, {"fullname", "telephone1"}, {"fullname", "mobilephone"}},
	"lead":    {{"emailaddress1"}},
}

// CheckDuplicates refuses a row just written when another one says the same of itself. Tables without such rules have no duplicates.
func (x *Tx) CheckDuplicates(t *schema.Table, id value.GUID) error {
	row, err := x.mustRow(t, id, false)
	if err != nil {
		return err
	}
	for _, names := range duplicateRules[t.Name] {
		where := sharedColumns(row, names)
		if where == nil {
			continue
		}
		found, err := env{x}.Find(t, where, []*schema.Column{t.Key})
		if err != nil {
			return err
		}
		for _, other := range found {
			if other.ID != id {
				return fault.New(fault.DuplicateDetected, "A record was not created or updated because a duplicate of the current record already exists, with the same %s.",
					strings.Join(names, " and ")).At(t.Name, "rule duplicates", "column "+names[0])
			}
		}
	}
	return nil
}

// sharedColumns is what a duplicate of a row would share; nil when the row itself has nothing there.
func sharedColumns(row *query.Row, names []string) []query.Assign {
	var out []query.Assign
	for _, name := range names {
		v := row.Value(name)
		if v.IsNull() {
			return nil
		}
		out = append(out, query.Assign{Column: row.Table.MustColumn(name), Value: v})
	}
	return out
}
