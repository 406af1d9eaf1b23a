package metadata

import "almoner/internal/schema"

// wrappedShape makes a complex type that only wraps a text, as the platform does with names it may extend.
func wrappedShape(name string) *shape {
	return complexShape(name, nil, get("Value", edmString, func(v string) any { return v }))
}

var (
	typeNameShape   = wrappedShape("AttributeTypeDisplayName")
	formatNameShape = wrappedShape("StringFormatName")
	behaviourShape  = wrappedShape("DateTimeBehavior")
)

// columnShape is AttributeMetadata: what every kind of column has.
var columnShape = entityShape("AttributeMetadata", metadataBase,
	get("LogicalName", edmString, func(c *schema.Column) any { return c.Name }),
	get("SchemaName", edmString, func(c *schema.Column) any { return c.Schema }),
	get("EntityLogicalName", edmString, func(c *schema.Column) any { return c.Table.Name }),
	choice("AttributeType", attributeTypeCode, attributeType),
	one("AttributeTypeName", typeNameShape, func(c *schema.Column) any { return element{typeNameShape, typeDisplayName(c)} }),
	fixed("AttributeOf", edmString, nil),
	get("ColumnNumber", edmInt32, func(c *schema.Column) any { return c.Number }),
	labelled("DisplayName", func(c *schema.Column) string { return c.Label }),
	labelled("Description", func(c *schema.Column) string { return c.Doc }),
	one("RequiredLevel", requiredLevelShape, func(c *schema.Column) any {
		return element{requiredLevelShape, managed{needNames[c.Need], c.Need != schema.SystemRequired, "canmodifyrequirementlevelsettings"}}
	}),
	get("IsPrimaryId", edmBoolean, func(c *schema.Column) any { return c == c.Table.Key }),
	get("IsPrimaryName", edmBoolean, func(c *schema.Column) any { return c == c.Table.Title }),
	get("IsValidForCreate", edmBoolean, func(c *schema.Column) any { return creatable(c) }),
	fixed("IsValidForRead", edmBoolean, true),
	get("IsValidForUpdate", edmBoolean, func(c *schema.Column) any { return updatable(c) }),
	fixed("IsValidODataAttribute", edmBoolean, true),
	get("IsValidForForm", edmBoolean, func(c *schema.Column) any { return !c.System }),
	get("IsValidForGrid", edmBoolean, func(c *schema.Column) any { return c.Type != schema.TypeMemo }),
	get("IsRequiredForForm", edmBoolean, func(c *schema.Column) any { return c.Need >= schema.ApplicationRequired }),
	fixed("IsFilterable", edmBoolean, true),
	get("IsSearchable", edmBoolean, func(c *schema.Column) any { return c == c.Table.Title }),
	fixed("IsRetrievable", edmBoolean, true),
	get("IsCustomAttribute", edmBoolean, func(c *schema.Column) any { return c.Custom }),
	get("IsLogical", edmBoolean, func(c *schema.Column) any { return !c.Stored() }),
	get("IsManaged", edmBoolean, func(c *schema.Column) any { return !c.Custom }),
	fixed("IsSecured", edmBoolean, false),
	fixed("CanBeSecuredForCreate", edmBoolean, false),
	fixed("CanBeSecuredForRead", edmBoolean, false),
	fixed("CanBeSecuredForUpdate", edmBoolean, false),
	fixed("IsDataSourceSecret", edmBoolean, false),
	get("SourceType", edmInt32, sourceType),
	fixed("AutoNumberFormat", edmString, nil),
	fixed("DeprecatedVersion", edmString, nil),
	fixed("ExternalName", edmString, nil),
	fixed("InheritsFrom", edmString, nil),
	fixed("IntroducedVersion", edmString, "1.0.0.0"),
	fixed("LinkedAttributeId", edmGuid, nil),
	audited(func(c *schema.Column) *schema.Table { return c.Table }),
	governed("IsValidForAdvancedFind", true, "canmodifysearchsettings"),
	governed("IsGlobalFilterEnabled", false, "canmodifyglobalfiltersettings"),
	governed("IsSortableEnabled", true, "canmodifyissortablesettings"),
	governed("IsCustomizable", false, "iscustomizable"),
	governed("IsRenameable", false, "isrenameable"),
	governed("CanModifyAdditionalSettings", false, "canmodifyadditionalsettings"),
).keyed("LogicalName", true)

// needNames are the requirement levels as the metadata API spells them.
var needNames = [...]string{
	schema.Optional: "None", schema.Recommended: "Recommended", schema.ApplicationRequired: "ApplicationRequired", schema.SystemRequired: "SystemRequired",
}

// served lists the columns of a table that clients may know of.
func served(t *schema.Table) []*schema.Column {
	var out []*schema.Column
	for _, c := range t.Columns {
		if !c.Hidden {
			out = append(out, c)
		}
	}
	return out
}

func columnsOf(t *schema.Table) []element {
	var out []element
	for _, c := range served(t) {
		out = append(out, columnElement(c))
	}
	return out
}

func columnElement(c *schema.Column) element { return element{columnShapes[c.Type], c} }

// creatable tells whether a client's value is taken when a row is created.
func creatable(c *schema.Column) bool { return !c.Computed && !c.Table.ReadOnly }

// updatable tells whether a client's value is taken when a row is changed.
func updatable(c *schema.Column) bool { return creatable(c) && !c.CreateOnly }

// attributeType is the AttributeType of a column: owners and customers are lookups with names of their own, and a choice
// of several values is Virtual, as the enumeration has no better name for it.
func attributeType(c *schema.Column) string {
	switch {
	case c.Type == schema.TypeLookup && c.Name == "ownerid":
		return "Owner"
	case c.Type == schema.TypeLookup && c.Name == "parentcustomerid":
		return "Customer"
	case c.Type == schema.TypeMultiChoice:
		return "Virtual"
	default:
		return c.Type.Attribute()
	}
}

func typeDisplayName(c *schema.Column) string {
	if c.Type == schema.TypeMultiChoice {
		return "MultiSelectPicklistType"
	}
	return attributeType(c) + "Type"
}

// sourceType is 0 for a column that is stored and 1 for one that is calculated when it is read.
func sourceType(c *schema.Column) any {
	if c.Stored() {
		return 0
	}
	return 1
}
