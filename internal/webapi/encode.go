package webapi

import (
	"bytes"
	"context"
	"strconv"
	"sync"

	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Names of the annotations.
const (
	formattedValue = "OData.Community.Display.V1.FormattedValue"
	attributeName  = "OData.Community.Display.V1.AttributeName"
	lookupName     = "Microsoft.Dynamics.CRM.lookuplogicalname"
	lookupNav      = "Microsoft.Dynamics.CRM.associatednavigationproperty"
	totalCount     = "Microsoft.Dynamics.CRM.totalrecordcount"
	totalExceeded  = "Microsoft.Dynamics.CRM.totalrecordcountlimitexceeded"
	globalVersion  = "Microsoft.Dynamics.CRM.globalmetadataversion"
	pagingCookie   = "Microsoft.Dynamics.CRM.fetchxmlpagingcookie"
	moreRecords    = "Microsoft.Dynamics.CRM.morerecords"
)

// encoder writes rows as JSON objects. It is made once per answer; its node encoders hold ready-made keys, so that a row costs no
// allocation.
type encoder struct {
	ctx       context.Context
	engine    *engine.Engine
	base      string
	level     level
	formatted bool
	names     bool // lookuplogicalname
	navs      bool // associatednavigationproperty
	annotated bool // any annotation goes before a property
	style     rowStyle
	quoted    bool // decimals and 64-bit integers as strings
	root      *nodeEncoder
	symbol    string // symbol of the last currency looked up
	symbolOf  value.GUID
	symbolSet bool
}

// rowStyle says what rows are part of, which decides how some of their members are written.
type rowStyle uint8

const (
	singleRow   rowStyle = iota // the answer itself
	listedRows                  // a collection: rows expanded beside a row carry no etag
	fetchedRows                 // an answer to FetchXML: null columns are left out
	groupedRows                 // groups of $apply: null keys are left out
)

// nodeEncoder is one object shape with its keys as bytes.
type nodeEncoder struct {
	plan    *engine.NodePlan
	cells   []cellEncoder
	expands []expandEncoder
	etag    bool
}

// cellEncoder writes one property.
type cellEncoder struct {
	output *query.Output
	cell   int
	label  int // cell of the lookup's label; -1
	kind   value.Kind
	scale  int
	key    []byte // "name":
	null   []byte // "name":null,
	format []byte // "name@...FormattedValue":"
	nav    []byte // "name@...associatednavigationproperty":"svc_Donor",  (single target)
	table  []byte // "name@...lookuplogicalname":"svc_donor",             (single target)
	attr   []byte // "alias@...AttributeName":"svc_x",
	typed  []byte // "name@odata.type":"#Guid", (full metadata)
	base   bool   // formatted with the base currency's symbol
	quoted bool   // written as a string, for clients whose numbers are all floating
	omit   bool   // left out where it is null
}

// newEncoder makes the encoder of a prepared query for what a request asks for. attributes names the columns behind outputs that have
// other names, by their places; nil for none.
func (r *Request) newEncoder(ctx context.Context, plan *engine.Plan, style rowStyle, attributes []string) *encoder {
	e := r.encoderWith(ctx, nil)
	e.style = style
	e.root = e.node(r, plan.Root)
	if r.Prefer.wants(attributeName) {
		e.root.nameAttributes(attributes)
	}
	return e
}

// encoderWith makes an encoder around the shape of an object made before.
func (r *Request) encoderWith(ctx context.Context, root *nodeEncoder) *encoder {
	e := &encoder{ctx: ctx, engine: r.Session.Engine(), base: r.Base, level: r.level(), root: root}
	e.formatted = r.Prefer.wants(formattedValue)
	e.names = r.Prefer.wants(lookupName)
	e.navs = r.Prefer.wants(lookupNav)
	e.annotated = e.formatted || e.names || e.navs || e.level == full || r.Prefer.wants(attributeName)
	e.quoted = r.quotesNumbers()
	return e
}

func (e *encoder) node(r *Request, p *engine.NodePlan) *nodeEncoder {
	n := &nodeEncoder{plan: p, etag: p.Version >= 0 && e.level != none, cells: make([]cellEncoder, 0, len(p.Node.Outputs))}
	for i := range p.Node.Outputs {
		if p.Node.Outputs[i].Name != "" {
			n.cells = append(n.cells, e.cell(&p.Node.Outputs[i], p.Cells[i]))
		}
	}
	for _, x := range p.Expands {
		n.expands = append(n.expands, e.expand(r, x))
	}
	return n
}

// nameAttributes adds the AttributeName annotation where an output has another name than its column.
func (n *nodeEncoder) nameAttributes(attributes []string) {
	for i := range n.cells {
		c := &n.cells[i]
		for at := range attributes {
			if attributes[at] != "" && c.output == &n.plan.Node.Outputs[at] {
				c.attr = append(value.AppendJSON(keyOf(c.output.Name+"@"+attributeName), attributes[at]), ',')
			}
		}
	}
}

func keyOf(name string) []byte { return append(value.AppendJSON(nil, name), ':') }

// columnKeys are the ready-made keys of a column under its own name. They live as long as the model.
type columnKeys struct{ key, null []byte }

var columnKeyCache sync.Map // *schema.Column to *columnKeys

// keysFor returns the key bytes of an output: cached for a column under its own name, made for an alias.
func keysFor(o *query.Output) *columnKeys {
	own := o.Column != nil && o.Name == o.Column.Wire
	if own {
		if k, ok := columnKeyCache.Load(o.Column); ok {
			return k.(*columnKeys)
		}
	}
	key := keyOf(o.Name)
	k := &columnKeys{key, append(bytes.Clone(key), "null,"...)}
	if own {
		columnKeyCache.Store(o.Column, k)
	}
	return k
}

func (e *encoder) cell(o *query.Output, cell int) cellEncoder {
	keys := keysFor(o)
	c := cellEncoder{output: o, cell: cell, label: -1, kind: query.OutputKind(o), scale: 2, key: keys.key, null: keys.null}
	if o.Column != nil {
		c.scale = o.Column.Scale
		c.base = o.Column.BaseOf != nil || o.Agg != query.AggNone
	}
	if o.Label != nil {
		c.label = cell + o.Cells() - 1
	}
	if e.formatted {
		c.format = keyOf(o.Name + "@" + formattedValue)
	}
	if o.Column != nil && o.Column.Type == schema.TypeLookup && o.Agg == query.AggNone {
		c.lookup(e, o)
	}
	c.omit = e.style == fetchedRows || e.style == groupedRows && o.Agg == query.AggNone
	if e.level == full {
		c.typed = typeAnnotation(o, c.kind)
	}
	c.quoted = e.quoted && exact(o.Column, c.kind)
	return c
}

// exact tells whether a value is of a type IEEE754Compatible names: decimals and 64-bit integers.
func exact(c *schema.Column, kind value.Kind) bool {
	return kind == value.KindMoney || kind == value.KindDecimal || kind == value.KindInt && (c == nil || c.Type == schema.TypeBigInt)
}

func (c *cellEncoder) lookup(e *encoder, o *query.Output) {
	if e.navs && o.Column.Nav != "" {
		c.nav = append(value.AppendJSON(keyOf(o.Name+"@"+lookupNav), o.Column.Nav), ',')
	}
	if e.names {
		c.table = keyOf(o.Name + "@" + lookupName)
		if !o.Column.Polymorphic() {
			c.table = append(value.AppendJSON(c.table, o.Column.Targets[0].Name), ',')
		}
	}
}

// typeAnnotation is the @odata.type of a property whose type JSON does not tell by itself; nil for the others.
func typeAnnotation(o *query.Output, kind value.Kind) []byte {
	name := ""
	switch kind {
	case value.KindID:
		name = "#Guid"
	case value.KindMoney, value.KindDecimal:
		name = "#Decimal"
	case value.KindDate:
		name = "#Date"
	case value.KindTime:
		name = "#DateTimeOffset"
	case value.KindInt:
		if o.Column != nil && o.Column.Type == schema.TypeBigInt {
			name = "#Int64"
		}
	}
	if name == "" {
		return nil
	}
	return append(value.AppendJSON(keyOf(o.Name+"@odata.type"), name), ',')
}

// object appends one row as a JSON object. prefix is put in first: the context of a single answer; "" in a collection.
func (e *encoder) object(b []byte, n *nodeEncoder, rows query.Rows, children map[*query.Expand]*engine.Children, prefix []byte) []byte {
	b = append(b, '{')
	start := len(b)
	b = append(b, prefix...)
	if e.level == full {
		b = e.fullControl(b, n, rows)
	}
	if n.etag && !rows.Null(n.plan.Version) {
		b = append(b, `"@odata.etag":"W/\"`...)
		b = strconv.AppendInt(b, rows.Int(n.plan.Version), 10)
		b = append(b, `\"",`...)
	}
	for i := range n.cells {
		b = e.property(b, n, &n.cells[i], rows)
	}
	for i := range n.expands {
		b = e.expanded(b, n, &n.expands[i], rows, children)
	}
	if len(b) > start {
		b = b[:len(b)-1] // the last comma
	}
	return append(b, '}')
}

// property appends one property with its annotations and a comma.
func (e *encoder) property(b []byte, n *nodeEncoder, c *cellEncoder, rows query.Rows) []byte {
	if rows.Null(c.cell) {
		if c.omit {
			return b
		}
		return append(b, c.null...)
	}
	if e.annotated {
		b = e.annotations(b, n, c, rows)
	}
	b = append(b, c.key...)
	if !c.quoted {
		return append(appendCell(b, c.kind, c.scale, c.cell, rows), ',')
	}
	return append(appendCell(append(b, '"'), c.kind, c.scale, c.cell, rows), '"', ',')
}

// annotations appends what goes before a property: formatted value, lookup annotations, column name, type.
func (e *encoder) annotations(b []byte, n *nodeEncoder, c *cellEncoder, rows query.Rows) []byte {
	if e.formatted {
		b = e.format(b, n, c, rows)
	}
	b = append(b, c.nav...)
	b = append(b, c.attr...)
	if c.table != nil {
		b = e.lookupTable(b, c, rows)
	}
	return append(b, c.typed...)
}

// appendCell appends a cell that is not null as a JSON value. It is the one place that knows a kind's wire form.
func appendCell(b []byte, kind value.Kind, scale, cell int, rows query.Rows) []byte {
	switch kind {
	case value.KindBool:
		return strconv.AppendBool(b, rows.Int(cell) != 0)
	case value.KindInt:
		return strconv.AppendInt(b, rows.Int(cell), 10)
	case value.KindMoney:
		return value.AppendDecimal(b, rows.Int(cell), 2)
	case value.KindDecimal:
		return value.AppendDecimal(b, rows.Int(cell), scale)
	case value.KindFloat:
		return value.AppendFloat(b, rows.Float(cell))
	case value.KindID:
		b = append(b, '"')
		b = value.GUID(rows.Bytes(cell)).Append(b)
		return append(b, '"')
	case value.KindDate:
		b = append(b, '"')
		b = value.AppendDate(b, rows.Int(cell))
		return append(b, '"')
	case value.KindTime:
		b = append(b, '"')
		b = value.AppendTime(b, rows.Int(cell))
		return append(b, '"')
	default:
		return value.AppendJSON(b, rows.Bytes(cell))
	}
}

func (e *encoder) format(b []byte, n *nodeEncoder, c *cellEncoder, rows query.Rows) []byte {
	start := len(b)
	b = append(append(b, c.format...), '"')
	ok := false
	switch {
	case c.kind == value.KindID:
		if c.label >= 0 && !rows.Null(c.label) {
			b, ok = value.AppendJSONText(b, rows.Bytes(c.label)), true
		}
	case c.kind == value.KindText:
		if col := c.output.Column; col != nil && col.Type == schema.TypeMultiChoice {
			b, ok = appendLabels(b, col.Options, rows.Bytes(c.cell)), true
		}
	case c.output.Column != nil && c.output.Column.Name == "versionnumber":
		b, ok = appendGrouped(b, rows.Int(c.cell), 0), true
	case c.kind == value.KindFloat:
		b, ok = appendFormatted(b, c.output.Column, c.kind, 0, rows.Float(c.cell), "")
	default:
		b, ok = appendFormatted(b, c.optioned(), c.kind, rows.Int(c.cell), 0, e.symbolFor(n, c, rows))
	}
	if !ok {
		return b[:start]
	}
	return append(b, '"', ',')
}

// optioned returns the column whose labels apply; a count of choices has none.
func (c *cellEncoder) optioned() *schema.Column {
	if c.output.Agg == query.AggCount || c.output.Agg == query.AggCountColumn || c.output.Agg == query.AggSum {
		return nil
	}
	return c.output.Column
}

func appendLabels(b []byte, set *schema.OptionSet, values []byte) []byte {
	start := 0
	for i := 0; i <= len(values); i++ {
		if i < len(values) && values[i] != ',' {
			continue
		}
		v, err := strconv.ParseInt(string(values[start:i]), 10, 64)
		if label, ok := set.LabelOf(v); err == nil && ok {
			if start > 0 {
				b = append(b, "; "...)
			}
			b = value.AppendJSONText(b, label)
		}
		start = i + 1
	}
	return b
}

// symbolFor returns the currency symbol for a money cell: the row's own, or the base currency's.
func (e *encoder) symbolFor(n *nodeEncoder, c *cellEncoder, rows query.Rows) string {
	if c.kind != value.KindMoney {
		return ""
	}
	var id value.GUID
	if !c.base && n.plan.Currency >= 0 && !rows.Null(n.plan.Currency) {
		id = value.GUID(rows.Bytes(n.plan.Currency))
	}
	if !e.symbolSet || id != e.symbolOf {
		e.symbol, e.symbolOf, e.symbolSet = e.engine.Symbol(e.ctx, id), id, true
	}
	return e.symbol
}

func (e *encoder) lookupTable(b []byte, c *cellEncoder, rows query.Rows) []byte {
	b = append(b, c.table...)
	if !c.output.Column.Polymorphic() {
		return b
	}
	name := ""
	if t := e.engine.Model().ByCode(int(rows.Int(c.cell + 1))); t != nil {
		name = t.Name
	}
	return append(value.AppendJSON(b, name), ',')
}

// fullControl appends the control information of metadata level full.
func (e *encoder) fullControl(b []byte, n *nodeEncoder, rows query.Rows) []byte {
	if n.plan.Key < 0 || rows.Null(n.plan.Key) {
		return b
	}
	t := n.plan.Node.Link.Table
	self := t.Set + "(" + value.GUID(rows.Bytes(n.plan.Key)).String() + ")"
	b = append(b, `"@odata.type":"#Microsoft.Dynamics.CRM.`...)
	b = append(append(b, t.Name...), `","@odata.id":`...)
	b = append(value.AppendJSON(b, e.base+"/"+self), `,"@odata.editLink":`...)
	b = append(value.AppendJSON(b, self), ',')
	for _, nav := range t.Navs() {
		b = value.AppendJSON(append(b, keyOf(nav.Name+"@odata.associationLink")...), e.base+"/"+self+"/"+nav.Name+"/$ref")
		b = append(b, ',')
		b = value.AppendJSON(append(b, keyOf(nav.Name+"@odata.navigationLink")...), e.base+"/"+self+"/"+nav.Name)
		b = append(b, ',')
	}
	return b
}
