package schema

import "strings"

// systemKind says which system columns a table gets besides its key.
type systemKind struct {
	actors  bool // who and when
	version bool
	record  bool // state, currency, import bookkeeping: an ordinary business row
}

// systemKinds are the words of system:; full is meant when there is none.
var systemKinds = map[string]systemKind{
	"":         {actors: true, version: true, record: true},
	"full":     {actors: true, version: true, record: true},
	"platform": {actors: true, version: true},
	"link":     {version: true},
	"none":     {},
}

// The system columns, in the order of their fixed numbers: new ones go to the end of the last group.
var (
	actorColumns = []columnDecl{
		{number: 2001, name: "createdon", kind: "datetime", label: "Created On", computed: true, doc: "When the row was created."},
		{number: 2002, name: "modifiedon", kind: "datetime", label: "Modified On", computed: true, doc: "When a caller last changed the row."},
		actor(2003, "createdby", "Created By", "User who created the row."),
		actor(2004, "modifiedby", "Modified By", "User who last changed the row."),
		actor(2005, "createdonbehalfby", "Created On Behalf By", "Real caller when the row was created on behalf of another user."),
		actor(2006, "modifiedonbehalfby", "Modified On Behalf By", "Real caller when the row was last changed on behalf of another user."),
	}
	versionColumns = []columnDecl{
		{number: 2007, name: "versionnumber", kind: "bigint", label: "Version Number", computed: true, doc: "Version of the row; its ETag."},
	}
	userOwnedColumns = []columnDecl{
		{number: 2010, name: "ownerid", kind: "lookup", label: "Owner", schema: "OwnerId", to: []string{"systemuser", "team"}, nav: "ownerid",
			index: true, untyped: true, onDelete: "restrict", doc: "User or team that owns the row.",
			relation: relationNames{"systemuser": "owner_{table}", "team": "owner_{table}_team"}},
		link(2011, "owninguser", "Owning User", "systemuser", "user_{table}", "Owner, when it is a user."),
		link(2012, "owningteam", "Owning Team", "team", "team_{table}", "Owner, when it is a team."),
		link(2013, "owningbusinessunit", "Owning Business Unit", "businessunit", "business_unit_{table}", "Business unit of the owner."),
	}
	organizationOwnedColumns = []columnDecl{
		link(2014, "organizationid", "Organization", "organization", "organization_{table}", "Organization that owns the row."),
	}
	recordColumns = []columnDecl{
		{number: 2020, name: "statecode", kind: "state", label: "Status", schema: "statecode", need: "system", doc: "Whether the row is active."},
		{number: 2021, name: "statuscode", kind: "status", label: "Status Reason", schema: "statuscode", doc: "Reason of the state."},
		{number: 2022, name: "overriddencreatedon", kind: "datetime", label: "Record Created On", schema: "OverriddenCreatedOn", createOnly: true,
			doc: "Real time of creation of a row that was brought in with an earlier date."},
		{number: 2023, name: "importsequencenumber", kind: "integer", label: "Import Sequence Number", createOnly: true, doc: "Number of the import that created the row."},
		{number: 2024, name: "timezoneruleversionnumber", kind: "integer", label: "Time Zone Rule Version Number", low: "-1", doc: "For internal use."},
		{number: 2025, name: "utcconversiontimezonecode", kind: "integer", label: "UTC Conversion Time Zone Code", low: "-1", doc: "Time zone in use when the row was created."},
		{number: 2026, name: "transactioncurrencyid", kind: "lookup", label: "Currency", schema: "TransactionCurrencyId", to: []string{"transactioncurrency"},
			onDelete: "restrict", relation: relationNames{"": "TransactionCurrency_{table}"}, doc: "Currency of the row's amounts."},
		{number: 2027, name: "exchangerate", kind: "decimal", label: "Exchange Rate", scale: 10, low: "0.0000000001", high: "899999999.9999999999", computed: true,
			doc: "Units of the row's currency per one unit of the base currency, copied when the currency is set."},
	}
	migrationColumns = []columnDecl{
		{number: 2030, name: "svc_importdetail", kind: "string", label: "Import Detail", max: 4000, doc: "Notes of the import that brought the row in."},
		{number: 2031, name: "svc_importpayload", kind: "memo", label: "Import Payload", max: maxLength, doc: "The row as it came from the source system."},
		{number: 2032, name: "svc_dc_sourcesystem", kind: "string", label: "DC Source System", max: 100, doc: "System the row was converted from."},
		{number: 2033, name: "svc_dc_sourceid", kind: "string", label: "DC Source Id", max: 100, index: true, doc: "The row's identifier in the source system."},
	}
)

func actor(number int, name, label, doc string) columnDecl {
	return link(number, name, label, "systemuser", "lk_{table}_"+name, doc)
}

func link(number int, name, label, to, relation, doc string) columnDecl {
	return columnDecl{number: number, name: name, kind: "lookup", label: label, to: []string{to}, computed: true, onDelete: "restrict",
		relation: relationNames{"": relation}, doc: doc}
}

// systemColumns are the columns a table gets without declaring them.
func systemColumns(t *Table, d *tableDecl) []columnDecl {
	kind := systemKinds[d.system]
	var out []columnDecl
	take := func(when bool, columns []columnDecl) {
		if when {
			out = append(out, columns...)
		}
	}
	take(kind.actors, actorColumns)
	take(kind.version, versionColumns)
	take(t.Owner == UserOwned, userOwnedColumns)
	take(t.Owner == OrganizationOwned, organizationOwnedColumns)
	take(kind.record, recordColumns)
	take(kind.record && (d.migration || prefixOf(t.Name) != ""), migrationColumns)
	for i := range out {
		out[i].system = true
		out[i].at = d.at
		out[i].relation = out[i].relation.forTable(t.Name)
		if dated := out[i].name == "createdon" || out[i].name == "modifiedon"; dated && t.Track && !t.Platform {
			out[i].index = true // clients that synchronize ask for windows of these
		}
	}
	return out
}

// forTable puts a table's name into the patterns of its system relations.
func (r relationNames) forTable(name string) relationNames {
	out := relationNames{}
	for target, pattern := range r {
		out[target] = strings.ReplaceAll(pattern, "{table}", name)
	}
	return out
}
