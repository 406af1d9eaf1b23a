package odata

import (
	"reflect"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/value"
)

func TestParsePath(t *testing.T) {
	cases := []struct {
		path string
		want []Segment
	}{
		{"", nil},
		{"/", nil},
		{"svc_gifts", []Segment{{Name: "svc_gifts"}}},
		{"//svc_gifts//", []Segment{{Name: "svc_gifts"}}},
		{"svc_gifts(" + guidA + ")", []Segment{{"svc_gifts", true, []Arg{{"", guidA}}}}},
		{"svc_gifts%28svc_giftid=" + guidA + "%29", []Segment{{"svc_gifts", true, []Arg{{"svc_giftid", guidA}}}}},
		{"svc_gifts('" + guidA + "')/svc_Donor/$ref", []Segment{{"svc_gifts", true, []Arg{{"", "'" + guidA + "'"}}}, {Name: "svc_Donor"}, {Name: "$ref"}}},
		{"WhoAmI()", []Segment{{Name: "WhoAmI", Parens: true}}},
		{"Microsoft.Dynamics.CRM.WhoAmI", []Segment{{Name: "Microsoft.Dynamics.CRM.WhoAmI"}}},
		{"F(A='x,y/z',B=@b, C=[1,2])", []Segment{{"F", true, []Arg{{"A", "'x,y/z'"}, {"B", "@b"}, {"C", "[1,2]"}}}}},
		{"F(A=%27a%2Fb%27)/$count", []Segment{{"F", true, []Arg{{"A", "'a/b'"}}}, {Name: "$count"}}},
		{"F(T={'@odata.id':'svc_gifts(" + guidA + ")'})", []Segment{{"F", true, []Arg{{"T", "{'@odata.id':'svc_gifts(" + guidA + ")'}"}}}}},
		{"$metadata", []Segment{{Name: "$metadata"}}},
		{"$1/svc_Donor", []Segment{{Name: "$1"}, {Name: "svc_Donor"}}},
		{"lists(" + guidA + ")/listcontact_association(" + guidB + ")/$ref",
			[]Segment{{"lists", true, []Arg{{"", guidA}}}, {"listcontact_association", true, []Arg{{"", guidB}}}, {Name: "$ref"}}},
	}
	for _, c := range cases {
		p, err := ParsePath(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		} else if !reflect.DeepEqual(p.Segments, c.want) {
			t.Errorf("%s: %+v, want %+v", c.path, p.Segments, c.want)
		}
	}
}

func TestParsePathRefusals(t *testing.T) {
	cases := []struct {
		path   string
		status int
	}{
		{"svc_gifts(", 400},
		{"svc_gifts(a)(b)", 400},
		{"svc_gifts(A=1;B=2)b", 400},
		{"svc_gifts(1,2)", 400},
		{"svc_gifts(A=)", 400},
		{"F(A='x)", 400},
		{"svc_gifts/$count/foo", 400},
		{"svc_gifts/$ref/$count", 400},
		{"$metadata/x", 400},
		{"$count(1)", 400},
		{"svc_gifts/%zz", 400},
		{"svc_gifts/%ff", 400},
		{strings.Repeat("a", 261), 400},
		{"F(A='" + strings.Repeat("a", 300) + "')", 400},
		{".svc_gifts", 404},
		{"svc_gifts/$filter(x)", 404},
		{"svc gifts", 404},
		{"1abc", 404},
	}
	for _, c := range cases {
		_, err := ParsePath(c.path)
		t.Run("", func(t *testing.T) { t.Log(c.path); wantFault(t, err, c.status, fault.BadRequest, "") })
	}
	if _, err := ParsePath(strings.Repeat("a", 260)); err != nil {
		t.Error(err)
	}
}

func TestKey(t *testing.T) {
	gift := testTable(t, "svc_gift")
	for _, text := range []string{guidA, "svc_giftid=" + guidA, "'" + guidA + "'", strings.ToUpper(guidA), "svc_giftid='" + guidA + "'"} {
		p, err := ParsePath("svc_gifts(" + text + ")")
		if err != nil {
			t.Fatal(err)
		}
		if id, err := p.Segments[0].Key(gift); err != nil || id != value.MustGUID(guidA) {
			t.Errorf("%s: %v %v", text, id, err)
		}
	}
	for text, want := range map[string]string{
		"svc_giftnum='G-1'":                        "The key in the request URI is not valid for resource 'Microsoft.Dynamics.CRM.svc_gift'",
		"svc_giftid=" + guidA + ",svc_giftnum='x'": "not valid for resource",
		"":    "not valid for resource",
		"abc": "Error in query syntax",
		"@p1": "Error in query syntax",
	} {
		p, err := ParsePath("svc_gifts(" + text + ")")
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Segments[0].Key(gift)
		wantFault(t, err, 400, fault.BadRequest, want)
	}
	p, _ := ParsePath("systemusers(ownerid=" + guidA + ")")
	if _, err := p.Segments[0].Key(testTable(t, "systemuser")); err != nil {
		t.Error(err)
	}
}

func TestParseOptions(t *testing.T) {
	o, err := ParseOptions("%24filter=a+eq+%27b%26c%27&$top=5&&@p1={\"a\":1}&tag=x&$count=true&fetchXml=%3Cfetch/%3E&$skiptoken=abc&$deltatoken=919042&$id=x(1)&savedQuery=q&annotations=true")
	if err != nil {
		t.Fatal(err)
	}
	if o.Filter != "a eq 'b&c'" || *o.Top != 5 || o.Aliases["@p1"] != `{"a":1}` || o.Others["tag"] != "x" || !o.Count || o.FetchXML != "<fetch/>" ||
		o.SkipToken != "abc" || o.DeltaToken != "919042" || o.ID != "x(1)" || o.SavedQuery != "q" || o.Others["annotations"] != "true" {
		t.Errorf("%+v", o)
	}
	if !o.Has("$filter") || o.Has("$select") || len(o.sent) != 11 {
		t.Errorf("sent %v", o.sent)
	}
}

func TestParseOptionsRefusals(t *testing.T) {
	for _, c := range []struct{ query, text string }{
		{"$skip=5", "'$skip' is not supported"},
		{"$search=x", "'$search' is not supported"},
		{"$format=json", "'$format' is not supported"},
		{"$compute=x", "'$compute' is not supported"},
		{"$levels=1", "'$levels' is not supported"},
		{"$Filter=x", "'$Filter' is not supported"},
		{"filter=x", "'filter' is not supported"},
		{"find=x", "'find' is not supported"},
		{"@=x", "'@' is not supported"},
		{"$filter=a&$filter=b", "more than once"},
		{"$top=1&%24top=1", "more than once"},
		{"$filter=", "cannot be empty"},
		{"$count", "cannot be empty"},
		{"$select=%zz", "not well formed"},
		{"$select=%ff", "not valid UTF-8"},
		{"$filter=a+eq+'%00'", "not valid UTF-8 text"},
		{"$top=1.5", "non-negative integer"},
	} {
		_, err := ParseOptions(c.query)
		t.Run("", func(t *testing.T) { t.Log(c.query); wantFault(t, err, 400, fault.BadRequest, c.text) })
	}
}

func TestParseReference(t *testing.T) {
	m := testModel(t)
	for _, text := range []string{
		"/svc_donors(" + guidA + ")", "svc_donors(" + guidA + ")", "https://host/api/data/v9.2/svc_donors(" + guidA + ")",
		"http://host:8080/api/data/v9.0//svc_donors(" + guidA + ")", "/api/data/v9.1/svc_donors(svc_donorid=" + guidA + ")", "//svc_donors('" + guidA + "')",
		"svc_donors%28" + guidA + "%29",
	} {
		table, id, err := ParseReference(m, text)
		if err != nil || table.Name != "svc_donor" || id != value.MustGUID(guidA) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"":                                 "was not parsed",
		"svc_donors":                       "was not parsed",
		"nosuch(" + guidA + ")":            "Resource not found for the segment 'nosuch'",
		"svc_donors(5)":                    "Error in query syntax",
		"svc_donors(svc_donor='7')":        "not valid for resource",
		"svc_donors(" + guidA + ")/x":      "was not parsed",
		"https://host":                     "was not parsed",
		"https://host/api/data/v9.2/x y z": "was not parsed",
	} {
		_, _, err := ParseReference(m, text)
		wantFault(t, err, 400, fault.BadRequest, want)
	}
}
