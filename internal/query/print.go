package query

import (
	"fmt"
	"strconv"
	"strings"

	"almoner/internal/value"
)

// String prints a query so that people can read it: one line per source, then what is put out, which rows, in which order.
// Sources are t0, t1 and so on in order of appearance, so equal trees print alike.
func (q *Query) String() string {
	p := &printer{names: map[*Link]string{}}
	p.query(q, "")
	return strings.TrimRight(p.String(), "\n")
}

// Shape prints a query like String, with a question mark in place of every constant and the number of plain columns in place of their
// names: what may stand in a log.
func (q *Query) Shape() string {
	p := &printer{names: map[*Link]string{}, hidden: true}
	p.query(q, "")
	return strings.TrimRight(p.String(), "\n")
}

// String names the operator as FetchXML does.
func (op Op) String() string {
	switch f := op.Facts(); {
	case op == OpContains:
		return "contains"
	case op == OpNotContains:
		return "not-contains"
	case f == nil:
		return "operator " + strconv.Itoa(int(op))
	default:
		return f.Fetch
	}
}

var fnNames = map[Fn]string{
	FnToLower: "tolower", FnToUpper: "toupper", FnTrim: "trim", FnLength: "length", FnIndexOf: "indexof", FnSubstring: "substring",
	FnConcat: "concat", FnYear: "year", FnMonth: "month", FnDay: "day", FnHour: "hour", FnMinute: "minute", FnSecond: "second",
	FnDate: "date", FnRound: "round", FnFloor: "floor", FnCeiling: "ceiling", FnAdd: "add", FnSub: "sub", FnMul: "mul", FnDiv: "div",
	FnMod: "mod", FnNeg: "neg", FnCoalesce: "coalesce", FnGreatest: "greatest", FnIf: "if", FnFromBase: "frombase", FnToBase: "tobase",
	FnLabelRank: "labelrank", FnGroupDay: "groupday", FnGroupWeek: "groupweek", FnGroupMonth: "groupmonth",
	FnGroupQuarter: "groupquarter", FnGroupYear: "groupyear", FnGroupFiscalPeriod: "groupfiscalperiod",
	FnGroupFiscalYear: "groupfiscalyear", FnNow: "now", FnMoney: "money",
}

// String names the function as OData does where OData has it.
func (fn Fn) String() string {
	if name, ok := fnNames[fn]; ok {
		return name
	}
	return "function " + strconv.Itoa(int(fn))
}

var aggNames = [...]string{AggNone: "", AggSum: "sum", AggAvg: "avg", AggMin: "min", AggMax: "max", AggCount: "count", AggCountColumn: "countcolumn"}

// String names the aggregate as FetchXML does; "" for AggNone.
func (a Agg) String() string { return aggNames[a] }

// String names the kind of join.
func (k JoinKind) String() string {
	return [...]string{Inner: "inner", Outer: "outer", First: "first"}[k]
}

type printer struct {
	strings.Builder
	names  map[*Link]string
	hidden bool // neither constants nor plain columns are shown
}

func (p *printer) line(indent, format string, args ...any) {
	p.WriteString(indent)
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *printer) link(l *Link) string {
	if l == nil {
		return "none"
	}
	name, ok := p.names[l]
	if !ok {
		name = "t" + strconv.Itoa(len(p.names))
		p.names[l] = name
	}
	return name
}

func (p *printer) query(q *Query, indent string) {
	words := ""
	if q.Distinct {
		words += " distinct"
	}
	if q.Grouped {
		words += " grouped"
	}
	p.line(indent, "from %s %s%s", q.Root.Table.Name, p.link(q.Root), words)
	if q.Root.On != nil {
		p.line(indent, "  on %s", p.filter(q.Root.On))
	}
	for _, l := range q.Links {
		p.line(indent, "  %s", p.join(l))
	}
	p.node(&q.Select, indent+"  ")
	if q.Where != nil {
		p.line(indent, "  where %s", p.filter(q.Where))
	}
	if len(q.Order) > 0 {
		p.line(indent, "  order by %s", p.orders(q.Order))
	}
	p.page(q.Page, indent+"  ")
}

// join prints one joined source: its kind, table, name, alias and condition.
func (p *printer) join(l *Link) string {
	s := l.Kind.String() + " " + l.Table.Name + " " + p.link(l)
	if l.Alias != "" {
		s += " as " + l.Alias
	}
	s += " on " + p.link(l) + "." + l.From.Name + " = " + p.link(l.Parent) + "." + l.To.Name
	if l.On != nil {
		s += " and " + p.filter(l.On)
	}
	return s
}

func (p *printer) node(n *Node, indent string) {
	plain := 0
	for i := range n.Outputs {
		o := &n.Outputs[i]
		if _, column := o.Expr.(Ref); p.hidden && column && o.Agg == AggNone && o.Label == nil {
			plain++
			continue
		}
		p.line(indent, "%s", p.output(o))
	}
	if plain > 0 {
		p.line(indent, "select %d columns", plain)
	}
	for _, e := range n.Expands {
		p.expand(e, indent)
	}
}

func (p *printer) output(o *Output) string {
	s := p.expr(o.Expr)
	if o.Agg != AggNone {
		word := ""
		if o.Distinct {
			word = "distinct "
		}
		s = o.Agg.String() + "(" + word + s + ")"
	}
	if o.Follows {
		s = "following " + s
	}
	if o.Name != "" {
		s = o.Name + ": " + s
	}
	if o.Label != nil {
		s += " labelled " + p.expr(o.Label)
	}
	return "select " + s
}

func (p *printer) expand(e *Expand, indent string) {
	words := ""
	if e.Ref {
		words += " ref"
	}
	if e.Top > 0 {
		words += " top " + strconv.Itoa(e.Top)
	}
	name := "?"
	if e.Nav != nil {
		name = e.Nav.Name
	}
	p.line(indent, "expand %s%s", name, words)
	for _, one := range e.One {
		p.line(indent, "  one of %s", p.link(one.Link))
		p.node(one, indent+"    ")
	}
	if e.Many != nil {
		p.query(e.Many, indent+"  ")
		p.line(indent, "  per %s", p.expr(e.Parent))
	}
}

func (p *printer) orders(list []Order) string {
	parts := make([]string, len(list))
	for i, o := range list {
		parts[i] = p.expr(o.Expr)
		if o.Desc {
			parts[i] += " desc"
		}
	}
	return strings.Join(parts, ", ")
}

func (p *printer) page(page Page, indent string) {
	if page.Size > 0 {
		p.line(indent, "limit %d", page.Size)
	}
	if page.Offset > 0 {
		p.line(indent, "offset %d", page.Offset)
	}
	if page.After != nil {
		parts := make([]string, len(page.After.Values))
		for i, v := range page.After.Values {
			parts[i] = p.literal(v)
		}
		p.line(indent, "after (%s)", strings.Join(parts, ", "))
	}
}

func (p *printer) list(exprs []Expr) string {
	parts := make([]string, len(exprs))
	for i, e := range exprs {
		parts[i] = p.expr(e)
	}
	return strings.Join(parts, ", ")
}

func (p *printer) expr(e Expr) string {
	switch e := e.(type) {
	case Ref:
		return p.link(e.Link) + "." + e.Column.Name
	case Literal:
		return p.literal(e.Value)
	case Call:
		return e.Fn.String() + "(" + p.list(e.Args) + ")"
	case *Scalar:
		return p.scalar(e)
	case TypeCode:
		return "typecode(" + p.expr(e.Ref) + ")"
	case OutputRef:
		return "output " + strconv.Itoa(e.Index)
	case Test:
		return p.filter(e.Filter)
	default:
		return "nothing"
	}
}

func (p *printer) scalar(s *Scalar) string {
	source := p.join(s.Source)
	what := "nothing"
	if s.Pick != nil {
		what = p.expr(s.Pick)
	}
	if s.Agg != AggNone {
		what = s.Agg.String() + "(" + what + ")"
	}
	if s.Where != nil {
		source += " where " + p.filter(s.Where)
	}
	return "(" + what + " of " + source + ")"
}

func (p *printer) filter(f Filter) string {
	switch f := f.(type) {
	case And:
		return p.filters(f, " and ", "true")
	case Or:
		return p.filters(f, " or ", "false")
	case Not:
		return "not " + p.filter(f.Filter)
	case Const:
		return strconv.FormatBool(bool(f))
	case Cond:
		return p.cond(f)
	case *Exists:
		return p.exists(f)
	case *InQuery:
		sub := printer{names: p.names}
		sub.query(f.Query, "")
		lines := strings.TrimRight(sub.String(), "\n")
		return "(" + p.expr(f.Left) + " in {" + strings.ReplaceAll(lines, "\n", ";") + "})"
	default:
		return "true"
	}
}

func (p *printer) filters(list []Filter, word, empty string) string {
	if len(list) == 0 {
		return empty
	}
	parts := make([]string, len(list))
	for i, f := range list {
		parts[i] = p.filter(f)
	}
	return "(" + strings.Join(parts, word) + ")"
}

func (p *printer) cond(c Cond) string {
	s := p.expr(c.Left) + " " + c.Op.String()
	if len(c.Args) == 0 {
		return s
	}
	return s + " " + p.list(c.Args)
}

func (p *printer) exists(e *Exists) string {
	s := "exists {" + p.join(e.Link)
	for _, l := range e.Links {
		s += " " + p.join(l)
	}
	if e.Where != nil {
		s += " where " + p.filter(e.Where)
	}
	return s + "}"
}

// literal prints a constant so that kinds can be told apart: texts and ids are quoted.
func (p *printer) literal(v value.Value) string {
	if p.hidden {
		return "?"
	}
	switch v.Kind() {
	case value.KindText:
		return strconv.Quote(v.Text())
	case value.KindID:
		return "{" + v.String() + "}"
	default:
		return v.String()
	}
}
