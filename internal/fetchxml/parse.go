package fetchxml

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almoner/internal/fault"
)

// The words the language knows.
var (
	linkTypes     = []string{"inner", "outer", "natural", "any", "not any", "all", "not all", "exists", "in", "matchfirstrowusingcrossapply"}
	aggregates    = []string{"sum", "avg", "min", "max", "count", "countcolumn"}
	dateGroupings = []string{"day", "week", "month", "quarter", "year", "fiscal-period", "fiscal-year"}
)

var aliasPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Parse reads FetchXML into its syntax tree. It knows every element and attribute of the language and refuses others; names
// of tables, columns and operators are looked at by Bind.
func Parse(text string) (*Fetch, error) {
	root, err := readXML(text)
	if err != nil {
		return nil, err
	}
	p := &parser{}
	f := p.fetch(root)
	if p.err != nil {
		return nil, p.err
	}
	return f, nil
}

// parser keeps the first mistake it meets.
type parser struct{ err error }

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// allow refuses attributes the element does not have.
func (p *parser) allow(e *element, names ...string) {
	for name := range e.attrs {
		if !slices.Contains(names, name) {
			p.fail(malformed("'%s' has no attribute '%s'.", e.name, name))
		}
	}
}

// unexpected refuses a child element.
func (p *parser) unexpected(parent, child *element) {
	p.fail(malformed("'%s' is not allowed inside '%s'.", child.name, parent.name))
}

func (p *parser) childless(e *element) {
	for _, c := range e.children {
		p.unexpected(e, c)
	}
}

// flag reads a Boolean attribute; the code is that of the attribute's own refusal.
func (p *parser) flag(e *element, name string, code fault.Code) bool {
	switch text, given := e.attrs[name]; {
	case !given:
		return false
	case text == "true" || text == "1":
		return true
	case text == "false" || text == "0":
		return false
	default:
		p.fail(fault.New(code, "The value '%s' of attribute '%s' of '%s' is not true, false, 1 or 0.", text, name, e.name))
		return false
	}
}

// number reads an integer attribute between low and high; 0 when it is not given.
func (p *parser) number(e *element, name string, low, high int) int {
	text, given := e.attrs[name]
	if !given {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < low || n > high {
		p.fail(malformed("attribute '%s' of '%s' must be an integer from %d to %d; it is '%s'.", name, e.name, low, high, text))
	}
	return n
}

// word reads an attribute with a closed set of values.
func (p *parser) word(e *element, name string, words []string) string {
	text, given := e.attrs[name]
	if given && !slices.Contains(words, text) {
		p.fail(malformed("attribute '%s' of '%s' must be one of %s; it is '%s'.", name, e.name, strings.Join(words, ", "), text))
	}
	return text
}

func (p *parser) required(e *element, name string) string {
	if e.attrs[name] == "" {
		p.fail(malformed("'%s' needs attribute '%s'.", e.name, name))
	}
	return e.attrs[name]
}

func (p *parser) alias(e *element) string {
	alias := e.attrs["alias"]
	if alias != "" && !aliasPattern.MatchString(alias) {
		p.fail(malformed("alias '%s' may hold only letters, digits and underscores and may not begin with a digit.", alias))
	}
	return alias
}

const maxNumber = 1 << 30

func (p *parser) fetch(e *element) *Fetch {
	if e.name != "fetch" {
		p.fail(malformed("the root element must be 'fetch'; it is '%s'.", e.name))
		return nil
	}
	p.allow(e, "top", "count", "page", "paging-cookie", "returntotalrecordcount", "aggregate", "aggregatelimit", "distinct", "no-lock",
		"latematerialize", "useraworderby", "options", "datasource", "version", "mapping", "output-format", "savedqueryid", "utc-offset")
	p.flag(e, "no-lock", fault.FetchBadNoLock)
	p.flag(e, "latematerialize", fault.FetchMalformed)
	p.word(e, "datasource", []string{"", "retained"})
	f := &Fetch{
		Top:            p.number(e, "top", 1, 5000),
		Count:          p.number(e, "count", 0, maxNumber),
		Page:           p.number(e, "page", 0, maxNumber),
		Cookie:         e.attrs["paging-cookie"],
		ReturnTotal:    p.flag(e, "returntotalrecordcount", fault.FetchMalformed),
		Aggregate:      p.flag(e, "aggregate", fault.FetchMalformed),
		AggregateLimit: p.number(e, "aggregatelimit", 1, maxNumber),
		Distinct:       p.flag(e, "distinct", fault.FetchBadDistinct),
		RawOrder:       p.flag(e, "useraworderby", fault.FetchMalformed),
	}
	if f.Top > 0 && (f.Page > 0 || f.Count > 0 || f.ReturnTotal) {
		p.fail(malformed("'top' cannot be used together with 'page', 'count' or 'returntotalrecordcount'."))
	}
	f.Entity = p.entity(e)
	return f
}

// entity reads the one entity of a fetch.
func (p *parser) entity(fetch *element) *Source {
	var found *Source
	for _, c := range fetch.children {
		switch {
		case c.name != "entity":
			p.unexpected(fetch, c)
		case found != nil:
			p.fail(malformed("'fetch' has more than one 'entity'."))
		default:
			p.allow(c, "name", "enableprefiltering", "prefilterparametername")
			s := p.source(c)
			found = &s
		}
	}
	if found == nil {
		p.fail(malformed("'fetch' has no 'entity'."))
	}
	return found
}

// source reads what entity and link-entity have in common.
func (p *parser) source(e *element) Source {
	s := Source{Name: p.required(e, "name")}
	for _, c := range e.children {
		switch c.name {
		case "all-attributes":
			s.AllAttributes = true
		case "no-attrs":
			s.NoAttributes = true
		case "attribute":
			s.Attributes = append(s.Attributes, p.attribute(c))
		case "order":
			s.Orders = append(s.Orders, p.order(c))
		case "filter":
			s.Filters = append(s.Filters, p.filter(c))
		case "link-entity":
			s.Links = append(s.Links, p.link(c))
		default:
			p.unexpected(e, c)
		}
	}
	return s
}

func (p *parser) link(e *element) *Link {
	p.allow(e, "name", "from", "to", "alias", "link-type", "intersect", "visible", "enableprefiltering", "prefilterparametername")
	p.flag(e, "intersect", fault.FetchMalformed)
	p.flag(e, "visible", fault.FetchMalformed)
	l := &Link{Source: p.source(e), From: e.attrs["from"], To: e.attrs["to"], Alias: p.alias(e), Type: p.word(e, "link-type", linkTypes)}
	if l.Type == "" || l.Type == "natural" {
		l.Type = "inner"
	}
	if (l.From == "") != (l.To == "") {
		p.fail(malformed("'link-entity' of '%s' needs both 'from' and 'to', or neither.", l.Name))
	}
	return l
}

func (p *parser) attribute(e *element) Attribute {
	p.allow(e, "name", "alias", "aggregate", "groupby", "distinct", "dategrouping", "usertimezone", "rowaggregate", "addedby", "build")
	p.childless(e)
	p.flag(e, "usertimezone", fault.FetchMalformed)
	return Attribute{
		Name:         p.required(e, "name"),
		Alias:        p.alias(e),
		Aggregate:    p.word(e, "aggregate", aggregates),
		GroupBy:      p.flag(e, "groupby", fault.FetchBadGroupBy),
		Distinct:     p.flag(e, "distinct", fault.FetchBadDistinct),
		DateGrouping: p.word(e, "dategrouping", dateGroupings),
		RowAggregate: p.word(e, "rowaggregate", []string{"CountChildren"}) != "",
	}
}

func (p *parser) order(e *element) Order {
	p.allow(e, "attribute", "alias", "descending", "entityname")
	p.childless(e)
	return Order{
		Attribute:  e.attrs["attribute"],
		Alias:      e.attrs["alias"],
		EntityName: e.attrs["entityname"],
		Descending: p.flag(e, "descending", fault.FetchBadDescending),
	}
}

func (p *parser) filter(e *element) *Filter {
	p.allow(e, "type", "hint", "isquickfindfields", "overridequickfindrecordlimitenabled", "overridequickfindrecordlimitdisabled")
	p.flag(e, "isquickfindfields", fault.FetchMalformed)
	p.flag(e, "overridequickfindrecordlimitenabled", fault.FetchMalformed)
	p.flag(e, "overridequickfindrecordlimitdisabled", fault.FetchMalformed)
	p.word(e, "hint", []string{"union"})
	f := &Filter{Or: p.word(e, "type", []string{"and", "or"}) == "or"}
	for _, c := range e.children {
		switch c.name {
		case "condition":
			f.Conditions = append(f.Conditions, p.condition(c))
		case "filter":
			f.Filters = append(f.Filters, p.filter(c))
		case "link-entity":
			f.Links = append(f.Links, p.link(c))
		default:
			p.unexpected(e, c)
		}
	}
	return f
}

func (p *parser) condition(e *element) Condition {
	p.allow(e, "attribute", "operator", "value", "valueof", "entityname", "uiname", "uitype", "uihidden")
	c := Condition{
		Attribute:  p.required(e, "attribute"),
		EntityName: e.attrs["entityname"],
		Operator:   p.required(e, "operator"),
		ValueOf:    e.attrs["valueof"],
	}
	if v, given := e.attrs["value"]; given {
		c.Values = append(c.Values, v)
	}
	for _, v := range e.children {
		if v.name != valueElement {
			p.unexpected(e, v)
			continue
		}
		p.allow(v, "uiname", "uitype")
		p.childless(v)
		c.Values = append(c.Values, string(v.text))
	}
	return c
}
