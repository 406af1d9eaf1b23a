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

// Caller is the identity a request runs under, frozen for its duration.
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

	depths map[int]*[rightCount]Depth // by table type code
	misc   map[string]Depth           // privileges that belong to no table, by lower-case name
}

// Depth returns how far the caller's right on a table reaches.
func (c *Caller) Depth(t *schema.Table, r Right) Depth {
	if c.Admin {
		return Global
	}
	if d := c.depths[t.TypeCode]; d != nil {
		return d[r]
	}
	return None
}

// Impersonating tells whether the request runs for somebody other than who sent it.
func (c *Caller) Impersonating() bool { return c.User != c.Real }
