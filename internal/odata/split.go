package odata

import (
	"strings"
	"unicode"
)

// splitOutside cuts text at every sep that stands outside quotes, parentheses, brackets and braces. With encoded set, a
// percent-encoded quote or bracket counts like a plain one.
func splitOutside(text string, sep byte, encoded bool) []string {
	var parts []string
	depth, start := 0, 0
	var quote byte
	for i := 0; i < len(text); {
		c, size := byteAt(text, i, encoded)
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' && i+size < len(text) {
				_, next := byteAt(text, i+size, encoded)
				size += next
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case size == 1 && c == sep && depth <= 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
		i += size
	}
	return append(parts, text[start:])
}

// byteAt returns the byte at i and how many bytes of text it takes.
func byteAt(text string, i int, encoded bool) (byte, int) {
	if encoded && text[i] == '%' && i+2 < len(text) {
		switch strings.ToUpper(text[i : i+3]) {
		case "%27":
			return '\'', 3
		case "%22":
			return '"', 3
		case "%28":
			return '(', 3
		case "%29":
			return ')', 3
		}
	}
	return text[i], 1
}

// balanced tells whether every quote and bracket in text is closed, in order.
func balanced(text string) bool {
	var open []byte
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			open = append(open, ')')
		case c == '[' || c == '{':
			open = append(open, c+2)
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return quote == 0 && len(open) == 0
}

// isNameRune tells whether a character may stand in a name.
func isNameRune(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		r > 127 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
