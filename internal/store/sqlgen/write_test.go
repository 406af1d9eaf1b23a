package sqlgen

import (
	"slices"
	"testing"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

func assign(t *schema.Table, name string, v value.Value) query.Assign {
	return query.Assign{Column: t.MustColumn(name), Value: v}
}

func TestWriteTexts(t *testing.T) {
	m := product(t)
	donor, contact, years := m.Table("svc_donor"), m.Table("contact"), m.Table("donoryear")
	id := value.GUID{1}
	year := []query.Assign{assign(years, "donor", value.ID(id)), assign(years, "year", value.Int(2024))}
	amount := assign(years, "amount", value.Int(5))
	for _, test := range []struct {
		name string
		got  Statement
		want string
		args []value.Value
	}{
		{"insert with the fold of an indexed text", NewWriter(Postgres).Insert(nil, donor, id, []query.Assign{assign(donor, "svc_sortby", value.Text("Ann"))}),
			`INSERT INTO "svc_donor" ("svc_donorid","svc_sortby","svc_sortby_f") VALUES ($1,$2,$3)`,
			[]value.Value{value.ID(id), value.Text("Ann"), value.Text("ann")}},
		{"insert without the fold of a plain ASCII text", NewWriter(SQLite).Insert(nil, donor, id, []query.Assign{assign(donor, "svc_country", value.Text("Chad"))}),
			`INSERT INTO "svc_donor" ("svc_donorid","svc_country","svc_country_f") VALUES (?1,?2,?3)`,
			[]value.Value{value.ID(id), value.Text("Chad"), value.Null}},
		{"insert with the fold of another text", NewWriter(SQLite).Insert(nil, donor, id, []query.Assign{assign(donor, "svc_country", value.Text("Perú "))}),
			`INSERT INTO "svc_donor" ("svc_donorid","svc_country","svc_country_f") VALUES (?1,?2,?3)`,
			[]value.Value{value.ID(id), value.Text("Perú "), value.Text("peru")}},
		{"update a polymorphic lookup", NewWriter(SQLite).Update(nil, contact, id, []query.Assign{assign(contact, "parentcustomerid", value.Ref(id, 1))}),
			`UPDATE "contact" SET "parentcustomerid"=?1,"parentcustomerid_t"=?2 WHERE "contact"."contactid"=?3`,
			[]value.Value{value.Ref(id, 1), value.Int(1), value.ID(id)}},
		{"update nothing", NewWriter(SQLite).Update(nil, contact, id, nil), `UPDATE "contact" SET "contactid"="contactid" WHERE "contact"."contactid"=?1`,
			[]value.Value{value.ID(id)}},
		{"delete", NewWriter(Postgres).Delete(contact, id), `DELETE FROM "contact" WHERE "contact"."contactid"=$1`, []value.Value{value.ID(id)}},
		{"put", NewWriter(SQLite).Put(nil, years, append(year, amount)),
			`INSERT INTO "donoryear" ("donor","year","amount") VALUES (?1,?2,?3) ON CONFLICT ("donor","year") DO UPDATE SET "amount"=excluded."amount","amountown"=excluded."amountown","amountownbase"=excluded."amountownbase"`,
			[]value.Value{value.ID(id), value.Int(2024), value.Int(5)}},
		{"add", NewWriter(Postgres).Add(nil, years, year, []query.Assign{amount}),
			`INSERT INTO "donoryear" ("donor","year","amount") VALUES ($1,$2,$3) ON CONFLICT ("donor","year")` +
				` DO UPDATE SET "amount"=coalesce("donoryear"."amount",0)+excluded."amount"`,
			[]value.Value{value.ID(id), value.Int(2024), value.Int(5)}},
		{"remove by null", NewWriter(SQLite).Remove(years, []query.Assign{assign(years, "amount", value.Null), year[1]}),
			`DELETE FROM "donoryear" WHERE "donoryear"."amount" IS NULL AND "donoryear"."year"=?1`, []value.Value{value.Int(2024)}},
		{"remove by nothing", NewWriter(SQLite).Remove(years, nil), `DELETE FROM "donoryear" WHERE 1=0`, nil},
	} {
		if test.got.SQL != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, test.got.SQL, test.want)
		}
		var args []value.Value
		for _, a := range test.got.Args {
			args = append(args, a.Value)
		}
		if !slices.Equal(args, test.args) {
			t.Errorf("%s: parameters %v, want %v", test.name, args, test.args)
		}
	}
}

func TestGetText(t *testing.T) {
	contact := product(t).Table("contact")
	cols := []*schema.Column{contact.MustColumn("lastname"), contact.MustColumn("parentcustomerid")}
	want := `SELECT t."lastname",t."parentcustomerid",t."parentcustomerid_t" FROM "contact" AS t WHERE t."contactid"=$1 FOR NO KEY UPDATE`
	if got := Get(Postgres, contact, cols, true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A number of another scale is stored in its column's.
func TestStoredValueTakesTheScaleOfItsColumn(t *testing.T) {
	m := product(t)
	gift := m.Table("svc_gift")
	for _, test := range []struct {
		column   string
		in, want value.Value
	}{
		{"svc_amount1", value.Int(3), value.Decimal(300, 2)},
		{"svc_amount1", value.Money(7), value.Money(7)},
		{"exchangerate", value.Decimal(15, 1), value.Decimal(15000000000, 10)},
		{"svc_amount1", value.Null, value.Null},
	} {
		if got := storedValue(gift.MustColumn(test.column), test.in); got != test.want {
			t.Errorf("%s: %v becomes %v", test.column, test.in, got)
		}
	}
}
