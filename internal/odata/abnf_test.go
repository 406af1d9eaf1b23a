package odata

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"almoner/internal/fault"
)

// abnfFolder holds the OASIS test cases of the OData grammar, where a working copy has them beside it.
const abnfFolder = "../../../shared/data/odata-abnf"

type abnfCase struct {
	Name   string `yaml:"Name"`
	Rule   string `yaml:"Rule"`
	Input  string `yaml:"Input"`
	FailAt *int   `yaml:"FailAt"`
}

// abnfCases reads the cases of one file; none when the folder is not there.
func abnfCases(t testing.TB, file string) []abnfCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(abnfFolder, file))
	if err != nil {
		return nil
	}
	var doc struct {
		TestCases []abnfCase `yaml:"TestCases"`
	}
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(string(data), "\t", " ")), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.TestCases) < 100 {
		t.Fatalf("%s has only %d cases", file, len(doc.TestCases))
	}
	return doc.TestCases
}

// literalColumns names a column of svc_gift or svc_fund for each rule about literals.
var literalColumns = map[string]string{
	"boolean": "svc_giftanonymous", "date": "svc_giftdate", "dateTimeOffsetValue": "createdon", "decimalValue": "svc_totalgift",
	"doubleValue": "svc_spendpercent", "guid": "svc_giftid", "stringLiteral": "svc_giftnum", "null": "svc_giftnum",
	"byteValue": "svc_gifttype", "sbyteValue": "svc_gifttype", "int16Value": "svc_gifttype", "int32Value": "svc_gifttype", "int64Value": "versionnumber",
}

func TestGrammarLiterals(t *testing.T) {
	cases := abnfCases(t, "odata-abnf-testcases.yaml")
	seen := 0
	for _, c := range cases {
		column, ok := literalColumns[c.Rule]
		if !ok || strings.Contains(c.Input, "%") && c.Rule != "stringLiteral" {
			continue
		}
		seen++
		table, text := "svc_gift", c.Input
		if c.Rule == "doubleValue" {
			table = "svc_fund"
		}
		if unescaped, err := url.PathUnescape(text); err == nil {
			text = unescaped
		}
		_, err := bindQuery(t, table, "$filter="+url.QueryEscape(column+" eq "+text))
		if c.FailAt == nil && err != nil {
			t.Errorf("%s %s: %v", c.Rule, c.Input, err)
		}
		if c.FailAt != nil && (err == nil || fault.As(err).Status != 400) {
			t.Errorf("%s %s is taken: %v", c.Rule, c.Input, err)
		}
	}
	if cases != nil && seen < 40 {
		t.Errorf("only %d literal cases", seen)
	}
}

// abnfNames maps the names of the sample model to those of a gift.
var abnfNames = map[string]string{
	"Name": "svc_giftnum", "CompanyName": "svc_purpose", "FirstName": "svc_honor", "LastName": "svc_memory", "Street": "svc_honor", "City": "svc_memory",
	"Title": "svc_giftnum", "Price": "svc_totalgift", "Amount": "svc_totalgift", "Cost": "svc_paid", "Revenue": "svc_balance", "Rating": "importsequencenumber",
	"Quantity": "importsequencenumber", "BirthDate": "createdon", "ReleaseDate": "createdon", "LifeTime": "createdon", "Completed": "svc_giftanonymous",
	"Supplier": "svc_Donor", "Customer": "svc_Donor", "Product": "svc_MatchingGift", "Category": "svc_MatchingGift",
	"Products": "svc_svc_gift_svc_giftpayment_GiftNumber", "Items": "svc_svc_gift_svc_giftpayment_GiftNumber", "Size": "svc_totalgift",
}

// abnfBeyond matches what neither the platform nor the service takes: other versions' spellings, geography, casts, streams,
// bound functions, complex types and collections of values.
var abnfBeyond = regexp.MustCompile(`\$count|\$filter\(|\$root|\$this|\$levels|\$search|\$value|\$compute|\$skip|\$format|@|\*|Address|Sizes|Names|Thumbnail|Model\.|Sales|geo|cast|isof|has|[\[{]|` +
	`divby|matchesPattern|fractionalseconds|maxdatetime|mindatetime|time\(|totaloffset|totalseconds|EQ|Eq|DirectReports|Items\(|style|State|^filter|^expand|^select|OrderBy|` +
	`Size eq true|Action|Preferred|Manager|Countr|Cost ge|Supplier/Products|\$it,|^lambda|Items/\$ref|any\(\)$`)

var abnfWord = regexp.MustCompile(`[A-Za-z_]+`)

// abnfOption says in which query option a rule's input stands.
func abnfOption(c abnfCase) string {
	text := abnfWord.ReplaceAllStringFunc(c.Input, func(word string) string {
		if name, ok := abnfNames[word]; ok {
			return name
		}
		return word
	})
	text = strings.ReplaceAll(text, "svc_Donor/svc_giftnum", "svc_Donor/svc_formaldefault")
	text = strings.ReplaceAll(text, "lambda/svc_giftanonymous", "lambda/svc_pledgepaid")
	switch c.Rule {
	case "boolCommonExpr", "notExpr":
		return "$filter=" + text
	case "filter", "select", "expand", "orderby":
		return text
	default:
		return ""
	}
}

func TestGrammarOptions(t *testing.T) {
	cases := abnfCases(t, "odata-abnf-testcases.yaml")
	bound, refused := 0, 0
	for _, c := range cases {
		query := abnfOption(c)
		if query == "" {
			continue
		}
		_, err := bindQuery(t, "svc_gift", strings.ReplaceAll(query, " ", "%20"))
		if err != nil && fault.As(err).Status != 400 {
			t.Errorf("%s: %v", query, err)
		}
		switch {
		case c.FailAt != nil:
			refused++
			if err == nil && !strings.Contains(c.Input, "= ") {
				t.Errorf("%s is taken", query)
			}
		case !abnfBeyond.MatchString(c.Input):
			bound++
			if err != nil {
				t.Errorf("%s: %v", query, err)
			}
		}
	}
	if cases != nil && (bound < 40 || refused < 8) {
		t.Errorf("only %d cases to take and %d to refuse", bound, refused)
	}
}

// TestGrammarApply runs the cases of the aggregation grammar: what goes wrong there must be refused, and nothing may break.
func TestGrammarApply(t *testing.T) {
	for _, c := range abnfCases(t, "odata-aggregation-testcases.yaml") {
		if c.Rule != "queryOptions" {
			continue
		}
		query := abnfOption(abnfCase{Rule: "filter", Input: c.Input})
		_, err := bindQuery(t, "svc_gift", strings.ReplaceAll(query, " ", "%20"))
		if err != nil && fault.As(err).Status != 400 {
			t.Errorf("%s: %v", query, err)
		}
		if c.FailAt != nil && err == nil {
			t.Errorf("%s is taken", query)
		}
	}
}

// TestGrammarPaths runs the cases of resource paths: whatever parses or not, nothing may break.
func TestGrammarPaths(t *testing.T) {
	for _, c := range abnfCases(t, "odata-abnf-testcases.yaml") {
		if c.Rule != "resourcePath" && c.Rule != "odataRelativeUri" {
			continue
		}
		path, query, _ := strings.Cut(c.Input, "?")
		if _, err := ParsePath(path); err != nil && fault.As(err).Status >= 500 {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := ParseOptions(query); err != nil && fault.As(err).Status >= 500 {
			t.Errorf("%s: %v", query, err)
		}
	}
}
