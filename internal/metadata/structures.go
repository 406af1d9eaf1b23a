package metadata

import "strings"

// field makes a member that only $metadata declares: messages write such values themselves.
func field(name, typ string) member { return member{name: name, typ: typ} }

// related makes a navigation property that only $metadata declares.
func related(name, typ string) member { return member{name: name, typ: typ, nav: true} }

// The complex types parameters and results of messages are made of.
var (
	organizationDetailShape = complexShape("OrganizationDetail", nil,
		field("OrganizationId", edmGuid), field("FriendlyName", edmString), field("OrganizationVersion", edmString), field("EnvironmentId", edmString),
		field("DatacenterId", edmGuid), field("Geo", edmString), field("TenantId", edmString), field("UrlName", edmString), field("UniqueName", edmString),
		field("State", namespace+organizationState.name), field("Endpoints", namespace+"EndpointCollection"))

	principalAccessShape = complexShape("PrincipalAccess", nil,
		field("AccessMask", namespace+accessRights.name), related("Principal", namespace+principalType))

	rolePrivilegeShape = complexShape("RolePrivilege", nil,
		field("Depth", namespace+privilegeDepth.name), field("PrivilegeId", edmGuid), field("BusinessUnitId", edmGuid), field("PrivilegeName", edmString))

	pagingInfoShape = complexShape("PagingInfo", nil,
		field("PageNumber", edmInt32), field("Count", edmInt32), field("ReturnTotalRecordCount", edmBoolean), field("PagingCookie", edmString))

	auditDetailShape = complexShape("AuditDetail", nil, related("AuditRecord", namespace+"audit"))

	attributeAuditShape = complexShape("AttributeAuditDetail", auditDetailShape,
		field("InvalidNewValueAttributes", "Collection("+edmString+")"), field("LocLabelLanguageCode", edmInt32),
		field("DeletedAttributes", namespace+"DeletedAttributeCollection"),
		related("OldValue", namespace+baseType), related("NewValue", namespace+baseType))

	auditDetailsShape = complexShape("AuditDetailCollection", nil,
		field("MoreRecords", edmBoolean), field("PagingCookie", edmString), field("TotalRecordCount", edmInt32),
		field("AuditDetails", "Collection("+namespace+"AuditDetail)"))

	givingEventShape = complexShape("GivingEvent", nil,
		field("GiftId", edmGuid), field("PaymentId", edmGuid), field("Date", edmDate), field("Year", edmInt32), field("Amount", edmDecimal))
)

// dictionaryShape makes a type the platform writes as two parallel lists.
func dictionaryShape(name, key, value string) *shape {
	return complexShape(name, nil, field("Count", edmInt32), field("IsReadOnly", edmBoolean),
		field("Keys", "Collection("+key+")"), field("Values", "Collection("+value+")"))
}

// entityShapes are the entity types of the metadata API, bases before what derives from them.
var entityShapes = []*shape{
	modelBase, metadataBase, tableShape, keyShape, managedPropertyShape,
	columnShape, enumColumnShape, bigIntShape, booleanShape, dateTimeShape, decimalShape, doubleShape, entityNameShape, integerShape, lookupShape,
	memoShape, moneyShape, multiSelectShape, picklistShape, stateShape, statusShape, stringShape, uniqueIDShape, imageShape, fileShape,
	setBaseShape, optionSetShape, booleanSetShape, relationBaseShape, oneToManyShape, manyToManyShape,
	messageShape, filterShape,
}

// complexShapes are the complex types of the metadata API and of messages.
var complexShapes = []*shape{
	labelShape, localizedLabelShape, booleanManagedShape, requiredLevelShape, typeNameShape, formatNameShape, behaviourShape, privilegeShape,
	optionShape, stateOptionShape, statusOptionShape, cascadeShape,
	organizationDetailShape, principalAccessShape, rolePrivilegeShape, pagingInfoShape, auditDetailShape, attributeAuditShape, auditDetailsShape,
	givingEventShape,
	dictionaryShape("DeletedAttributeCollection", edmInt32, edmString),
	dictionaryShape("EndpointCollection", namespace+endpointType.name, edmString),
	dictionaryShape("EntityRecordCountCollection", edmString, edmInt64),
}

// shapeNamed finds the entity type a cast names; nil when there is none.
func shapeNamed(qualified string) *shape {
	name, ok := strings.CutPrefix(qualified, namespace)
	if !ok {
		return nil
	}
	for _, s := range entityShapes {
		if s.name == name {
			return s
		}
	}
	return nil
}
