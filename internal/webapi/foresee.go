package webapi

import (
	"bytes"
	"net/http"

	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// foresee tells the transaction of a change set which rows its operations will refer to, as far as a quick look at their bodies tells.
// What it overlooks is read when its turn comes.
func (s *Service) foresee(tx *engine.Tx, parts []*Request) error {
	if len(parts) < 2 {
		return nil
	}
	m := s.engine.Model()
	f := engine.Foresight{Only: m.Set(parts[0].Path)}
	for _, r := range parts {
		f.Targets = appendBound(f.Targets, m, r.Body)
		if key, ok := parseKey(m, []byte(r.Path)); ok && r.Method != http.MethodGet {
			f.Written = append(f.Written, key)
		}
		if r.Method != http.MethodPost || m.Set(r.Path) != f.Only {
			f.Only = nil
		}
	}
	return tx.Foresee(f)
}

// parseKey reads the row a path begins with, in the plain form set(id).
func parseKey(m *schema.Model, path []byte) (query.Key, bool) {
	set, rest, keyed := bytes.Cut(bytes.TrimPrefix(path, []byte("/")), []byte("("))
	key, _, closed := bytes.Cut(rest, []byte(")"))
	t := m.Set(string(set))
	if t == nil || !keyed || !closed {
		return query.Key{}, false
	}
	id, err := value.ParseGUID(string(key))
	return query.Key{Table: t, ID: id}, err == nil
}

// appendBound appends the rows that the @odata.bind members of a body name in the plain form /set(id).
func appendBound(to []query.Key, m *schema.Model, body []byte) []query.Key {
	for {
		_, rest, found := bytes.Cut(body, []byte(`@odata.bind"`))
		if !found {
			return to
		}
		body = rest
		rest, isText := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n:"), []byte(`"`))
		text, _, _ := bytes.Cut(rest, []byte(`"`))
		if key, ok := parseKey(m, text); ok && isText {
			to = append(to, key)
		}
	}
}
