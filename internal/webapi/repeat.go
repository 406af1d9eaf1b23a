package webapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// repeatKey identifies a repeatable call (decision 15): the client's request id, and a fingerprint of what it asks for.
type repeatKey struct {
	id   value.GUID
	hash string
}

// parseRepeat reads the repeatability headers; nil when the call has none.
func parseRepeat(r *Request) (*repeatKey, error) {
	text := r.Header.Get("Repeatability-Request-ID")
	if text == "" {
		return nil, nil
	}
	id, err := value.ParseGUID(text)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "The Repeatability-Request-ID '%s' is not a GUID.", text)
	}
	sent := r.Header.Get("Repeatability-First-Sent")
	if sent == "" {
		return nil, fault.New(fault.BadRequest, "Repeatability-Request-ID needs Repeatability-First-Sent beside it.")
	}
	if _, err := http.ParseTime(sent); err != nil {
		return nil, fault.New(fault.BadRequest, "The Repeatability-First-Sent '%s' is not an HTTP date.", sent)
	}
	h := sha256.New()
	for _, part := range []string{r.Method, r.Path, r.RawQuery} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	h.Write(r.Body)
	return &repeatKey{id, hex.EncodeToString(h.Sum(nil))}, nil
}

// part is the key of one operation of a batch.
func (k *repeatKey) part(name string) *repeatKey {
	if k == nil {
		return nil
	}
	return &repeatKey{schema.MetadataID("repeat", k.id.String(), name), k.hash}
}

// writeOnce runs a write and leaves its answer in resp. A repeatable call is answered from the store when it was answered before; else
// its answer is stored in the transaction of the write itself.
func (s *Service) writeOnce(ctx context.Context, r *Request, resp **Response, fn func(*engine.Tx) error) error {
	if r.repeat == nil || r.changeSet != nil {
		return r.write(ctx, fn)
	}
	payload, err := s.once(ctx, r.Session, r.repeat, func(tx *engine.Tx) ([]*Response, error) {
		if err := fn(tx); err != nil {
			return nil, err
		}
		return []*Response{*resp}, nil
	})
	if err == nil {
		*resp = payload[0]
		(*resp).Header.Set("Repeatability-Result", "accepted")
	}
	return err
}

// once runs fn in a transaction unless its answers are stored already.
func (s *Service) once(ctx context.Context, session *engine.Session, key *repeatKey, fn func(*engine.Tx) ([]*Response, error)) ([]*Response, error) {
	if stored, err := s.stored(ctx, session, key); stored != nil || err != nil {
		return stored, err
	}
	var out []*Response
	err := session.Write(ctx, func(tx *engine.Tx) error {
		if err := tx.Reserve(key.id, key.hash); err != nil {
			return err
		}
		var err error
		if out, err = fn(tx); err != nil {
			return err
		}
		return tx.Answer(key.id, packResponses(out))
	})
	if err == nil {
		return out, nil
	}
	// Somebody else may have answered the same call meanwhile, which then was a duplicate here.
	stored, readErr := s.stored(ctx, session, key)
	if stored != nil || readErr != nil && fault.As(err).Code == fault.DuplicateRecord {
		return stored, readErr
	}
	return nil, err
}

// claim takes a request id for a batch before any of it runs. Its parts are answered one by one, each under an id of its own.
func (s *Service) claim(ctx context.Context, session *engine.Session, key *repeatKey) error {
	if key == nil {
		return nil
	}
	_, err := s.once(ctx, session, key, func(*engine.Tx) ([]*Response, error) { return []*Response{noContent()}, nil })
	return err
}

// stored returns the answers kept for a call, nil when there are none; the same id with another content is refused.
func (s *Service) stored(ctx context.Context, session *engine.Session, key *repeatKey) ([]*Response, error) {
	hash, payload, err := session.Answered(ctx, key.id)
	if err != nil || payload == "" {
		return nil, err
	}
	if hash != key.hash {
		return nil, fault.New(fault.BadRequest, "The Repeatability-Request-ID %s was used for another request.", key.id)
	}
	if err := session.Confirm(ctx); err != nil {
		return nil, err
	}
	return unpackResponses(payload)
}

// packed is a stored answer.
type packed struct {
	Status int     `json:"s"`
	Header headers `json:"h"`
	Body   string  `json:"b"`
}

func packResponses(responses []*Response) string {
	out := make([]packed, len(responses))
	for i, r := range responses {
		out[i] = packed{r.Status, r.Header, string(r.Body)}
	}
	var b strings.Builder
	if err := json.NewEncoder(&b).Encode(out); err != nil {
		panic(err) // strings and headers always marshal
	}
	return b.String()
}

func unpackResponses(payload string) ([]*Response, error) {
	var in []packed
	if err := json.Unmarshal([]byte(payload), &in); err != nil {
		return nil, err
	}
	out := make([]*Response, len(in))
	for i, p := range in {
		out[i] = &Response{Status: p.Status, Header: p.Header, Body: []byte(p.Body)}
		if p.Body == "" {
			out[i].Body = nil
		}
	}
	return out, nil
}
