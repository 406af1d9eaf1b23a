package metadata

import (
	"slices"

	"almoner/internal/schema"
)

// relationBaseShape is RelationshipMetadataBase, the type of RelationshipDefinitions.
var relationBaseShape = entityShape("RelationshipMetadataBase", metadataBase,
	get("SchemaName", edmString, func(r relationship) any { return r.schemaName() }),
	choice("RelationshipType", relationType, func(r relationship) string { return r.kind() }),
	get("IsCustomRelationship", edmBoolean, func(r relationship) any { return r.custom() }),
	get("IsManaged", edmBoolean, func(r relationship) any { return !r.custom() }),
	fixed("IsValidForAdvancedFind", edmBoolean, true),
	choice("SecurityTypes", securityTypes, func(relationship) string { return "Append" }),
	fixed("IntroducedVersion", edmString, "1.0.0.0"),
	governed("IsCustomizable", false, "iscustomizable"),
).keyed("SchemaName", true)

// relationship is what both kinds of relation can say of themselves.
type relationship interface {
	identified
	schemaName() string
	kind() string
	custom() bool
}

type oneToMany struct{ *schema.Relation }

func (r oneToMany) schemaName() string { return r.Name }
func (r oneToMany) kind() string       { return "OneToManyRelationship" }
func (r oneToMany) custom() bool       { return r.Column.Custom }

type manyToMany struct{ *schema.ManyToMany }

func (r manyToMany) schemaName() string { return r.Name }
func (r manyToMany) kind() string       { return "ManyToManyRelationship" }
func (r manyToMany) custom() bool       { return custom(r.Intersect) }

var cascadeShape = complexShape("CascadeConfiguration", nil,
	enumCascade("Assign", noCascade),
	enumCascade("Delete", func(r oneToMany) string { return deleteNames[r.OnDelete] }),
	enumCascade("Archive", noCascade),
	enumCascade("Merge", noCascade),
	enumCascade("Reparent", noCascade),
	enumCascade("Share", noCascade),
	enumCascade("Unshare", noCascade),
	enumCascade("RollupView", noCascade),
)

// deleteNames are what becomes of children when their parent goes, as the metadata API spells it.
var deleteNames = [...]string{schema.RemoveLink: "RemoveLink", schema.Restrict: "Restrict", schema.Cascade: "Cascade"}

func enumCascade(name string, f func(oneToMany) string) member { return choice(name, cascadeType, f) }

func noCascade(oneToMany) string { return "NoCascade" }

var oneToManyShape = entityShape("OneToManyRelationshipMetadata", relationBaseShape,
	get("ReferencedEntity", edmString, func(r oneToMany) any { return r.Parent.Name }),
	get("ReferencedAttribute", edmString, func(r oneToMany) any { return r.Parent.Key.Name }),
	get("ReferencingEntity", edmString, func(r oneToMany) any { return r.Child.Name }),
	get("ReferencingAttribute", edmString, func(r oneToMany) any { return r.Column.Name }),
	get("ReferencedEntityNavigationPropertyName", edmString, func(r oneToMany) any { return r.Collection }),
	get("ReferencingEntityNavigationPropertyName", edmString, func(r oneToMany) any { return r.Nav }),
	get("IsHierarchical", edmBoolean, func(r oneToMany) any { return r.Hierarchical }),
	fixed("EntityKey", edmString, nil),
	fixed("RelationshipBehavior", edmInt32, 1),
	fixed("IsDenormalizedLookup", edmBoolean, false),
	one("CascadeConfiguration", cascadeShape, func(r oneToMany) any { return element{cascadeShape, r} }),
)

var manyToManyShape = entityShape("ManyToManyRelationshipMetadata", relationBaseShape,
	get("Entity1LogicalName", edmString, func(r manyToMany) any { return r.A.Table.Name }),
	get("Entity1IntersectAttribute", edmString, func(r manyToMany) any { return r.A.Column.Name }),
	get("Entity1NavigationPropertyName", edmString, func(r manyToMany) any { return r.A.Nav }),
	get("Entity2LogicalName", edmString, func(r manyToMany) any { return r.B.Table.Name }),
	get("Entity2IntersectAttribute", edmString, func(r manyToMany) any { return r.B.Column.Name }),
	get("Entity2NavigationPropertyName", edmString, func(r manyToMany) any { return r.B.Nav }),
	get("IntersectEntityName", edmString, func(r manyToMany) any { return r.Intersect.Name }),
)

// shown tells whether clients may know of a relation.
func shown(r *schema.Relation) bool { return !r.Child.Hidden && !r.Parent.Hidden && !r.Column.Hidden }

func relationsOf(relations []*schema.Relation) []element {
	var out []element
	for _, r := range relations {
		if shown(r) {
			out = append(out, element{oneToManyShape, oneToMany{r}})
		}
	}
	return out
}

// linksOf lists the many-to-many relations a table is an end of.
func linksOf(t *schema.Table) []element {
	var seen []*schema.ManyToMany
	var out []element
	for _, n := range t.Navs() {
		if n.Through == nil || slices.Contains(seen, n.Through) {
			continue
		}
		seen = append(seen, n.Through)
		out = append(out, element{manyToManyShape, manyToMany{n.Through}})
	}
	return out
}
