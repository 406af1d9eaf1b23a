package auth

import (
	"slices"
	"strings"
	"sync"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// The privileges that belong to no table.
const (
	ActOnBehalf       = "prvActOnBehalfOfAnotherUser"
	OverrideCreated   = "prvOverrideCreatedOnCreatedBy"
	ReadAuditSummary  = "prvReadAuditSummary"
	ReadRecordHistory = "prvReadRecordAuditHistory"
	BulkDelete        = "prvBulkDelete"
	Merge             = "prvMerge"
	ExportToExcel     = "prvExportToExcel"
)

var miscPrivileges = []string{ActOnBehalf, OverrideCreated, ReadRecordHistory, BulkDelete, Merge, ExportToExcel}

// Privilege is one thing a role can grant.
type Privilege struct {
	ID    value.GUID
	Name  string
	Table *schema.Table // nil for a privilege that belongs to no table
	Right Right
}

// privilegeName names the privilege for a right on a table. The audit is read under a privilege with a name of its own.
func privilegeName(t *schema.Table, r Right) string {
	if t.Name == "audit" && r == Read {
		return ReadAuditSummary
	}
	return t.Privilege(r.String())
}

// Allows tells whether a role can grant the privilege at a depth: only rows with owners have depths below global.
func (p *Privilege) Allows(d Depth) bool {
	switch d {
	case None:
		return false
	case Global:
		return true
	default:
		return p.Table == nil || p.Table.Owner == schema.UserOwned
	}
}

// accessBit is the right's bit in access masks; 0 for a privilege that belongs to no table.
func (p *Privilege) accessBit() int64 {
	if p.Table == nil {
		return 0
	}
	return int64(p.Right.Bit())
}

// Catalog is every privilege of a model.
type Catalog struct {
	all    []*Privilege // in order of name
	byID   map[value.GUID]*Privilege
	byName map[string]*Privilege // lower case
}

var catalogs sync.Map // *schema.Model to *Catalog; a process has one model, tests a few

// CatalogOf lists the privileges of a model: one for every right on every table that has rights of its own, and those that
// belong to no table.
func CatalogOf(m *schema.Model) *Catalog {
	if c, ok := catalogs.Load(m); ok {
		return c.(*Catalog)
	}
	c, _ := catalogs.LoadOrStore(m, newCatalog(m))
	return c.(*Catalog)
}

func newCatalog(m *schema.Model) *Catalog {
	c := &Catalog{byID: map[value.GUID]*Privilege{}, byName: map[string]*Privilege{}}
	for _, t := range m.Tables {
		if t.Hidden || joinedSide(m, t) != nil {
			continue
		}
		for r := Create; r < rightCount; r++ {
			if slices.Contains(t.Rights(), r.String()) {
				c.add(&Privilege{Name: privilegeName(t, r), Table: t, Right: r})
			}
		}
	}
	for _, name := range miscPrivileges {
		c.add(&Privilege{Name: name})
	}
	slices.SortFunc(c.all, func(a, b *Privilege) int { return strings.Compare(a.Name, b.Name) })
	return c
}

func (c *Catalog) add(p *Privilege) {
	p.ID = schema.PrivilegeID(p.Name)
	c.all = append(c.all, p)
	c.byID[p.ID] = p
	c.byName[strings.ToLower(p.Name)] = p
}

// All lists the privileges in order of name.
func (c *Catalog) All() []*Privilege { return c.all }

// ByID returns the privilege of an id, or nil.
func (c *Catalog) ByID(id value.GUID) *Privilege { return c.byID[id] }

// ByName returns the privilege of a name in any case, or nil.
func (c *Catalog) ByName(name string) *Privilege { return c.byName[strings.ToLower(name)] }
