package storetest

import (
	"errors"
	"fmt"
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// order checks nulls and folds at the ends of every direction.
func (s *suite) order() {
	for i, name := range []string{"b", "", "Á", "a", "C", ""} {
		values := set{"tst_kind": value.Int(int64(i))}
		if name != "" {
			values["tst_name"] = value.Text(name)
		}
		s.add(s.items, i+1, values)
	}
	for _, test := range []struct {
		column string
		desc   bool
		want   []int
	}{{"tst_name", false, []int{2, 6, 3, 4, 1, 5}}, {"tst_name", true, []int{5, 1, 3, 4, 2, 6}}} {
		q := from(s.items, test.column)
		q.Order = append([]query.Order{{Expr: col(q, test.column), Desc: test.desc}}, q.Order...)
		if got := s.matches(test.column, q, nil); !slices.Equal(got, test.want) {
			s.t.Errorf("%s descending %v: %v, want %v", test.column, test.desc, got, test.want)
		}
	}
	q := from(s.items, "tst_kind")
	q.Order = append([]query.Order{{Expr: query.Call{Fn: query.FnLabelRank, Args: []query.Expr{col(q, "tst_kind")}}}}, q.Order...)
	if got := s.matches("labels", q, nil); !slices.Equal(got, []int{1, 4, 6, 3, 5, 2}) { // 0 has no label; apple twice, émile, mango, zebra
		s.t.Errorf("by label: %v", got)
	}
}

// paging reads every order page by page, in pages of several sizes.
func (s *suite) paging() {
	days := []value.Value{value.Null, value.Date(10), value.Date(10), value.Null, value.Date(-3), value.Date(20), value.Date(20), value.Null}
	names := []string{"b", "B", "á", "a", "", "", "b", "á"}
	for i := range days {
		values := set{"tst_day": days[i], "tst_amount": value.Money(int64(i % 3)), "tst_weight": value.Float(float64(i%2) / 4)}
		if names[i] != "" {
			values["tst_name"], values["tst_note"] = value.Text(names[i]), value.Text(names[i])
		}
		s.add(s.items, i+1, values)
	}
	columns := []string{"tst_day", "tst_name", "tst_note", "tst_amount", "tst_weight", "tst_count"}
	for _, first := range columns {
		for _, second := range columns {
			for turn := range 8 {
				s.page(first, second, turn&1 > 0, turn&2 > 0, turn&4 > 0)
			}
		}
	}
}

// page compares the pages of one order with the whole.
func (s *suite) page(first, second string, firstDesc, secondDesc, keyDesc bool) {
	q := from(s.items)
	q.Order[0].Desc = keyDesc
	q.Order = append([]query.Order{{Expr: col(q, first), Desc: firstDesc}, {Expr: col(q, second), Desc: secondDesc}}, q.Order...)
	for _, o := range q.Order {
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: o.Expr})
	}
	what := fmt.Sprintf("%s %v, %s %v, key %v", first, firstDesc, second, secondDesc, keyDesc)
	s.agree(what, q)
	whole := s.ev.Read(q)
	q.Page.Size = 3
	for at := range whole {
		q.Page.After = &query.Position{Values: whole[at][1:]}
		s.agree(fmt.Sprintf("%s after row %d", what, at), q)
	}
}

func (s *suite) misfit() {
	q := from(s.items)
	q.Page.After = &query.Position{Values: []value.Value{value.Null, value.Null}}
	_, err := s.Read(s.t.Context(), q)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.BadPagingCookie {
		s.t.Errorf("a position of another query: %v", err)
	}
}

func (s *suite) children() {
	for g := range 3 {
		s.add(s.parents, g+1, nil)
	}
	for i := range 9 {
		s.add(s.items, i+1, set{"tst_group": value.ID(id(i%2 + 1)), "tst_count": value.Int(int64(9 - i))})
	}
	for _, top := range []int{0, 1, 3, 100} {
		q := from(s.items, "tst_count")
		q.Order = []query.Order{{Expr: col(q, "tst_count")}, {Expr: query.Ref{Link: q.Root, Column: s.items.Key}}}
		e := &query.Expand{Many: q, Parent: col(q, "tst_group"), Top: top}
		for _, parents := range [][]value.GUID{nil, {id(2)}, {id(3), id(2), id(1), id(2)}} {
			rows, err := s.ReadChildren(s.t.Context(), e, parents)
			s.must(err)
			got, err := read(rows, append([]query.CellClass{query.BytesCell}, query.Cells(&q.Select)...))
			s.must(err)
			if want := show(s.ev.Children(e, parents)); !slices.Equal(got, want) {
				s.t.Errorf("top %d of %d parents:\ngot  %q\nwant %q", top, len(parents), got, want)
			}
		}
	}
}

// lookups joins through a polymorphic lookup where rows of both of its tables have the same key.
func (s *suite) lookups() {
	s.add(s.parents, 1, set{"tst_title": value.Text("group")})
	s.add(s.items, 1, set{"tst_name": value.Text("item"), "tst_about": value.Ref(id(1), s.parents.TypeCode)})
	s.add(s.items, 2, set{"tst_about": value.Ref(id(1), s.items.TypeCode)})
	about := s.items.MustColumn("tst_about")
	for _, target := range []*schema.Table{s.parents, s.items} {
		q := from(s.items)
		l := &query.Link{Table: target, Parent: q.Root, From: target.Key, To: about}
		q.Links = []*query.Link{l}
		q.Select.Outputs = append(q.Select.Outputs, query.Refs(l, []*schema.Column{target.Title})...)
		if n := s.agree("to "+target.Name, q); n != 1 {
			s.t.Errorf("%d items point at %s", n, target.Name)
		}
		back := from(target)
		back.Where = &query.Exists{Link: &query.Link{Table: s.items, Parent: back.Root, From: about, To: target.Key}}
		s.agree("from "+target.Name, back)
	}
	q := from(s.items)
	ref := query.Ref{Link: q.Root, Column: about}
	q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: ref, Column: about, Label: query.TitleOf(ref)})
	s.agree("titles", q)
	s.expect("type code", q, query.Cond{Left: query.TypeCode{Ref: ref}, Op: query.OpEq, Args: []query.Expr{lit(value.Int(int64(s.parents.TypeCode)))}}, 1)
}

// groups checks aggregates: what is rounded, what is cut, what no rows give.
func (s *suite) groups() {
	for i, cents := range []int64{100, 101, -1, 0, 5} {
		s.add(s.items, i+1, set{"tst_amount": value.Money(cents), "tst_count": value.Int(cents), "tst_name": value.Text([]string{"a", "Á", "b", "B", "A"}[i]),
			"tst_rate": value.Decimal(cents*1e10+5, 10)})
	}
	s.add(s.items, 6, nil)
	q := from(s.items)
	q.Grouped, q.Order, q.Select.Outputs = true, []query.Order{{Expr: query.OutputRef{Index: 0}, Desc: true}}, nil
	q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: col(q, "tst_name")}, query.Output{Agg: query.AggCount})
	for agg := query.AggSum; agg <= query.AggMax; agg++ {
		for _, name := range []string{"tst_amount", "tst_count", "tst_rate"} {
			q.Select.Outputs = append(q.Select.Outputs, query.Output{Agg: agg, Expr: col(q, name)})
		}
	}
	if n := s.agree("by name", q); n != 3 {
		s.t.Errorf("%d groups", n)
	}
	if n, err := s.Count(s.t.Context(), q); n != 3 || err != nil {
		s.t.Errorf("%d groups are counted (%v)", n, err)
	}
	q.Select.Outputs, q.Order = q.Select.Outputs[1:], nil
	s.agree("all rows", q)
	q.Where = query.Const(false)
	if n := s.agree("no rows", q); n != 1 {
		s.t.Errorf("%d rows for none", n)
	}
}

// hierarchy walks a tree 1 <- 2 <- 3, 1 <- 4 and a loop 5 <-> 6.
func (s *suite) hierarchy() {
	for i, parent := range []int{0, 1, 2, 1, 0, 5} {
		values := set{}
		if parent > 0 {
			values["tst_parent"] = value.ID(id(parent))
		}
		s.add(s.items, i+1, values)
	}
	loop := set{"tst_parent": value.ID(id(6))}
	s.write(func(tx store.Tx) error { return tx.Update(s.t.Context(), s.items, id(5), assigns(s.items, loop)) })
	s.ev.Rows[s.items][4].Put("tst_parent", loop["tst_parent"])
	for _, test := range []struct {
		op        query.Op
		row       int
		key, look []int
	}{
		{query.OpUnder, 1, []int{2, 3, 4}, []int{3}},
		{query.OpUnderOrEqual, 1, []int{1, 2, 3, 4}, []int{2, 3, 4}},
		{query.OpNotUnder, 1, []int{1, 5, 6}, []int{1, 2, 4, 5, 6}},
		{query.OpAbove, 3, []int{1, 2}, []int{2, 3, 4}},
		{query.OpAboveOrEqual, 3, []int{1, 2, 3}, []int{2, 3, 4}},
		{query.OpUnder, 5, []int{5, 6}, []int{5, 6}},
		{query.OpAbove, 99, nil, nil},
	} {
		q := from(s.items)
		args := []query.Expr{lit(value.ID(id(test.row)))}
		s.expect(fmt.Sprintf("key, operator %d", test.op), q, query.Cond{Left: q.Order[0].Expr, Op: test.op, Args: args}, test.key...)
		s.expect(fmt.Sprintf("lookup, operator %d", test.op), q, query.Cond{Left: col(q, "tst_parent"), Op: test.op, Args: args}, test.look...)
	}
}

// manyConditions is as large as a filter may be.
func (s *suite) manyConditions() {
	s.add(s.items, 1, set{"tst_count": value.Int(499), "tst_note": value.Text("x499")})
	q := from(s.items)
	var or query.Or
	var and query.And
	for i := range 250 {
		or = append(or, query.Cond{Left: col(q, "tst_note"), Op: query.OpEq, Args: []query.Expr{lit(value.Text(fmt.Sprint("x", i+250)))}})
		and = append(and, query.Cond{Left: col(q, "tst_count"), Op: query.OpNe, Args: []query.Expr{lit(value.Int(int64(i)))}})
	}
	s.expect("500 conditions", q, append(and, or), 1)
	var nested query.Filter = query.Const(true)
	for range 60 {
		nested = query.Not{Filter: query.And{nested, query.Not{Filter: query.Const(false)}}}
	}
	s.expect("deep nesting", q, nested, 1)
}
