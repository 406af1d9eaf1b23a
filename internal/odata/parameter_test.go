package odata

import (
	"reflect"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/value"
)

func callParameters(t *testing.T, path, query string) *Parameters {
	t.Helper()
	p, err := ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	o, err := ParseOptions(query)
	if err != nil {
		t.Fatal(err)
	}
	ps, err := BindParameters(p.Segments[0].Name, p.Segments[0].Args, o.Aliases)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func TestParameters(t *testing.T) {
	m := testModel(t)
	p := callParameters(t, "F(A='it''s',B=-5,C=true,D="+guidA+",E=Microsoft.Dynamics.CRM.EndpointAccessType'Default',G=@g,H=@h,I=@i,J=@none,K=null,L='"+guidA+"',M=@m)",
		"@g={'@odata.id':'svc_gifts("+guidA+")'}&@h=['a','it''s \"b\"']&@i=[\"a\",\"b\"]&@m={\"@odata.type\":\"Microsoft.Dynamics.CRM.contact\",\"contactid\":\""+guidB+"\"}")
	if s, ok, err := p.Text("A"); s != "it's" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	if n, ok, err := p.Int("B"); n != -5 || !ok || err != nil {
		t.Error(n, ok, err)
	}
	if b, ok, err := p.Bool("C"); !b || !ok || err != nil {
		t.Error(b, ok, err)
	}
	for _, name := range []string{"D", "L"} {
		if id, ok, err := p.GUID(name); id != value.MustGUID(guidA) || !ok || err != nil {
			t.Error(id, ok, err)
		}
	}
	if s, ok, err := p.Enum("E"); s != "Default" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	if table, id, ok, err := p.Reference(m, "G"); err != nil || !ok || table.Name != "svc_gift" || id != value.MustGUID(guidA) {
		t.Error(table, id, ok, err)
	}
	if table, id, ok, err := p.Reference(m, "M"); err != nil || !ok || table.Name != "contact" || id != value.MustGUID(guidB) {
		t.Error(table, id, ok, err)
	}
	if list, ok, err := p.Strings("H"); !reflect.DeepEqual(list, []string{"a", `it's "b"`}) || !ok || err != nil {
		t.Error(list, ok, err)
	}
	if list, ok, err := p.Strings("I"); !reflect.DeepEqual(list, []string{"a", "b"}) || !ok || err != nil {
		t.Error(list, ok, err)
	}
	for _, name := range []string{"J", "K", "Z"} {
		if _, ok, err := p.Text(name); ok || err != nil {
			t.Error(name, ok, err)
		}
	}
}

func TestParameterRefusals(t *testing.T) {
	m := testModel(t)
	p := callParameters(t, "F(A=5,B='x',C=[1],D=@d,E=@e,F=abc)", "@d={\"@odata.type\":\"Microsoft.Dynamics.CRM.contact\"}&@e={}")
	_, _, err := p.Text("A")
	wantFault(t, err, 400, fault.BadPayload, "'A' of the function 'F' must be a string")
	_, _, err = p.Int("B")
	wantFault(t, err, 400, fault.BadPayload, "an integer")
	_, _, err = p.Bool("A")
	wantFault(t, err, 400, fault.BadPayload, "true or false")
	_, _, err = p.GUID("B")
	wantFault(t, err, 400, fault.BadPayload, "a GUID")
	_, _, err = p.Strings("C")
	wantFault(t, err, 400, fault.BadPayload, "an array of strings")
	_, _, _, err = p.Reference(m, "D")
	wantFault(t, err, 400, fault.BadPayload, "should have the key property value set")
	_, _, _, err = p.Reference(m, "E")
	wantFault(t, err, 400, fault.BadPayload, "by @odata.type")
	_, _, err = p.Text("F")
	wantFault(t, err, 400, fault.BadPayload, "a constant")
	wantFault(t, p.Only("A", "B", "C", "D", "E"), 400, fault.BadPayload, "'F' is not a parameter")
	if err := p.Only("A", "B", "C", "D", "E", "F", "G"); err != nil {
		t.Error(err)
	}
	_, err = BindParameters("F", []Arg{{"", "5"}}, nil)
	wantFault(t, err, 400, fault.BadRequest, "named parameters")
}
