package schema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// maxRange is the longest range a column name may unfold to.
const maxRange = 100

var rangePattern = regexp.MustCompile(`\[(\d{1,3})\.\.(\d{1,3})\]`)

// unfold makes one declaration per number of the range in the column's name. The number takes the place of every range
// in the texts that belong to it: svc_amount[1..12] with label "Amount [1..12]" gives svc_amount1 "Amount 1" and so on.
func (c *columnDecl) unfold() ([]*columnDecl, error) {
	m := rangePattern.FindStringSubmatch(c.name)
	if m == nil {
		return []*columnDecl{c}, nil
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	if to < from || to-from >= maxRange {
		return nil, fmt.Errorf("the range of %s must ascend and hold at most %d numbers", c.name, maxRange)
	}
	var out []*columnDecl
	for i := from; i <= to; i++ {
		out = append(out, c.numbered(strconv.Itoa(i)))
	}
	return out, nil
}

func (c *columnDecl) numbered(n string) *columnDecl {
	one := *c
	one.given = maps.Clone(c.given)
	one.options = slices.Clone(c.options)
	for _, text := range []*string{&one.name, &one.schema, &one.label, &one.doc, &one.nav, &one.virtual} {
		*text = rangePattern.ReplaceAllString(*text, n)
	}
	one.relation = relationNames{}
	for target, name := range c.relation {
		one.relation[target] = rangePattern.ReplaceAllString(name, n)
	}
	return &one
}
