package metadata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almoner/internal/messages"
	"almoner/tables"
)

// TestOverlay describes a deployment's own table, with text that must be escaped.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	declaration := `table: acme_chapter
set: acme_chapters
label: Chapter
doc: "Local <group> & \"friends\"\nof the house, zwölf"
owner: user
title: acme_name
columns:
  acme_name: {type: string, max: 80, label: Name}
  acme_tags: {type: multichoice, label: Tags, options: {100000000: One, 100000001: Two}}
  acme_leader: {type: lookup, to: [contact, account], nav: acme_Leader, label: Leader}
`
	if err := os.WriteFile(filepath.Join(dir, "acme_chapter.yaml"), []byte(declaration), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := tables.ModelWith(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := New(m, messages.All())
	if s.Version() == service(t).Version() {
		t.Error("an overlay leaves the version as it is")
	}
	catalogueOf(t, parseCSDL(t, s.CSDL(true)))
	for _, piece := range []string{
		`<EntityType Name="acme_chapter" BaseType="Microsoft.Dynamics.CRM.crmbaseentity">`,
		`<Property Name="acme_tags" Type="Edm.String"/>`,
		`<NavigationProperty Name="acme_Leader_account" Type="Microsoft.Dynamics.CRM.account" Partner="acme_account_acme_chapter_Leader">`,
		`<EntitySet Name="acme_chapters" EntityType="Microsoft.Dynamics.CRM.acme_chapter">`,
	} {
		if !strings.Contains(string(s.CSDL(false)), piece) {
			t.Errorf("$metadata lacks %s", piece)
		}
	}
	if !strings.Contains(string(s.CSDL(true)), `Local &lt;group&gt; &amp; &#34;friends&#34;&#xA;of the house, zwölf`) {
		t.Error("the description is not escaped")
	}
	table := answer(t, s, `EntityDefinitions(LogicalName='acme_chapter')?$select=Description,IsCustomEntity&$expand=Attributes($filter=LogicalName eq 'acme_tags')`)
	if got := at(table, "Description", "UserLocalizedLabel", "Label"); got != "Local <group> & \"friends\"\nof the house, zwölf" {
		t.Errorf("description %q", got)
	}
	tags := table["Attributes"].([]any)[0]
	if at(tags, "@odata.type") != "#Microsoft.Dynamics.CRM.MultiSelectPicklistAttributeMetadata" || at(tags, "AttributeType") != "Virtual" || at(tags, "AttributeTypeName", "Value") != "MultiSelectPicklistType" {
		t.Errorf("multiple choice: %v %v", at(tags, "@odata.type"), at(tags, "AttributeType"))
	}
}
