package metadata

import "almoner/internal/messages"

// enumeration is one EDM enumeration: its members with their values.
type enumeration struct {
	name    string
	flags   bool
	members []enumMember
}

type enumMember struct {
	name  string
	value int64
}

// has tells whether a name is a member.
func (e *enumeration) has(name string) bool {
	for _, m := range e.members {
		if m.name == name {
			return true
		}
	}
	return false
}

// counted makes an enumeration whose members count from 0.
func counted(name string, members ...string) *enumeration {
	e := &enumeration{name: name}
	for i, m := range members {
		e.members = append(e.members, enumMember{m, int64(i)})
	}
	return e
}

// The enumerations of the metadata API.
var (
	ownershipTypes = &enumeration{name: "OwnershipTypes", flags: true, members: []enumMember{
		{"None", 0}, {"UserOwned", 1}, {"TeamOwned", 2}, {"BusinessOwned", 4}, {"OrganizationOwned", 8}, {"BusinessParented", 16}, {"Filtered", 32},
	}}
	attributeTypeCode = counted("AttributeTypeCode", "Boolean", "Customer", "DateTime", "Decimal", "Double", "Integer", "Lookup", "Memo", "Money",
		"Owner", "PartyList", "Picklist", "State", "Status", "String", "Uniqueidentifier", "CalendarRules", "Virtual", "BigInt", "ManagedProperty", "EntityName")
	requiredLevels = counted("AttributeRequiredLevel", "None", "SystemRequired", "ApplicationRequired", "Recommended")
	cascadeType    = counted("CascadeType", "NoCascade", "Cascade", "Active", "UserOwned", "RemoveLink", "Restrict")
	optionSetType  = counted("OptionSetType", "Picklist", "State", "Status", "Boolean")
	privilegeType  = counted("PrivilegeType", "None", "Create", "Read", "Write", "Delete", "Assign", "Share", "Append", "AppendTo")
	relationType   = counted("RelationshipType", "OneToManyRelationship", "ManyToManyRelationship")
	securityTypes  = &enumeration{name: "SecurityTypes", flags: true, members: []enumMember{
		{"None", 0}, {"Append", 1}, {"ParentChild", 2}, {"Pointer", 4}, {"Inheritance", 8},
	}}
	stringFormat   = counted("StringFormat", "Email", "Text", "TextArea", "Url", "TickerSymbol", "PhoneticGuide", "VersionNumber", "Phone", "Json", "RichText")
	integerFormat  = counted("IntegerFormat", "None", "Duration", "TimeZone", "Language", "Locale")
	lookupFormat   = counted("LookupFormat", "None", "Connection", "Regarding", "Text")
	dateTimeFormat = counted("DateTimeFormat", "DateOnly", "DateAndTime")
	imeMode        = counted("ImeMode", "Auto", "Inactive", "Active", "Disabled")
)

// The enumerations that parameters and results of messages use.
var (
	accessRights = &enumeration{name: "AccessRights", flags: true, members: []enumMember{
		{"None", 0}, {"ReadAccess", 1}, {"WriteAccess", 2}, {"AppendAccess", 4}, {"AppendToAccess", 16}, {"CreateAccess", 32},
		{"DeleteAccess", 65536}, {"ShareAccess", 262144}, {"AssignAccess", 524288},
	}}
	endpointAccessType = counted("EndpointAccessType", messages.EndpointAccessTypes...)
	endpointType       = counted("EndpointType", "OrganizationService", "OrganizationDataService", "WebApplication")
	organizationState  = counted("OrganizationState", "Enabled", "Disabled")
	privilegeDepth     = counted("PrivilegeDepth", "Basic", "Local", "Deep", "Global")
	targetFieldType    = counted("TargetFieldType", "All", "ValidForCreate", "ValidForUpdate", "ValidForRead")
)

// enumerations are all of them, as $metadata declares them.
var enumerations = []*enumeration{
	accessRights, requiredLevels, attributeTypeCode, cascadeType, dateTimeFormat, endpointAccessType, endpointType, imeMode, integerFormat,
	lookupFormat, optionSetType, organizationState, ownershipTypes, privilegeDepth, privilegeType, relationType, securityTypes, stringFormat,
	targetFieldType,
}
