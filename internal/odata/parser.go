package odata

import "strings"

// The bounds of one expression: how deep it nests, how many arithmetic operations and negations it has, and how many nodes in all once
// aliases are put in. They keep the tree inside what both stores can take; conditions are counted when it is bound.
const (
	maxDepth      = 100
	maxOperations = 500
	maxNodes      = 20000
)

// namespace is the prefix of the platform's own functions.
const namespace = "Microsoft.Dynamics.CRM."

// parser is a recursive-descent parser of OData expressions with one token of look-ahead.
type parser struct {
	lexer
	tok        token
	aliases    map[string]string
	aliasFree  bool // aliases may not stand here
	depth      int
	operations int
	nodes      int
}

// ParseFilter reads a boolean expression. Parameter aliases are replaced by what they stand for; one without a value is
// null. Nesting, operations and length are bounded: hostile text is refused at once.
func ParseFilter(text string, aliases map[string]string) (Node, error) {
	p, err := newParser(text, aliases)
	if err != nil {
		return nil, err
	}
	return p.whole(p.expression)
}

func newParser(text string, aliases map[string]string) (*parser, error) {
	if len(text) > maxExpression {
		return nil, badRequest("Invalid URI: The Uri string is too long. An expression may have %d characters.", maxExpression)
	}
	p := &parser{lexer: lexer{text: text}, aliases: aliases}
	return p, p.advance()
}

// newPlainParser is newParser for text in which aliases may not stand.
func newPlainParser(text string) (*parser, error) {
	p, err := newParser(text, nil)
	if err == nil {
		p.aliasFree = true
	}
	return p, err
}

// whole runs one production and demands that nothing is left behind it.
func (p *parser) whole(production func() (Node, error)) (Node, error) {
	n, err := production()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokenEnd {
		return nil, p.unexpected()
	}
	return n, nil
}

func (p *parser) advance() error {
	t, err := p.next()
	p.tok = t
	return err
}

func (p *parser) unexpected() error { return p.syntaxAt(p.tok.start) }

func (p *parser) isPunct(s string) bool { return p.tok.kind == tokenPunct && p.tok.text == s }

func (p *parser) isWord(words ...string) bool {
	if p.tok.kind != tokenName {
		return false
	}
	for _, w := range words {
		if p.tok.text == w {
			return true
		}
	}
	return false
}

func (p *parser) expect(punct string) error {
	if !p.isPunct(punct) {
		return p.unexpected()
	}
	return p.advance()
}

// enter counts one level of nesting; leave it by p.depth--.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return badRequest("The expression nests deeper than %d levels.", maxDepth)
	}
	return nil
}

func (p *parser) operation() error {
	if p.operations++; p.operations > maxOperations {
		return badRequest("The expression has more than %d operations.", maxOperations)
	}
	return nil
}

// expression reads conditions joined by or.
func (p *parser) expression() (Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	return p.chain("or", func() (Node, error) { return p.chain("and", p.equality) })
}

// chain reads operands joined by one logical word into a single node, so that a long chain does not nest.
func (p *parser) chain(word string, operand func() (Node, error)) (Node, error) {
	first, err := operand()
	if err != nil || !p.isWord(word) {
		return first, err
	}
	terms := []Node{first}
	for p.isWord(word) {
		if err := p.advance(); err != nil {
			return nil, err
		}
		term, err := operand()
		if err != nil {
			return nil, err
		}
		terms = append(terms, term)
	}
	return Logic{Op: word, Terms: terms}, nil
}

func (p *parser) equality() (Node, error) { return p.binary(p.relation, "eq", "ne") }

func (p *parser) relation() (Node, error) {
	left, err := p.sum()
	for err == nil && p.isWord("gt", "ge", "lt", "le", "in", "has") {
		op := p.tok.text
		if err := p.advance(); err != nil {
			return nil, err
		}
		operand := p.sum
		if op == "in" {
			operand = p.list
		}
		right, err := operand()
		if err != nil {
			return nil, err
		}
		left = Binary{Op: op, L: left, R: right}
	}
	return left, err
}

func (p *parser) sum() (Node, error) { return p.arithmetic(p.product, "add", "sub") }

func (p *parser) product() (Node, error) { return p.arithmetic(p.unary, "mul", "div", "mod") }

func (p *parser) arithmetic(operand func() (Node, error), words ...string) (Node, error) {
	return p.binary(func() (Node, error) {
		n, err := operand()
		if err == nil && p.isWord(words...) {
			err = p.operation()
		}
		return n, err
	}, words...)
}

// binary reads left-associative operations of one precedence.
func (p *parser) binary(operand func() (Node, error), words ...string) (Node, error) {
	left, err := operand()
	for err == nil && p.isWord(words...) {
		op := p.tok.text
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := operand()
		if err != nil {
			return nil, err
		}
		left = Binary{Op: op, L: left, R: right}
	}
	return left, err
}

func (p *parser) unary() (Node, error) {
	if !p.isWord("not") && !p.isPunct("-") {
		return p.primary()
	}
	op := p.tok.text
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	if lit, ok := x.(Literal); ok && op == "-" && lit.Kind == NumberLiteral && strings.IndexAny(lit.Text, "+-") != 0 {
		return Literal{Kind: NumberLiteral, Text: "-" + lit.Text}, nil
	}
	return Unary{Op: op, X: x}, p.operation()
}

func (p *parser) primary() (Node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, badRequest("The expression has more than %d parts.", maxNodes)
	}
	switch {
	case p.tok.kind == tokenLiteral:
		lit := p.tok.lit
		return lit, p.advance()
	case p.isPunct("("):
		return p.parenthesised()
	case p.isPunct("["):
		return p.list()
	case p.tok.kind == tokenName && strings.HasPrefix(p.tok.text, "@"):
		return p.alias()
	case p.tok.kind == tokenName:
		return p.member()
	default:
		return nil, p.unexpected()
	}
}

func (p *parser) parenthesised() (Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.expression()
	if err != nil {
		return nil, err
	}
	return n, p.expect(")")
}

// list reads (a,b) or [a,b] of constants, or an alias that stands for one.
func (p *parser) list() (Node, error) {
	end := map[string]string{"(": ")", "[": "]"}[p.tok.text]
	if p.tok.kind == tokenName && strings.HasPrefix(p.tok.text, "@") {
		return p.alias()
	}
	if p.tok.kind != tokenPunct || end == "" {
		return nil, p.unexpected()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var l List
	for !p.isPunct(end) {
		if len(l.Items) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		if p.tok.kind != tokenLiteral {
			return nil, p.unexpected()
		}
		item, err := p.primary()
		if err != nil {
			return nil, err
		}
		l.Items = append(l.Items, item)
	}
	return l, p.advance()
}

// alias puts in what a parameter alias stands for.
func (p *parser) alias() (Node, error) {
	if p.aliasFree {
		return nil, badRequest("The parameter alias '%s' cannot be used here.", p.tok.text)
	}
	text, ok := p.aliases[p.tok.text]
	if !ok {
		return Literal{Kind: NullLiteral}, p.advance()
	}
	inner, err := newPlainParser(text)
	if err != nil {
		return nil, err
	}
	inner.depth, inner.operations, inner.nodes = p.depth, p.operations, p.nodes
	n, err := inner.whole(inner.expression)
	if err != nil {
		return nil, err
	}
	p.operations, p.nodes = inner.operations, inner.nodes
	return n, p.advance()
}

// member reads a path, a call, or a lambda at the end of a path.
func (p *parser) member() (Node, error) {
	var names []string
	for {
		if p.tok.kind != tokenName || len(names) >= maxDepth {
			return nil, p.unexpected()
		}
		name := p.tok.text
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.isPunct("(") {
			return p.call(names, name)
		}
		names = append(names, name)
		if !p.isPunct("/") {
			return Member{Names: names}, nil
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) call(path []string, name string) (Node, error) {
	at := p.tok.start
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(name, namespace):
		return p.queryFunc(path, strings.TrimPrefix(name, namespace))
	case len(path) > 0 && (name == "any" || name == "all"):
		return p.lambda(path, name == "all")
	case len(path) > 0:
		return nil, p.syntaxAt(at)
	case !isCanonical(name):
		return nil, badRequest("An unknown function with name '%s' was found. This may also be a function import or a key lookup on a navigation property, which is not allowed.", name)
	}
	args, err := p.arguments()
	return Func{Name: name, Args: args}, err
}

func (p *parser) arguments() ([]Node, error) {
	var args []Node
	for !p.isPunct(")") {
		if len(args) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		arg, err := p.expression()
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	return args, p.advance()
}

func (p *parser) queryFunc(path []string, name string) (Node, error) {
	f := QueryFunc{Base: path, Name: name, Params: map[string]Node{}}
	for !p.isPunct(")") {
		if len(f.Params) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		key := p.tok.text
		if p.tok.kind != tokenName || f.Params[key] != nil {
			return nil, p.unexpected()
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.expect("="); err != nil {
			return nil, err
		}
		arg, err := p.primary()
		if err != nil {
			return nil, err
		}
		f.Params[key] = arg
	}
	return f, p.advance()
}

func (p *parser) lambda(path []string, all bool) (Node, error) {
	l := Lambda{Path: path, All: all}
	if p.isPunct(")") && !all {
		return l, p.advance()
	}
	if p.tok.kind != tokenName || !isIdentifier(p.tok.text, "") {
		return nil, p.unexpected()
	}
	l.Var = p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	body, err := p.expression()
	if err != nil {
		return nil, err
	}
	l.Body = body
	return l, p.expect(")")
}
