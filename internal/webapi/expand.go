package webapi

import (
	"strings"

	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// expandEncoder writes one expanded navigation property.
type expandEncoder struct {
	plan engine.ExpandPlan
	key  []byte
	link []byte // "name@odata.nextLink":
	one  []*nodeEncoder
	many *nodeEncoder
	more func(parent value.GUID, last *query.Position) string // token of the page after the rows shown
}

func (e *encoder) expand(r *Request, p engine.ExpandPlan) expandEncoder {
	name := p.Expand.Nav.Name
	x := expandEncoder{plan: p, key: keyOf(name), link: keyOf(name + "@odata.nextLink")}
	for _, one := range p.One {
		n := e.node(r, one)
		n.etag = n.etag && e.style == singleRow
		x.one = append(x.one, n)
	}
	if p.Many != nil {
		x.many = e.node(r, p.Many.Root)
		x.more = r.collectionToken(p)
	}
	return x
}

// expanded appends a navigation property with its related rows and a comma.
func (e *encoder) expanded(b []byte, n *nodeEncoder, x *expandEncoder, rows query.Rows, children map[*query.Expand]*engine.Children) []byte {
	if x.many != nil {
		return e.collection(b, n, x, rows, children)
	}
	b = append(b, x.key...)
	for _, one := range x.one {
		if one.plan.Key >= 0 && !rows.Null(one.plan.Key) {
			if x.plan.Expand.Ref {
				b = e.reference(b, one.plan.Node.Link.Table, value.GUID(rows.Bytes(one.plan.Key)))
			} else {
				b = e.object(b, one, rows, children, e.concreteType(x, one))
			}
			return append(b, ',')
		}
	}
	return append(b, "null,"...)
}

// concreteType names the table of a related row where the property has several targets.
func (e *encoder) concreteType(x *expandEncoder, one *nodeEncoder) []byte {
	if len(x.one) < 2 || e.level == none {
		return nil
	}
	return []byte(`"@odata.type":"#Microsoft.Dynamics.CRM.` + one.plan.Node.Link.Table.Name + `",`)
}

// collection appends the rows of an expanded collection and the link to it, which goes on where the rows end if there are more.
func (e *encoder) collection(b []byte, n *nodeEncoder, x *expandEncoder, rows query.Rows, children map[*query.Expand]*engine.Children) []byte {
	parent := value.GUID(rows.Bytes(n.plan.Key))
	c := children[x.plan.Expand]
	count, token := 0, ""
	if c != nil {
		count = c.Of(parent)
	}
	shown := count
	if most := x.plan.Expand.Show; most > 0 && most < count {
		shown = most
	}
	b = append(append(b, x.key...), '[')
	for i := range shown {
		if i > 0 {
			b = append(b, ',')
		}
		c.Rows.Next()
		b = e.object(b, x.many, c.Rows, c.Sub(), nil)
		if i == shown-1 && shown < count {
			token = x.more(parent, x.plan.Many.Position(c.Rows))
		}
	}
	b = append(append(b, "],"...), x.link...)
	link := e.base + "/" + n.plan.Node.Link.Table.Set + "(" + parent.String() + ")/" + x.plan.Expand.Nav.Name
	b = value.AppendJSON(b, link+linkQuery(x.plan.Expand.Text, token))
	return append(b, ',')
}

// reference appends {"@odata.id":"BASE/set(id)"}.
func (e *encoder) reference(b []byte, t *schema.Table, id value.GUID) []byte {
	b = append(b, `{"@odata.id":`...)
	b = value.AppendJSON(b, e.base+"/"+t.Set+"("+id.String()+")")
	return append(b, '}')
}

// linkQuery makes the query string of a link from options as written and a token; "" for none.
func linkQuery(text, token string) string {
	if text != "" {
		text = "?" + strings.NewReplacer(" ", "%20", "#", "%23", "+", "%2B").Replace(text)
	}
	switch {
	case token == "":
		return text
	case text == "":
		return "?$skiptoken=" + token
	default:
		return text + "&$skiptoken=" + token
	}
}
