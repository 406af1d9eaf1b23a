// Package auth says who is asking and what they may do: bearer tokens, the built-in issuer, application users, roles and
// privileges, impersonation, and the pass that narrows every query to what its caller may read.
package auth

import (
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Right is one of the eight things a role can allow on a table.
type Right uint8

// The rights, in the platform's order.
const (
	Create Right = iota
	Read
	Write
	Delete
	Append
	AppendTo
	Assign
	Share
	rightCount
)

var rightNames = [rightCount]string{"Create", "Read", "Write", "Delete", "Append", "AppendTo", "Assign", "Share"}

// String is the verb used in privilege names: prv + verb + table.
func (r Right) String() string { return rightNames[r] }

// Depth is how far a right reaches.
type Depth uint8

// The depths: none, the caller's own and their teams' rows and what was shared, the business unit, the unit and those
// below it, everything.
const (
	None Depth = iota
	Basic
	Local
	Deep
	Global
)

var depthNames = [...]string{"None", "Basic", "Local", "Deep", "Global"}

// String is the depth's name on the wire.
func (d Depth) String() string { return depthNames[d] }

// Mask is the depth as roleprivileges stores it: 1, 2, 4, 8; 0 for None.
func (d Depth) Mask() int64 {
	if d == None {
		return 0
	}
	return 1 << (d - 1)
}

// depthOfMask is the greatest depth in a stored mask.
func depthOfMask(mask int64) Depth {
	for d := Global; d > None; d-- {
		if mask&d.Mask() != 0 {
			return d
		}
	}
	return None
}

// Caller is the identity a request runs under, frozen for its duration. Callers are made by an Authenticator and shared
// between requests; nobody changes one.
type Caller struct {
	User         value.GUID // whose security context applies: the impersonated user, else the authenticated one
	Real         value.GUID // the authenticated user; limits and audit count this one
	Organization value.GUID
	Unit         value.GUID   // business unit of User
	Units        []value.GUID // Unit and all below it
	Teams        []value.GUID // teams User belongs to
	Reports      []value.GUID // users below User in the manager hierarchy
	Admin        bool         // holds System Administrator: every right, globally
	Roles        int          // number of roles, for the platform's message
	AccessMode   int
	Language     int

	disabled bool
	model    *schema.Model
	own      *rights // of User
	behalf   *rights // of Real, where they narrow those of User; nil without impersonation
}

// Depth returns how far the caller's right on a table reaches: the lesser of both users' depths under impersonation.
func (c *Caller) Depth(t *schema.Table, r Right) Depth {
	if c.Admin {
		return Global
	}
	t, r = governing(c.model, t, r)
	d := c.own.depth(t, r)
	if c.behalf != nil {
		d = min(d, c.behalf.depth(t, r))
	}
	return d
}

// Misc returns how far a privilege reaches that belongs to no table, such as prvBulkDelete; the name in any case.
func (c *Caller) Misc(name string) Depth {
	if c.Admin {
		return Global
	}
	d := c.own.miscDepth(name)
	if c.behalf != nil {
		d = min(d, c.behalf.miscDepth(name))
	}
	return d
}

// Impersonating tells whether the request runs for somebody other than who sent it.
func (c *Caller) Impersonating() bool { return c.User != c.Real }

// principals are the ids under which rows can belong to or be shared with the caller.
func (c *Caller) principals() []value.GUID {
	return append([]value.GUID{c.User}, c.Teams...)
}

// onBehalf is the caller under which real acts for user.
func onBehalf(real, user *Caller) *Caller {
	c := *user
	c.Real = real.User
	c.Admin = user.Admin && real.Admin
	if !real.Admin {
		c.behalf = real.own
	}
	return &c
}

// System returns the caller under which the service itself and its commands work: the SYSTEM user with every right.
func System(m *schema.Model, organization value.GUID) *Caller {
	return &Caller{
		User: SystemUser, Real: SystemUser, Organization: organization, Unit: RootUnit, Units: []value.GUID{RootUnit},
		Admin: true, Roles: 1, Language: english, model: m, own: &rights{user: SystemUser, admin: true, roles: 1},
	}
}

// english is the language of every label and message.
const english = 1033
