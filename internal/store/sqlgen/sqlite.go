package sqlgen

import (
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// SQLite is the dialect of the embedded store. Tables are strict and clustered on their key.
var SQLite = &Dialect{
	types: [...]string{
		schema.TypeID: "BLOB", schema.TypeGUID: "BLOB", schema.TypeLookup: "BLOB",
		schema.TypeString: "TEXT", schema.TypeMemo: "TEXT", schema.TypeName: "TEXT", schema.TypeMultiChoice: "TEXT",
		schema.TypeInteger: "INTEGER", schema.TypeBigInt: "INTEGER", schema.TypeMoney: "INTEGER", schema.TypeDecimal: "INTEGER",
		schema.TypeBool: "INTEGER", schema.TypeChoice: "INTEGER", schema.TypeState: "INTEGER", schema.TypeStatus: "INTEGER",
		schema.TypeDate: "INTEGER", schema.TypeDateTime: "INTEGER", schema.TypeFloat: "REAL",
	},
	text:      "TEXT",
	code:      "INTEGER",
	bigint:    "INTEGER",
	tableTail: " STRICT, WITHOUT ROWID",
	noLimit:   " LIMIT -1",

	param:  func(b []byte, n int, _ value.Kind) []byte { return appendNumbered(b, '?', n) },
	setter: func(b []byte, n int) []byte { return appendNumbered(b, '?', n) },

	double:   "REAL",
	position: "instr",
	year:     wrap{"CAST(strftime('%Y',", "*86400,'unixepoch') AS INTEGER)"},
	month:    wrap{"CAST(strftime('%m',", "*86400,'unixepoch') AS INTEGER)"},
	day:      wrap{"CAST(strftime('%d',", "*86400,'unixepoch') AS INTEGER)"},
	yearDay:  wrap{"(CAST(strftime('%j',", "*86400,'unixepoch') AS INTEGER)-1)"},
	sum:      wrap{"sum(", ")"},
	average:  average{cut: sqliteMeanCut, rounded: sqliteMeanRounded},
	minID:    wrap{"min(", ")"},
	maxID:    wrap{"max(", ")"},

	classSign: " GLOB ",
	classText: globText,
	greatest:  sqliteGreatest,
	round:     sqliteRound,
	idSet:     sqliteIDSet,
	fromBase:  sqliteFromBase,
	toBase:    sqliteToBase,
}

func sqliteMeanCut(p *printer, x func()) {
	p.put("(sum(")
	x()
	p.put(")/count(")
	x()
	p.put("))")
}

// sqliteMeanRounded adds to the cut mean one away from zero when the remainder is half of the count or more.
func sqliteMeanRounded(p *printer, x func()) {
	sum := func() { p.put("sum("); x(); p.put(")") }
	count := func() { p.put("count("); x(); p.put(")") }
	p.put("(")
	sqliteMeanCut(p, x)
	p.put("+CASE WHEN abs(")
	sum()
	p.put("%")
	count()
	p.put(")*2<")
	count()
	p.put(" THEN 0 WHEN ")
	sum()
	p.put("<0 THEN -1 ELSE 1 END)")
}

func sqliteGreatest(p *printer, args []func()) {
	p.put("max(")
	for i, arg := range args {
		if i > 0 {
			p.put(",")
		}
		arg()
	}
	p.put(")")
}

func sqliteRound(p *printer, x func()) {
	p.put("round(")
	x()
	p.put(")")
}

// sqliteIDSet cuts the ids out of one blob.
func sqliteIDSet(p *printer, left func(), n int) {
	blob := func() { p.sql = appendNumbered(p.sql, '?', n) }
	left()
	p.put(" IN (WITH RECURSIVE cut(at) AS (SELECT 1 WHERE length(")
	blob()
	p.put(")>0 UNION ALL SELECT at+16 FROM cut WHERE at+16<length(")
	blob()
	p.put(")) SELECT substr(")
	blob()
	p.put(",at,16) FROM cut)")
}

// sqliteFromBase multiplies b cents by r / 10^10 without leaving 64 bits: the whole part of the rate first, then its
// fraction f by the upper digits of b (those above 10^8) and by the lower ones.
func sqliteFromBase(p *printer, money, rate func()) {
	p.put("(SELECT CASE WHEN m<0 THEN -1 ELSE 1 END*(b*(r/10000000000)+h*f/100" +
		"+(h*f%100*100000000+l*f+5000000000)/10000000000)" +
		" FROM (SELECT m,r,abs(m) AS b,r%10000000000 AS f,abs(m)/100000000 AS h,abs(m)%100000000 AS l FROM (SELECT ")
	money()
	p.put(" AS m,")
	rate()
	p.put(" AS r)))")
}

// sqliteToBase divides b cents by r / 10^10 without leaving 64 bits, as on paper: the quotient, then ten more digits of
// it from the remainder. Up to maxQuickRate five digits are drawn at a time.
func sqliteToBase(p *printer, money, rate func()) {
	p.put("(SELECT CASE WHEN m<0 THEN -1 ELSE 1 END*CASE WHEN r<=" + maxQuickRate +
		" THEN q*10000000000+e*100000/r*100000+e*100000%r*100000/r+(e*100000%r*100000%r*2>=r) ELSE (" + sqliteLongDivision + ") END" +
		" FROM (SELECT m,r,abs(m)/r AS q,abs(m)%r AS e FROM (SELECT ")
	money()
	p.put(" AS m,")
	rate()
	p.put(" AS r)))")
}

// maxQuickRate is the greatest divisor whose remainders times 100000 are 64-bit integers.
const maxQuickRate = "92233720368547"

// sqliteLongDivision draws ten digits, each from a remainder y below r: its guess d is taken from r without its last
// digit, and may be one too many; x is what is then left of ten times y.
var sqliteLongDivision = func() string {
	const d = "min(9,y/(r/10))"
	const x = "(10*(y-" + d + "*(r/10))-" + d + "*(r%10))"
	return "WITH RECURSIVE digits(k,z,y) AS (SELECT 0,q,e UNION ALL SELECT k+1,z*10+" + d + "-(" + x + "<0)," + x + "+(" + x + "<0)*r" +
		" FROM digits WHERE k<10) SELECT z+(y>=r-y) FROM digits WHERE k=10"
}()

// globText is a pattern as GLOB reads it. GLOB has no escape: what it takes as special stands in brackets.
func globText(pattern query.Pattern) string {
	var b strings.Builder
	for i := range pattern {
		switch piece := &pattern[i]; piece.Kind {
		case query.PieceRun:
			b.WriteByte('*')
		case query.PieceOne:
			b.WriteByte('?')
		case query.PieceClass:
			globClass(&b, piece)
		default:
			globEscaper.WriteString(&b, piece.Text)
		}
	}
	return b.String()
}

var globEscaper = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// globClass writes a set of characters. A closing bracket must come first, and a caret must not.
func globClass(b *strings.Builder, piece *query.Piece) {
	ranges, bracket, caret := globRanges(piece.Ranges)
	if len(ranges) == 0 && !bracket && !caret {
		globEmpty(b, piece.Negated)
		return
	}
	b.WriteByte('[')
	if piece.Negated {
		b.WriteByte('^')
	}
	if bracket {
		b.WriteByte(']')
	}
	for _, r := range ranges {
		b.WriteRune(r.Low)
		b.WriteByte('-')
		b.WriteRune(r.High)
	}
	if caret {
		b.WriteByte('^')
	}
	b.WriteByte(']')
}

// globEmpty writes a set without members: outside it lies any character, inside none.
func globEmpty(b *strings.Builder, negated bool) {
	if negated {
		b.WriteByte('?')
		return
	}
	b.WriteString("[^\x01-\U0010FFFF]")
}

// globRanges takes ] and ^ out of ranges that begin or end with them and says whether they were there.
func globRanges(in []query.RuneRange) (out []query.RuneRange, bracket, caret bool) {
	for _, r := range in {
		for _, mark := range []rune{']', '^'} {
			if r.Low <= mark && mark <= r.High {
				bracket = bracket || mark == ']'
				caret = caret || mark == '^'
			}
		}
		if low := (query.RuneRange{Low: r.Low, High: min(r.High, '\\')}); low.Low <= low.High {
			out = append(out, low)
		}
		if high := (query.RuneRange{Low: max(r.Low, '_'), High: r.High}); high.Low <= high.High {
			out = append(out, high)
		}
	}
	return out, bracket, caret
}
