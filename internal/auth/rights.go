package auth

import (
	"slices"
	"strings"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// rights is what one user may do, collected from all roles held directly or through teams.
type rights struct {
	user       value.GUID
	admin      bool
	roles      int
	privileges int // distinct ones
	accessMode int
	scopes     []scope          // the user's own business unit first, then those of teams that hold roles
	misc       map[string]Depth // privileges that belong to no table, by lower-case name
	actsFor    bool             // holds prvActOnBehalfOfAnotherUser through a role of their own
}

// scope is the business unit from which the depths Local and Deep of some roles are measured.
type scope struct {
	unit   value.GUID
	below  []value.GUID               // unit and all below it
	depths map[int]*[rightCount]Depth // by table type code
}

// depth is the greatest depth of a right on a table over all scopes.
func (r *rights) depth(t *schema.Table, right Right) Depth {
	if r.admin {
		return Global
	}
	if AffectsSecurity(t) && changes(right) {
		return None
	}
	best := None
	for i := range r.scopes {
		best = max(best, r.scopes[i].depth(t, right))
	}
	return best
}

func (s *scope) depth(t *schema.Table, right Right) Depth {
	if d := s.depths[t.TypeCode]; d != nil {
		return d[right]
	}
	return None
}

func (r *rights) miscDepth(name string) Depth {
	if r.admin {
		return Global
	}
	return r.misc[strings.ToLower(name)]
}

// units lists the business units whose rows a right reaches, when it is capped at a depth.
func (r *rights) units(t *schema.Table, right Right, limit Depth) []value.GUID {
	var out []value.GUID
	for i := range r.scopes {
		s := &r.scopes[i]
		switch min(s.depth(t, right), limit) {
		case Local:
			out = append(out, s.unit)
		case Deep:
			out = append(out, s.below...)
		}
	}
	return out
}

// changes tells whether a right alters rows of the table itself.
func changes(r Right) bool { return r == Create || r == Write || r == Delete }

// securityTables say who may do what: only a System Administrator changes them, whatever other roles grant, so that no
// role can be used to gain another.
var securityTables = map[string]bool{
	"businessunit": true, "systemuser": true, "team": true, "role": true, "privilege": true,
	"systemuserroles": true, "teammembership": true, "teamroles": true, "roleprivileges": true,
}

// AffectsSecurity tells whether rows of a table decide what callers may do. Who writes one calls BumpSecurity in the same
// transaction.
func AffectsSecurity(t *schema.Table) bool { return securityTables[t.Name] }

// governing returns the table and right that stand for a right on a table. Rows that join two tables (members of a list,
// roles of a user) have no privileges of their own: reading them is reading the first side, changing them is writing it.
func governing(m *schema.Model, t *schema.Table, r Right) (*schema.Table, Right) {
	side := joinedSide(m, t)
	if side == nil {
		return t, r
	}
	if r == Read || r == AppendTo {
		return side.Table, r
	}
	return side.Table, Write
}

// joinedSide returns the first side of the many-to-many relation whose rows a table holds; nil for any other table.
func joinedSide(m *schema.Model, t *schema.Table) *schema.Side {
	for _, mm := range m.ManyToMany {
		if mm.Intersect == t {
			return &mm.A
		}
	}
	return nil
}

// end is one of the two lookups of a joining row, with the tables it leads to.
type end struct {
	column *schema.Column
	tables []*schema.Table
}

// endsOf lists both ends of the rows of a joining table; nil for any other table.
func endsOf(m *schema.Model, t *schema.Table) []end {
	var ends []end
	for _, mm := range m.ManyToMany {
		if mm.Intersect == t {
			ends = addEnd(addEnd(ends, mm.A), mm.B)
		}
	}
	return ends
}

func addEnd(ends []end, s schema.Side) []end {
	i := slices.IndexFunc(ends, func(e end) bool { return e.column == s.Column })
	if i < 0 {
		return append(ends, end{s.Column, []*schema.Table{s.Table}})
	}
	if !slices.Contains(ends[i].tables, s.Table) {
		ends[i].tables = append(ends[i].tables, s.Table)
	}
	return ends
}
