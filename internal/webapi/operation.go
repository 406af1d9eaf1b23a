package webapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/messages"
	"almoner/internal/odata"
)

// unbound answers a function or action called on the service itself.
func (s *Service) unbound(ctx context.Context, r *Request, seg odata.Segment) (*Response, error) {
	m, err := s.unboundMessage(seg.Name)
	if err != nil {
		return nil, err
	}
	return s.invoke(ctx, r, m, &target{args: seg.Args})
}

// unboundMessage finds a message of the service itself, with or without its namespace.
func (s *Service) unboundMessage(name string) (*messages.Message, error) {
	for _, m := range s.messages[strings.TrimPrefix(name, namespace)] {
		if m.Binding == messages.Unbound {
			return m, nil
		}
	}
	return nil, fault.NoSegment(name)
}

// bound answers a function or action called on a row or a set.
func (s *Service) bound(ctx context.Context, r *Request, t *target) (*Response, error) {
	m, err := s.boundMessage(t)
	if err != nil {
		return nil, err
	}
	return s.invoke(ctx, r, m, t)
}

// boundMessage finds the message a target names on its row or set.
func (s *Service) boundMessage(t *target) (*messages.Message, error) {
	binding := messages.OnSet
	if t.isRow() {
		binding = messages.OnRow
	}
	for _, m := range s.messages[t.message] {
		if m.Binding == binding && (m.Tables == nil || slices.Contains(m.Tables, t.table.Name)) {
			return m, nil
		}
	}
	return nil, fault.NoSegment(t.message)
}

// messageMethods lists what a message takes, for Allow.
func messageMethods(m *messages.Message) string {
	if m.Function {
		return readMethods
	}
	return actionMethods
}

// invoke runs a message. A function is called by GET and an action by POST; the other way round no resource matches.
func (s *Service) invoke(ctx context.Context, r *Request, m *messages.Message, t *target) (*Response, error) {
	r.allow = messageMethods(m)
	if get := r.Method == http.MethodGet || r.Method == http.MethodHead; get != m.Function || !get && r.Method != http.MethodPost {
		return nil, fault.New(fault.NoResource, "No HTTP resource was found that matches the request URI '%s'.", r.Base+"/"+r.Path)
	}
	params, err := s.parameters(r, m, t)
	if err != nil {
		return nil, err
	}
	call := &messages.Call{Session: r.Session, Table: t.table, ID: t.id, Params: params, Base: r.Base}
	if m.Function {
		call.Write = func(fn func(*engine.Tx) error) error { return r.Session.Write(ctx, fn) }
		result, err := m.Do(ctx, call)
		if err != nil {
			return nil, fault.In(err, "message "+m.Name)
		}
		return s.result(ctx, r, m, result, nil)
	}
	return s.act(ctx, r, m, call)
}

// act runs an action and encodes its result inside the same transaction. If-Match speaks of the row it is called on.
func (s *Service) act(ctx context.Context, r *Request, m *messages.Message, call *messages.Call) (*Response, error) {
	cond, err := parseConditions(r.Header)
	if err != nil {
		return nil, err
	}
	if call.ID.IsZero() {
		cond.versions = nil
	}
	var resp *Response
	err = s.writeOnce(ctx, r, &resp, func(tx *engine.Tx) error {
		if err := tx.CheckVersion(call.Table, call.ID, cond.versions); err != nil {
			return err
		}
		call.Session = r.Session.In(tx)
		call.Write = func(fn func(*engine.Tx) error) error { return fn(tx) }
		result, err := m.Do(ctx, call)
		if err != nil {
			return fault.In(err, "message "+m.Name)
		}
		resp, err = s.result(ctx, r, m, result, tx)
		return err
	})
	return resp, err
}

// parameters collects the parameters of a call as JSON.
func (s *Service) parameters(r *Request, m *messages.Message, t *target) (messages.Params, error) {
	params := messages.Params{}
	if m.Function {
		for _, a := range t.args {
			raw, err := odata.ParameterJSON(a.Value, r.Options.Aliases)
			if err != nil {
				return nil, err
			}
			params[a.Name] = raw
		}
	} else if len(r.Body) > 0 {
		if err := json.Unmarshal(r.Body, &params); err != nil {
			return nil, fault.Wrap(err, fault.BadPayload, "The body of '%s' is not a JSON object.", m.Name)
		}
	}
	return params, checkParameters(m, params)
}

func checkParameters(m *messages.Message, params messages.Params) error {
	for name := range params {
		known := len(name) > 0 && name[0] == '@' || slices.ContainsFunc(m.Params, func(p messages.Param) bool { return p.Name == name })
		if !known {
			return fault.New(fault.BadPayload, "The parameter '%s' is not a parameter of the operation '%s'.", name, m.Name).At("message "+m.Name, "parameter "+name)
		}
	}
	for _, p := range m.Params {
		if _, ok := params[p.Name]; !ok && !p.Optional {
			return fault.New(fault.BadPayload, "The parameter '%s' of the operation '%s' is missing.", p.Name, m.Name).At("message "+m.Name, "parameter "+p.Name)
		}
	}
	return nil
}

// result encodes what a message answers. tx is the transaction of an action, nil for a function.
func (s *Service) result(ctx context.Context, r *Request, m *messages.Message, result *messages.Result, tx *engine.Tx) (*Response, error) {
	switch {
	case result == nil:
		return noContent(), nil
	case result.Row != nil:
		return s.rowResult(ctx, r, result.Row, tx)
	case result.List != nil:
		return s.jsonResult(r, "#Collection("+m.Returns+")", struct {
			Value []any `json:"value"`
		}{result.List.Values})
	case result.Body != nil && result.Context != "":
		return s.jsonResult(r, "#"+result.Context, result.Body)
	case result.Body != nil:
		return s.jsonResult(r, "#"+m.Returns, result.Body)
	default:
		return noContent(), nil
	}
}

func (s *Service) rowResult(ctx context.Context, r *Request, row *messages.Row, tx *engine.Tx) (*Response, error) {
	bound, err := odata.Bind(s.engine.Model(), row.Table, r.Options)
	if err != nil {
		return nil, err
	}
	var from reading = r.Session
	if tx != nil {
		if err := tx.Settle(); err != nil {
			return nil, err
		}
		from = tx
	}
	encoded, err := s.readRow(ctx, r, from, bound, row.ID)
	if err != nil {
		return nil, err
	}
	return r.jsonResponse(http.StatusOK, encoded.body), nil
}

// jsonResult marshals a complex result and puts its context in front.
func (s *Service) jsonResult(r *Request, fragment string, body any) (*Response, error) {
	members, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	b := append([]byte{'{'}, r.contextPrefix(fragment)...)
	if len(members) > 2 {
		b = append(b, members[1:]...)
	} else {
		b = append(b[:len(b)-1], '}')
	}
	return r.jsonResponse(http.StatusOK, b), nil
}
