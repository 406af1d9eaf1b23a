package fetchxml

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"almoner/internal/query"
)

// Print writes a bound query as FetchXML that parses and binds to the same query. The error tells what FetchXML cannot say:
// expands, computed expressions, a start by position.
func Print(q *query.Query) (string, error) {
	p := &printer{query: q}
	p.fetch()
	if p.err != nil {
		return "", p.err
	}
	return p.text.String(), nil
}

type printer struct {
	query *query.Query
	text  strings.Builder
	err   error
}

func (p *printer) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("fetchxml: not expressible: "+format, args...)
	}
}

// attr is one XML attribute; one without a value is left out.
type attr struct{ name, value string }

func (p *printer) open(name string, attrs ...attr) {
	p.text.WriteString("<" + name)
	for _, a := range attrs {
		if a.value == "" {
			continue
		}
		p.text.WriteString(" " + a.name + `="`)
		p.escape(a.value)
		p.text.WriteByte('"')
	}
	p.text.WriteByte('>')
}

func (p *printer) close(name string) { p.text.WriteString("</" + name + ">") }

func (p *printer) leaf(name string, attrs ...attr) {
	p.open(name, attrs...)
	p.close(name)
}

func (p *printer) escape(text string) {
	if err := xml.EscapeText(&p.text, []byte(text)); err != nil {
		p.fail("%v", err)
	}
}

func flag(name string, on bool) attr {
	if on {
		return attr{name, "true"}
	}
	return attr{name: name}
}

func number(name string, n int) attr {
	if n == 0 {
		return attr{name: name}
	}
	return attr{name, strconv.Itoa(n)}
}

func (p *printer) fetch() {
	q := p.query
	page := 0
	if q.Page.After != nil || len(q.Select.Expands) > 0 {
		p.fail("expanded rows or a start by position")
	}
	if q.Page.Offset > 0 {
		size := q.Page.Size
		if size == 0 {
			size = PageCap
		}
		page = q.Page.Offset/size + 1
	}
	orders := givenOrders(q)
	p.open("fetch", flag("aggregate", q.Grouped), flag("distinct", q.Distinct), flag("useraworderby", p.rawOrder(orders)),
		number("count", q.Page.Size), number("page", page))
	p.open("entity", attr{"name", q.Root.Table.Name})
	p.attributes(q.Root)
	for _, o := range orders {
		p.order(o)
	}
	p.topFilter(q.Root, q.Where)
	p.joins(q.Root, q.Links)
	p.close("entity")
	p.close("fetch")
}

// givenOrders are the sort keys without those that binding adds by itself.
func givenOrders(q *query.Query) []query.Order {
	for k := range q.Order {
		if len(settled(q, q.Order[:k:k])) == len(q.Order) && sameTail(settled(q, q.Order[:k:k]), q.Order, k) {
			return q.Order[:k]
		}
	}
	return q.Order
}

// sameTail tells whether two orders agree from the k-th key on; there both hold columns and outputs as they are.
func sameTail(a, b []query.Order, k int) bool {
	for i := k; i < len(a); i++ {
		if !ordersBy(b[i:i+1], a[i].Expr) || b[i].Desc {
			return false
		}
	}
	return true
}

// rawOrder tells whether choices are sorted by number.
func (p *printer) rawOrder(orders []query.Order) bool {
	raw, ranked := false, false
	for _, o := range orders {
		e := o.Expr
		if at, ok := e.(query.OutputRef); ok {
			out := &p.query.Select.Outputs[at.Index]
			if out.Agg != query.AggNone {
				continue
			}
			e = out.Expr
		}
		if ref, ok := e.(query.Ref); ok && isChoice(ref.Column) {
			raw = true
		}
		if c, ok := e.(query.Call); ok && c.Fn == query.FnLabelRank {
			ranked = true
		}
	}
	if raw && ranked {
		p.fail("choices sorted by number and by label at once")
	}
	return raw
}

func (p *printer) order(o query.Order) {
	e := o.Expr
	at, isOutput := e.(query.OutputRef)
	if isOutput && p.query.Grouped {
		p.leaf("order", attr{"alias", p.groupAlias(at.Index)}, flag("descending", o.Desc))
		return
	}
	if isOutput {
		e = p.query.Select.Outputs[at.Index].Expr
	}
	ref, ok := baseRef(e)
	if !ok {
		p.fail("a computed sort key")
		return
	}
	p.leaf("order", attr{"attribute", ref.Column.Name}, attr{"entityname", p.elsewhere(ref.Link, p.query.Root)}, flag("descending", o.Desc))
}

// groupAlias is the alias by which an output of an aggregate query is sorted: its own, or that of the group key it follows from.
func (p *printer) groupAlias(i int) string {
	outputs := p.query.Select.Outputs
	if !outputs[i].Follows {
		return outputs[i].Name
	}
	ref, _ := baseRef(outputs[i].Expr)
	for k := range outputs {
		if key, ok := outputs[k].Expr.(query.Ref); ok && outputs[k].GroupKey() && key == ref {
			return outputs[k].Name
		}
	}
	p.fail("a computed sort key")
	return ""
}

// elsewhere is the entityname by which a source is meant from another; "" when they are the same.
func (p *printer) elsewhere(l, home *query.Link) string {
	switch {
	case l == home:
		return ""
	case l.Alias != "":
		return l.Alias
	default:
		return l.Table.Name
	}
}

func (p *printer) attributes(l *query.Link) {
	any := false
	for i := range p.query.Select.Outputs {
		o := &p.query.Select.Outputs[i]
		ref, ok := baseRef(o.Expr)
		switch {
		case o.Name == "":
		case !ok:
			p.fail("a computed column %s", o.Name)
		case ref.Link == l:
			any = true
			p.attribute(o, ref)
		}
	}
	if !any && l.Parent == nil {
		p.leaf("no-attrs")
	}
}

func (p *printer) attribute(o *query.Output, ref query.Ref) {
	alias := o.Name
	if !p.query.Grouped && alias == plainName(ref.Link, ref.Column) {
		alias = ""
	}
	grouping, children := "", ""
	switch e := o.Expr.(type) {
	case query.Call:
		if grouping = groupingName(e.Fn); grouping == "" {
			p.fail("a computed column %s", o.Name)
		}
	case *query.Scalar:
		children = "CountChildren"
	}
	p.leaf("attribute", attr{"name", ref.Column.Name}, attr{"alias", alias}, attr{"aggregate", o.Agg.String()},
		flag("groupby", p.query.Grouped && o.Agg == query.AggNone), flag("distinct", o.Distinct),
		attr{"dategrouping", grouping}, attr{"rowaggregate", children})
}

func groupingName(fn query.Fn) string {
	for name, known := range groupings {
		if known == fn {
			return name
		}
	}
	return ""
}

// joins prints the sources joined below one. An intersect table without an alias was not named by anybody: it is implied by the
// table behind it.
func (p *printer) joins(parent *query.Link, links []*query.Link) {
	for _, l := range links {
		if l.Parent != parent {
			continue
		}
		end, through := l, false
		if l.Alias == "" {
			if end = onlyChild(l, links); end == nil {
				p.fail("a link to %s without an alias", l.Table.Name)
				return
			}
			through = true
		}
		p.openLink(end, through, joinNames[l.Kind])
		p.attributes(end)
		p.topFilter(end, end.On)
		p.joins(end, links)
		p.close("link-entity")
	}
}

var joinNames = map[query.JoinKind]string{query.Inner: "inner", query.Outer: "outer", query.First: "matchfirstrowusingcrossapply"}

func (p *printer) openLink(l *query.Link, through bool, kind string) {
	from, to := l.From.Name, l.To.Name
	if through {
		from, to = "", ""
	}
	p.open("link-entity", attr{"name", l.Table.Name}, attr{"from", from}, attr{"to", to}, attr{"alias", l.Alias}, attr{"link-type", kind})
}

// onlyChild is the one source joined to the intersect of a many-to-many relation; nil if l is not one.
func onlyChild(l *query.Link, links []*query.Link) *query.Link {
	var child *query.Link
	for _, c := range links {
		if c.Parent == l {
			if child != nil {
				return nil
			}
			child = c
		}
	}
	if !l.Table.Link || child == nil || l.On != nil || child.From != child.Table.Key {
		return nil
	}
	return child
}
