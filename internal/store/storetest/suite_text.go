package storetest

import (
	"fmt"
	"slices"

	"almoner/internal/query"
	"almoner/internal/value"
)

// addTexts adds items 1, 2, ... with the texts as name, which is indexed, and as note, which is not.
func (s *suite) addTexts(list ...string) {
	for i, text := range list {
		s.add(s.items, i+1, set{"tst_name": value.Text(text), "tst_note": value.Text(text)})
	}
	s.add(s.items, len(list)+1, nil)
}

// byText runs a check on the indexed and on the plain column.
func (s *suite) byText(check func(q *query.Query, c query.Ref)) {
	for _, name := range []string{"tst_name", "tst_note"} {
		q := from(s.items, name)
		check(q, col(q, name))
	}
}

func (s *suite) folding() {
	s.addTexts("Zoë", "ZOE", "zoe  ", "zo", "straße", "strasse", "Ørsted", "orsted") // 9 is null
	s.byText(func(q *query.Query, c query.Ref) {
		text := func(s string) []query.Expr { return []query.Expr{lit(value.Text(s))} }
		s.expect("eq", q, query.Cond{Left: c, Op: query.OpEq, Args: text("zöe ")}, 1, 2, 3)
		s.expect("ne", q, query.Cond{Left: c, Op: query.OpNe, Args: text("ZOË")}, 4, 5, 6, 7, 8, 9)
		s.expect("not eq", q, query.Not{Filter: query.Cond{Left: c, Op: query.OpEq, Args: text("ZOË")}}, 4, 5, 6, 7, 8, 9)
		s.expect("sharp s", q, query.Cond{Left: c, Op: query.OpEq, Args: text("STRASSE")}, 6)
		s.expect("o with stroke", q, query.Cond{Left: c, Op: query.OpEq, Args: text("ørsted")}, 7)
		s.expect("in", q, query.Cond{Left: c, Op: query.OpIn, Args: append(text("ZO"), text("ÓRSTED")...)}, 4, 8)
		s.expect("not in", q, query.Cond{Left: c, Op: query.OpNotIn, Args: append(text("ZO"), text("zoe")...)}, 5, 6, 7, 8, 9)
		s.expect("gt", q, query.Cond{Left: c, Op: query.OpGt, Args: text("Z")}, 1, 2, 3, 4, 7)
	})
}

func (s *suite) patterns() {
	s.addTexts("Anna", "ANNABEL", "joanna", "50% off", "50 off", "a_b", "axb", "[tag]", "émile", "bé", "x-ray", "tail ") // 13 is null
	s.byText(func(q *query.Query, c query.Ref) {
		for _, test := range []struct {
			op   query.Op
			text string
			want []int
		}{
			{query.OpBeginsWith, "ann", []int{1, 2}},
			{query.OpNotBeginsWith, "ann", []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}},
			{query.OpEndsWith, "NNA", []int{1, 3}},
			{query.OpEndsWith, "tail", []int{12}},
			{query.OpContains, "Nn", []int{1, 2, 3}},
			{query.OpContains, "50%off", []int{4, 5}},
			{query.OpContains, "50[%]", []int{4}},
			{query.OpContains, "e", []int{2, 9, 10}},
			{query.OpNotContains, "a", []int{4, 5, 9, 10, 13}},
			{query.OpLike, "a_b", []int{6, 7}},
			{query.OpLike, "a[_]b", []int{6}},
			{query.OpLike, "[a-e]%", []int{1, 2, 6, 7, 9, 10}},
			{query.OpLike, "[^a-e]%", []int{3, 4, 5, 8, 11, 12}},
			{query.OpLike, "[[]tag]", []int{8}},
			{query.OpLike, "%[-]%", []int{11}},
			{query.OpLike, "É%", []int{9}},
			{query.OpLike, "tail   ", []int{12}},
			{query.OpNotLike, "%a%", []int{4, 5, 9, 10, 13}},
			{query.OpLike, "%", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		} {
			s.expect(fmt.Sprintf("operator %d %q", test.op, test.text), q, query.Cond{Left: c, Op: test.op, Args: []query.Expr{lit(value.Text(test.text))}}, test.want...)
		}
		for _, pattern := range slices.Concat(texts, patterns) {
			for op := query.OpLike; op <= query.OpNotEndsWith; op++ {
				s.matches(fmt.Sprintf("operator %d %q", op, pattern), q, query.Cond{Left: c, Op: op, Args: []query.Expr{lit(value.Text(pattern))}})
			}
		}
	})
}
