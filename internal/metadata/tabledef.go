package metadata

import "almoner/internal/schema"

// firstCustomCode is the lowest object type code of a custom table.
const firstCustomCode = 10000

func custom(t *schema.Table) bool { return t.TypeCode >= firstCustomCode }

// tableShape is EntityMetadata: what clients learn about a table.
var tableShape = entityShape("EntityMetadata", metadataBase,
	get("LogicalName", edmString, func(t *schema.Table) any { return t.Name }),
	get("SchemaName", edmString, func(t *schema.Table) any { return t.Schema }),
	get("EntitySetName", edmString, func(t *schema.Table) any { return t.Set }),
	get("LogicalCollectionName", edmString, func(t *schema.Table) any { return t.Set }),
	get("CollectionSchemaName", edmString, func(t *schema.Table) any { return collectionSchema(t) }),
	get("PrimaryIdAttribute", edmString, func(t *schema.Table) any { return nameOf(t.Key) }),
	get("PrimaryNameAttribute", edmString, func(t *schema.Table) any { return nameOf(t.Title) }),
	fixed("PrimaryImageAttribute", edmString, nil),
	get("ObjectTypeCode", edmInt32, func(t *schema.Table) any { return t.TypeCode }),
	choice("OwnershipType", ownershipTypes, ownershipOf),
	labelled("DisplayName", func(t *schema.Table) string { return t.Label }),
	labelled("DisplayCollectionName", func(t *schema.Table) string { return t.Plural }),
	labelled("Description", func(t *schema.Table) string { return t.Doc }),
	get("IsCustomEntity", edmBoolean, func(t *schema.Table) any { return custom(t) }),
	fixed("IsActivity", edmBoolean, false),
	fixed("IsActivityParty", edmBoolean, false),
	fixed("ActivityTypeMask", edmInt32, 0),
	fixed("IsChildEntity", edmBoolean, false),
	get("IsIntersect", edmBoolean, func(t *schema.Table) any { return t.Link }),
	fixed("IsLogicalEntity", edmBoolean, false),
	get("IsManaged", edmBoolean, func(t *schema.Table) any { return !custom(t) }),
	fixed("IsPrivate", edmBoolean, false),
	fixed("IsImportable", edmBoolean, true),
	fixed("IsValidForAdvancedFind", edmBoolean, true),
	fixed("IsAvailableOffline", edmBoolean, false),
	fixed("IsBPFEntity", edmBoolean, false),
	fixed("IsBusinessProcessEnabled", edmBoolean, false),
	fixed("IsDocumentManagementEnabled", edmBoolean, false),
	fixed("IsEnabledForCharts", edmBoolean, true),
	fixed("IsSolutionAware", edmBoolean, false),
	fixed("TableType", edmString, "Standard"),
	fixed("IntroducedVersion", edmString, "1.0.0.0"),
	fixed("ExternalName", edmString, nil),
	fixed("ExternalCollectionName", edmString, nil),
	fixed("DataProviderId", edmGuid, nil),
	fixed("DataSourceId", edmGuid, nil),
	fixed("HasNotes", edmBoolean, false),
	fixed("HasActivities", edmBoolean, false),
	fixed("HasFeedback", edmBoolean, false),
	fixed("AutoCreateAccessTeams", edmBoolean, false),
	fixed("SyncToExternalSearchIndex", edmBoolean, false),
	get("ChangeTrackingEnabled", edmBoolean, func(t *schema.Table) any { return t.Track }),
	get("IsOptimisticConcurrencyEnabled", edmBoolean, func(t *schema.Table) any { return t.Column("versionnumber") != nil }),
	get("IsStateModelAware", edmBoolean, func(t *schema.Table) any { return t.Column("statecode") != nil }),
	fixed("EnforceStateTransitions", edmBoolean, false),
	audited(func(t *schema.Table) *schema.Table { return t }),
	governed("CanChangeTrackingBeEnabled", true, "canchangetrackingbeenabled"),
	governed("IsCustomizable", false, "iscustomizable"),
	governed("IsRenameable", false, "isrenameable"),
	governed("IsMappable", true, "ismappable"),
	governed("IsDuplicateDetectionEnabled", false, "canmodifyduplicatedetectionsettings"),
	governed("IsConnectionsEnabled", false, "canmodifyconnectionsettings"),
	governed("IsMailMergeEnabled", false, "canmodifymailmergesettings"),
	governed("IsValidForQueue", false, "canmodifyqueuesettings"),
	governed("CanCreateAttributes", false, "cancreateattributes"),
	governed("CanCreateForms", false, "cancreateforms"),
	governed("CanCreateViews", false, "cancreateviews"),
	governed("CanCreateCharts", false, "cancreatecharts"),
	governed("CanModifyAdditionalSettings", false, "canmodifyadditionalsettings"),
	governed("CanBeRelatedEntityInRelationship", true, "canberelatedentityinrelationship"),
	governed("CanBePrimaryEntityInRelationship", true, "canbeprimaryentityinrelationship"),
	governed("CanBeInManyToMany", true, "canbeinmanytomany"),
	each("Privileges", privilegeShape, privilegesOf),
	each("Attributes", columnShape, columnsOf).leading(""),
	each("Keys", keyShape, func(*schema.Table) []element { return nil }).leading(""),
	each("OneToManyRelationships", oneToManyShape, func(t *schema.Table) []element { return relationsOf(t.Childs) }).leading(rootRelations),
	each("ManyToOneRelationships", oneToManyShape, func(t *schema.Table) []element { return relationsOf(t.Parents) }).leading(rootRelations),
	each("ManyToManyRelationships", manyToManyShape, linksOf).leading(rootRelations),
).keyed("LogicalName", false)

// keyShape is EntityKeyMetadata. No table has alternate keys, so there is never an element of it.
var keyShape = entityShape("EntityKeyMetadata", metadataBase,
	fixed("LogicalName", edmString, nil),
	fixed("SchemaName", edmString, nil),
	fixed("EntityLogicalName", edmString, nil),
	fixed("KeyAttributes", "Collection("+edmString+")", nil),
).keyed("LogicalName", false)

// managedPropertyShape is ManagedPropertyMetadata. The service manages none.
var managedPropertyShape = entityShape("ManagedPropertyMetadata", metadataBase,
	fixed("LogicalName", edmString, nil),
	fixed("IsPrivate", edmBoolean, nil),
	fixed("IsGlobalForOperation", edmBoolean, nil),
).keyed("LogicalName", false)

func nameOf(c *schema.Column) any {
	if c == nil {
		return nil
	}
	return c.Name
}

// collectionSchema is the set's name with the capitals of the table's schema name: svc_Gifts, CampaignActivities.
func collectionSchema(t *schema.Table) string {
	n := 0
	for n < len(t.Set) && n < len(t.Name) && n < len(t.Schema) && t.Set[n] == t.Name[n] {
		n++
	}
	return t.Schema[:n] + t.Set[n:]
}

func ownershipOf(t *schema.Table) string {
	switch t.Owner {
	case schema.UserOwned:
		return "UserOwned"
	case schema.OrganizationOwned:
		return "OrganizationOwned"
	default:
		return "None"
	}
}

// privilege is one right on one table.
type privilege struct {
	table *schema.Table
	right string
}

// privilegeShape is SecurityPrivilegeMetadata. Only rows with an owner of their own know depths below global.
var privilegeShape = complexShape("SecurityPrivilegeMetadata", nil,
	get("CanBeBasic", edmBoolean, privilege.deep),
	get("CanBeDeep", edmBoolean, privilege.deep),
	fixed("CanBeGlobal", edmBoolean, true),
	get("CanBeLocal", edmBoolean, privilege.deep),
	fixed("CanBeEntityReference", edmBoolean, false),
	fixed("CanBeParentEntityReference", edmBoolean, false),
	get("Name", edmString, func(p privilege) any { return p.table.Privilege(p.right) }),
	get("PrivilegeId", edmGuid, privilege.id),
	choice("PrivilegeType", privilegeType, func(p privilege) string { return p.right }),
)

func (p privilege) deep() any { return p.table.Owner == schema.UserOwned }

func (p privilege) id() any { return schema.PrivilegeID(p.table.Privilege(p.right)) }

func privilegesOf(t *schema.Table) []element {
	var out []element
	for _, right := range t.Rights() {
		out = append(out, element{privilegeShape, privilege{t, right}})
	}
	return out
}
