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
	var targets []query.Key
	only := m.Set(parts[0].Path)
	for _, r := range parts {
		targets = appendBound(targets, m, r.Body)
		if r.Method != http.MethodPost || m.Set(r.Path) != only {
			only = nil
		}
	}
	return tx.Foresee(targets, only)
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
		text, _, ends := bytes.Cut(rest, []byte(`"`))
		set, key, keyed := bytes.Cut(bytes.TrimPrefix(text, []byte("/")), []byte("("))
		if t := m.Set(string(set)); t != nil && isText && ends && keyed {
			if id, err := value.ParseGUID(string(bytes.TrimSuffix(key, []byte(")")))); err == nil {
				to = append(to, query.Key{Table: t, ID: id})
			}
		}
	}
}
