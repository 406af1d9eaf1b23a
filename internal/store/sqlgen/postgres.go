package sqlgen

import (
	"fmt"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Postgres is the dialect of PostgreSQL. Parameters are cast, so that a statement means the same whatever it is compared
// with; text is collated by code point.
var Postgres = &Dialect{
	types: [...]string{
		schema.TypeID: "uuid", schema.TypeGUID: "uuid", schema.TypeLookup: "uuid",
		schema.TypeString: postgresText, schema.TypeMemo: postgresText, schema.TypeName: postgresText, schema.TypeMultiChoice: postgresText,
		schema.TypeInteger: "integer", schema.TypeBigInt: "bigint", schema.TypeMoney: "bigint", schema.TypeDecimal: "bigint",
		schema.TypeBool: "smallint", schema.TypeChoice: "integer", schema.TypeState: "integer", schema.TypeStatus: "integer",
		schema.TypeDate: "integer", schema.TypeDateTime: "bigint", schema.TypeFloat: "double precision",
	},
	text:      postgresText,
	code:      "integer",
	bigint:    "bigint",
	nullsIn:   " NULLS FIRST",
	nullsLast: " NULLS LAST",
	lateKeys:  true,
	locked:    " FOR NO KEY UPDATE",

	param:  postgresParam,
	setter: func(b []byte, n int) []byte { return appendNumbered(b, '$', n) },

	double:   "double precision",
	position: "strpos",
	year:     wrap{"CAST(extract(year FROM date '1970-01-01'+CAST(", " AS integer)) AS bigint)"},
	month:    wrap{"CAST(extract(month FROM date '1970-01-01'+CAST(", " AS integer)) AS bigint)"},
	day:      wrap{"CAST(extract(day FROM date '1970-01-01'+CAST(", " AS integer)) AS bigint)"},
	yearDay:  wrap{"(CAST(extract(doy FROM date '1970-01-01'+CAST(", " AS integer)) AS bigint)-1)"},
	sum:      wrap{"CAST(sum(", ") AS bigint)"},
	average:  average{cut: postgresMeanCut, rounded: postgresMeanRounded},
	minID:    wrap{"CAST(min(CAST(", " AS text)) AS uuid)"},
	maxID:    wrap{"CAST(max(CAST(", " AS text)) AS uuid)"},

	classSign: " ~ ",
	classText: regexText,
	greatest:  postgresGreatest,
	round:     postgresRound,
	idSet:     postgresIDSet,
	fromBase:  postgresFromBase,
	toBase:    postgresToBase,
}

const postgresText = `text COLLATE "C"`

// postgresCasts are the types of parameters by kind; those not named are 64-bit integers.
var postgresCasts = map[value.Kind]string{
	value.KindText:  `::text COLLATE "C"`,
	value.KindID:    "::uuid",
	value.KindFloat: "::double precision",
}

func postgresParam(b []byte, n int, kind value.Kind) []byte {
	b = appendNumbered(b, '$', n)
	if cast, ok := postgresCasts[kind]; ok {
		return append(b, cast...)
	}
	return append(b, "::bigint"...)
}

// postgresMeanCut divides exact numbers; div cuts towards zero.
func postgresMeanCut(p *printer, x func()) {
	p.put("CAST(div(sum(CAST(")
	x()
	p.put(" AS numeric)),nullif(count(")
	x()
	p.put("),0)) AS bigint)")
}

// postgresMeanRounded adds half of the divisor before it cuts.
func postgresMeanRounded(p *printer, x func()) {
	sum := func() { p.put("sum(CAST("); x(); p.put(" AS numeric))") }
	count := func() { p.put("count("); x(); p.put(")") }
	p.put("CAST(sign(")
	sum()
	p.put(")*div(abs(")
	sum()
	p.put(")*2+")
	count()
	p.put(",nullif(")
	count()
	p.put(",0)*2) AS bigint)")
}

// postgresGreatest guards GREATEST, which passes over nulls.
func postgresGreatest(p *printer, args []func()) {
	p.put("CASE WHEN ")
	for i, arg := range args {
		if i > 0 {
			p.put(" AND ")
		}
		arg()
		p.put(" IS NOT NULL")
	}
	p.put(" THEN greatest(")
	for i, arg := range args {
		if i > 0 {
			p.put(",")
		}
		arg()
	}
	p.put(") END")
}

// postgresRound rounds by hand: round of a double goes to the even neighbour.
func postgresRound(p *printer, x func()) {
	p.put("(sign(")
	x()
	p.put(")*floor(abs(")
	x()
	p.put(")+0.5))")
}

func postgresIDSet(p *printer, left func(), n int) {
	left()
	p.put("=ANY(")
	p.sql = appendNumbered(p.sql, '$', n)
	p.put("::uuid[])")
}

// postgresFromBase multiplies by a power of ten: a product of exact numbers is exact, a quotient is not.
func postgresFromBase(p *printer, money, rate func()) {
	p.put("CAST(round(CAST(")
	money()
	p.put(" AS numeric)*")
	rate()
	p.put("*0.0000000001) AS bigint)")
}

// postgresToBase adds half of the divisor and cuts.
func postgresToBase(p *printer, money, rate func()) {
	p.put("(SELECT CAST(sign(m)*div(abs(m)*20000000000+r,r*2) AS bigint) FROM (SELECT CAST(")
	money()
	p.put(" AS numeric) AS m,nullif(CAST(")
	rate()
	p.put(" AS numeric),0) AS r) AS v)")
}

// regexText is a pattern as an anchored regular expression; everything but letters and digits is escaped.
func regexText(pattern query.Pattern) string {
	var b strings.Builder
	b.WriteByte('^')
	for i := range pattern {
		switch piece := &pattern[i]; piece.Kind {
		case query.PieceRun:
			b.WriteString(".*")
		case query.PieceOne:
			b.WriteByte('.')
		case query.PieceClass:
			regexClass(&b, piece)
		default:
			for _, r := range piece.Text {
				regexRune(&b, r)
			}
		}
	}
	b.WriteByte('$')
	return b.String()
}

// regexClass writes a set of characters; a set without members takes none, and outside it lies any.
func regexClass(b *strings.Builder, piece *query.Piece) {
	if len(piece.Ranges) == 0 {
		if piece.Negated {
			b.WriteByte('.')
		} else {
			b.WriteString("(?!.).")
		}
		return
	}
	b.WriteByte('[')
	if piece.Negated {
		b.WriteByte('^')
	}
	for _, r := range piece.Ranges {
		regexRune(b, r.Low)
		b.WriteByte('-')
		regexRune(b, r.High)
	}
	b.WriteByte(']')
}

// regexRune writes a character that stands for itself.
func regexRune(b *strings.Builder, r rune) {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		b.WriteRune(r)
		return
	}
	fmt.Fprintf(b, `\U%08x`, r)
}
