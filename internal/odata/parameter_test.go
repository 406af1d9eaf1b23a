package odata

import (
	"testing"

	"almoner/internal/fault"
)

func TestParameterJSON(t *testing.T) {
	aliases := map[string]string{
		"@ref": "{'@odata.id':'svc_gifts(" + guidA + ")'}", "@list": `['a','it''s "b"']`, "@json": ` ["a","it's"] `, "@text": "'x'", "@quoted": `"it's"`,
	}
	for text, want := range map[string]string{
		"'it''s'": `"it's"`, "5": "5", "+5": "5", "-5.25": "-5.25", "true": "true", "null": "null", "": "null", "@none": "null",
		guidA: `"` + guidA + `"`, "2024-03-01": `"2024-03-01"`, "Microsoft.Dynamics.CRM.EndpointAccessType'Default'": `"Default"`,
		"@ref": `{"@odata.id":"svc_gifts(` + guidA + `)"}`, "@list": `["a","it's \"b\""]`, "@json": `["a","it's"]`, "@text": `"x"`, "@quoted": `"it's"`,
	} {
		if got, err := ParameterJSON(text, aliases); err != nil || string(got) != want {
			t.Errorf("%s: %s %v, want %s", text, got, err, want)
		}
	}
	for text, code := range map[string]fault.Code{
		"abc": fault.BadPayload, "1 add 2": fault.BadRequest, "['a'": fault.BadPayload, "{'a':1,'a':2}": fault.BadPayload, "INF": fault.BadPayload, "'a": fault.BadRequest,
	} {
		_, err := ParameterJSON(text, nil)
		wantFault(t, err, 400, code, "")
	}
}
