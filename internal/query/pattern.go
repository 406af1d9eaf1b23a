package query

import (
	"strings"
	"unicode/utf8"

	"almoner/internal/value"
)

// Pattern is a parsed LIKE pattern over folded text, with the wildcards of the platform: % any run, _ any one character,
// [a-c] one of a set, [^a-c] one outside it, [%] a wildcard taken literally. A [ that is never closed is itself.
type Pattern []Piece

// PieceKind says what a Piece matches.
type PieceKind uint8

// The kinds of piece.
const (
	PieceText  PieceKind = iota + 1 // exactly Text
	PieceRun                        // any run of characters, also none
	PieceOne                        // any one character
	PieceClass                      // one character inside Ranges, or outside when Negated
)

// Piece is one part of a Pattern.
type Piece struct {
	Kind    PieceKind
	Text    string
	Ranges  []RuneRange
	Negated bool
}

// RuneRange is a span of code points, both ends included.
type RuneRange struct{ Low, High rune }

// FoldOpen is the fold of a text that more text may follow: blanks at its end stay.
func FoldOpen(s string) string {
	return value.Fold(s) + s[len(strings.TrimRight(s, " ")):]
}

// LikePattern parses a pattern that must match a whole text, as the operator like does. As in every comparison, blanks
// at the end do not count.
func LikePattern(s string) Pattern { return parsePattern(s).trimmed() }

// ContainsPattern parses a pattern that may match anywhere.
func ContainsPattern(s string) Pattern {
	return append(append(Pattern{{Kind: PieceRun}}, parsePattern(s)...), Piece{Kind: PieceRun})
}

// PrefixPattern parses a pattern that must match the beginning.
func PrefixPattern(s string) Pattern { return append(parsePattern(s), Piece{Kind: PieceRun}) }

// SuffixPattern parses a pattern that must match the end.
func SuffixPattern(s string) Pattern {
	return append(Pattern{{Kind: PieceRun}}, parsePattern(s).trimmed()...)
}

// parsePattern takes a pattern apart and folds its text.
func parsePattern(s string) Pattern {
	var p Pattern
	literal := 0 // start of the text not yet taken
	take := func(end int) {
		if end > literal {
			p = p.appendText(s[literal:end])
		}
	}
	for i := 0; i < len(s); {
		piece, size := wildcard(s[i:])
		if size == 0 {
			i++
			continue
		}
		take(i)
		p = p.appendPiece(piece)
		i += size
		literal = i
	}
	take(len(s))
	return p
}

// wildcard reads the wildcard at the beginning of s; size 0 means that there is none.
func wildcard(s string) (piece Piece, size int) {
	switch s[0] {
	case '%':
		return Piece{Kind: PieceRun}, 1
	case '_':
		return Piece{Kind: PieceOne}, 1
	case '[':
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return Piece{}, 0
		}
		return parseClass(s[1:end]), end + 1
	default:
		return Piece{}, 0
	}
}

// parseClass reads what stands between the brackets. A hyphen at either end is itself.
func parseClass(s string) Piece {
	piece := Piece{Kind: PieceClass}
	if len(s) > 1 && s[0] == '^' {
		piece.Negated, s = true, s[1:]
	}
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		low, high := foldRune(runes[i]), foldRune(runes[i])
		if i+2 < len(runes) && runes[i+1] == '-' {
			high = foldRune(runes[i+2])
			i += 2
		}
		if low <= high {
			piece.Ranges = append(piece.Ranges, RuneRange{low, high})
		}
	}
	return piece
}

// foldRune is the first character of a character's fold.
func foldRune(r rune) rune {
	if r == ' ' {
		return r
	}
	folded, size := utf8.DecodeRuneInString(value.Fold(string(r)))
	if size == 0 {
		return r
	}
	return folded
}

// appendText adds text to match, joined to text before it.
func (p Pattern) appendText(s string) Pattern {
	s = FoldOpen(s)
	if s == "" {
		return p
	}
	if last := len(p) - 1; last >= 0 && p[last].Kind == PieceText {
		p[last].Text += s
		return p
	}
	return append(p, Piece{Kind: PieceText, Text: s})
}

// appendPiece adds a wildcard; a class of one character is text, and runs beside each other are one.
func (p Pattern) appendPiece(piece Piece) Pattern {
	last := len(p) - 1
	switch {
	case piece.Kind == PieceRun && last >= 0 && p[last].Kind == PieceRun:
		return p
	case piece.Kind == PieceClass && !piece.Negated && len(piece.Ranges) == 1 && piece.Ranges[0].Low == piece.Ranges[0].High:
		return p.appendText(string(piece.Ranges[0].Low))
	default:
		return append(p, piece)
	}
}

// trimmed takes blanks off the end.
func (p Pattern) trimmed() Pattern {
	last := len(p) - 1
	if last < 0 || p[last].Kind != PieceText {
		return p
	}
	p[last].Text = strings.TrimRight(p[last].Text, " ")
	if p[last].Text == "" {
		return p[:last]
	}
	return p
}

// Exact returns the text a pattern without wildcards stands for.
func (p Pattern) Exact() (text string, ok bool) {
	switch {
	case len(p) == 0:
		return "", true
	case len(p) == 1 && p[0].Kind == PieceText:
		return p[0].Text, true
	default:
		return "", false
	}
}

// Prefix returns the text every match begins with, and whether each text that begins so matches.
func (p Pattern) Prefix() (text string, all bool) {
	if len(p) == 0 || p[0].Kind != PieceText {
		return "", len(p) == 1 && p[0].Kind == PieceRun
	}
	return p[0].Text, len(p) == 2 && p[1].Kind == PieceRun
}

// Within returns the text of a pattern that only asks whether it occurs anywhere.
func (p Pattern) Within() (text string, ok bool) {
	if len(p) == 3 && p[0].Kind == PieceRun && p[1].Kind == PieceText && p[2].Kind == PieceRun {
		return p[1].Text, true
	}
	return "", false
}

// HasClass tells whether the pattern has a set of characters.
func (p Pattern) HasClass() bool {
	for i := range p {
		if p[i].Kind == PieceClass {
			return true
		}
	}
	return false
}

// Match tells whether a folded text matches. It takes time proportional to both lengths at most.
func (p Pattern) Match(s string) bool {
	at, resume, rest := 0, -1, "" // where to go back to: the last run and the text it has not yet eaten
	for {
		switch {
		case at < len(p) && p[at].Kind == PieceRun:
			at++
			resume, rest = at, s
			continue
		case at == len(p) && s == "":
			return true
		case at < len(p):
			if size, ok := p[at].match(s); ok {
				s = s[size:]
				at++
				continue
			}
		}
		if resume < 0 || rest == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		at, s = resume, rest
	}
}

// match matches one piece that is not a run against the beginning of s and says how much it takes.
func (p *Piece) match(s string) (size int, ok bool) {
	if p.Kind == PieceText {
		return len(p.Text), strings.HasPrefix(s, p.Text)
	}
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return 0, false
	}
	return size, p.Kind == PieceOne || p.Has(r)
}

// Has tells whether a class takes a character.
func (p *Piece) Has(r rune) bool {
	for _, span := range p.Ranges {
		if r >= span.Low && r <= span.High {
			return !p.Negated
		}
	}
	return p.Negated
}
