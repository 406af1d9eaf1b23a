package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// FoldVersion names the folding rules below. A store keeps the version it was written with and rewrites its shadow
// columns when this one is newer.
const FoldVersion = 1

// Fold returns the form of a text by which it is compared, ordered and found: canonical decomposition, the accents
// U+0300 to U+036F dropped, lower case, trailing blanks off. It is the only fold in the program (decision 30).
func Fold(s string) string {
	if IsASCII(s) {
		return strings.ToLower(strings.TrimRight(s, " "))
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFD.String(s) {
		if r >= 0x300 && r <= 0x36F {
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimRight(b.String(), " ")
}

// IsASCII tells whether a text has no byte above 0x7F; such a text is folded by SQL's own lower and rtrim alike.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// PrefixEnd returns the least text above every text that starts with p, by code point: the last code point raised by
// one, surrogates skipped. ok is false when there is none.
func PrefixEnd(p string) (end string, ok bool) {
	for p != "" {
		r, size := utf8.DecodeLastRuneInString(p)
		p = p[:len(p)-size]
		if r == utf8.RuneError && size <= 1 {
			continue
		}
		if r++; r == 0xD800 {
			r = 0xE000
		}
		if r <= unicode.MaxRune {
			return p + string(r), true
		}
	}
	return "", false
}
