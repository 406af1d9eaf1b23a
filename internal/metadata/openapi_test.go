package metadata

import (
	"encoding/json"
	"strings"
	"testing"
)

func openAPIDocument(t *testing.T) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(service(t).OpenAPI(base), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at follows keys into nested objects; nil when one is missing.
func at(v any, keys ...string) any {
	for _, k := range keys {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[k]
	}
	return v
}

func TestOpenAPIHead(t *testing.T) {
	doc := openAPIDocument(t)
	if doc["openapi"] != "3.1.0" || at(doc, "info", "title") == nil || at(doc, "info", "version") == nil {
		t.Errorf("head: %v %v", doc["openapi"], doc["info"])
	}
	if got := at(doc["servers"].([]any)[0], "url"); got != base {
		t.Errorf("server %v", got)
	}
	if at(doc, "components", "securitySchemes", "bearer", "scheme") != "bearer" || at(doc["security"].([]any)[0], "bearer") == nil {
		t.Errorf("security: %v, %v", doc["security"], at(doc, "components", "securitySchemes"))
	}
}

// TestOpenAPIPaths checks that every set can be read, and written unless it is read only. Rows that join two others are not updated.
func TestOpenAPIPaths(t *testing.T) {
	doc := openAPIDocument(t)
	for _, table := range model(t).Tables {
		if table.Hidden {
			if at(doc, "components", "schemas", table.Name) != nil {
				t.Errorf("hidden table %s is described", table.Name)
			}
			continue
		}
		set, row := at(doc, "paths", "/"+table.Set), at(doc, "paths", "/"+table.Set+"({id})")
		for method, path := range map[string]any{"get": set, "post": set, "patch": row, "delete": row} {
			want := method == "get" || !table.ReadOnly && (method != "patch" || !table.Link)
			if got := at(path, method) != nil; got != want {
				t.Errorf("%s %s: %v, want %v", method, table.Set, got, want)
			}
		}
		if at(row, "get") == nil {
			t.Errorf("one row of %s cannot be read", table.Set)
		}
		for _, c := range served(table) {
			if at(doc, "components", "schemas", table.Name, "properties", c.Wire) == nil {
				t.Errorf("%s.%s is not described", table.Name, c.Wire)
			}
		}
	}
	for _, path := range []string{"/", "/$metadata", "/$batch", "/WhoAmI()", "/EntityDefinitions", "/lists({id})/Microsoft.Dynamics.CRM.AddMemberList"} {
		if at(doc, "paths", path) == nil {
			t.Errorf("%s is missing", path)
		}
	}
}

// TestOpenAPIHoldsTogether checks that every reference has its end and every operation its own id.
func TestOpenAPIHoldsTogether(t *testing.T) {
	doc := openAPIDocument(t)
	ids := map[string]bool{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				visit(item)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && at(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
				t.Errorf("nothing at %s", ref)
			}
			if id, ok := v["operationId"].(string); ok {
				if ids[id] {
					t.Errorf("operation %s exists twice", id)
				}
				ids[id] = true
			}
			for _, item := range v {
				visit(item)
			}
		}
	}
	visit(doc)
}

func TestOpenAPIColumns(t *testing.T) {
	properties := at(openAPIDocument(t), "components", "schemas", "svc_gift", "properties")
	for _, c := range []struct{ property, want string }{
		{"svc_giftid", `{"description":"Unique identifier of the row.","format":"uuid","title":"Gift","type":"string"}`},
		{"svc_Donor@odata.bind", `{"description":"Address of the row to point at, such as /svc_donors(id).","type":["string","null"],"writeOnly":true}`},
		{"svc_Donor", `{"anyOf":[{"$ref":"#/components/schemas/svc_donor"},{"type":"null"}]}`},
	} {
		if got, _ := json.Marshal(at(properties, c.property)); string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.property, got, c.want)
		}
	}
	for property, readOnly := range map[string]bool{"_svc_donor_value": true, "svc_amount1_base": true, "svc_amount1": false, "createdon": true} {
		if got := at(properties, property, "readOnly") == true; got != readOnly {
			t.Errorf("%s: read only %v", property, got)
		}
	}
	if at(properties, "createdby@odata.bind") != nil {
		t.Error("createdby can be bound")
	}
}
