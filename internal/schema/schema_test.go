package schema_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"almoner/internal/schema"
	"almoner/internal/value"
	"almoner/tables"
)

// folder makes a file system out of "-- name --" sections.
func folder(text string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, section := range strings.Split(text, "-- ")[1:] {
		name, body, _ := strings.Cut(section, " --\n")
		fsys[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return fsys
}

// problems returns the lines of a Problems error.
func problems(t *testing.T, err error) []string {
	t.Helper()
	var list schema.Problems
	if !errors.As(err, &list) {
		t.Fatalf("want schema.Problems, got %v", err)
	}
	return strings.Split(list.Error(), "\n")
}

// wantProblems checks that exactly these problems are reported: each want is a prefix "file:line:" and a part of the text.
func wantProblems(t *testing.T, err error, want ...string) {
	t.Helper()
	got := problems(t, err)
	for _, w := range want {
		place, text, _ := strings.Cut(w, " ")
		if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, place) && strings.Contains(g, text) }) {
			t.Errorf("missing %q", w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d problems, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
}

func compile(t *testing.T, text string) (*schema.Model, error) {
	t.Helper()
	decls, err := schema.Load("in", folder(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Compile(decls)
}

func overlay(t *testing.T, text string) (*schema.Model, error) {
	t.Helper()
	base, err := schema.Load("tables", tables.FS)
	if err != nil {
		t.Fatal(err)
	}
	decls, err := schema.Overlay(base, "site", folder(text))
	if err != nil {
		return nil, err
	}
	return schema.Compile(decls)
}

func TestLoadReportsEveryProblemWithItsLine(t *testing.T) {
	_, err := schema.Load("in", folder(`
-- a.yaml --
table: a
colour: red
label: [x]
columns:
  one: {type: string, length: 5}
  one: {type: memo}
  two: {type: 5, index: maybe}
  three[5..2]: {type: date}
-- b.yaml --
optionset: b
values:
  first: One
  2: {label: Two, hint: x}
-- c.yaml --
columns: {}
-- d.yaml --
table: d
  bad: indent
-- e.yaml --
table: &x e
label: *x
-- f.yaml --
table: f
---
table: g
-- g.yaml --
[1, 2]
-- notes.txt --
not read
`))
	wantProblems(t, err,
		`in/a.yaml:2: no key "colour"`,
		`in/a.yaml:3: "a list" is not text`,
		`in/a.yaml:5: no key "length"`,
		`in/a.yaml:6: names "one" twice, first on line 5`,
		`in/a.yaml:7: "5" is not text`,
		`in/a.yaml:7: "maybe" is not true or false`,
		`in/a.yaml:8: the range of three[5..2]`,
		`in/b.yaml:3: "first" is not a whole number`,
		`in/b.yaml:4: no key "hint"`,
		`in/c.yaml:1: begins with table: or optionset:`,
		`in/d.yaml:2: not YAML`,
		`in/e.yaml:2: an alias`,
		`in/f.yaml:1: more than one document`,
		`in/g.yaml:1: must be a mapping`,
	)
}

func TestCompileReportsEveryProblemWithItsLine(t *testing.T) {
	_, err := compile(t, `
-- a.yaml --
table: a_x
set: a_xs
code: 10001
owner: user
title: two
indexes: [[three, four]]
columns:
  one: {type: strin}
  two: {type: integer, max: 5}
  three: {type: lookup, to: nowhere}
  five: {type: choice}
  six: {type: choice, options: none_such}
  seven: {type: boolean, labels: [Only], default: perhaps}
  eight: {type: decimal}
  nine: {type: money, need: urgent, low: 5, high: 1}
  nine_base: {type: money}
  ten: {type: string, max: 9999999}
  eleven: {type: state}
  twelve: {type: string, virtual: magic}
  Thirteen: {type: string}
-- b.yaml --
table: b_x
set: a_xs
code: 10001
owner: nobody
system: some
key: none
columns: {}
-- c.yaml --
table: c_x
set: c_xs
code: 10002
owner: organization
links: [{name: c_link, a: one, b: two}]
columns:
  one: {type: lookup, to: c_x, on_delete: explode, nav: c_Same}
  two: {type: lookup, to: c_x, nav: c_Same}
-- systemuser.yaml --
table: systemuser
set: systemusers
code: 8
system: platform
columns: {}
-- organization.yaml --
table: organization
set: organizations
code: 1019
system: platform
columns: {}
-- rest.yaml --
table: transactioncurrency
set: transactioncurrencies
code: 9105
system: platform
columns: {}
-- team.yaml --
table: team
set: teams
code: 9
system: platform
columns: {}
-- unit.yaml --
table: businessunit
set: businessunits
code: 10
system: platform
columns: {}
`)
	wantProblems(t, err,
		`in/a.yaml:1: title "two"`,
		`in/a.yaml:6: no column "four"`,
		`in/a.yaml:8: no type "strin"`,
		`in/a.yaml:9: key "max" does not go with type integer`,
		`in/a.yaml:10: no table "nowhere"`,
		`in/a.yaml:11: a choice without options`,
		`in/a.yaml:12: no option set "none_such"`,
		`in/a.yaml:13: labels are two`,
		`in/a.yaml:13: default "perhaps"`,
		`in/a.yaml:14: scale of 1 to 10`,
		`in/a.yaml:15: need "urgent"`,
		`in/a.yaml:15: low is above high`,
		`in/a.yaml:16: declared twice`,
		`in/a.yaml:17: max must lie between`,
		`in/a.yaml:18: it is added`,
		`in/a.yaml:19: no derivation "magic"`,
		`in/a.yaml:20: lower-case letters`,
		`in/b.yaml:1: owner "nobody"`,
		`in/b.yaml:1: system "some"`,
		`in/b.yaml:1: "none" is not a key for table b_x`,
		`in/b.yaml:1: neither a key nor a unique list`,
		`in/b.yaml:1: set a_xs is taken by table a_x (in/a.yaml:1)`,
		`in/b.yaml:1: code 10001 of table b_x is taken`,
		`in/c.yaml:5: joins c_x with itself`,
		`in/c.yaml:7: on_delete "explode"`,
		`in/c.yaml:8: already has a property c_Same`,
	)
}

func TestOverlayAddsAndTightens(t *testing.T) {
	m, err := overlay(t, `
-- options/acme_size.yaml --
optionset: acme_size
values:
  1: Small
  2: Large
-- options/giftrange.yaml --
optionset: svc_giftrange
open: false
values:
  100000001: Two million and up
relabel:
  730850000: Less than 100
-- chapter.yaml --
table: acme_chapter
set: acme_chapters
label: Chapter
owner: user
track_changes: true
title: acme_name
columns:
  acme_name: {type: string, max: 80, index: true}
  acme_goal: {type: money}
  acme_size: {type: choice, options: acme_size}
  acme_leader: {type: lookup, to: contact, nav: acme_Leader}
-- svc_gift.yaml --
table: svc_gift
label: Donation
indexes: [[acme_chapter, svc_giftdate]]
columns:
  svc_giftnum: {max: 200, label: Donation Number, need: system}
  svc_giftmethod: {options: {730850007: Web}}
  svc_giftanonymous: {labels: [Open, Anonymous]}
  svc_honor: {index: true}
  acme_chapter: {type: lookup, to: acme_chapter, nav: acme_Chapter, doc: Chapter that raised the gift.}
  acme_extra[1..2]: {type: money, label: "Extra [1..2]"}
`)
	if err != nil {
		t.Fatal(err)
	}
	base, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	if m.Version == base.Version {
		t.Error("an overlay changes the version")
	}
	gift, chapter := m.Table("svc_gift"), m.Set("acme_chapters")
	if gift.Label != "Donation" || gift.Column("svc_giftnum").Max != 200 || gift.Column("svc_giftnum").Need != schema.SystemRequired {
		t.Error("svc_giftnum was not lengthened and tightened")
	}
	if base.Table("svc_gift").Column("svc_giftnum").Max != 100 {
		t.Error("the base changed")
	}
	if chapter.TypeCode < 20000 || chapter.TypeCode > 29999 || chapter.Column("svc_dc_sourceid") == nil || chapter.Column("acme_goal_base") == nil {
		t.Errorf("chapter: code %d", chapter.TypeCode)
	}
	rel := m.Relation("acme_acme_chapter_svc_gift_Chapter")
	if rel == nil || rel.Nav != "acme_Chapter" || !rel.Column.Custom || chapter.Nav(rel.Name) == nil {
		t.Errorf("relation %+v", rel)
	}
	if set := m.OptionSet("svc_giftrange"); set.Open || set.Accepts(730850500) || set.Options[0].Label != "Less than 100" || set.Find(100000001) == nil {
		t.Errorf("gift range %+v", set)
	}
	if !gift.Column("svc_giftmethod").Options.Accepts(730850007) || !gift.Column("svc_honor").Indexed {
		t.Error("an option and an index were added")
	}
	if label, _ := gift.Column("svc_giftanonymous").Options.LabelOf(1); label != "Anonymous" {
		t.Errorf("label %q", label)
	}
	if got := gift.Indexes[len(gift.Indexes)-1].Columns[0].Name; got != "acme_chapter" {
		t.Errorf("last index begins with %s", got)
	}
	for _, c := range base.Table("svc_gift").Columns {
		if gift.Column(c.Name).Number != c.Number {
			t.Errorf("column %s was renumbered", c.Name)
		}
	}
}

func TestOverlayRefusesEverythingElseAtOnce(t *testing.T) {
	_, err := overlay(t, `
-- options/giftrange.yaml --
optionset: svc_giftrange
values:
  730850000: Tiny
relabel:
  5: Five
-- options/stage.yaml --
optionset: svc_stage
open: true
-- options/svc_new.yaml --
optionset: svc_new
values: {1: One}
-- svc_fund.yaml --
table: svc_fund
owner: user
columns:
  svc_fundcode: {type: integer}
  svc_numberofpayments: {max: 5}
  svc_fundname: {max: 50, need: recommended}
  svc_parent: {to: contact}
  svc_new: {type: string}
  plain: {type: string}
  acme_magic: {type: money, computed: true}
  svc_fundclass: {options: {730850000: Running}}
  svc_paymentfrequency: {options: {1: Never}}
-- svc_thing.yaml --
table: svc_thing
set: svc_things
owner: user
platform: true
columns: {}
`)
	wantProblems(t, err,
		`site/options/giftrange.yaml:3: option value 730850000 is taken by "Under 100" (declared at tables/options/svc_giftrange.yaml:6)`,
		`site/options/giftrange.yaml:5: no value 5 to relabel`,
		`site/options/stage.yaml:2: is closed and stays so (declared at tables/options/svc_stage.yaml:1)`,
		`site/options/svc_new.yaml:1: option set svc_new is not in the base`,
		`site/svc_fund.yaml:2: key "owner"`,
		`site/svc_fund.yaml:4: cannot become integer: it is string (declared at tables/svc_fund.yaml:`,
		`site/svc_fund.yaml:5: key "max" does not go with type integer`,
		`site/svc_fund.yaml:6: cannot be shortened to 50: it holds 100 (declared at tables/svc_fund.yaml:`,
		`site/svc_fund.yaml:6: cannot be loosened to need recommended: it is application`,
		`site/svc_fund.yaml:7: key "to"`,
		`site/svc_fund.yaml:8: column svc_new is not in the base`,
		`site/svc_fund.yaml:9: column plain is not in the base`,
		`site/svc_fund.yaml:10: key "computed": this is reserved`,
		`site/svc_fund.yaml:11: option value 730850000 is taken by "Operating"`,
		`site/svc_fund.yaml:12: uses the global option set svc_paymentfrequency`,
		`site/svc_thing.yaml:1: table svc_thing is not in the base`,
		`site/svc_thing.yaml:4: key "platform": this is reserved`,
	)
}

func TestOverlayMistakesFoundByCompile(t *testing.T) {
	_, err := overlay(t, `
-- svc_gift.yaml --
table: svc_gift
columns:
  acme_a: {type: lookup, to: acme_none}
  acme_b: {type: lookup, to: contact, nav: svc_Donor}
-- t.yaml --
table: acme_t
set: svc_gifts
columns: {}
`)
	wantProblems(t, err,
		`site/svc_gift.yaml:3: no table "acme_none"`,
		`site/svc_gift.yaml:4: svc_gift already has a property svc_Donor`,
		`site/t.yaml:1: set svc_gifts is taken by table svc_gift (tables/svc_gift.yaml:1)`,
		`site/t.yaml:1: needs owner: user or organization`,
	)
}

func TestDefaultsAndBounds(t *testing.T) {
	m, err := overlay(t, `
-- t.yaml --
table: acme_t
set: acme_ts
owner: organization
columns:
  acme_flag: {type: boolean}
  acme_on: {type: boolean, default: true}
  acme_unset: {type: boolean, default: none}
  acme_count: {type: integer, default: 7, low: 0}
  acme_big: {type: bigint, high: 10}
  acme_fee: {type: money, default: 2.5, low: 0}
  acme_rate: {type: decimal, scale: 3, default: 0.125}
  acme_word: {type: string, default: plain}
  acme_pick: {type: choice, default: 2, options: {1: One, 2: Two}}
`)
	if err != nil {
		t.Fatal(err)
	}
	table := m.Table("acme_t")
	for name, want := range map[string]value.Value{
		"acme_flag": value.Bool(false), "acme_on": value.Bool(true), "acme_unset": value.Null, "acme_count": value.Int(7), "acme_big": value.Null,
		"acme_fee": value.Money(250), "acme_rate": value.Decimal(125, 3), "acme_word": value.Text("plain"), "acme_pick": value.Int(2),
	} {
		if got := table.Column(name).Default; got != want {
			t.Errorf("%s defaults to %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string][2]int64{
		"acme_count": {0, math.MaxInt32}, "acme_big": {math.MinInt64, 10}, "acme_fee": {0, 92233720368547700},
		"acme_rate": {-100000000000000, 100000000000000}, "acme_fee_base": {-92233720368547700, 92233720368547700},
	} {
		if c := table.Column(name); c.Low != want[0] || c.High != want[1] {
			t.Errorf("%s lies in %d..%d, want %v", name, c.Low, c.High, want)
		}
	}
}

func TestWrongDefaultsAndBounds(t *testing.T) {
	_, err := overlay(t, `
-- t.yaml --
table: acme_t
set: acme_ts
owner: organization
columns:
  acme_count: {type: integer, default: seven, low: 0.5}
  acme_fee: {type: money, default: 2.555}
  acme_pick: {type: choice, default: 3, options: {1: One}}
  acme_day: {type: date, default: today}
  acme_long: {type: integer, high: 99999999999999999999}
-- o.yaml --
optionset: acme_none
`)
	wantProblems(t, err,
		`site/t.yaml:5: cannot have the default "seven"`,
		`site/t.yaml:5: "0.5" is not a bound with 0 decimals`,
		`site/t.yaml:6: cannot have the default "2.555"`,
		`site/t.yaml:7: cannot have the default "3"`,
		`site/t.yaml:8: cannot have the default "today"`,
		`site/t.yaml:9: is not a bound`,
		`site/o.yaml:1: has no values`,
	)
}

func TestOverlayNeedsAFolder(t *testing.T) {
	if _, err := tables.ModelWith(t.TempDir() + "/absent"); err == nil {
		t.Error("a folder that is not there is an error")
	}
	if _, err := tables.ModelWith(t.TempDir()); err != nil {
		t.Errorf("an empty folder is none: %v", err)
	}
}

func TestMetadataIDs(t *testing.T) {
	a, b := schema.MetadataID("table", "svc_gift"), schema.MetadataID("table", "svc_fund")
	if a == b || a != schema.MetadataID("table", "svc_gift") || a[6]>>4 != 5 || a[8]>>6 != 2 {
		t.Errorf("%s %s", a, b)
	}
	if got := a.String(); got != "4f0ad92e-a162-5230-a1bb-58e614847588" {
		t.Errorf("the id of svc_gift changed to %s", got)
	}
}

// FuzzLoad feeds single files to the loader and, when it takes them, to the overlay merge and the compiler: mistakes are
// Problems, never anything else.
func FuzzLoad(f *testing.F) {
	base, err := schema.Load("tables", tables.FS)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"svc_gift.yaml", "contact.yaml", "listmember.yaml", "audit.yaml", "campaign.yaml", "options/svc_stage.yaml"} {
		text, err := tables.FS.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("table: acme_a\nset: acme_as\nowner: user\ncolumns:\n  acme_b[1..3]: {type: decimal, scale: 4, low: -1, default: 0.5}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		fsys := fstest.MapFS{"a.yaml": &fstest.MapFile{Data: text}}
		if decls, err := schema.Load("in", fsys); err != nil {
			problems(t, err)
		} else if _, err := schema.Compile(decls); err != nil {
			problems(t, err)
		}
		merged, err := schema.Overlay(base, "in", fsys)
		if err != nil {
			problems(t, err)
			return
		}
		if _, err := schema.Compile(merged); err != nil {
			problems(t, err)
		}
	})
}
