package odata

import (
	"strings"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// ParseReference reads the address of a row, as @odata.bind, @odata.id and $id carry it: absolute, rooted or relative,
// under any version of the service, with doubled slashes.
func ParseReference(m *schema.Model, text string) (*schema.Table, value.GUID, error) {
	path, err := ParsePath(resourcePart(text))
	if err != nil || len(path.Segments) != 1 || !path.Segments[0].Parens {
		return nil, value.GUID{}, unparsed(text)
	}
	s := path.Segments[0]
	t := m.Set(s.Name)
	if t == nil {
		return nil, value.GUID{}, badRequest("The URL '%s' was not parsed: Resource not found for the segment '%s'.", clip(text), s.Name)
	}
	id, err := s.Key(t)
	return t, id, err
}

// resourcePart cuts scheme, host and the path of the service off a URL.
func resourcePart(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.Index(text, "://"); i >= 0 {
		_, path, _ := strings.Cut(text[i+3:], "/")
		text = "/" + path
	}
	trimmed := strings.TrimLeft(text, "/")
	if rest, ok := strings.CutPrefix(trimmed, "api/data/v"); ok {
		_, trimmed, _ = strings.Cut(rest, "/")
	}
	return trimmed
}

func unparsed(text string) error {
	return badRequest("The URL '%s' was not parsed: it must name one row, as /svc_donors(<id>).", clip(text))
}

// clip shortens text for a message.
func clip(text string) string {
	if len(text) > 200 {
		return strings.ToValidUTF8(text[:200], "") + "..."
	}
	return text
}
