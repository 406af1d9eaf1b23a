package odata

import "strings"

// OrderItem is one sort key of $orderby.
type OrderItem struct {
	Expr Node
	Desc bool
}

// ParseOrderBy reads a list of expressions, each with an optional asc or desc.
func ParseOrderBy(text string, aliases map[string]string) ([]OrderItem, error) {
	p, err := newParser(text, aliases)
	if err != nil {
		return nil, err
	}
	return p.orderBy()
}

func (p *parser) orderBy() ([]OrderItem, error) {
	var items []OrderItem
	for {
		expr, err := p.expression()
		if err != nil {
			return nil, err
		}
		item := OrderItem{Expr: expr, Desc: p.isWord("desc")}
		if p.isWord("asc", "desc") {
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
		items = append(items, item)
		if p.tok.kind == tokenEnd {
			return items, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}

// ParseSelect reads a comma-separated list of property names; * stands for all.
func ParseSelect(text string) ([]string, error) {
	var names []string
	for _, part := range strings.Split(text, ",") {
		name := strings.TrimSpace(part)
		if name != "*" && !isIdentifier(name, "") {
			return nil, badRequest("Syntax error in $select: '%s' is not a property name.", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// ExpandItem is one navigation property of $expand with the options in its parentheses.
type ExpandItem struct {
	Name   string
	Ref    bool // written as name/$ref
	Select []string
	Filter Node
	Order  []OrderItem
	Top    *int
	Expand []ExpandItem
	Text   string // the options as a query string of their own
}

// maxExpandDepth bounds the nesting of $expand before anything is counted.
const maxExpandDepth = 16

// ParseExpand reads a list of navigation properties with their nested options. Parameter aliases may not stand in it.
func ParseExpand(text string) ([]ExpandItem, error) { return parseExpand(text, 1) }

func parseExpand(text string, depth int) ([]ExpandItem, error) {
	if depth > maxExpandDepth {
		return nil, tooManyJoins()
	}
	if len(text) > maxExpression || !balanced(text) {
		return nil, badRequest("Syntax error in $expand: quotes or parentheses are not closed, or the text is too long.")
	}
	var items []ExpandItem
	for _, part := range splitOutside(text, ',', false) {
		item, err := parseExpandItem(strings.TrimSpace(part), depth)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func parseExpandItem(text string, depth int) (ExpandItem, error) {
	path, inner, parens := strings.Cut(text, "(")
	name, ref := strings.CutSuffix(strings.TrimSpace(path), "/$ref")
	item := ExpandItem{Name: name, Ref: ref}
	if !isIdentifier(name, "") || parens && (ref || !strings.HasSuffix(inner, ")")) {
		return item, badRequest("Term '%s' is not valid in a $expand expression.", clip(text))
	}
	if !parens {
		return item, nil
	}
	return item, item.options(strings.TrimSuffix(inner, ")"), depth)
}

// options reads what stands in the parentheses of an expanded property.
func (e *ExpandItem) options(inner string, depth int) error {
	seen := map[string]bool{}
	var texts []string
	for _, option := range splitOutside(inner, ';', false) {
		key, arg, ok := strings.Cut(option, "=")
		key, arg = strings.TrimSpace(key), strings.TrimSpace(arg)
		if !ok || arg == "" || seen[key] {
			return badRequest("'%s' is not a valid option of '%s' in $expand.", clip(strings.TrimSpace(option)), e.Name)
		}
		seen[key] = true
		if err := e.put(key, arg, depth); err != nil {
			return err
		}
		texts = append(texts, key+"="+urlSafe.Replace(arg))
	}
	e.Text = strings.Join(texts, "&")
	return nil
}

// put reads one option inside the parentheses of an expanded property.
func (e *ExpandItem) put(key, arg string, depth int) (err error) {
	switch key {
	case "$select":
		e.Select, err = ParseSelect(arg)
	case "$filter":
		e.Filter, err = parsePlainFilter(arg)
	case "$orderby":
		e.Order, err = parsePlainOrderBy(arg)
	case "$top":
		var top int
		top, err = parseTop(arg)
		e.Top = &top
	case "$expand":
		e.Expand, err = parseExpand(arg, depth+1)
	default:
		err = badRequest("The query parameter '%s' is not supported in $expand.", key)
	}
	return err
}

func parsePlainFilter(text string) (Node, error) {
	p, err := newPlainParser(text)
	if err != nil {
		return nil, err
	}
	return p.whole(p.expression)
}

func parsePlainOrderBy(text string) ([]OrderItem, error) {
	p, err := newPlainParser(text)
	if err != nil {
		return nil, err
	}
	return p.orderBy()
}
