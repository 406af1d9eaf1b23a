package odata

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// maxSegment is the longest path segment the platform takes, in characters.
const maxSegment = 260

// Path is the resource part of a URL, after /api/data/v9.x/. A path without segments is the service document.
type Path struct{ Segments []Segment }

// Segment is one step of a path: a set, a navigation property, a column, an operation, or one of $count, $value, $ref,
// $metadata and $batch. A leading segment may also be the reference of a batch, such as $1.
type Segment struct {
	Name   string
	Parens bool  // parentheses were written: a key, or the parameters of a function
	Args   []Arg // what stood between them
}

// Arg is one entry between the parentheses of a segment. Value is the text as written: quoted, or an alias such as @p1.
type Arg struct {
	Name  string // "" for a lone value
	Value string
}

// lastSegments end a path: nothing may follow them.
var lastSegments = map[string]bool{"$count": true, "$value": true, "$ref": true, "$metadata": true, "$batch": true}

// ParsePath reads a percent-encoded path. Doubled, leading and trailing slashes are tolerated.
func ParsePath(path string) (*Path, error) {
	p := &Path{}
	for _, raw := range splitOutside(path, '/', true) {
		if raw == "" {
			continue
		}
		if n := len(p.Segments); n > 0 && lastSegments[p.Segments[n-1].Name] {
			return nil, badRequest("The request URI is not valid. The segment '%s' must be the last segment in the URI.", p.Segments[n-1].Name)
		}
		s, err := parseSegment(raw, len(p.Segments) == 0)
		if err != nil {
			return nil, err
		}
		p.Segments = append(p.Segments, s)
	}
	return p, nil
}

func parseSegment(raw string, first bool) (Segment, error) {
	text, err := url.PathUnescape(raw)
	if err != nil || !utf8.ValidString(text) {
		return Segment{}, badRequest("Invalid URL: the segment '%s' is not well encoded.", strings.ToValidUTF8(raw, "?"))
	}
	if utf8.RuneCountInString(text) > maxSegment {
		return Segment{}, badRequest("Invalid URL: a path segment is longer than %d characters; use parameter aliases.", maxSegment)
	}
	name, inner, parens := strings.Cut(text, "(")
	s := Segment{Name: name, Parens: parens}
	if !isSegmentName(name, first) {
		return Segment{}, fault.NoSegment(text)
	}
	if !parens {
		return s, nil
	}
	if !strings.HasSuffix(inner, ")") || lastSegments[name] {
		return Segment{}, badRequest("Bad Request - Error in query syntax: '%s'.", text)
	}
	s.Args, err = parseArgs(inner[:len(inner)-1], text)
	return s, err
}

func isSegmentName(name string, first bool) bool {
	if strings.HasPrefix(name, "$") {
		return lastSegments[name] || first && len(name) > 1 && isIdentifier("_"+name[1:], "-")
	}
	return isIdentifier(name, ".") && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".")
}

// parseArgs reads the inside of a segment's parentheses: nothing, one lone value, or name=value pairs.
func parseArgs(inner, segment string) ([]Arg, error) {
	syntax := func() error { return badRequest("Bad Request - Error in query syntax: '%s'.", segment) }
	if strings.TrimSpace(inner) == "" {
		return nil, nil
	}
	if !balanced(inner) {
		return nil, syntax()
	}
	var args []Arg
	parts := splitOutside(inner, ',', false)
	for _, part := range parts {
		part = strings.TrimSpace(part)
		name, text, named := strings.Cut(part, "=")
		if !named || !isIdentifier(strings.TrimSpace(name), "") {
			name, text = "", part
		}
		arg := Arg{Name: strings.TrimSpace(name), Value: strings.TrimSpace(text)}
		if arg.Value == "" || arg.Name == "" && len(parts) > 1 {
			return nil, syntax()
		}
		args = append(args, arg)
	}
	return args, nil
}

// Key returns the row id a segment of a table names: set(g), set(key=g) and set('g') are one (decision 50). A business
// key is refused: no table has alternate keys.
func (s *Segment) Key(t *schema.Table) (value.GUID, error) {
	if len(s.Args) != 1 || t.Key == nil || !namesKey(t, s.Args[0].Name) {
		return value.GUID{}, badRequest("The key in the request URI is not valid for resource 'Microsoft.Dynamics.CRM.%s'. "+
			"Ensure that the names and number of key properties match.", t.Name).At(t.Name, "key "+s.Name)
	}
	text := s.Args[0].Value
	if n := len(text); n >= 2 && text[0] == '\'' && text[n-1] == '\'' {
		text = text[1 : n-1]
	}
	id, err := value.ParseGUID(text)
	if err != nil {
		return value.GUID{}, badRequest("Bad Request - Error in query syntax: '%s' is not a key of '%s'.", s.Args[0].Value, t.Name).At(t.Name, "key "+s.Name)
	}
	return id, nil
}

// namesKey tells whether a name in a key stands for the table's key: no name, the key's own, or that of a column which
// repeats it (ownerid of users and teams).
func namesKey(t *schema.Table, name string) bool {
	c := t.Property(name)
	return name == "" || name == t.Key.Name || c != nil && c.Virtual == "self"
}

// isIdentifier tells whether text is a name: letters, digits, underscores and the extra characters, no digit in front.
func isIdentifier(text, extra string) bool {
	if text == "" || text[0] >= '0' && text[0] <= '9' {
		return false
	}
	for _, r := range text {
		if !isNameRune(r) && !strings.ContainsRune(extra, r) {
			return false
		}
	}
	return true
}
