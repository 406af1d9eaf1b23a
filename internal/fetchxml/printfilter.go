package fetchxml

import (
	"strconv"

	"almoner/internal/query"
	"almoner/internal/value"
)

// topFilter prints the filter of a source.
func (p *printer) topFilter(home *query.Link, f query.Filter) {
	switch f := f.(type) {
	case nil:
	case query.And:
		p.filterGroup(home, "and", f)
	case query.Or:
		p.filterGroup(home, "or", f)
	default:
		p.filterGroup(home, "and", []query.Filter{f})
	}
}

// filterGroup prints filters so that binding finds them in the same order: it takes conditions first, then filters, then links.
func (p *printer) filterGroup(home *query.Link, word string, parts []query.Filter) {
	p.open("filter", attr{"type", word})
	lead := 0
	for lead < len(parts) && isCondition(parts[lead]) {
		lead++
	}
	tail := len(parts)
	for tail > lead && isRowTest(parts[tail-1]) {
		tail--
	}
	for i, part := range parts {
		switch {
		case i < lead || i >= tail:
			p.part(home, part)
		default:
			p.topFilter(home, part)
		}
	}
	p.close("filter")
}

func isCondition(f query.Filter) bool {
	_, ok := f.(query.Cond)
	return ok
}

func isRowTest(f query.Filter) bool {
	if not, ok := f.(query.Not); ok {
		f = not.Filter
	}
	_, ok := f.(*query.Exists)
	return ok
}

// part prints a condition or a row test.
func (p *printer) part(home *query.Link, f query.Filter) {
	switch f := f.(type) {
	case query.Cond:
		p.condition(home, f)
	case *query.Exists:
		p.rowTest(f, "any")
	case query.Not:
		if e, ok := f.Filter.(*query.Exists); ok {
			p.rowTest(e, "not any")
			return
		}
		p.fail("a negation")
	default:
		p.fail("a filter of type %T", f)
	}
}

func (p *printer) rowTest(e *query.Exists, kind string) {
	end, through := e.Link, false
	if e.Link.Alias == "" {
		if c := onlyChild(e.Link, e.Links); c != nil && c.On == nil {
			end, through = c, true
		}
	}
	p.openLink(end, through, kind)
	p.topFilter(end, e.Where)
	p.joins(end, e.Links)
	p.close("link-entity")
}

func (p *printer) condition(home *query.Link, c query.Cond) {
	ref, ok := baseRef(c.Left)
	if call, computed := c.Left.(query.Call); !ok || computed && call.Fn != query.FnCoalesce {
		p.fail("a condition on a computed value")
		return
	}
	attrs := []attr{{"attribute", ref.Column.Name}, {"entityname", p.elsewhere(ref.Link, home)}, {"operator", c.Op.Facts().Fetch}}
	if len(c.Args) == 1 {
		if other, ok := c.Args[0].(query.Ref); ok {
			p.leaf("condition", append(attrs, attr{"valueof", p.otherColumn(other, ref.Link)})...)
			return
		}
	}
	p.open("condition", attrs...)
	for _, a := range c.Args {
		lit, ok := a.(query.Literal)
		if !ok || lit.Value.IsNull() {
			p.fail("a comparison with a computed value")
			return
		}
		p.open(valueElement)
		p.escape(plainValue(lit.Value))
		p.close(valueElement)
	}
	p.close("condition")
}

func (p *printer) otherColumn(other query.Ref, home *query.Link) string {
	if other.Link == home {
		return other.Column.Name
	}
	return p.elsewhere(other.Link, home) + "." + other.Column.Name
}

func plainValue(v value.Value) string {
	if v.Kind() == value.KindBool {
		return strconv.FormatInt(v.Int(), 10)
	}
	return v.String()
}
