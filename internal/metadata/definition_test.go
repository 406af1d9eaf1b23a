package metadata

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"almoner/internal/schema"
	"almoner/internal/value"
)

var anyID = regexp.MustCompile(`"MetadataId":"[0-9a-f-]{36}"`)

// TestMembersKeepTheirTypes evaluates every member of every definition: what it yields must be of the declared type.
func TestMembersKeepTheirTypes(t *testing.T) {
	s := service(t)
	var visit func(e element)
	visit = func(e element) {
		for _, m := range e.shape.all {
			v := m.get(e.of)
			if !fits(m, v) {
				t.Errorf("%s.%s yields %T %v, declared %s", e.shape.name, m.name, v, v, m.typ)
			}
			switch v := v.(type) {
			case element:
				visit(v)
			case []element:
				for _, inner := range v {
					visit(inner)
				}
			}
		}
	}
	for _, root := range s.Roots() {
		for _, e := range s.root(root).items {
			visit(e)
		}
	}
}

// fits tells whether a value may be written under a declared type.
func fits(m *member, v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return m.typ == edmBoolean
	case int, int64:
		return family(m.typ) == "number"
	case number:
		return (m.typ == edmDecimal || m.typ == edmDouble) && json.Valid([]byte(v))
	case value.GUID:
		return m.typ == edmGuid && !v.IsZero()
	case string:
		return m.enum != nil && m.enum.has(v) || m.typ == edmString || m.typ == edmDateTime
	case []string:
		return strings.HasPrefix(m.typ, "Collection(Edm.")
	case element:
		return m.shape != nil && v.shape.is(m.shape) && !v.shape.abstract && !m.many
	case []element:
		return m.shape != nil && m.many && !slices.ContainsFunc(v, func(e element) bool { return !e.shape.is(m.shape) || e.shape.abstract })
	default:
		return false
	}
}

// TestColumnTypes checks the type names clients switch on.
func TestColumnTypes(t *testing.T) {
	s := service(t)
	for _, c := range []struct{ table, column, odata, attribute, name string }{
		{"svc_gift", "svc_giftid", "UniqueIdentifier", "Uniqueidentifier", "UniqueidentifierType"},
		{"svc_gift", "svc_giftnum", "String", "String", "StringType"},
		{"svc_gift", "svc_giftdate", "DateTime", "DateTime", "DateTimeType"},
		{"svc_gift", "svc_gifttype", "Picklist", "Picklist", "PicklistType"},
		{"svc_gift", "svc_amount1", "Money", "Money", "MoneyType"},
		{"svc_gift", "svc_amount1_base", "Money", "Money", "MoneyType"},
		{"svc_gift", "svc_donor", "Lookup", "Lookup", "LookupType"},
		{"svc_gift", "ownerid", "Lookup", "Owner", "OwnerType"},
		{"contact", "parentcustomerid", "Lookup", "Customer", "CustomerType"},
		{"svc_requestpayment", "svc_payee", "Lookup", "Lookup", "LookupType"},
		{"svc_gift", "statecode", "State", "State", "StateType"},
		{"svc_gift", "statuscode", "Status", "Status", "StatusType"},
		{"svc_gift", "versionnumber", "BigInt", "BigInt", "BigIntType"},
		{"svc_gift", "exchangerate", "Decimal", "Decimal", "DecimalType"},
		{"svc_gift", "importsequencenumber", "Integer", "Integer", "IntegerType"},
		{"svc_fund", "svc_feepercent", "Double", "Double", "DoubleType"},
		{"svc_donor", "svc_donortype", "Boolean", "Boolean", "BooleanType"},
		{"list", "query", "Memo", "Memo", "MemoType"},
		{"listmember", "entitytype", "EntityName", "EntityName", "EntityNameType"},
	} {
		got := answer(t, s, "EntityDefinitions(LogicalName='"+c.table+"')/Attributes(LogicalName='"+c.column+"')")
		name := got["AttributeTypeName"].(map[string]any)["Value"]
		if got["@odata.type"] != "#Microsoft.Dynamics.CRM."+c.odata+"AttributeMetadata" || got["AttributeType"] != c.attribute || name != c.name {
			t.Errorf("%s.%s: %v %v %v", c.table, c.column, got["@odata.type"], got["AttributeType"], name)
		}
	}
}

// TestColumnFacts checks members that are read from the model.
func TestColumnFacts(t *testing.T) {
	s := service(t)
	for _, c := range []struct{ table, column, cast, want string }{
		{"svc_gift", "svc_amount1_base", "Money", `{"MinValue":-922337203685477,"MaxValue":922337203685477,"Precision":2,"PrecisionSource":0,"IsBaseCurrency":true,"CalculationOf":"svc_amount1","IsValidForCreate":false,"IsValidForUpdate":false}`},
		{"svc_gift", "svc_amount1", "Money", `{"IsBaseCurrency":false,"CalculationOf":null,"IsValidForCreate":true,"IsValidForUpdate":true,"IsCustomAttribute":true}`},
		{"svc_gift", "svc_giftid", "UniqueIdentifier", `{"IsPrimaryId":true,"IsPrimaryName":false,"IsValidForCreate":true,"IsValidForUpdate":false}`},
		{"svc_gift", "svc_giftnum", "String", `{"IsPrimaryName":true,"MaxLength":100,"Format":"Text","EntityLogicalName":"svc_gift","SchemaName":"svc_GiftNum"}`},
		{"svc_gift", "svc_giftdate", "DateTime", `{"Format":"DateOnly"}`},
		{"svc_gift", "createdon", "DateTime", `{"Format":"DateAndTime","IsValidForCreate":false,"IsCustomAttribute":false}`},
		{"svc_gift", "svc_gifttype", "Picklist", `{"DefaultFormValue":730850000}`},
		{"svc_gift", "exchangerate", "Decimal", `{"MinValue":0.0000000001,"MaxValue":899999999.9999999999,"Precision":10}`},
		{"svc_gift", "utcconversiontimezonecode", "Integer", `{"MinValue":-1,"MaxValue":2147483647}`},
		{"svc_gift", "versionnumber", "BigInt", `{"MinValue":-9223372036854775808,"MaxValue":9223372036854775807}`},
		{"svc_requestpayment", "svc_payee", "Lookup", `{"Targets":["contact","account"]}`},
		{"svc_gift", "ownerid", "Lookup", `{"Targets":["systemuser","team"]}`},
		{"privilege", "name", "String", `{"IsValidForCreate":false,"IsValidForUpdate":false}`},
	} {
		target := "EntityDefinitions(LogicalName='" + c.table + "')/Attributes(LogicalName='" + c.column + "')/Microsoft.Dynamics.CRM." + c.cast + "AttributeMetadata"
		body, err := ask(t, s, target)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		for name, v := range want {
			if piece := `"` + name + `":` + string(v); !strings.Contains(string(body), piece) {
				t.Errorf("%s lacks %s", target, piece)
			}
		}
	}
}

// TestCastsToAbsentTypes casts to the types no column has: the platform knows them, so they are empty rather than unknown.
func TestCastsToAbsentTypes(t *testing.T) {
	s := service(t)
	for _, name := range []string{"Image", "File"} {
		target := `EntityDefinitions(LogicalName='svc_gift')/Attributes/Microsoft.Dynamics.CRM.` + name + `AttributeMetadata`
		if got := rows(t, answer(t, s, target+`?$select=LogicalName`)); len(got) != 0 {
			t.Errorf("%s: %v", target, got)
		}
		if _, err := ask(t, s, `EntityDefinitions(LogicalName='svc_gift')/Attributes(LogicalName='svc_giftnum')/Microsoft.Dynamics.CRM.`+name+`AttributeMetadata`); err == nil {
			t.Errorf("svc_giftnum passes for a column of type %s", name)
		}
	}
}

// TestTableFacts checks the members of a table, its privileges included.
func TestTableFacts(t *testing.T) {
	s := service(t)
	body, err := ask(t, s, `EntityDefinitions(LogicalName='svc_gift')`)
	if err != nil {
		t.Fatal(err)
	}
	privilege := `{"CanBeBasic":true,"CanBeDeep":true,"CanBeGlobal":true,"CanBeLocal":true,"CanBeEntityReference":false,"CanBeParentEntityReference":false,"Name":"prvReadsvc_gift","PrivilegeId":"` +
		schema.PrivilegeID("prvReadsvc_gift").String() + `","PrivilegeType":"Read"}`
	for _, piece := range []string{
		`"EntitySetName":"svc_gifts"`, `"LogicalCollectionName":"svc_gifts"`, `"CollectionSchemaName":"svc_Gifts"`, `"ObjectTypeCode":10001`, `"OwnershipType":"UserOwned"`,
		`"IsCustomEntity":true`, `"TableType":"Standard"`, `"ChangeTrackingEnabled":true`, `"IsOptimisticConcurrencyEnabled":true`, `"IsStateModelAware":true`,
		`"DisplayName":{"LocalizedLabels":[{"Label":"Gift","LanguageCode":1033,"IsManaged":false,`, `"UserLocalizedLabel":{"Label":"Gift",`, privilege,
		`"CanBeInManyToMany":{"Value":true,"CanBeChanged":false,"ManagedPropertyLogicalName":"canbeinmanytomany"}`,
	} {
		if !strings.Contains(string(body), piece) {
			t.Errorf("svc_gift lacks %s", piece)
		}
	}
	fund := answer(t, s, `EntityDefinitions(LogicalName='svc_fund')?$select=Privileges,OwnershipType`)
	privileges := fund["Privileges"].([]any)
	if len(privileges) != 6 || privileges[0].(map[string]any)["CanBeBasic"] != false || fund["OwnershipType"] != "OrganizationOwned" {
		t.Errorf("privileges of an organization-owned table: %v", privileges)
	}
}

// TestOptionSets checks labels and the extra members of states, statuses and Booleans.
func TestOptionSets(t *testing.T) {
	s := service(t)
	for _, c := range []struct {
		target string
		pieces []string
	}{
		{`EntityDefinitions(LogicalName='list')/Attributes(LogicalName='statecode')/Microsoft.Dynamics.CRM.StateAttributeMetadata/OptionSet`,
			[]string{`"OptionSetType":"State"`, `"@odata.type":"#Microsoft.Dynamics.CRM.StateOptionMetadata","Value":1`, `"DefaultStatus":1,"InvariantName":"Inactive"`}},
		{`EntityDefinitions(LogicalName='svc_gift')/Attributes(LogicalName='statuscode')/Microsoft.Dynamics.CRM.StatusAttributeMetadata/OptionSet`,
			[]string{`"OptionSetType":"Status"`, `"@odata.type":"#Microsoft.Dynamics.CRM.StatusOptionMetadata","Value":2`, `"State":1,"TransitionData":null`}},
		{`EntityDefinitions(LogicalName='svc_donor')/Attributes(LogicalName='svc_donortype')/Microsoft.Dynamics.CRM.BooleanAttributeMetadata/OptionSet`,
			[]string{`"OptionSetType":"Boolean"`, `"TrueOption":{"Value":1,"Label":{"LocalizedLabels":[{"Label":"Organization"`, `"FalseOption":{"Value":0,"Label":{"LocalizedLabels":[{"Label":"Individual/Household"`}},
		{`EntityDefinitions(LogicalName='list')/Attributes(LogicalName='createdfromcode')/Microsoft.Dynamics.CRM.PicklistAttributeMetadata/OptionSet`,
			[]string{`"IsGlobal":false`, `"Name":"list_createdfromcode"`, `"Value":4,"Label":{"LocalizedLabels":[{"Label":"Contact"`,
				`"Description":{"LocalizedLabels":[],"UserLocalizedLabel":null},"Color":null,"IsManaged":false,"ExternalValue":"","ParentValues":[],"Tag":null,"IsHidden":false,"MetadataId":null,"HasChanged":null}`}},
		{`GlobalOptionSetDefinitions(Name='svc_giftpaymenttype')`, []string{`"@odata.type":"#Microsoft.Dynamics.CRM.OptionSetMetadata"`, `"IsGlobal":true`, `"Options":[{"Value":730850000`}},
	} {
		body, err := ask(t, s, c.target)
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		for _, piece := range c.pieces {
			if !strings.Contains(string(body), piece) {
				t.Errorf("%s lacks %s", c.target, piece)
			}
		}
	}
	shared := answer(t, s, `EntityDefinitions(LogicalName='svc_gift')/Attributes(LogicalName='svc_giftpaymenttype')/Microsoft.Dynamics.CRM.PicklistAttributeMetadata?$select=LogicalName&$expand=OptionSet,GlobalOptionSet`)
	local, _ := json.Marshal(shared["OptionSet"])
	global, _ := json.Marshal(shared["GlobalOptionSet"])
	if string(local) != string(global) || len(local) < 100 {
		t.Errorf("a shared set is expanded as %.100s and %.100s", local, global)
	}
}

// TestHiddenStaysHidden makes sure that nothing the model hides is shown.
func TestHiddenStaysHidden(t *testing.T) {
	s := service(t)
	shown := names(rows(t, answer(t, s, `EntityDefinitions?$select=LogicalName`)), "LogicalName")
	for _, table := range model(t).Tables {
		if slices.Contains(shown, table.Name) == table.Hidden {
			t.Errorf("table %s: hidden %v, shown %v", table.Name, table.Hidden, !table.Hidden)
		}
		if table.Hidden {
			continue
		}
		columns := names(rows(t, answer(t, s, "EntityDefinitions(LogicalName='"+table.Name+"')/Attributes?$select=LogicalName")), "LogicalName")
		for _, c := range table.Columns {
			if slices.Contains(columns, c.Name) == c.Hidden {
				t.Errorf("column %s.%s: hidden %v", table.Name, c.Name, c.Hidden)
			}
		}
	}
}

// TestMetadataIDs pins a few identifiers, which must survive every release, and checks that none is used twice.
func TestMetadataIDs(t *testing.T) {
	s := service(t)
	for target, want := range map[string]string{
		`EntityDefinitions(LogicalName='svc_gift')`:                                        "4f0ad92e-a162-5230-a1bb-58e614847588",
		`EntityDefinitions(LogicalName='svc_gift')/Attributes(LogicalName='svc_gifttype')`: "8965f6e0-3ef7-51c4-9048-7be0bb1edd49",
		`RelationshipDefinitions(SchemaName='svc_svc_donor_svc_gift_Donor')`:               "5feca551-d826-5e90-815c-466dc7e8ebb2",
		`RelationshipDefinitions(SchemaName='listcontact_association')`:                    "6c05c3d5-c4b0-5097-ad10-1b9fbd13408b",
		`GlobalOptionSetDefinitions(Name='svc_giftpaymenttype')`:                           model(t).OptionSet("svc_giftpaymenttype").MetadataID().String(),
		`EntityDefinitions(4f0ad92e-a162-5230-a1bb-58e614847588)`:                          "4f0ad92e-a162-5230-a1bb-58e614847588",
		`RelationshipDefinitions(5feca551-d826-5e90-815c-466dc7e8ebb2)?$select=SchemaName`: "5feca551-d826-5e90-815c-466dc7e8ebb2",
	} {
		got, _ := answer(t, s, target)[metadataID].(string)
		if got != want {
			t.Errorf("%s has %s, want %s", target, got, want)
		}
	}
	seen := map[string]string{}
	for _, root := range s.Roots() {
		for _, e := range s.root(root).items {
			if e.shape.byName[metadataID] == nil {
				continue // messages have keys of their own
			}
			id := e.of.(identified).MetadataID().String()
			if other, taken := seen[id]; taken {
				t.Errorf("%s is %s and %s", id, other, textOf(e.shape.byName[e.shape.other].get(e.of)))
			}
			seen[id] = textOf(e.shape.byName[e.shape.other].get(e.of))
		}
	}
}

// TestEverythingExpanded is what the Airbyte connector asks: one answer with all tables and columns.
func TestEverythingExpanded(t *testing.T) {
	s := service(t)
	for _, table := range rows(t, answer(t, s, `EntityDefinitions?$expand=Attributes,OneToManyRelationships,ManyToOneRelationships,ManyToManyRelationships,Keys`)) {
		want := model(t).Table(table["LogicalName"].(string))
		if got := len(table["Attributes"].([]any)); got != len(served(want)) {
			t.Errorf("%s has %d attributes, want %d", want.Name, got, len(served(want)))
		}
		if got := len(table["ManyToOneRelationships"].([]any)); got != len(want.Parents) {
			t.Errorf("%s has %d parents, want %d", want.Name, got, len(want.Parents))
		}
		if got := len(table["OneToManyRelationships"].([]any)); got != len(want.Childs) {
			t.Errorf("%s has %d children, want %d", want.Name, got, len(want.Childs))
		}
	}
}
