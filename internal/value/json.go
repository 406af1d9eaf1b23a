package value

import "unicode/utf8"

const jsonDigits = "0123456789abcdef"

// plain marks the bytes that stand for themselves inside a JSON string.
var plain = func() (t [256]bool) {
	for i := 0x20; i < 0x80; i++ {
		t[i] = i != '"' && i != '\\'
	}
	return t
}()

// AppendJSON appends a JSON string with its quotes.
func AppendJSON[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	b = AppendJSONText(b, s)
	return append(b, '"')
}

// AppendJSONText appends the inside of a JSON string. Text is UTF-8; U+2028 and U+2029 are escaped so that every payload is one
// line for every reader.
func AppendJSONText[T string | []byte](b []byte, s T) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(s[i:min(len(s), i+4)]))
			if r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
			b = append(b, s[start:i]...)
			b = appendRuneEscape(b, r)
			i += size
			start = i
			continue
		}
		b = append(b, s[start:i]...)
		b = appendControl(b, c)
		i++
		start = i
	}
	return append(b, s[start:]...)
}

func appendRuneEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u', jsonDigits[r>>12&15], jsonDigits[r>>8&15], jsonDigits[r>>4&15], jsonDigits[r&15])
}

func appendControl(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	default:
		return appendRuneEscape(b, rune(c))
	}
}
