package webapi

import (
	"net/http"
	"sort"

	"almoner/internal/fault"
)

// serviceDocument lists the entity sets by name.
func (s *Service) serviceDocument(r *Request) (*Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, fault.NoMethod(r.Method)
	}
	var sets []string
	for _, t := range s.engine.Model().Tables {
		if t.Set != "" {
			sets = append(sets, t.Set)
		}
	}
	sort.Strings(sets)
	b := append([]byte{'{'}, r.contextPrefix("")...)
	b = append(b, `"value":[`...)
	for i, set := range sets {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, `{"name":`...), set)
		b = appendString(append(b, `,"kind":"EntitySet","url":`...), set)
		b = append(b, '}')
	}
	return r.jsonResponse(http.StatusOK, append(b, "]}"...)), nil
}

// addMetadata puts $metadata and the definitions under their names.
func (s *Service) addMetadata() {}

// OpenAPI serves the description of the Web API for tools that read OpenAPI.
func (s *Service) OpenAPI() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
}
