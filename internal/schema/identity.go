package schema

import (
	"crypto/sha1" // #nosec G505 -- name-based GUIDs are defined with SHA-1; nothing is protected by it
	"slices"
	"strings"

	"almoner/internal/value"
)

// metadataSpace is the namespace of all metadata identifiers. It never changes: clients keep the ids they have seen.
var metadataSpace = value.MustGUID("6d1f9d0a-2f0e-5c57-9f0e-3a1b6c0d4e77")

// MetadataID returns the identifier of a piece of the model: a GUID that depends on its name alone (version 5, SHA-1), so
// that every process and every restart agrees. The parts are its kind and its names, outermost first.
func MetadataID(parts ...string) value.GUID {
	h := sha1.New() // #nosec G401 -- see the import
	h.Write(metadataSpace[:])
	h.Write([]byte(strings.Join(parts, "/")))
	var g value.GUID
	copy(g[:], h.Sum(nil))
	g[6] = g[6]&0x0f | 0x50
	g[8] = g[8]&0x3f | 0x80
	return g
}

// MetadataID identifies the table.
func (t *Table) MetadataID() value.GUID { return MetadataID("table", t.Name) }

// MetadataID identifies the column.
func (c *Column) MetadataID() value.GUID { return MetadataID("column", c.Table.Name, c.Name) }

// MetadataID identifies the relation.
func (r *Relation) MetadataID() value.GUID { return MetadataID("relation", r.Name) }

// MetadataID identifies the many-to-many relation.
func (m *ManyToMany) MetadataID() value.GUID { return MetadataID("relation", m.Name) }

// MetadataID identifies the option set.
func (s *OptionSet) MetadataID() value.GUID { return MetadataID("optionset", s.Name) }

// PrivilegeID identifies a privilege by its name, in any case.
func PrivilegeID(name string) value.GUID { return MetadataID("privilege", strings.ToLower(name)) }

// OptionSet returns the global option set of a name, or nil.
func (m *Model) OptionSet(name string) *OptionSet {
	i, ok := slices.BinarySearchFunc(m.OptionSets, name, func(s *OptionSet, n string) int { return strings.Compare(s.Name, n) })
	if !ok {
		return nil
	}
	return m.OptionSets[i]
}

// Relation returns the relation of a name, or nil.
func (m *Model) Relation(name string) *Relation {
	i, ok := slices.BinarySearchFunc(m.Relations, name, func(r *Relation, n string) int { return strings.Compare(r.Name, n) })
	if !ok {
		return nil
	}
	return m.Relations[i]
}

// The rights a privilege can give on a table.
const (
	Create   = "Create"
	Read     = "Read"
	Write    = "Write"
	Delete   = "Delete"
	Append   = "Append"
	AppendTo = "AppendTo"
	Assign   = "Assign"
	Share    = "Share"
)

var (
	commonRights = []string{Create, Read, Write, Delete, Append, AppendTo}
	userRights   = append(slices.Clone(commonRights), Assign, Share)
)

// Rights lists the rights that exist on a table: only rows with an owner of their own can be assigned and shared.
func (t *Table) Rights() []string {
	if t.Owner == UserOwned {
		return userRights
	}
	return commonRights
}

// Privilege names the privilege that gives a right on a table, in the specification's spelling: prvReadsvc_gift.
func (t *Table) Privilege(right string) string { return "prv" + right + t.Name }
