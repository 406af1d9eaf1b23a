package metadata

import (
	"slices"
	"strings"
	"testing"

	"almoner/internal/odata"
)

// TestAnswers pins whole answers, byte for byte.
func TestAnswers(t *testing.T) {
	s := service(t)
	gift := `EntityDefinitions(LogicalName='svc_gift')`
	for _, c := range []struct{ name, target, want string }{
		{"resolving a set name as the Python SDK does",
			`EntityDefinitions?$select=MetadataId,LogicalName,SchemaName,EntitySetName,PrimaryNameAttribute,PrimaryIdAttribute&$filter=LogicalName eq 'svc_gift'`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions(MetadataId,LogicalName,SchemaName,EntitySetName,PrimaryNameAttribute,PrimaryIdAttribute)","value":[{"MetadataId":"4f0ad92e-a162-5230-a1bb-58e614847588","LogicalName":"svc_gift","SchemaName":"svc_Gift","EntitySetName":"svc_gifts","PrimaryNameAttribute":"svc_giftnum","PrimaryIdAttribute":"svc_giftid"}]}`},
		{"MetadataId comes unasked", gift + `?$select=LogicalName,EntitySetName`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions(LogicalName,EntitySetName)/$entity","LogicalName":"svc_gift","EntitySetName":"svc_gifts","MetadataId":"4f0ad92e-a162-5230-a1bb-58e614847588"}`},
		{"by MetadataId", `EntityDefinitions(4F0AD92E-a162-5230-a1bb-58e614847588)?$select=LogicalName`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions(LogicalName)/$entity","LogicalName":"svc_gift","MetadataId":"4f0ad92e-a162-5230-a1bb-58e614847588"}`},
		{"a property", gift + `/LogicalName`, `{"@odata.context":"BASE/$metadata#EntityDefinitions('svc_gift')/LogicalName","value":"svc_gift"}`},
		{"no keys", gift + `/Keys`, `{"@odata.context":"BASE/$metadata#EntityDefinitions('svc_gift')/Keys","value":[]}`},
		{"no managed properties", `ManagedPropertyDefinitions`, `{"@odata.context":"BASE/$metadata#ManagedPropertyDefinitions","value":[]}`},
		{"a column through its base type", gift + `/Attributes(LogicalName='svc_donor')?$select=AttributeType`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions('svc_gift')/Attributes(AttributeType)/$entity","@odata.type":"#Microsoft.Dynamics.CRM.LookupAttributeMetadata","AttributeType":"Lookup","MetadataId":"ID"}`},
		{"a column through a cast", gift + `/Attributes(LogicalName='svc_donor')/Microsoft.Dynamics.CRM.LookupAttributeMetadata?$select=Targets`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions('svc_gift')/Attributes/Microsoft.Dynamics.CRM.LookupAttributeMetadata(Targets)/$entity","Targets":["svc_donor"],"MetadataId":"ID"}`},
		{"a cast with a key", gift + `/Attributes/Microsoft.Dynamics.CRM.LookupAttributeMetadata(LogicalName='svc_donor')?$select=Targets`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions('svc_gift')/Attributes/Microsoft.Dynamics.CRM.LookupAttributeMetadata(Targets)/$entity","Targets":["svc_donor"],"MetadataId":"ID"}`},
		{"an expanded set", gift + `/Attributes/Microsoft.Dynamics.CRM.StateAttributeMetadata?$select=LogicalName&$expand=OptionSet($select=OptionSetType),GlobalOptionSet`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions('svc_gift')/Attributes/Microsoft.Dynamics.CRM.StateAttributeMetadata(LogicalName,OptionSet(OptionSetType),GlobalOptionSet())","value":[{"LogicalName":"statecode","MetadataId":"ID","OptionSet":{"OptionSetType":"State","MetadataId":"ID"},"GlobalOptionSet":null}]}`},
		{"the option set alone", `EntityDefinitions(LogicalName='list')/Attributes(LogicalName='type')/Microsoft.Dynamics.CRM.BooleanAttributeMetadata/OptionSet?$select=Name,OptionSetType`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions('list')/Attributes('type')/Microsoft.Dynamics.CRM.BooleanAttributeMetadata/OptionSet(Name,OptionSetType)/$entity","Name":"list_type","OptionSetType":"Boolean","MetadataId":"ID"}`},
		{"a managed property", gift + `/IsAuditEnabled`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions('svc_gift')/IsAuditEnabled","Value":true,"CanBeChanged":true,"ManagedPropertyLogicalName":"canmodifyauditsettings"}`},
		{"many to many", `RelationshipDefinitions(SchemaName='listcontact_association')/Microsoft.Dynamics.CRM.ManyToManyRelationshipMetadata?$select=Entity1LogicalName,Entity1IntersectAttribute,Entity2LogicalName,Entity2IntersectAttribute,Entity2NavigationPropertyName,IntersectEntityName`,
			`{"@odata.context":"BASE/$metadata#RelationshipDefinitions/Microsoft.Dynamics.CRM.ManyToManyRelationshipMetadata(Entity1LogicalName,Entity1IntersectAttribute,Entity2LogicalName,Entity2IntersectAttribute,Entity2NavigationPropertyName,IntersectEntityName)/$entity","Entity1LogicalName":"list","Entity1IntersectAttribute":"listid","Entity2LogicalName":"contact","Entity2IntersectAttribute":"entityid","Entity2NavigationPropertyName":"listcontact_association","IntersectEntityName":"listmember","MetadataId":"ID"}`},
		{"one to many", `RelationshipDefinitions(SchemaName='svc_contact_svc_requestpayment_Payee')/Microsoft.Dynamics.CRM.OneToManyRelationshipMetadata?$select=ReferencedEntity,ReferencedAttribute,ReferencingEntity,ReferencingAttribute,ReferencedEntityNavigationPropertyName,ReferencingEntityNavigationPropertyName`,
			`{"@odata.context":"BASE/$metadata#RelationshipDefinitions/Microsoft.Dynamics.CRM.OneToManyRelationshipMetadata(ReferencedEntity,ReferencedAttribute,ReferencingEntity,ReferencingAttribute,ReferencedEntityNavigationPropertyName,ReferencingEntityNavigationPropertyName)/$entity","ReferencedEntity":"contact","ReferencedAttribute":"contactid","ReferencingEntity":"svc_requestpayment","ReferencingAttribute":"svc_payee","ReferencedEntityNavigationPropertyName":"svc_contact_svc_requestpayment_Payee","ReferencingEntityNavigationPropertyName":"svc_Payee_contact","MetadataId":"ID"}`},
		{"counting", `EntityDefinitions/$count?$filter=startswith(LogicalName,'svc_gift')`, `3`},
		{"a count beside rows", `EntityDefinitions?$select=LogicalName&$filter=startswith(LogicalName,'svc_gift')&$count=true&$top=1&$orderby=LogicalName desc`,
			`{"@odata.context":"BASE/$metadata#EntityDefinitions(LogicalName)","@odata.count":3,"value":[{"LogicalName":"svc_giftpayment","MetadataId":"ID"}]}`},
		{"nothing at the end of the path", gift + `/Attributes(LogicalName='statecode')/Microsoft.Dynamics.CRM.StateAttributeMetadata/GlobalOptionSet`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := ask(t, s, c.target)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(string(body), base, "BASE")
			if strings.Contains(c.want, `"ID"`) {
				got = anyID.ReplaceAllString(got, `"MetadataId":"ID"`)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestFilters asks which definitions a filter keeps.
func TestFilters(t *testing.T) {
	s := service(t)
	for _, c := range []struct {
		target string
		want   []string
	}{
		{`EntityDefinitions?$filter=OwnershipType eq Microsoft.Dynamics.CRM.OwnershipTypes'UserOwned' and IsCustomEntity eq true`,
			[]string{"svc_donoropportunities", "svc_gift", "svc_proposal", "svc_request", "svc_requestpayment"}},
		{`EntityDefinitions?$filter=OwnershipType eq 'OrganizationOwned' and contains(LogicalName,'FUND')`,
			[]string{"svc_fund", "svc_fundgroup", "svc_fundstatementformat", "svc_interfundgrants"}},
		{`EntityDefinitions?$filter=LogicalName in ('svc_fund','account','nobody')`, []string{"account", "svc_fund"}},
		{`EntityDefinitions?$filter=LogicalName eq @n&@n='svc_fund'`, []string{"svc_fund"}},
		{`EntityDefinitions?$filter=not (ObjectTypeCode ge 2) or ObjectTypeCode eq 10004`, []string{"account", "svc_fund"}},
		{`EntityDefinitions?$filter=IsIntersect and endswith(SchemaName,'Roles')`, []string{"systemuserroles", "teamroles"}},
		{`EntityDefinitions?$filter=PrimaryNameAttribute eq null and IsIntersect eq false`, []string{"audit", "principalobjectaccess"}},
		{`EntityDefinitions?$filter=MetadataId eq 4f0ad92e-a162-5230-a1bb-58e614847588`, []string{"svc_gift"}},
		{`EntityDefinitions?$filter=tolower(SchemaName) eq 'svc_gift'`, []string{"svc_gift"}},
		{`EntityDefinitions?$filter=ChangeTrackingEnabled eq false and IsCustomEntity eq true`, []string{"svc_criterialist"}},
		{`EntityDefinitions(LogicalName='svc_gift')/Attributes?$filter=RequiredLevel/Value eq Microsoft.Dynamics.CRM.AttributeRequiredLevel'ApplicationRequired'`,
			[]string{"svc_giftnum", "svc_giftdate", "svc_gifttype", "svc_giftpaymenttype"}},
		{`EntityDefinitions(LogicalName='listmember')/Attributes?$filter=AttributeType eq Microsoft.Dynamics.CRM.AttributeTypeCode'EntityName'`, []string{"entitytype"}},
		{`EntityDefinitions(LogicalName='list')/Attributes/Microsoft.Dynamics.CRM.StringAttributeMetadata?$filter=MaxLength gt 128`, []string{"purpose"}},
		{`EntityDefinitions(LogicalName='list')/Attributes?$filter=IsValidForUpdate eq false and IsValidForCreate eq true`,
			[]string{"listid", "type", "createdfromcode", "overriddencreatedon", "importsequencenumber"}},
	} {
		got := names(rows(t, answer(t, s, c.target+"&$select=LogicalName")), "LogicalName")
		if !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %v\nwant %v", c.target, got, c.want)
		}
	}
}

// TestExpand checks expansion with options of its own, nested, on a collection and on one definition.
func TestExpand(t *testing.T) {
	s := service(t)
	body := answer(t, s, `EntityDefinitions?$select=LogicalName&$filter=LogicalName eq 'svc_gift'&$expand=Attributes($select=LogicalName;$filter=AttributeType eq Microsoft.Dynamics.CRM.AttributeTypeCode'Owner'),ManyToManyRelationships,Keys`)
	if got := body["@odata.context"]; got != base+"/$metadata#EntityDefinitions(LogicalName,Attributes(LogicalName),ManyToManyRelationships(),Keys())" {
		t.Errorf("context %s", got)
	}
	gift := rows(t, body)[0]
	attributes := gift["Attributes"].([]any)
	if len(attributes) != 1 || attributes[0].(map[string]any)["LogicalName"] != "ownerid" {
		t.Errorf("expanded attributes %v", attributes)
	}
	if keys, ok := gift["Keys"].([]any); !ok || len(keys) != 0 {
		t.Errorf("expanded keys %v", gift["Keys"])
	}
	list := answer(t, s, `EntityDefinitions(LogicalName='list')?$expand=ManyToManyRelationships($select=SchemaName)`)
	var links []map[string]any
	for _, v := range list["ManyToManyRelationships"].([]any) {
		links = append(links, v.(map[string]any))
	}
	want := []string{"listaccount_association", "listcontact_association", "listlead_association"}
	if got := names(links, "SchemaName"); !slices.Equal(got, want) {
		t.Errorf("links of list: %v", got)
	}
	if _, there := list["Attributes"]; there {
		t.Error("Attributes are written without being expanded")
	}
}

// TestRefusals checks status and wording of what cannot be answered.
func TestRefusals(t *testing.T) {
	s := service(t)
	gift := `EntityDefinitions(LogicalName='svc_gift')`
	for _, c := range []struct {
		target string
		status int
		says   string
	}{
		{`EntityDefinitions(LogicalName='nope')`, 404, "LogicalName = 'nope'"},
		{`EntityDefinitions(LogicalName='setting')`, 404, "setting"},
		{`EntityDefinitions(00000000-0000-0000-0000-000000000001)`, 404, "MetadataId"},
		{`EntityDefinitions(SchemaName='svc_Gift')`, 400, "key"},
		{`EntityDefinitions(LogicalName=@n)`, 400, "key"},
		{`EntityDefinitions()`, 400, "key"},
		{gift + `/Attributes(LogicalName='x_value')`, 404, "x_value"},
		{gift + `/Nothing`, 404, "Nothing"},
		{gift + `/LogicalName/Nothing`, 404, "Nothing"},
		{`EntityDefinitions/Attributes`, 404, "Attributes"},
		{gift + `/Attributes(LogicalName='svc_giftnum')/Microsoft.Dynamics.CRM.PicklistAttributeMetadata`, 404, "PicklistAttributeMetadata"},
		{gift + `/Attributes/Microsoft.Dynamics.CRM.OptionSetMetadata`, 404, "OptionSetMetadata"},
		{gift + `/Attributes/Microsoft.Dynamics.CRM.NothingMetadata`, 404, "NothingMetadata"},
		{`EntityDefinitions?$select=logicalname`, 400, "Did you mean 'LogicalName'?"},
		{gift + `/Attributes?$select=MaxLength`, 400, "MaxLength"},
		{gift + `/Attributes?$expand=OptionSet`, 400, "OptionSet"},
		{`EntityDefinitions?$expand=LogicalName`, 400, "LogicalName"},
		{`EntityDefinitions?$expand=Attributes,Attributes`, 400, "more than once"},
		{`EntityDefinitions?$filter=IsActivity eq Edm.Boolean'x'`, 400, "Edm.Boolean"},
		{`EntityDefinitions?$expand=Attributes($select=Nothing)`, 400, "Nothing"},
		{`EntityDefinitions?$filter=DisplayName/UserLocalizedLabel/Label eq 'Gift'`, 400, "label"},
		{`EntityDefinitions?$filter=Nothing eq 1`, 400, "Nothing"},
		{`EntityDefinitions?$filter=IsAuditEnabled eq true`, 400, "IsAuditEnabled"},
		{`EntityDefinitions?$filter=LogicalName eq 5`, 400, "incompatible types"},
		{`EntityDefinitions?$filter=MetadataId eq '4f0ad92e-a162-5230-a1bb-58e614847588'`, 400, "incompatible types"},
		{`EntityDefinitions?$filter=OwnershipType eq Microsoft.Dynamics.CRM.CascadeType'Cascade'`, 400, "incompatible types"},
		{`EntityDefinitions?$filter=OwnershipType eq Microsoft.Dynamics.CRM.OwnershipTypes'Nobody'`, 400, "Nobody"},
		{`EntityDefinitions?$filter=OwnershipType eq 'Nobody'`, 400, "Nobody"},
		{`EntityDefinitions?$filter=Attributes/any(a:a/LogicalName eq 'x')`, 400, "metadata API"},
		{`EntityDefinitions?$filter=year(CreatedOn) eq 1`, 400, "year"},
		{`EntityDefinitions?$filter=contains(ObjectTypeCode,'1')`, 400, "contains"},
		{`EntityDefinitions?$filter=ObjectTypeCode add 1 eq 2`, 400, "metadata API"},
		{`EntityDefinitions?$filter=OwnershipType has Microsoft.Dynamics.CRM.OwnershipTypes'UserOwned'`, 400, "has"},
		{`EntityDefinitions?$filter=LogicalName`, 400, "boolean"},
		{`EntityDefinitions?$filter=LogicalName eq 'x`, 400, "unterminated"},
		{`EntityDefinitions?$apply=aggregate($count as n)`, 400, "$apply"},
		{gift + `?$filter=LogicalName eq 'x'`, 400, "$filter"},
		{gift + `/$count`, 400, "$count"},
		{`GlobalOptionSetDefinitions?$filter=Name eq 'svc_gifttype'`, 400, "$filter"},
	} {
		_, err := ask(t, s, c.target)
		if err == nil {
			t.Errorf("%s is answered", c.target)
			continue
		}
		if f := refusal(t, err); f.Status != c.status || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: %d %q, want %d and %q", c.target, f.Status, f.Message, c.status, c.says)
		}
	}
}

// FuzzFilter looks for filters that parse and then break the evaluation.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		`OwnershipType eq Microsoft.Dynamics.CRM.OwnershipTypes'UserOwned'`, `contains(LogicalName,'a') and not IsActivity`, `ObjectTypeCode in (1,2.5,null)`,
		`null eq null`, `true eq false or IsAuditEnabled/Value`, `MetadataId ne 4f0ad92e-a162-5230-a1bb-58e614847588`, `tolower('A') eq LogicalName`,
	} {
		f.Add(seed)
	}
	s := service(f)
	items := s.root(rootTables).items
	f.Fuzz(func(t *testing.T, text string) {
		node, err := odata.ParseFilter(text, nil)
		if err != nil {
			return
		}
		w, err := bindWindow(tableShape, node, []odata.OrderItem{{Expr: node}}, nil)
		if err == nil {
			w.apply(items)
		}
	})
}
