package schema

import (
	"regexp"
	"strings"
	"unicode"
)

// productPrefix marks the product's own tables and columns.
const productPrefix = "svc_"

var (
	namePattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,99}$`)
	navPattern    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,149}$`)
	prefixPattern = regexp.MustCompile(`^[a-z][a-z0-9]{1,7}_`)
)

// prefixOf returns the publisher's prefix of a custom name (two to eight characters and an underscore), or "". Names of the platform such as
// address1_city have none.
func prefixOf(name string) string {
	p := prefixPattern.FindString(name)
	if p == "address1_" || p == "address2_" || p == "address3_" {
		return ""
	}
	return p
}

// bare is a name without its prefix.
func bare(name string) string { return strings.TrimPrefix(name, prefixOf(name)) }

// schemaName guesses the capitalised form of a logical name from a label with the same letters: svc_giftdate and "Gift
// Date" give svc_GiftDate. Without such a label each part between underscores is capitalised.
func schemaName(name, label string) string {
	prefix, rest := prefixOf(name), bare(name)
	letters := lettersOf(label)
	if !strings.EqualFold(string(letters), strings.ReplaceAll(rest, "_", "")) {
		return prefix + capitalised(rest)
	}
	out := []rune(prefix)
	for _, r := range rest {
		if r != '_' {
			r, letters = letters[0], letters[1:]
		}
		out = append(out, r)
	}
	return string(out)
}

// lettersOf joins the words of a label, each with its first letter raised.
func lettersOf(label string) []rune {
	var out []rune
	start := true
	for _, r := range label {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			start = true
			continue
		}
		if start {
			r = unicode.ToUpper(r)
		}
		start = unicode.IsDigit(r)
		out = append(out, r)
	}
	return out
}

// keySchema is the schema name of a key, with the capitals of its table's: systemuserroleid of SystemUserRoles is
// SystemUserRoleId.
func keySchema(key, table string) string {
	stem := strings.TrimSuffix(key, "id")
	if len(stem) <= len(table) && strings.EqualFold(stem, table[:len(stem)]) {
		return table[:len(stem)] + "Id"
	}
	return schemaName(stem, "") + "Id"
}

func capitalised(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "_")
}

// labelOf reads a label out of a schema name: svc_PrimaryDonorContact is "Primary Donor Contact".
func labelOf(schema string) string {
	rest := schema
	if i := strings.IndexByte(schema, '_'); i >= 0 && schema[:i] == strings.ToLower(schema[:i]) {
		rest = schema[i+1:]
	}
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(rest, "_", " "))
	for i, r := range runes {
		if i > 0 && wordStarts(runes, i) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// wordStarts tells whether a new word begins at i: a capital after a small letter, the last capital of a row of them, or
// the first digit.
func wordStarts(runes []rune, i int) bool {
	prev, r := runes[i-1], runes[i]
	switch {
	case prev == ' ' || r == ' ':
		return false
	case unicode.IsUpper(r):
		return !unicode.IsUpper(prev) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
	case unicode.IsDigit(r):
		return !unicode.IsDigit(prev)
	}
	return false
}

// relationName is the name of a relation and of its collection navigation property (decision 40):
// svc_<parent>_<child>_<lookup schema name without prefix> for custom lookups, <parent>_<child>_<lookup> for others.
func relationName(parent, child *Table, lookup *Column) string {
	if prefix := prefixOf(lookup.Name); prefix != "" {
		return prefix + parent.Name + "_" + child.Name + "_" + strings.TrimPrefix(lookup.Schema, prefix)
	}
	return parent.Name + "_" + child.Name + "_" + lookup.Name
}
