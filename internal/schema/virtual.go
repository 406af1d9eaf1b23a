package schema

import (
	"regexp"
	"strings"
)

// VirtualTypeName begins the Virtual of a column that names the table another lookup of its row points at; the lookup's
// name follows.
const VirtualTypeName = "typename:"

// virtualPattern is every read-time derivation there is: the row's own key; the table of a lookup; a donor's giving 0 to 5
// giving years ago; giving to a fund this year and last; what a fund can spend, and the same as the portal shows it. Those
// of money exist a second time for the _base sibling.
var virtualPattern = regexp.MustCompile(`^(self|typename:[a-z0-9_]+|(giving_year_[0-5]|fund_giving_[01]|spendable|portal_spendable)(_base)?)$`)

// virtuals checks that every derivation named exists.
func (c *compiler) virtuals() {
	for _, t := range c.model.Tables {
		for _, col := range t.Columns {
			if col.Virtual == "" {
				continue
			}
			if !virtualPattern.MatchString(col.Virtual) {
				c.problems.add(c.made[col].at, "column %s.%s: there is no derivation %q", t.Name, col.Name, col.Virtual)
			}
			if col.TypeOf() == nil && strings.HasPrefix(col.Virtual, VirtualTypeName) {
				c.problems.add(c.made[col].at, "column %s.%s: %s has no lookup with several targets for it", t.Name, col.Name, t.Name)
			}
		}
	}
}

// TypeOf returns the lookup whose table a typename: column names, or nil for any other column.
func (c *Column) TypeOf() *Column {
	name, ok := strings.CutPrefix(c.Virtual, VirtualTypeName)
	if !ok {
		return nil
	}
	if lookup := c.Table.columns[name]; lookup != nil && lookup.Polymorphic() {
		return lookup
	}
	return nil
}
