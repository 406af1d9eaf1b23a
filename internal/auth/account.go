package auth

import (
	"slices"
	"strings"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// Account is everything the database says about one user at one revision of the security data.
type Account struct {
	Revision     int64
	Organization value.GUID
	User         value.GUID
	Application  value.GUID // client id of an application user; zero for a person
	Disabled     bool
	AccessMode   int
	Unit         value.GUID
	Parents      map[value.GUID]value.GUID // parent of every business unit; the root's is zero
	Teams        []value.GUID
	Reports      []value.GUID // users below in the manager hierarchy
	Roles        []HeldRole
}

// HeldRole is a role of a user, held directly or through a team.
type HeldRole struct {
	Role   value.GUID
	Admin  bool       // System Administrator
	Direct bool       // assigned to the user, not to a team
	Unit   value.GUID // business unit depths are measured from: the user's, or the team's
	Grants []Grant
}

// Grant is a privilege in a role.
type Grant struct {
	Privilege value.GUID
	Depth     Depth
}

// NewCaller collects an account's roles into a caller of a model.
func NewCaller(m *schema.Model, a *Account) *Caller {
	r := collect(CatalogOf(m), a)
	return &Caller{
		User: a.User, Real: a.User, Organization: a.Organization, Unit: a.Unit, Units: below(a.Parents, a.Unit),
		Teams: a.Teams, Reports: a.Reports, Admin: r.admin, Roles: r.roles, AccessMode: a.AccessMode, Language: english,
		disabled: a.Disabled, model: m, own: r,
	}
}

func collect(catalog *Catalog, a *Account) *rights {
	r := &rights{user: a.User, accessMode: a.AccessMode, misc: map[string]Depth{}}
	seen := map[value.GUID]bool{}
	roles := map[value.GUID]bool{}
	for i := range a.Roles {
		held := &a.Roles[i]
		roles[held.Role] = true
		r.admin = r.admin || held.Admin
		r.actsFor = r.actsFor || held.Admin && held.Direct
		s := r.scope(a, held.Unit)
		for _, g := range held.Grants {
			p := catalog.ByID(g.Privilege)
			if p == nil || g.Depth == None {
				continue // of a table that left the model
			}
			seen[p.ID] = true
			r.grant(s, p, g.Depth, held.Direct)
		}
	}
	r.roles, r.privileges = len(roles), len(seen)
	return r
}

func (r *rights) grant(s *scope, p *Privilege, d Depth, direct bool) {
	if p.Table == nil {
		name := strings.ToLower(p.Name)
		r.misc[name] = max(r.misc[name], d)
		r.actsFor = r.actsFor || direct && p.Name == ActOnBehalf
		return
	}
	if !p.Allows(d) {
		return
	}
	depths := s.depths[p.Table.TypeCode]
	if depths == nil {
		depths = new([rightCount]Depth)
		s.depths[p.Table.TypeCode] = depths
	}
	depths[p.Right] = max(depths[p.Right], d)
}

// scope returns the scope of a business unit, making it when it is new.
func (r *rights) scope(a *Account, unit value.GUID) *scope {
	i := slices.IndexFunc(r.scopes, func(s scope) bool { return s.unit == unit })
	if i < 0 {
		i = len(r.scopes)
		r.scopes = append(r.scopes, scope{unit: unit, below: below(a.Parents, unit), depths: map[int]*[rightCount]Depth{}})
	}
	return &r.scopes[i]
}

// below lists a business unit and all units under it, in order of id after the unit itself.
func below(parents map[value.GUID]value.GUID, unit value.GUID) []value.GUID {
	out := []value.GUID{unit}
	for u := range parents {
		if u != unit && isBelow(parents, u, unit) {
			out = append(out, u)
		}
	}
	slices.SortFunc(out[1:], func(a, b value.GUID) int { return slices.Compare(a[:], b[:]) })
	return out
}

// isBelow climbs from a unit to the root; a loop in the data ends the climb.
func isBelow(parents map[value.GUID]value.GUID, u, top value.GUID) bool {
	for range len(parents) {
		if u = parents[u]; u == top {
			return true
		}
		if u.IsZero() {
			return false
		}
	}
	return false
}
