package metadata

import (
	"encoding/xml"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"almoner/internal/messages"
)

// The parts of a CSDL document the tests look at.
type (
	xmlDocument struct {
		Version string    `xml:"Version,attr"`
		Schema  xmlSchema `xml:"DataServices>Schema"`
	}
	xmlSchema struct {
		Namespace string         `xml:"Namespace,attr"`
		Alias     string         `xml:"Alias,attr"`
		Entities  []*xmlType     `xml:"EntityType"`
		Complexes []*xmlType     `xml:"ComplexType"`
		Enums     []xmlNamed     `xml:"EnumType"`
		Actions   []xmlOperation `xml:"Action"`
		Functions []xmlOperation `xml:"Function"`
		Container xmlContainer   `xml:"EntityContainer"`
	}
	xmlNamed struct {
		Name string `xml:"Name,attr"`
	}
	xmlType struct {
		Name       string        `xml:"Name,attr"`
		Base       string        `xml:"BaseType,attr"`
		Abstract   bool          `xml:"Abstract,attr"`
		Open       bool          `xml:"OpenType,attr"`
		Key        []xmlNamed    `xml:"Key>PropertyRef"`
		Properties []xmlProperty `xml:"Property"`
		Navs       []xmlNav      `xml:"NavigationProperty"`
	}
	xmlProperty struct {
		Name      string `xml:"Name,attr"`
		Type      string `xml:"Type,attr"`
		Nullable  string `xml:"Nullable,attr"`
		MaxLength string `xml:"MaxLength,attr"`
		Scale     string `xml:"Scale,attr"`
	}
	xmlNav struct {
		Name        string `xml:"Name,attr"`
		Type        string `xml:"Type,attr"`
		Partner     string `xml:"Partner,attr"`
		Constraints []struct {
			Property   string `xml:"Property,attr"`
			Referenced string `xml:"ReferencedProperty,attr"`
		} `xml:"ReferentialConstraint"`
	}
	xmlOperation struct {
		Name       string        `xml:"Name,attr"`
		Bound      bool          `xml:"IsBound,attr"`
		Parameters []xmlProperty `xml:"Parameter"`
		Return     *xmlProperty  `xml:"ReturnType"`
	}
	xmlContainer struct {
		Sets []struct {
			Name     string `xml:"Name,attr"`
			Type     string `xml:"EntityType,attr"`
			Bindings []struct {
				Path   string `xml:"Path,attr"`
				Target string `xml:"Target,attr"`
			} `xml:"NavigationPropertyBinding"`
		} `xml:"EntitySet"`
		ActionImports   []xmlImport `xml:"ActionImport"`
		FunctionImports []xmlImport `xml:"FunctionImport"`
	}
	xmlImport struct {
		Name      string `xml:"Name,attr"`
		Action    string `xml:"Action,attr"`
		Function  string `xml:"Function,attr"`
		EntitySet string `xml:"EntitySet,attr"`
	}
)

func parseCSDL(t *testing.T, text []byte) *xmlSchema {
	t.Helper()
	var d xmlDocument
	if err := xml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Version != "4.0" || d.Schema.Namespace != "Microsoft.Dynamics.CRM" || d.Schema.Alias != "mscrm" {
		t.Fatalf("version %q, namespace %q, alias %q", d.Version, d.Schema.Namespace, d.Schema.Alias)
	}
	return &d.Schema
}

// catalogue finds types and what they inherit.
type catalogue struct {
	types map[string]*xmlType // structured, by qualified name
	enums map[string]bool
}

func catalogueOf(t *testing.T, s *xmlSchema) *catalogue {
	t.Helper()
	c := &catalogue{types: map[string]*xmlType{}, enums: map[string]bool{}}
	for _, typ := range slices.Concat(s.Entities, s.Complexes) {
		if c.types[namespace+typ.Name] != nil {
			t.Errorf("type %s is declared twice", typ.Name)
		}
		c.types[namespace+typ.Name] = typ
	}
	for _, e := range s.Enums {
		if c.enums[namespace+e.Name] || c.types[namespace+e.Name] != nil {
			t.Errorf("type %s is declared twice", e.Name)
		}
		c.enums[namespace+e.Name] = true
	}
	return c
}

// line is a type with its bases, itself first.
func (c *catalogue) line(name string) []*xmlType {
	var out []*xmlType
	for typ := c.types[name]; typ != nil && len(out) < 10; typ = c.types[typ.Base] {
		out = append(out, typ)
	}
	return out
}

func (c *catalogue) property(name, property string) *xmlProperty {
	for _, typ := range c.line(name) {
		for i := range typ.Properties {
			if typ.Properties[i].Name == property {
				return &typ.Properties[i]
			}
		}
	}
	return nil
}

func (c *catalogue) nav(name, nav string) *xmlNav {
	for _, typ := range c.line(name) {
		for i := range typ.Navs {
			if typ.Navs[i].Name == nav {
				return &typ.Navs[i]
			}
		}
	}
	return nil
}

func (c *catalogue) keys(name string) int {
	n := 0
	for _, typ := range c.line(name) {
		n += len(typ.Key)
	}
	return n
}

func (c *catalogue) known(typ string) bool {
	typ = elementType(typ)
	return c.types[typ] != nil || c.enums[typ] || slices.Contains([]string{
		edmString, edmBoolean, edmInt32, edmInt64, edmDecimal, edmDouble, edmGuid, edmDateTime, "Edm.Date", "Edm.Binary"}, typ)
}

func both(t *testing.T, check func(t *testing.T, s *xmlSchema, c *catalogue)) {
	for name, annotations := range map[string]bool{"plain": false, "annotated": true} {
		t.Run(name, func(t *testing.T) {
			s := parseCSDL(t, service(t).CSDL(annotations))
			check(t, s, catalogueOf(t, s))
		})
	}
}

// TestTypesHoldTogether checks every reference between types, and that names are unique along each line of inheritance.
func TestTypesHoldTogether(t *testing.T) {
	both(t, func(t *testing.T, s *xmlSchema, c *catalogue) {
		for name, typ := range c.types {
			if typ.Base != "" && c.types[typ.Base] == nil {
				t.Errorf("%s has the unknown base %s", name, typ.Base)
			}
			seen := map[string]bool{}
			take := func(member, of string) {
				if seen[member] {
					t.Errorf("%s has two members named %s", name, member)
				}
				seen[member] = true
				if !c.known(of) {
					t.Errorf("%s.%s is of the unknown type %s", name, member, of)
				}
			}
			for _, each := range c.line(name) {
				for _, p := range each.Properties {
					take(p.Name, p.Type)
				}
				for _, n := range each.Navs {
					take(n.Name, n.Type)
				}
			}
		}
		for _, typ := range s.Entities {
			if keys := c.keys(namespace + typ.Name); !typ.Abstract && keys != 1 {
				t.Errorf("%s has %d keys", typ.Name, keys)
			}
		}
	})
}

// TestNavigation checks partners and constraints from both ends.
func TestNavigation(t *testing.T) {
	both(t, func(t *testing.T, s *xmlSchema, c *catalogue) {
		for _, typ := range s.Entities {
			own := namespace + typ.Name
			for _, n := range typ.Navs {
				target := elementType(n.Type)
				if n.Partner != "" {
					back := c.nav(target, n.Partner)
					if back == nil || back.Partner != n.Name || elementType(back.Type) != own {
						t.Errorf("%s.%s: its partner %s.%s does not lead back", typ.Name, n.Name, target, n.Partner)
					}
				}
				for _, r := range n.Constraints {
					here, there := c.property(own, r.Property), c.property(target, r.Referenced)
					if here == nil || there == nil || here.Type != there.Type {
						t.Errorf("%s.%s: constraint %s = %s does not hold", typ.Name, n.Name, r.Property, r.Referenced)
					}
				}
			}
		}
	})
}

// TestRowsAreDeclared compares the declared properties with what rows carry, both ways.
func TestRowsAreDeclared(t *testing.T) {
	s := parseCSDL(t, service(t).CSDL(false))
	c := catalogueOf(t, s)
	for _, table := range model(t).Tables {
		declared := map[string]bool{}
		for _, typ := range c.line(namespace + table.Name) {
			for _, p := range typ.Properties {
				declared[p.Name] = true
			}
			for _, n := range typ.Navs {
				declared[n.Name] = true
			}
		}
		want := map[string]bool{}
		if !table.Hidden {
			for _, col := range table.Columns {
				if !col.Hidden {
					want[col.Wire] = true
				}
			}
			for _, n := range table.Navs() {
				want[n.Name] = true
			}
		}
		if !maps.Equal(declared, want) {
			t.Errorf("%s: declared and served differ: %v", table.Name, difference(declared, want))
		}
	}
}

func difference(a, b map[string]bool) []string {
	var out []string
	for name := range a {
		if !b[name] {
			out = append(out, "only declared: "+name)
		}
	}
	for name := range b {
		if !a[name] {
			out = append(out, "only served: "+name)
		}
	}
	return out
}

// TestContainer checks sets, bindings and imports.
func TestContainer(t *testing.T) {
	both(t, func(t *testing.T, s *xmlSchema, c *catalogue) {
		sets := map[string]string{}
		for _, set := range s.Container.Sets {
			sets[set.Name] = set.Type
		}
		for _, table := range model(t).Tables {
			if !table.Hidden && sets[table.Set] != namespace+table.Name {
				t.Errorf("set %s is of type %s", table.Set, sets[table.Set])
			}
		}
		for _, set := range s.Container.Sets {
			if c.keys(set.Type) != 1 {
				t.Errorf("set %s is of type %s, which has no key", set.Name, set.Type)
			}
			for _, b := range set.Bindings {
				n := c.nav(set.Type, b.Path)
				if n == nil || sets[b.Target] == "" {
					t.Errorf("set %s: binding of %s to %s", set.Name, b.Path, b.Target)
					continue
				}
				if target := c.types[sets[b.Target]]; !slices.Contains(c.line(elementType(n.Type)), target) {
					t.Errorf("set %s: %s leads to %s, not into %s", set.Name, b.Path, n.Type, b.Target)
				}
			}
		}
		for _, i := range slices.Concat(s.Container.ActionImports, s.Container.FunctionImports) {
			if i.EntitySet != "" && sets[i.EntitySet] == "" {
				t.Errorf("import %s names the unknown set %s", i.Name, i.EntitySet)
			}
		}
	})
}

// TestOperations checks that every message is declared, callable and unambiguous.
func TestOperations(t *testing.T) {
	both(t, func(t *testing.T, s *xmlSchema, c *catalogue) {
		signatures := map[string]bool{}
		for kind, list := range map[string][]xmlOperation{"action": s.Actions, "function": s.Functions} {
			for _, o := range list {
				signature := kind + " " + o.Name
				for i, p := range o.Parameters {
					if !c.known(p.Type) {
						t.Errorf("%s: parameter %s is of the unknown type %s", o.Name, p.Name, p.Type)
					}
					if i == 0 && o.Bound {
						signature += " on " + p.Type
					}
				}
				if signatures[signature] {
					t.Errorf("%s is declared twice", signature)
				}
				signatures[signature] = true
				if o.Return != nil && !c.known(o.Return.Type) || o.Return == nil && kind == "function" {
					t.Errorf("%s returns %v", signature, o.Return)
				}
			}
		}
		for _, m := range messages.All() {
			kind := "action "
			if m.Function {
				kind = "function "
			}
			for _, binding := range bindingTypes(m) {
				signature := kind + m.Name
				if binding != "" {
					signature += " on " + binding
				}
				if !signatures[signature] {
					t.Errorf("%s is not declared", signature)
				}
			}
		}
	})
}

// TestSnippets pins what clients are known to look for.
func TestSnippets(t *testing.T) {
	s := service(t)
	for _, c := range []struct {
		annotated, there bool
		piece            string
	}{
		{false, true, `<EntityType Name="crmbaseentity" Abstract="true"/>`},
		{false, true, `<EntityType Name="expando" BaseType="Microsoft.Dynamics.CRM.crmbaseentity" Abstract="true" OpenType="true"/>`},
		{false, true, "<EntityType Name=\"principal\" BaseType=\"Microsoft.Dynamics.CRM.crmbaseentity\" Abstract=\"true\">\n<Key>\n<PropertyRef Name=\"ownerid\"/>\n</Key>\n<Property Name=\"ownerid\" Type=\"Edm.Guid\" Nullable=\"false\"/>"},
		{false, true, `<EntityType Name="systemuser" BaseType="Microsoft.Dynamics.CRM.principal">`},
		{false, true, `<EntityType Name="team" BaseType="Microsoft.Dynamics.CRM.principal">`},
		{false, true, "<EntityType Name=\"svc_gift\" BaseType=\"Microsoft.Dynamics.CRM.crmbaseentity\">\n<Key>\n<PropertyRef Name=\"svc_giftid\"/>\n</Key>\n<Property Name=\"svc_giftid\" Type=\"Edm.Guid\" Nullable=\"false\"/>"},
		{false, true, `<Property Name="svc_giftnum" Type="Edm.String" MaxLength="100"/>`},
		{false, true, `<Property Name="svc_amount1" Type="Edm.Decimal" Scale="variable"/>`},
		{false, true, `<Property Name="svc_amount1_base" Type="Edm.Decimal" Scale="variable"/>`},
		{false, true, `<Property Name="svc_giftdate" Type="Edm.Date"/>`},
		{false, true, `<Property Name="versionnumber" Type="Edm.Int64"/>`},
		{false, true, `<Property Name="_svc_donor_value" Type="Edm.Guid"/>`},
		{false, true, "<NavigationProperty Name=\"svc_Donor\" Type=\"Microsoft.Dynamics.CRM.svc_donor\" Partner=\"svc_svc_donor_svc_gift_Donor\">\n<ReferentialConstraint Property=\"_svc_donor_value\" ReferencedProperty=\"svc_donorid\"/>\n</NavigationProperty>"},
		{false, true, `<NavigationProperty Name="svc_svc_donor_svc_gift_Donor" Type="Collection(Microsoft.Dynamics.CRM.svc_gift)" Partner="svc_Donor"/>`},
		{false, true, "<NavigationProperty Name=\"ownerid\" Type=\"Microsoft.Dynamics.CRM.principal\">\n<ReferentialConstraint Property=\"_ownerid_value\" ReferencedProperty=\"ownerid\"/>"},
		{false, true, `<NavigationProperty Name="svc_Payee" Type="Microsoft.Dynamics.CRM.crmbaseentity"/>`},
		{false, true, `<NavigationProperty Name="svc_Payee_contact" Type="Microsoft.Dynamics.CRM.contact" Partner="svc_contact_svc_requestpayment_Payee">`},
		{false, false, `Path="svc_Payee" `},
		{false, true, `<NavigationPropertyBinding Path="svc_Payee_account" Target="accounts"/>`},
		{false, true, `<NavigationProperty Name="listcontact_association" Type="Collection(Microsoft.Dynamics.CRM.list)" Partner="listcontact_association"/>`},
		{false, true, `<NavigationProperty Name="listmember_association" Type="Collection(Microsoft.Dynamics.CRM.contact)"/>`},
		{false, true, `<FunctionImport Name="WhoAmI" Function="Microsoft.Dynamics.CRM.WhoAmI"/>`},
		{false, true, "<ComplexType Name=\"WhoAmIResponse\">\n<Property Name=\"BusinessUnitId\" Type=\"Edm.Guid\"/>"},
		{false, true, "<EnumType Name=\"AccessRights\" IsFlags=\"true\">\n<Member Name=\"None\" Value=\"0\"/>"},
		{false, true, `<EntitySet Name="EntityDefinitions" EntityType="Microsoft.Dynamics.CRM.EntityMetadata" IncludeInServiceDocument="false">`},
		{false, false, `<Annotation `},
		{false, false, `mscrm.`},
		{false, false, `"x_auto"`},
		{true, false, `"mscrm.`},
		{true, true, `<Annotation Term="Org.OData.Core.V1.Description" String="Unique identifier of the row."/>`},
		{true, true, "<Annotation Term=\"Org.OData.Core.V1.Computed\" Bool=\"true\"/>\n<Annotation Term=\"Org.OData.Core.V1.Permissions\">\n<EnumMember>Org.OData.Core.V1.Permission/Read</EnumMember>\n</Annotation>"},
		{true, true, "<Annotation Term=\"Org.OData.Capabilities.V1.ChangeTracking\">\n<Record>\n<PropertyValue Property=\"Supported\" Bool=\"true\"/>"},
		{true, true, `<Annotation Term="Org.OData.Core.V1.Immutable" Bool="true"/>`},
	} {
		if got := strings.Contains(string(s.CSDL(c.annotated)), c.piece); got != c.there {
			t.Errorf("annotated %v: contains %v, want %v: %s", c.annotated, got, c.there, c.piece)
		}
	}
}

// TestCSDLValidates checks both documents against the schemas of OASIS where those and xmllint are at hand.
func TestCSDLValidates(t *testing.T) {
	xsd := filepath.Join("..", "..", "..", "shared", "data", "csdl", "edmx.xsd")
	if _, err := os.Stat(xsd); err != nil {
		t.Skip("the OASIS schemas are not here")
	}
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("xmllint is missing: install libxml2-utils")
		}
		t.Skip("xmllint is missing: install libxml2-utils")
	}
	for _, annotations := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "metadata.xml")
		if err := os.WriteFile(file, service(t).CSDL(annotations), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(lint, "--nonet", "--noout", "--schema", xsd, file).CombinedOutput(); err != nil {
			t.Errorf("annotations %v: %s", annotations, out)
		}
	}
}

func BenchmarkCSDL(b *testing.B) {
	s := service(b)
	for b.Loop() {
		s.document(true)
	}
}

func BenchmarkEverything(b *testing.B) {
	s := service(b)
	for b.Loop() {
		if _, err := ask(b, s, `EntityDefinitions?$expand=Attributes`); err != nil {
			b.Fatal(err)
		}
	}
}
