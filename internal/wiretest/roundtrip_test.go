package wiretest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"almoner/internal/schema"
	"almoner/internal/servicetest"
)

// TestEveryColumnOnSQLite and its twin write every column a client may write and read it back, and refuse what is of the wrong kind.
func TestEveryColumnOnSQLite(t *testing.T) { everyColumn(t, onSQLite(t)) }

func TestEveryColumnOnPostgreSQL(t *testing.T) { everyColumn(t, onPostgreSQL(t)) }

func everyColumn(t *testing.T, on stores) {
	model := servicetest.Model(t)
	w := populate(&client{t, on.serve(t)}, model)
	for _, table := range model.Tables {
		if table.Hidden || table.ReadOnly {
			continue
		}
		t.Run(table.Name, func(t *testing.T) {
			if len(w.ids[table.Name]) == 0 {
				t.Fatal("no seed makes a row of it")
			}
			w := &world{client: &client{t, w.to}, model: w.model, ids: w.ids, currency: w.currency}
			w.roundTrip(table)
			w.states(table)
			w.onlyAtCreation(table)
			w.refuse(table)
		})
	}
}

// roundTrip patches a row with one legal value per column at a time until every column has had all of its values.
func (w *world) roundTrip(table *schema.Table) {
	columns := w.tried(table)
	rounds := 0
	for _, values := range columns {
		rounds = max(rounds, len(values))
	}
	for i := range rounds {
		body := map[string]any{}
		for c, values := range columns {
			body[memberOf(c)] = values[i%len(values)].send
		}
		path := w.subject(table)
		r := w.call("PATCH", path, body, `return=representation,odata.include-annotations="*"`)
		if r.status != 200 {
			text, _ := json.Marshal(body)
			w.t.Errorf("round %d: PATCH %s answered %d %s\n%s", i, path, r.status, r.text, text)
			return
		}
		for c, values := range columns {
			w.compare(r.body, c, values[i%len(values)])
		}
	}
}

const formatted = "@OData.Community.Display.V1.FormattedValue"

func (w *world) compare(row map[string]any, c *schema.Column, s sample) {
	w.t.Helper()
	got := row[c.Wire]
	if !equal(c, got, s.want) {
		w.t.Errorf("%s: sent %s, read %s, want %s", c.Name, show(s.send), show(got), show(s.want))
	}
	if c.Options != nil && c.Type != schema.TypeMultiChoice {
		if label, _ := row[c.Wire+formatted].(string); label != s.label {
			w.t.Errorf("%s = %s has the label %q, want %q", c.Name, show(s.want), label, s.label)
		}
	}
}

func equal(c *schema.Column, got, want any) bool {
	if c.Type == schema.TypeFloat && got != nil && want != nil {
		a, errA := got.(json.Number).Float64()
		b, errB := want.(json.Number).Float64()
		return errA == nil && errB == nil && a == b
	}
	return got == want
}

func show(v any) string {
	text := fmt.Sprint(v)
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}

// memberOf is the member of a body that sets a column.
func memberOf(c *schema.Column) string {
	if c.Type == schema.TypeLookup {
		return c.Nav + "@odata.bind"
	}
	return c.Name
}

// writable lists the columns a PATCH may set.
func writable(table *schema.Table) []*schema.Column {
	var out []*schema.Column
	for _, c := range table.Columns {
		if c != table.Key && c.Stored() && !c.Hidden && !c.Computed && !c.CreateOnly && c.BaseOf == nil {
			out = append(out, c)
		}
	}
	return out
}

// tried lists the columns of a table with the values they are tried with.
func (w *world) tried(table *schema.Table) map[*schema.Column][]sample {
	out := map[*schema.Column][]sample{}
	for _, c := range writable(table) {
		if c.Type == schema.TypeState || c.Type == schema.TypeStatus {
			continue
		}
		values := w.legal(c)
		if needed[table.Name+"."+c.Name] || needed[c.Name] || c.Need == schema.SystemRequired {
			values = slices.DeleteFunc(values, func(s sample) bool { return s.want == nil })
		}
		if len(values) > 0 {
			out[c] = values
		}
	}
	return out
}

// legal lists what a column is tried with: what its type allows, or where a rule says more, what the rule does.
func (w *world) legal(c *schema.Column) []sample {
	if values := ruled[c.Table.Name+"."+c.Name]; values != nil {
		return values(w)
	}
	if values := ruled[c.Name]; values != nil {
		return values(w)
	}
	if c.Type == schema.TypeLookup {
		return w.targets(c)
	}
	return samples(c)
}

// states puts the row into every state and status it has.
func (w *world) states(table *schema.Table) {
	state, status := table.Column("statecode"), table.Column("statuscode")
	if state == nil || state.Computed {
		return
	}
	for _, o := range status.Options.Options {
		body := map[string]any{"statecode": o.State, "statuscode": o.Value}
		r := w.must("PATCH", w.subject(table), body, `return=representation,odata.include-annotations="*"`)
		label, _ := state.Options.LabelOf(o.State)
		w.compare(r.body, state, sample{body["statecode"], json.Number(strconv.FormatInt(o.State, 10)), label})
		w.compare(r.body, status, sample{body["statuscode"], json.Number(strconv.FormatInt(o.Value, 10)), o.Label})
	}
}

// targets lists the rows a lookup is pointed at: of each table it may lead to the last one made, which leads nowhere itself.
func (w *world) targets(c *schema.Column) []sample {
	out := []sample{}
	for _, to := range c.Targets {
		if ids := w.ids[to.Name]; len(ids) > 0 {
			out = append(out, w.pointing(to.Name, len(ids)-1))
		}
	}
	return append(out, sample{})
}

// onlyAtCreation sets a column that is taken at creation and passed over afterwards.
func (w *world) onlyAtCreation(table *schema.Table) {
	c := table.Column("importsequencenumber")
	if c == nil || table.Name == "listmember" {
		return // a list has each member once
	}
	i := slices.IndexFunc(seeds, func(s seed) bool { return s.table == table.Name })
	var body map[string]any
	if err := json.Unmarshal([]byte(w.bodyOf(seeds[i])), &body); err != nil {
		w.t.Fatal(err)
	}
	body[c.Name] = 7
	made := w.must("POST", table.Set+"?$select="+c.Name, body, "return=representation")
	w.compare(made.body, c, same(json.Number("7")))
	changed := w.must("PATCH", table.Set+"("+made.id+")?$select="+c.Name, map[string]any{c.Name: 8}, "return=representation")
	w.compare(changed.body, c, same(json.Number("7")))
}

// refuse sends every column what it must not take.
func (w *world) refuse(table *schema.Table) {
	if !table.Updatable() {
		return // its rows refuse every PATCH
	}
	path := w.subject(table)
	for _, c := range table.Columns {
		switch {
		case c.Hidden || c == table.Key || !c.Stored() || c.CreateOnly:
		case c.BaseOf != nil:
			w.refused(path, c.Name, `1`, "0x80041100")
		case c.Type == schema.TypeLookup:
			w.refused(path, c.Wire, `"`+w.ids["contact"][0]+`"`, "0x80060888")
			if !c.Computed {
				w.refused(path, memberOf(c), `5`, badPayload)
				w.refused(path, memberOf(c), `"/audits(`+w.ids["contact"][0]+`)"`, badPayload)
				w.refused(path, memberOf(c), `"/nosuch(`+w.ids["contact"][0]+`)"`, "0x80060888")
			}
		case !c.Computed:
			for _, r := range refusals(c) {
				w.refused(path, c.Name, r.send, r.code)
			}
		}
	}
	w.refused(path, "nosuch", `1`, badPayload)
}

func (w *world) refused(path, member, value, code string) {
	w.t.Helper()
	r := w.call("PATCH", path, `{"`+member+`":`+value+`}`)
	if r.status != 400 || r.code() != code {
		w.t.Errorf("%s = %s answered %d %s, want 400 %s", member, show(value), r.status, show(r.text), code)
	}
	if !strings.Contains(r.text, `"trace":"`) {
		w.t.Errorf("%s = %s: the refusal has no trace", member, show(value))
	}
}
