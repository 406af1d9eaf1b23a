package metadata

// The pieces every path of the OpenAPI document is put together from.

// operation makes an operation object with its tag, id and summary in front.
func operation(tag, id, summary string, rest ...pair) object {
	return append(object{{"tags", texts(tag)}, {"operationId", id}, {"summary", summary}}, rest...)
}

func reference(kind, name string) object {
	return object{{"$ref", "#/components/" + kind + "/" + name}}
}

func references(kind string, names ...string) array {
	out := make(array, 0, len(names))
	for _, name := range names {
		out = append(out, reference(kind, name))
	}
	return out
}

// content is an answer with a JSON body.
func content(description string, schema object) object {
	return object{{"description", description}, {"content", object{{"application/json", object{{"schema", schema}}}}}}
}

func jsonBody(schema object) object {
	return object{{"required", true}, {"content", object{{"application/json", object{{"schema", schema}}}}}}
}

// answers adds the refusals every operation knows to its own answers.
func answers(own ...pair) object {
	out := append(object{}, own...)
	for _, status := range []string{"400", "401", "403", "404", "412", "429"} {
		out = append(out, pair{status, reference("responses", "refused")})
	}
	return out
}

func done() pair { return pair{"204", object{{"description", "Done."}}} }

func created() pair {
	return pair{"204", object{
		{"description", "Created; the address of the row is in OData-EntityId."},
		{"headers", object{{"OData-EntityId", object{{"schema", object{{"type", "string"}, {"format", "uri"}}}}}}},
	}}
}

func commonResponses() object {
	text := object{{"type", "string"}}
	return object{{"refused", content("The request was refused; the message names column, value and rule.", object{
		{"type", "object"},
		{"required", texts("error")},
		{"properties", object{{"error", object{
			{"type", "object"},
			{"required", texts("code", "message")},
			{"properties", object{
				{"code", text}, {"message", text},
				{"innererror", object{{"type", "object"}, {"properties", object{{"message", text}, {"type", text}, {"stacktrace", text}, {"trace", text}}}}},
			}},
		}}}},
	})}}
}

func queryParameters() object {
	text := object{{"type", "string"}}
	option := func(name, description string, schema object) object {
		return object{{"name", name}, {"in", "query"}, {"description", description}, {"schema", schema}}
	}
	header := func(name, description string) object {
		return object{{"name", name}, {"in", "header"}, {"description", description}, {"schema", text}}
	}
	return object{
		{"id", object{{"name", "id"}, {"in", "path"}, {"required", true}, {"description", "The row's key."}, {"schema", object{{"type", "string"}, {"format", "uuid"}}}}},
		{"select", option("$select", "Properties to answer, separated by commas.", text)},
		{"filter", option("$filter", "Condition rows must meet.", text)},
		{"orderby", option("$orderby", "Properties to sort by, each with asc or desc.", text)},
		{"expand", option("$expand", "Navigation properties to answer with the row.", text)},
		{"top", option("$top", "Most rows to answer.", object{{"type", "integer"}, {"minimum", 0}})},
		{"count", option("$count", "Whether to answer the number of rows.", object{{"type", "boolean"}})},
		{"apply", option("$apply", "Grouping and aggregation.", text)},
		{"prefer", header("Prefer", "return=representation, odata.maxpagesize=n, odata.include-annotations=\"*\", odata.track-changes.")},
		{"ifMatch", header("If-Match", "ETag the row must have; * for any.")},
		{"ifNoneMatch", header("If-None-Match", "ETag the row must not have.")},
	}
}
