package sqlgen

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// textMode is the guise in which a text is printed.
type textMode uint8

const (
	plainText  textMode = iota // as stored
	foldedText                 // as compared: value.Fold
	openText                   // folded with the blanks at its end kept, as part of a longer text: query.FoldOpen
)

// text prints a text expression.
func (p *printer) text(e query.Expr, mode textMode) {
	if p.full() {
		return
	}
	switch e := e.(type) {
	case query.Ref:
		p.textColumn(e, mode)
	case query.Literal:
		p.textConstant(e.Value, mode)
	case *query.Scalar:
		p.scalar(e, func() { p.text(e.Pick, mode) })
	case query.Call:
		p.textCall(e, mode)
	default:
		p.fail("%T is no text", e)
	}
}

func (p *printer) textConstant(v value.Value, mode textMode) {
	switch {
	case v.IsNull():
		p.put("NULL")
	case mode == plainText:
		p.arg(value.Text(v.Text()))
	case mode == openText:
		p.arg(value.Text(query.FoldOpen(v.Text())))
	default:
		p.arg(value.Text(value.Fold(v.Text())))
	}
}

// textColumn prints a text column or its fold. Only an indexed column always has its fold stored; for another one SQL's
// own lower does where the text is ASCII.
func (p *printer) textColumn(r query.Ref, mode textMode) {
	switch {
	case !r.Column.IsText():
		p.fail("column %s.%s is no text", r.Column.Table.Name, r.Column.Name)
	case mode == plainText || !r.Column.Folded():
		p.column(r.Link, r.Column)
	case mode == openText:
		p.put("(")
		p.textColumn(r, foldedText)
		p.put("||substr(")
		p.column(r.Link, r.Column)
		p.put(",length(rtrim(")
		p.column(r.Link, r.Column)
		p.put(",' '))+1))")
	case r.Column.Indexed && r.Column.Stored():
		p.sqlColumn(r.Link, shadowName(r.Column))
	default:
		p.put("coalesce(")
		p.sqlColumn(r.Link, shadowName(r.Column))
		p.put(",lower(rtrim(")
		p.column(r.Link, r.Column)
		p.put(",' ')))")
	}
}

// textCall prints a function that yields text.
func (p *printer) textCall(c query.Call, mode textMode) {
	switch c.Fn {
	case query.FnToLower:
		p.changeCase("lower(", c.Args[0], mode)
	case query.FnToUpper:
		p.changeCase("upper(", c.Args[0], mode)
	case query.FnTrim:
		p.trim(c.Args[0], mode)
	case query.FnConcat:
		p.trimmed(mode, func(inner textMode) { p.concat(c.Args, inner) })
	case query.FnSubstring:
		p.trimmed(mode, func(inner textMode) { p.substring(c, inner) })
	case query.FnCoalesce:
		p.put("coalesce(")
		for i, e := range c.Args {
			if i > 0 {
				p.put(",")
			}
			p.text(e, mode)
		}
		p.put(")")
	case query.FnIf:
		p.choose(c, func(e query.Expr) { p.text(e, mode) })
	default:
		p.fail("function %d yields no text", c.Fn)
	}
}

// changeCase prints a change of case, which a fold does not see.
func (p *printer) changeCase(fn string, e query.Expr, mode textMode) {
	if mode != plainText {
		p.text(e, mode)
		return
	}
	p.put(fn)
	p.text(e, mode)
	p.put(")")
}

// trim prints a text without blanks at either end.
func (p *printer) trim(e query.Expr, mode textMode) {
	p.put("ltrim(")
	if mode == plainText {
		p.put("rtrim(")
		p.text(e, mode)
		p.put(",' ')")
	} else {
		p.text(e, foldedText)
	}
	p.put(",' ')")
}

// trimmed prints a text made of parts; its fold is made of open folds and trimmed as a whole.
func (p *printer) trimmed(mode textMode, print func(inner textMode)) {
	if mode != foldedText {
		print(mode)
		return
	}
	p.put("rtrim(")
	print(openText)
	p.put(",' ')")
}

func (p *printer) concat(args []query.Expr, mode textMode) {
	p.put("(")
	for i, e := range args {
		if i > 0 {
			p.put("||")
		}
		p.text(e, mode)
	}
	p.put(")")
}

// substring prints the text from a place, counted from 0, to the end or for a length. Places and lengths below 0 are 0.
func (p *printer) substring(c query.Call, mode textMode) {
	p.put("substr(")
	p.text(c.Args[0], mode)
	p.put(",")
	p.notNegative(c.Args[1])
	p.put("+1")
	if len(c.Args) > 2 {
		p.put(",")
		p.notNegative(c.Args[2])
	}
	p.put(")")
}

// notNegative prints an integer, or 0 when it is below; text lengths need no more than 32 bits.
func (p *printer) notNegative(e query.Expr) {
	if lit, ok := e.(query.Literal); ok {
		p.int(min(max(lit.Value.Int(), 0), maxTextPlace))
		return
	}
	p.put("CAST(CASE WHEN ")
	p.number(e, form{family: exactForm})
	p.put("<0 THEN 0 WHEN ")
	p.number(e, form{family: exactForm})
	p.put(">")
	p.int(maxTextPlace)
	p.put(" THEN ")
	p.int(maxTextPlace)
	p.put(" ELSE ")
	p.number(e, form{family: exactForm})
	p.put(" END AS integer)")
}

// maxTextPlace lies beyond the end of every text.
const maxTextPlace = 1 << 30

// place prints where one text lies within another, from 1; 0 when it does not.
func (p *printer) place(text query.Expr, mode textMode, within query.Expr) {
	p.put(p.d.position + "(")
	p.text(text, mode)
	p.put(",")
	p.text(within, openText)
	p.put(")")
}
