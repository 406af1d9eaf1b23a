package sqlgen

import (
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

// maxPattern is the longest pattern both stores take, in bytes.
const maxPattern = 50000

// like prints the text operators. A constant is a pattern with wildcards; a computed text is taken as it is.
func (p *printer) like(c query.Cond) {
	lit, constant := c.Args[0].(query.Literal)
	switch {
	case !constant:
		p.likeComputed(c)
	case lit.Value.IsNull():
		p.truth(false)
	default:
		p.matches(c.Left, patternOf(c.Op, lit.Value.Text()))
	}
}

// patternOf parses the pattern of an operator.
func patternOf(op query.Op, text string) query.Pattern {
	switch op {
	case query.OpContains:
		return query.ContainsPattern(text)
	case query.OpBeginsWith:
		return query.PrefixPattern(text)
	case query.OpEndsWith:
		return query.SuffixPattern(text)
	default:
		return query.LikePattern(text)
	}
}

// matches prints the cheapest test for a pattern: equality, a range of an index, a search, and only then LIKE.
func (p *printer) matches(left query.Expr, pattern query.Pattern) {
	if text, ok := pattern.Exact(); ok {
		p.text(left, foldedText)
		p.put("=")
		p.arg(value.Text(text))
		return
	}
	prefix, all := pattern.Prefix()
	if prefix == "" && all {
		p.expr(left)
		p.put(" IS NOT NULL")
		return
	}
	if prefix != "" && hasIndexedFold(left) {
		p.prefixRange(left, prefix)
		if all {
			return
		}
		p.put(" AND ")
	}
	if text, ok := pattern.Within(); ok {
		p.put(p.d.position + "(")
		p.text(left, foldedText)
		p.put(",")
		p.arg(value.Text(text))
		p.put(")>0")
		return
	}
	p.wildcards(left, pattern)
}

// hasIndexedFold tells whether an index holds the fold of a text.
func hasIndexedFold(e query.Expr) bool {
	ref, ok := e.(query.Ref)
	return ok && ref.Column.Indexed && ref.Column.Folded()
}

// prefixRange prints the range of texts that begin with a prefix.
func (p *printer) prefixRange(left query.Expr, prefix string) {
	p.text(left, foldedText)
	p.put(">=")
	p.arg(value.Text(prefix))
	if end, ok := value.PrefixEnd(prefix); ok {
		p.put(" AND ")
		p.text(left, foldedText)
		p.put("<")
		p.arg(value.Text(end))
	}
}

// wildcards prints a pattern as LIKE, or as the store's own kind of pattern when it has character classes.
func (p *printer) wildcards(left query.Expr, pattern query.Pattern) {
	text, sign := likeText(pattern), " LIKE "
	if pattern.HasClass() {
		text, sign = p.d.classText(pattern), p.d.classSign
	}
	if len(text) > maxPattern {
		p.refuse(fault.New(fault.InvalidArgument, "The pattern has %d bytes; at most %d are allowed.", len(text), maxPattern))
	}
	p.text(left, foldedText)
	p.put(sign)
	p.arg(value.Text(text))
	if sign == " LIKE " {
		p.put(` ESCAPE '\'`)
	}
}

// likeText is a pattern without classes as LIKE reads it with \ as its escape.
func likeText(pattern query.Pattern) string {
	var b strings.Builder
	for i := range pattern {
		switch pattern[i].Kind {
		case query.PieceRun:
			b.WriteByte('%')
		case query.PieceOne:
			b.WriteByte('_')
		default:
			likeEscaper.WriteString(&b, pattern[i].Text)
		}
	}
	return b.String()
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// likeComputed prints the text operators against a computed text.
func (p *printer) likeComputed(c query.Cond) {
	switch c.Op {
	case query.OpContains:
		p.place(c.Left, foldedText, c.Args[0])
		p.put(">0")
	case query.OpBeginsWith:
		p.put("substr(")
		p.text(c.Left, foldedText)
		p.put(",1,length(")
		p.text(c.Args[0], openText)
		p.put("))=")
		p.text(c.Args[0], openText)
	case query.OpEndsWith:
		p.endsWithComputed(c.Left, c.Args[0])
	default:
		p.fail("a pattern must be a constant")
	}
}

// endsWithComputed prints the test whether a text ends with another.
func (p *printer) endsWithComputed(left, end query.Expr) {
	length := func(e query.Expr) {
		p.put("length(")
		p.text(e, foldedText)
		p.put(")")
	}
	length(left)
	p.put(">=")
	length(end)
	p.put(" AND substr(")
	p.text(left, foldedText)
	p.put(",")
	length(left)
	p.put("-")
	length(end)
	p.put("+1)=")
	p.text(end, foldedText)
}
