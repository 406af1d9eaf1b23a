package webapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// changeSet is a change set while it runs: its transaction, and the rows its operations made, by Content-ID.
type changeSet struct {
	tx   *engine.Tx
	made map[string]reference
}

type reference struct {
	table *schema.Table
	id    value.GUID
}

// batch answers $batch. Items run in order; without continue-on-error the first failure ends the batch and gives it its status.
func (s *Service) batch(ctx context.Context, r *Request, _ *odata.Path) (*Response, error) {
	if r.inBatch {
		return nil, fault.New(fault.BadRequest, "A batch cannot hold another batch.")
	}
	if r.Method != http.MethodPost {
		return nil, fault.NoMethod(r.Method)
	}
	items, err := parseBatch(r.Header.Get("Content-Type"), r.Body)
	if err != nil {
		return nil, err
	}
	if err := s.claim(ctx, r.Session, r.repeat); err != nil {
		return nil, err
	}
	out := newBatchWriter("batchresponse_" + r.answerID().String())
	status := http.StatusOK
	for i := range items {
		failed, err := s.batchItem(ctx, r, &items[i], i, out)
		if errors.Is(err, errSpoolFull) {
			err = fault.Wrap(err, fault.BodyTooLarge, "The answer of the batch is too large: item %d brings it above %d bytes. Items before it have run.", i+1, batchLimit)
		}
		if err != nil {
			out.close()
			return nil, err
		}
		if failed >= 400 && !r.Prefer.ContinueOnErr {
			status = failed
			break
		}
	}
	resp := newResponse(status)
	resp.Header.Set("Content-Type", "multipart/mixed; boundary="+out.boundary)
	if r.Prefer.ContinueOnErr {
		resp.Header.Set("Preference-Applied", "odata.continue-on-error")
	}
	if r.repeat != nil {
		resp.Header.Set("Repeatability-Result", "accepted")
	}
	resp.Stream = out.finish
	return resp, nil
}

// answerID names the answer of a batch. That of a repeatable one is the same each time it is sent.
func (r *Request) answerID() value.GUID {
	if r.repeat != nil {
		return r.repeat.id
	}
	return r.ID
}

// batchItem runs one item, writes its part and returns its status.
func (s *Service) batchItem(ctx context.Context, outer *Request, item *batchItem, index int, out *batchWriter) (int, error) {
	if item.single != nil {
		r := s.part(outer, item.single)
		if err := cmp.Or(s.actFor(ctx, r), s.refersNowhere(r)); err != nil {
			return out.operation(item.single, s.finished(r, r.errorResponse(err)), r)
		}
		r.repeat = outer.repeat.part(strconv.Itoa(index))
		resp, err := s.answer(ctx, r)
		if err != nil {
			return 0, err
		}
		defer resp.free()
		return out.operation(item.single, resp, r)
	}
	responses, failed, err := s.runChangeSet(ctx, outer, item.changeSet, index)
	if err != nil {
		r := s.part(outer, item.changeSet[failed])
		s.logFailure(ctx, r, err)
		resp := r.errorResponse(err)
		return resp.Status, out.changeSet(item.changeSet[failed:failed+1], []*Response{s.finished(r, resp)})
	}
	for i, op := range item.changeSet {
		s.finished(s.part(outer, op), responses[i])
	}
	return http.StatusOK, out.changeSet(item.changeSet, responses)
}

// refersNowhere refuses an operation outside a change set whose URL is a reference: there is nothing it could refer to.
func (s *Service) refersNowhere(r *Request) error {
	name, _, _ := strings.Cut(r.Path, "/")
	if _, known := s.special[name]; known || !strings.HasPrefix(name, "$") {
		return nil
	}
	_, err := (&changeSet{}).find(name)
	return err
}

// runChangeSet runs the operations of a change set in one transaction. On failure it tells which one failed.
func (s *Service) runChangeSet(ctx context.Context, outer *Request, ops []*operation, index int) (responses []*Response, failed int, err error) {
	if len(ops) == 0 {
		return nil, 0, nil
	}
	parts := make([]*Request, len(ops))
	for i, op := range ops {
		parts[i] = s.part(outer, op)
		if err := s.actFor(ctx, parts[i]); err != nil {
			return nil, i, err
		}
	}
	run := func(tx *engine.Tx) ([]*Response, error) {
		set := &changeSet{tx: tx, made: map[string]reference{}}
		responses = make([]*Response, 0, len(ops))
		if err := s.foresee(tx, parts); err != nil {
			return nil, err
		}
		for i, op := range ops {
			failed = i
			resp, err := s.changeSetPart(ctx, set, *parts[i])
			if err != nil {
				return nil, err
			}
			set.remember(s.engine.Model(), op.contentID, resp)
			responses = append(responses, resp)
		}
		return responses, nil
	}
	if outer.repeat != nil {
		responses, err = s.once(ctx, outer.Session, outer.repeat.part(strconv.Itoa(index)), run)
		return responses, failed, err
	}
	err = outer.Session.Write(ctx, func(tx *engine.Tx) error {
		_, err := run(tx)
		return err
	})
	return responses, failed, err
}

// changeSetPart answers one operation of a change set inside its transaction, after putting in the row it refers to. The Request is a
// copy, because the transaction may have to run again.
func (s *Service) changeSetPart(ctx context.Context, set *changeSet, r Request) (*Response, error) {
	if err := set.tx.As(r.Session.Caller()); err != nil {
		return nil, err
	}
	r.changeSet, r.Session = set, r.Session.In(set.tx)
	var err error
	if r.Path, err = set.substitute(r.Path); err != nil {
		return nil, err
	}
	return s.handle(ctx, &r)
}

// part makes the Request of an operation. Headers of the batch do not apply to it, except who it is sent for.
func (s *Service) part(outer *Request, op *operation) *Request {
	r := &Request{
		Method: op.method, Header: op.header, Body: op.body, Base: outer.Base, ID: outer.ID, length: len(op.url), inBatch: true,
		Session: outer.Session, principal: outer.principal, remaining: outer.remaining,
	}
	path, query, _ := strings.Cut(op.url, "?")
	r.RawQuery = strings.ReplaceAll(query, " ", "%20")
	version := ""
	if r.Path, version = resourcePath(path); version != "" {
		r.Base = originOf(outer.Base) + apiPrefix + version
	}
	r.Prefer = parsePrefer(op.header)
	return r
}

// actFor gives an operation the identity its own headers ask for; without them it runs for whom the batch was sent.
func (s *Service) actFor(ctx context.Context, r *Request) error {
	im := auth.ImpersonationOf(r.Header)
	if im.CallerID == nil && im.ObjectID == nil {
		return nil
	}
	caller, err := s.auth.Caller(ctx, r.principal, im)
	if err != nil {
		return err
	}
	r.Session = s.engine.Session(caller)
	return nil
}

// substitute replaces a leading $<Content-ID> of a path by the address of the row it stands for.
func (c *changeSet) substitute(path string) (string, error) {
	name, rest, more := strings.Cut(path, "/")
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	if !strings.HasPrefix(name, "$") || name == "$batch" {
		return path, nil
	}
	ref, err := c.find(name)
	if err != nil {
		return "", err
	}
	out := ref.table.Set + "(" + ref.id.String() + ")"
	if more {
		out += "/" + rest
	}
	return out, nil
}

func (c *changeSet) find(name string) (reference, error) {
	ref, ok := c.made[strings.TrimPrefix(name, "$")]
	if !ok {
		return ref, fault.New(fault.BadRequest, "Content-ID Reference: '%s' does not exist in the batch context.", name)
	}
	return ref, nil
}

// remember notes the row an operation made or changed, for the operations after it.
func (c *changeSet) remember(m *schema.Model, contentID string, resp *Response) {
	self := resp.Header.Get("OData-EntityId")
	if contentID == "" || self == "" {
		return
	}
	if table, id, err := odata.ParseReference(m, self); err == nil {
		c.made[contentID] = reference{table, id}
	}
}

// contentReference resolves $<Content-ID> in a body; ok is false for anything that is not such a reference.
func (r *Request) contentReference(text string) (*schema.Table, value.GUID, bool, error) {
	name := strings.TrimPrefix(text, "/")
	if !strings.HasPrefix(name, "$") {
		return nil, value.GUID{}, false, nil
	}
	if r.changeSet == nil {
		return nil, value.GUID{}, false, fault.New(fault.BadRequest, "Content-ID Reference: '%s' does not exist in the batch context.", name)
	}
	ref, err := r.changeSet.find(name)
	return ref.table, ref.id, err == nil, err
}

// boundReference is contentReference for bodies being bound: the set and id of the row.
func (r *Request) boundReference(text string) (set string, id value.GUID, err error) {
	table, id, ok, err := r.contentReference(text)
	if err != nil || !ok {
		return "", id, err
	}
	return table.Set, id, nil
}
