package storetest

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Vote fills stores of Model with the same random rows, asks them and the evaluator the same random questions, and fails
// when one of them answers differently. Each store must be empty and count days in UTC. The seed repeats a vote.
func Vote(t *testing.T, seed int64, trees int, stores ...store.Store) {
	t.Helper()
	VoteIn(t, query.Calendar{}, seed, trees, stores...)
}

// VoteIn is Vote for stores that were opened with a calendar.
func VoteIn(t *testing.T, calendar query.Calendar, seed int64, trees int, stores ...store.Store) {
	t.Helper()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewSource(seed))
	data := randomRows(rnd, Model(t), 8, 60)
	for _, s := range stores {
		if err := data.insert(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s.Name(), err)
		}
	}
	v := &vote{t: t, grower: newGrower(rnd, data), ev: data.evaluator(), stores: stores}
	v.ev.Calendar = calendar
	for range trees {
		v.ballot()
		if t.Failed() {
			break
		}
	}
	v.report(trees)
}

// vote is one run of Vote.
type vote struct {
	*grower
	t      *testing.T
	ev     *Evaluator
	stores []store.Store
}

// enough is the number of trees after which every operator and every function must have been drawn.
const enough = 2000

// report logs how often each operator and function was drawn.
func (v *vote) report(trees int) {
	var lines []string
	drawn := func(name string, n int) {
		lines = append(lines, fmt.Sprintf("%s:%d", name, n))
		if n == 0 && trees >= enough {
			v.t.Errorf("%s was never drawn", name)
		}
	}
	for op := query.OpEq; op <= query.OpNotUnder; op++ {
		drawn(op.String(), v.ops[op])
	}
	for fn := query.FnToLower; fn <= query.FnMoney; fn++ {
		if fn != query.FnNow { // stores never see it
			drawn(fn.String(), v.fns[fn])
		}
	}
	v.t.Log(strings.Join(lines, " "))
}

// ballot draws one question and compares the answers.
func (v *vote) ballot() {
	q := v.query()
	switch v.rnd.Intn(6) {
	case 0:
		v.group(q)
	case 1:
		v.distinct(q)
	case 2:
		v.children(q)
	case 3:
		v.plain(q)
		v.pages(q)
	default:
		v.plain(q)
	}
}

// plain compares a whole result and its number of rows.
func (v *vote) plain(q *query.Query) {
	v.sort(q)
	for _, l := range v.links {
		for _, c := range l.Table.Columns {
			if c.Stored() && !c.System && c.BaseOf == nil {
				q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: query.Ref{Link: l, Column: c}, Column: c})
			}
		}
	}
	if v.chance(3) {
		about := query.Ref{Link: q.Root, Column: v.items.MustColumn("tst_about")}
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: about, Column: about.Column, Label: query.TitleOf(about)})
	}
	if v.chance(3) {
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: v.number(value.KindMoney, 3)})
	}
	v.compare(q)
	v.count(q)
}

// sort gives a query an order that ends in the keys of its sources.
func (v *vote) sort(q *query.Query) {
	for range v.rnd.Intn(3) {
		q.Order = append(q.Order, query.Order{Expr: v.sortKey(), Desc: v.chance(2)})
	}
	for _, l := range v.links {
		q.Order = append(q.Order, query.Order{Expr: query.Ref{Link: l, Column: l.Table.Key}, Desc: v.chance(3)})
	}
}

func (v *vote) sortKey() query.Expr {
	switch v.rnd.Intn(4) {
	case 0:
		return v.text(2)
	case 1:
		return v.ref(pick(v.rnd, []value.Kind{value.KindDate, value.KindTime, value.KindBool, value.KindID}))
	case 2:
		return v.call(query.FnLabelRank, query.Ref{Link: v.links[0], Column: v.items.MustColumn("tst_kind")})
	default:
		return v.number(pick(v.rnd, numbers), 2)
	}
}

// pages reads the same result page by page, each from the place where the last one ended.
func (v *vote) pages(q *query.Query) {
	for _, o := range q.Order {
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: o.Expr})
	}
	whole := v.ev.Read(q)
	q.Page.Size = 1 + v.rnd.Intn(7)
	for at := q.Page.Size; at <= len(whole) && at <= 4*q.Page.Size; at += q.Page.Size {
		last := whole[at-1]
		q.Page.After = &query.Position{Values: slices.Clone(last[len(last)-len(q.Order):])}
		v.compare(q)
	}
}

// group compares a grouped query.
func (v *vote) group(q *query.Query) {
	q.Grouped = true
	for range v.rnd.Intn(3) {
		q.Select.Outputs = append(q.Select.Outputs, v.groupKeyOutput())
	}
	for range 1 + v.rnd.Intn(3) {
		q.Select.Outputs = append(q.Select.Outputs, v.aggregateOutput())
	}
	if v.chance(3) {
		q.Select.Outputs = append(q.Select.Outputs, v.followed()...)
	}
	v.sortOutputs(q)
	v.compare(q)
	v.count(q)
}

// followed groups by a choice and a lookup, and puts out what follows from them.
func (v *vote) followed() []query.Output {
	kind := query.Ref{Link: v.links[0], Column: v.items.MustColumn("tst_kind")}
	about := query.Ref{Link: v.links[0], Column: v.items.MustColumn("tst_about")}
	return []query.Output{
		{Expr: v.call(query.FnLabelRank, kind), Follows: true}, {Expr: query.TitleOf(about), Follows: true},
		{Expr: kind, Column: kind.Column}, {Expr: about, Column: about.Column},
	}
}

func (v *vote) groupKeyOutput() query.Output {
	switch v.rnd.Intn(3) {
	case 0:
		return query.Output{Expr: v.call(pick(v.rnd, groupings), v.date())}
	case 1:
		about := v.items.MustColumn("tst_about")
		return query.Output{Expr: query.Ref{Link: v.links[0], Column: about}, Column: about}
	default:
		return query.Output{Expr: v.ref(pick(v.rnd, []value.Kind{value.KindText, value.KindBool, value.KindInt, value.KindID, value.KindDate}))}
	}
}

func (v *vote) aggregateOutput() query.Output {
	switch agg := query.Agg(1 + v.rnd.Intn(int(query.AggCountColumn))); agg {
	case query.AggSum, query.AggAvg:
		return query.Output{Agg: agg, Expr: v.number(pick(v.rnd, numbers), 1)}
	case query.AggMin, query.AggMax:
		return query.Output{Agg: agg, Expr: v.ref(pick(v.rnd, []value.Kind{value.KindMoney, value.KindDate, value.KindID, value.KindText}))}
	case query.AggCountColumn:
		return query.Output{Agg: agg, Expr: v.ref(pick(v.rnd, []value.Kind{value.KindMoney, value.KindText, value.KindID})), Distinct: v.chance(2)}
	default:
		return query.Output{Agg: agg}
	}
}

// sortOutputs sorts by every output, so that the order is total.
func (v *vote) sortOutputs(q *query.Query) {
	for _, i := range v.rnd.Perm(len(q.Select.Outputs)) {
		q.Order = append(q.Order, query.Order{Expr: query.OutputRef{Index: i}, Desc: v.chance(2)})
	}
	if v.chance(3) {
		q.Page = query.Page{Size: 3, Offset: v.rnd.Intn(3)}
	}
}

// distinct compares a query whose alike rows come once.
func (v *vote) distinct(q *query.Query) {
	q.Distinct = true
	for range 1 + v.rnd.Intn(3) {
		q.Select.Outputs = append(q.Select.Outputs, v.groupKeyOutput())
	}
	v.sortOutputs(q)
	v.compare(q)
	v.count(q)
}

// children compares the items of groups.
func (v *vote) children(q *query.Query) {
	v.sort(q)
	q.Select.Outputs = []query.Output{{Expr: query.Ref{Link: q.Root, Column: v.items.Key}}, {Expr: query.Ref{Link: q.Root, Column: v.items.Title}}}
	e := &query.Expand{Many: q, Top: v.rnd.Intn(4)}
	e.Parent = query.Ref{Link: q.Root, Column: v.items.MustColumn(pick(v.rnd, []string{"tst_group", "tst_parent", "tst_about"}))}
	var parents []value.GUID
	for range 12 {
		parents = append(parents, pick(v.rnd, v.rows).ID)
	}
	want := show(v.ev.Children(e, parents))
	for _, s := range v.stores {
		rows, err := s.ReadChildren(v.t.Context(), e, parents)
		if err != nil {
			v.t.Errorf("%s: %v\n%s", s.Name(), err, explain(s, q))
			return
		}
		got, err := read(rows, append([]query.CellClass{query.BytesCell}, query.Cells(&q.Select)...))
		v.check(s, q, want, got, err)
	}
}

// compare compares the rows of a query.
func (v *vote) compare(q *query.Query) {
	want := show(v.ev.Read(q))
	for _, s := range v.stores {
		rows, err := s.Read(v.t.Context(), q)
		if err != nil {
			v.t.Errorf("%s: %v\n%s", s.Name(), err, explain(s, q))
			return
		}
		got, err := read(rows, query.Cells(&q.Select))
		v.check(s, q, want, got, err)
	}
}

func (v *vote) count(q *query.Query) {
	want := v.ev.Count(q)
	for _, s := range v.stores {
		if got, err := s.Count(v.t.Context(), q); err != nil || got != want {
			v.t.Errorf("%s counts %d (%v), the evaluator %d\n%s", s.Name(), got, err, want, explain(s, q))
		}
	}
}

// check reports the first row in which a store and the evaluator differ.
func (v *vote) check(s store.Store, q *query.Query, want, got []string, err error) {
	if err == nil && slices.Equal(want, got) {
		return
	}
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	v.t.Errorf("%s gives %d rows (%v), the evaluator %d; they part at row %d:\n%s: %s\nevaluator: %s\n%s", s.Name(), len(got), err, len(want), at,
		s.Name(), rowAt(got, at), rowAt(want, at), explain(s, q))
}

func rowAt(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return "no row"
}

// explain is a query as the store runs it.
func explain(s store.Store, q *query.Query) string {
	text, err := s.Explain(context.Background(), q)
	if err != nil {
		return err.Error()
	}
	return text
}

// read takes all rows of a cursor in the form show gives them.
func read(rows query.Rows, classes []query.CellClass) ([]string, error) {
	defer rows.Close()
	var out []string
	for rows.Next() {
		cells := make([]string, len(classes))
		for i, class := range classes {
			switch {
			case rows.Null(i):
				cells[i] = "null"
			case class == query.FloatCell:
				cells[i] = showFloat(rows.Float(i))
			case class == query.BytesCell:
				cells[i] = strconv.Quote(string(rows.Bytes(i)))
			default:
				cells[i] = strconv.FormatInt(rows.Int(i), 10)
			}
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out, rows.Err()
}

// show prints rows as a store's cells look: numbers in their unit, GUIDs as bytes.
func show(rows [][]value.Value) []string {
	var out []string
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			switch id := v.ID(); v.Kind() {
			case value.KindNull:
				cells[i] = "null"
			case value.KindFloat:
				cells[i] = showFloat(v.Float())
			case value.KindText:
				cells[i] = strconv.Quote(v.Text())
			case value.KindID:
				cells[i] = strconv.Quote(string(id[:]))
			default:
				cells[i] = strconv.FormatInt(v.Int(), 10)
			}
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

// showFloat prints a number; zero has no sign.
func showFloat(f float64) string { return strconv.FormatFloat(f+0, 'g', -1, 64) }
