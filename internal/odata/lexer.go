package odata

import (
	"strings"
	"unicode/utf8"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// maxExpression is the longest text of one expression option, in bytes: that of a URL inside a batch.
const maxExpression = 65536

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokenEnd     tokenKind = iota
	tokenName              // svc_gift, $it, @p1, Microsoft.Dynamics.CRM.In
	tokenPunct             // one of ( ) , / : = ; [ ] * -
	tokenLiteral           // lit holds it
)

type token struct {
	kind  tokenKind
	text  string
	lit   Literal
	start int
}

// lexer cuts expression text into tokens, one at a time.
type lexer struct {
	text   string
	pos    int
	arrays int // arrays of values that are open at the cursor
}

// syntaxAt is the fault of text that does not parse.
func (l *lexer) syntaxAt(pos int) *fault.Error {
	shown := l.text
	if len(shown) > 500 {
		shown = strings.ToValidUTF8(shown[:500], "") + "..."
	}
	return badRequest("Syntax error at position %d in '%s'.", pos, shown)
}

// next returns the token at the cursor and moves past it.
func (l *lexer) next() (token, error) {
	for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t' || l.text[l.pos] == '\n' || l.text[l.pos] == '\r') {
		l.pos++
	}
	if l.pos >= len(l.text) {
		return token{kind: tokenEnd, start: l.pos}, nil
	}
	c := l.text[l.pos]
	switch {
	case c == '\'':
		return l.quoted("")
	case c == '"' && l.arrays > 0:
		return l.jsonString()
	case c >= '0' && c <= '9' || (c == '-' || c == '+') && l.digitAt(l.pos+1):
		return l.number()
	case strings.IndexByte("(),/:=;[]*-", c) >= 0:
		return l.punct(c), nil
	default:
		return l.name()
	}
}

// punct moves past a punctuation mark and keeps count of the arrays it opens and closes.
func (l *lexer) punct(c byte) token {
	switch c {
	case '[':
		l.arrays++
	case ']':
		l.arrays--
	}
	l.pos++
	return token{kind: tokenPunct, text: l.text[l.pos-1 : l.pos], start: l.pos - 1}
}

func (l *lexer) digitAt(i int) bool { return i < len(l.text) && l.text[i] >= '0' && l.text[i] <= '9' }

// quoted reads a string in single quotes, where two quotes stand for one.
func (l *lexer) quoted(prefix string) (token, error) {
	start := l.pos
	var b strings.Builder
	for i := l.pos + 1; i < len(l.text); i++ {
		if l.text[i] != '\'' {
			b.WriteByte(l.text[i])
			continue
		}
		if i+1 < len(l.text) && l.text[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		l.pos = i + 1
		lit := Literal{Kind: StringLiteral, Text: b.String()}
		if prefix != "" {
			lit.Kind, lit.Type = TypedLiteral, prefix
		}
		return l.literal(lit, start)
	}
	return token{}, badRequest("There is an unterminated string literal at position %d in '%s'.", len(l.text), l.text[:min(len(l.text), 500)])
}

// jsonString reads a string in double quotes with JSON's escapes: arrays of values carry them, and nothing else does.
func (l *lexer) jsonString() (token, error) {
	start := l.pos
	end, ok := scanString(l.text, start)
	if !ok {
		return token{}, l.syntaxAt(start)
	}
	text, ok := unquoteJSON([]byte(l.text[start:end]))
	if !ok || strings.Contains(text, "\x00") {
		return token{}, l.syntaxAt(start)
	}
	l.pos = end
	return l.literal(Literal{Kind: StringLiteral, Text: text}, start)
}

// number reads what begins with a digit or a sign: a GUID, a date, a moment or a number.
func (l *lexer) number() (token, error) {
	start := l.pos
	if n := guidLength(l.text[start:]); n > 0 {
		l.pos += n
		return l.literal(Literal{Kind: GUIDLiteral, Text: l.text[start:l.pos]}, start)
	}
	if n, kind := dateLength(l.text[start:]); n > 0 {
		l.pos += n
		return l.literal(Literal{Kind: kind, Text: l.text[start:l.pos]}, start)
	}
	n := numberLength(l.text[start:])
	if n == 0 {
		return token{}, l.syntaxAt(start)
	}
	l.pos += n
	return l.literal(Literal{Kind: NumberLiteral, Text: l.text[start:l.pos]}, start)
}

// literal ends a literal token: what follows must not run on.
func (l *lexer) literal(lit Literal, start int) (token, error) {
	if r, _ := utf8.DecodeRuneInString(l.text[l.pos:]); l.pos < len(l.text) && (isNameRune(r) || strings.ContainsRune(".:'\"", r)) {
		return token{}, l.syntaxAt(l.pos)
	}
	return token{kind: tokenLiteral, lit: lit, start: start}, nil
}

// name reads an identifier with its namespace, the words that are literals, or a GUID that begins with a letter.
func (l *lexer) name() (token, error) {
	start := l.pos
	if n := guidLength(l.text[start:]); n > 0 {
		l.pos += n
		return l.literal(Literal{Kind: GUIDLiteral, Text: l.text[start:l.pos]}, start)
	}
	if l.text[l.pos] == '$' || l.text[l.pos] == '@' {
		l.pos++
	}
	first := l.pos
	for l.pos < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.pos:])
		if !isNameRune(r) && (r != '.' || l.pos == first) {
			break
		}
		l.pos += size
	}
	text := l.text[start:l.pos]
	if l.pos == first || strings.HasSuffix(text, ".") {
		return token{}, l.syntaxAt(start)
	}
	if l.pos < len(l.text) && l.text[l.pos] == '\'' {
		return l.quoted(text)
	}
	return l.word(text, start)
}

func (l *lexer) word(text string, start int) (token, error) {
	switch {
	case text == "null":
		return token{kind: tokenLiteral, lit: Literal{Kind: NullLiteral}, start: start}, nil
	case strings.EqualFold(text, "true") || strings.EqualFold(text, "false"):
		return token{kind: tokenLiteral, lit: Literal{Kind: BoolLiteral, Text: strings.ToLower(text)}, start: start}, nil
	case text == "INF" || text == "NaN":
		return token{kind: tokenLiteral, lit: Literal{Kind: NumberLiteral, Text: text}, start: start}, nil
	default:
		return token{kind: tokenName, text: text, start: start}, nil
	}
}

// guidLength returns 36 when text begins with a GUID, else 0.
func guidLength(text string) int {
	if len(text) < 36 {
		return 0
	}
	if _, err := value.ParseGUID(text[:36]); err != nil {
		return 0
	}
	return 36
}

// dateLength returns the length of the date or moment text begins with, else 0. Years may have more than four digits and
// a sign, as OData allows; what they are worth is settled when the literal is bound.
func dateLength(text string) (int, LiteralKind) {
	i := 0
	if text[0] == '-' {
		i = 1
	}
	year := digits(text, i)
	if year < 4 || text[i] == '+' {
		return 0, DateLiteral
	}
	i += year
	for range 2 {
		if i >= len(text) || text[i] != '-' || digits(text, i+1) != 2 {
			return 0, DateLiteral
		}
		i += 3
	}
	if i < len(text) && (text[i] == 'T' || text[i] == 't') {
		if n := clockLength(text[i+1:]); n > 0 {
			return i + 1 + n, TimeLiteral
		}
	}
	return i, DateLiteral
}

// clockLength returns the length of hh:mm[:ss[.fff]] with an optional offset, else 0.
func clockLength(text string) int {
	if digits(text, 0) != 2 || len(text) < 5 || text[2] != ':' || digits(text, 3) != 2 {
		return 0
	}
	i := 5
	if i < len(text) && text[i] == ':' && digits(text, i+1) == 2 {
		i += 3
		if n := digits(text, i+1); i < len(text) && text[i] == '.' && n > 0 {
			i += 1 + n
		}
	}
	switch {
	case i < len(text) && (text[i] == 'Z' || text[i] == 'z'):
		i++
	case i+5 < len(text) && (text[i] == '+' || text[i] == '-') && digits(text, i+1) == 2 && text[i+3] == ':' && digits(text, i+4) == 2:
		i += 6
	}
	return i
}

// numberLength returns the length of the number text begins with, else 0.
func numberLength(text string) int {
	i := 0
	if text[0] == '-' || text[0] == '+' {
		i = 1
	}
	i += digits(text, i)
	if n := digits(text, i+1); i < len(text) && text[i] == '.' {
		if n == 0 {
			return 0
		}
		i += 1 + n
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		j := i + 1
		if j < len(text) && (text[j] == '-' || text[j] == '+') {
			j++
		}
		n := digits(text, j)
		if n == 0 {
			return 0
		}
		i = j + n
	}
	return i
}

// digits counts the decimal digits of text from i on.
func digits(text string, i int) int {
	n := 0
	for i+n < len(text) && text[i+n] >= '0' && text[i+n] <= '9' {
		n++
	}
	return n
}
