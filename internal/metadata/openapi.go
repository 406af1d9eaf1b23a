package metadata

import "almoner/internal/schema"

// OpenAPI returns an OpenAPI 3.1 document of the Web API at base, the address of the service without a trailing slash. It
// is made anew by each call.
func (s *Service) OpenAPI(base string) []byte {
	a := &openAPI{Service: s}
	return appendTree(nil, object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Almoner Web API"},
			{"version", s.Version()},
			{"description", "Donors, gifts, pledges, payments, funds, grants and lists as OData v4 JSON. The query language is described by OData 4.0; $metadata has the whole model."},
		}},
		{"servers", array{object{{"url", base}}}},
		{"security", array{object{{"bearer", array{}}}}},
		{"tags", a.tags()},
		{"paths", a.paths()},
		{"components", object{
			{"securitySchemes", object{{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}}}}},
			{"parameters", queryParameters()},
			{"responses", commonResponses()},
			{"schemas", a.schemas()},
		}},
	})
}

// openAPI builds one document.
type openAPI struct{ *Service }

func (a *openAPI) tags() array {
	out := array{object{{"name", "service"}, {"description", "The service itself: discovery and unbound operations."}}}
	for _, t := range a.tables {
		out = append(out, object{{"name", t.Set}, {"description", t.Doc}})
	}
	return out
}

// paths lists every address: the service's own, then set by set, then the unbound operations.
func (a *openAPI) paths() object {
	out := servicePaths()
	for _, t := range a.tables {
		out = append(out, pair{"/" + t.Set, a.setPath(t)}, pair{rowPath(t), a.rowPath(t)})
		out = append(out, a.boundPaths(t)...)
	}
	return append(out, a.unboundPaths()...)
}

func rowPath(t *schema.Table) string { return "/" + t.Set + "({id})" }

// setPath is what can be done with a set: read it, and create rows unless it is read only.
func (a *openAPI) setPath(t *schema.Table) object {
	page := object{
		{"type", "object"},
		{"properties", object{
			{"@odata.context", object{{"type", "string"}}},
			{"@odata.count", object{{"type", "integer"}}},
			{"@odata.nextLink", object{{"type", "string"}, {"format", "uri"}}},
			{"@odata.deltaLink", object{{"type", "string"}, {"format", "uri"}}},
			{"value", object{{"type", "array"}, {"items", rowSchema(t)}}},
		}},
	}
	out := object{{"get", operation(t.Set, "list_"+t.Set, "Rows of "+t.Plural,
		pair{"parameters", references("parameters", "select", "filter", "orderby", "expand", "top", "count", "apply", "prefer")},
		pair{"responses", answers(pair{"200", content("A page of rows.", page)})})}}
	if t.ReadOnly {
		return out
	}
	return append(out, pair{"post", operation(t.Set, "create_"+t.Name, "Create one row of "+t.Plural,
		pair{"parameters", references("parameters", "select", "expand", "prefer")},
		pair{"requestBody", jsonBody(rowSchema(t))},
		pair{"responses", answers(pair{"201", content("The row, when asked for by Prefer: return=representation.", rowSchema(t))}, created())})})
}

// rowPath is what can be done with one row.
func (a *openAPI) rowPath(t *schema.Table) object {
	out := object{
		{"parameters", references("parameters", "id")},
		{"get", operation(t.Set, "get_"+t.Name, "One row of "+t.Plural,
			pair{"parameters", references("parameters", "select", "expand", "prefer", "ifNoneMatch")},
			pair{"responses", answers(pair{"200", content("The row.", rowSchema(t))}, pair{"304", object{{"description", "The row has not changed."}}})})},
	}
	if t.Updatable() {
		out = append(out, pair{"patch", operation(t.Set, "update_"+t.Name, "Change one row of "+t.Plural,
			pair{"parameters", references("parameters", "select", "prefer", "ifMatch")},
			pair{"requestBody", jsonBody(rowSchema(t))},
			pair{"responses", answers(pair{"200", content("The row, when asked for by Prefer: return=representation.", rowSchema(t))}, done())})})
	}
	if t.ReadOnly {
		return out
	}
	return append(out, pair{"delete", operation(t.Set, "delete_"+t.Name, "Delete one row of "+t.Plural,
		pair{"parameters", references("parameters", "ifMatch")},
		pair{"responses", answers(done())})})
}

// servicePaths are the addresses that belong to no table.
func servicePaths() object {
	definitions := func(name, doc string) pair {
		return pair{"/" + name, object{{"get", operation("service", "list_"+name, doc,
			pair{"parameters", references("parameters", "select", "filter", "expand")},
			pair{"responses", answers(pair{"200", content("Definitions.", object{{"type", "object"}})})})}}}
	}
	return object{
		{"/", object{{"get", operation("service", "service_document", "Entity sets by name",
			pair{"responses", answers(pair{"200", content("The service document.", object{{"type", "object"}})})})}}},
		{"/$metadata", object{{"get", operation("service", "metadata", "CSDL document of the whole model",
			pair{"responses", answers(pair{"200", object{{"description", "CSDL in XML."},
				{"content", object{{"application/xml", object{{"schema", object{{"type", "string"}}}}}}}}})})}}},
		{"/$batch", object{{"post", operation("service", "batch", "Several requests in one",
			pair{"requestBody", object{{"required", true}, {"content", object{{"multipart/mixed", object{{"schema", object{{"type", "string"}}}}}}}}},
			pair{"responses", answers(pair{"200", object{{"description", "The answers in the order of the requests."},
				{"content", object{{"multipart/mixed", object{{"schema", object{{"type", "string"}}}}}}}}})})}}},
		definitions(rootTables, "Definitions of tables"),
		definitions(rootRelations, "Definitions of relationships"),
		definitions(rootOptionSets, "Definitions of the option sets columns share"),
	}
}
