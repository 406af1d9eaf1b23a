package odata

// Apply is a parsed $apply: filters first, then a grouping, an aggregation, or both.
type Apply struct {
	Filters    []Node
	Grouped    bool // groupby or aggregate is there; else $apply is a filter and nothing more
	Keys       []Member
	Aggregates []Aggregate
}

// Aggregate is one aggregate expression. Expr is nil for $count.
type Aggregate struct {
	Expr   Node
	Method string // sum, average, min, max, countdistinct; "" for $count
	Alias  string
}

// ParseApply reads filter(...), groupby((...)), groupby((...),aggregate(...)) and aggregate(...), joined by slashes.
func ParseApply(text string, aliases map[string]string) (*Apply, error) {
	p, err := newParser(text, aliases)
	if err != nil {
		return nil, err
	}
	a := &Apply{}
	for {
		if err := p.transformation(a); err != nil {
			return nil, err
		}
		if p.tok.kind == tokenEnd {
			return a, nil
		}
		if err := p.expect("/"); err != nil {
			return nil, err
		}
		if a.Grouped {
			return nil, badRequest("$apply: nothing may follow groupby or aggregate; only filter may stand before them.")
		}
	}
}

func (p *parser) transformation(a *Apply) error {
	if p.tok.kind != tokenName {
		return p.unexpected()
	}
	name := p.tok.text
	if name != "filter" && name != "groupby" && name != "aggregate" {
		return badRequest("$apply: the transformation '%s' is not supported.", name)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect("("); err != nil {
		return err
	}
	switch name {
	case "filter":
		f, err := p.expression()
		if err != nil {
			return err
		}
		a.Filters = append(a.Filters, f)
	case "groupby":
		if err := p.groupBy(a); err != nil {
			return err
		}
	default:
		if err := p.aggregates(a); err != nil {
			return err
		}
	}
	return p.expect(")")
}

// groupBy reads the key list and the aggregation behind it, up to the closing parenthesis.
func (p *parser) groupBy(a *Apply) error {
	if err := p.expect("("); err != nil {
		return err
	}
	a.Grouped = true
	for {
		n, err := p.primary()
		if err != nil {
			return err
		}
		key, ok := n.(Member)
		if !ok {
			return badRequest("$apply: groupby takes properties only.")
		}
		a.Keys = append(a.Keys, key)
		if !p.isPunct(",") {
			break
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	if err := p.expect(")"); err != nil || !p.isPunct(",") {
		return err
	}
	if err := p.advance(); err != nil {
		return err
	}
	if !p.isWord("aggregate") {
		return badRequest("$apply: only aggregate may stand behind the keys of groupby.")
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect("("); err != nil {
		return err
	}
	if err := p.aggregates(a); err != nil {
		return err
	}
	return p.expect(")")
}

// aggregates reads "expression with method as alias" and "$count as alias", separated by commas.
func (p *parser) aggregates(a *Apply) error {
	a.Grouped = true
	for {
		one, err := p.aggregate()
		if err != nil {
			return err
		}
		a.Aggregates = append(a.Aggregates, one)
		if !p.isPunct(",") {
			return nil
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

func (p *parser) aggregate() (Aggregate, error) {
	var a Aggregate
	if p.isWord("$count") {
		if err := p.advance(); err != nil {
			return a, err
		}
	} else {
		expr, err := p.expression()
		if err != nil {
			return a, err
		}
		a.Expr = expr
		if a.Method, err = p.wordAfter("with"); err != nil {
			return a, err
		}
	}
	var err error
	a.Alias, err = p.wordAfter("as")
	if err == nil && !isIdentifier(a.Alias, "") {
		err = badRequest("$apply: '%s' is not a name for an aggregate.", a.Alias)
	}
	return a, err
}

// wordAfter reads a keyword and the name behind it.
func (p *parser) wordAfter(keyword string) (string, error) {
	if !p.isWord(keyword) {
		return "", p.unexpected()
	}
	if err := p.advance(); err != nil {
		return "", err
	}
	if p.tok.kind != tokenName {
		return "", p.unexpected()
	}
	word := p.tok.text
	return word, p.advance()
}
