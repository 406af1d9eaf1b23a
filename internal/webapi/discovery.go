package webapi

import (
	"context"
	"net/http"
	"sort"
	"strings"
	"time"

	"almoner/internal/fault"
	"almoner/internal/messages"
	"almoner/internal/metadata"
	"almoner/internal/odata"
	"almoner/internal/value"
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
		b = value.AppendJSON(append(b, `{"name":`...), set)
		b = value.AppendJSON(append(b, `,"kind":"EntitySet","url":`...), set)
		b = append(b, '}')
	}
	return r.jsonResponse(http.StatusOK, append(b, "]}"...)), nil
}

// addMetadata puts $metadata and the definitions under their names.
func (s *Service) addMetadata() {
	s.metadata = metadata.New(s.engine.Model(), messages.All())
	s.special["$metadata"] = special{readMethods, s.describe}
	for _, root := range s.metadata.Roots() {
		s.special[root] = special{readMethods, s.definitions}
	}
}

// describe answers $metadata: XML whatever the client accepts (decision 39), with annotations when asked for.
func (s *Service) describe(_ context.Context, r *Request, _ *odata.Path) (*Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, fault.NoMethod(r.Method)
	}
	preferred := r.Prefer.wants("*")
	annotated := r.Options.Others["annotations"] == "true" || preferred
	resp := newResponse(http.StatusOK)
	if preferred {
		r.setApplied(resp, r.Prefer.appliedHeader(0, false))
	}
	tag := `W/"` + s.metadata.Version() + `"`
	if annotated {
		tag = `W/"` + s.metadata.Version() + `+a"`
	}
	resp.Header.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		resp.Status = http.StatusNotModified
		return resp, nil
	}
	resp.Header.Set("Content-Type", "application/xml")
	resp.Body = s.metadata.CSDL(annotated)
	return resp, nil
}

// definitions answers the metadata API; the schema is not edited through it.
func (s *Service) definitions(_ context.Context, r *Request, path *odata.Path) (*Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, fault.NoMethod(r.Method)
	}
	body, err := s.metadata.Query(r.Base, path, r.Options)
	switch {
	case err != nil:
		return nil, err
	case len(body) == 0:
		return noContent(), nil
	case path.Segments[len(path.Segments)-1].Name == "$count":
		return textResponse(body), nil
	default:
		return r.jsonResponse(http.StatusOK, body), nil
	}
}

// OpenAPI serves the description of the Web API for tools that read OpenAPI, to callers with a token.
func (s *Service) OpenAPI() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		r := &Request{Method: hr.Method, Header: hr.Header, ID: value.NewGUID(time.Now()), Base: s.baseOf(hr)}
		resp, release := s.admit(hr.Context(), r, hr)
		if release != nil {
			defer release(0)
		}
		if resp == nil {
			resp = r.jsonResponse(http.StatusOK, s.metadata.OpenAPI(r.Base))
			resp.Header.Set("Content-Type", "application/json")
		}
		s.send(w, hr, r, resp)
	})
}

// Nowhere answers addresses that lead to no door, in the form of every other refusal.
func (s *Service) Nowhere() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		r := &Request{Method: hr.Method, Header: hr.Header, ID: value.NewGUID(time.Now()), Base: s.baseOf(hr)}
		s.send(w, hr, r, s.finished(r, r.errorResponse(fault.NoSegment(strings.Trim(hr.URL.Path, "/")))))
	})
}
