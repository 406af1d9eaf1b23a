package odata

import "strings"

// Node is a piece of a parsed expression: Literal, Member, Unary, Binary, Logic, Func, QueryFunc, Lambda or List. Names in
// it are as the client wrote them.
type Node interface{ node() }

// LiteralKind says how a literal was written.
type LiteralKind uint8

// The kinds of literal. TypedLiteral is a quoted text with a prefix: an enumeration member, a duration, binary data.
const (
	NullLiteral LiteralKind = iota
	BoolLiteral
	NumberLiteral
	StringLiteral
	GUIDLiteral
	DateLiteral
	TimeLiteral
	TypedLiteral
)

// Literal is a constant. Text is the number, date or GUID as written, or the content of a string; Type is the prefix of a
// typed literal.
type Literal struct {
	Kind LiteralKind
	Text string
	Type string
}

// Member is a walk over navigation properties that ends in a property: svc_Donor/svc_formaldefault, $it/name, g/name.
type Member struct{ Names []string }

// String returns the path as it was written.
func (m Member) String() string { return strings.Join(m.Names, "/") }

// Unary is not or minus before an expression.
type Unary struct {
	Op string // "not", "-"
	X  Node
}

// Binary is a comparison, an arithmetic operation, in or has.
type Binary struct {
	Op   string
	L, R Node
}

// Logic joins two or more conditions by and or by or.
type Logic struct {
	Op    string // "and", "or"
	Terms []Node
}

// Func is a call of a canonical function such as contains or year.
type Func struct {
	Name string
	Args []Node
}

// QueryFunc is a call of a function of the platform's namespace, with named parameters. Base is the path in front of it.
type QueryFunc struct {
	Base   []string
	Name   string
	Params map[string]Node
}

// Lambda is any or all over a collection. Var is "" for any().
type Lambda struct {
	Path []string
	All  bool
	Var  string
	Body Node
}

// List is a list of values, as in an in or an array parameter.
type List struct{ Items []Node }

func (Literal) node()   {}
func (Member) node()    {}
func (Unary) node()     {}
func (Binary) node()    {}
func (Logic) node()     {}
func (Func) node()      {}
func (QueryFunc) node() {}
func (Lambda) node()    {}
func (List) node()      {}
