package webapi

import (
	"context"
	"net/http"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// onProperty answers calls on one column of a row.
func (s *Service) onProperty(ctx context.Context, r *Request, t *target) (*Response, error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return s.getProperty(ctx, r, t)
	case http.MethodPut:
		return s.putProperty(ctx, r, t)
	case http.MethodDelete:
		return s.setProperty(ctx, r, t, []byte(`{"value":null}`))
	default:
		return nil, fault.NoMethod(r.Method)
	}
}

// getProperty answers the value as JSON, or raw under $value; null is 204.
func (s *Service) getProperty(ctx context.Context, r *Request, t *target) (*Response, error) {
	if t.missing {
		return noContent(), nil
	}
	raw := t.suffix == "$value"
	var resp *Response
	err := s.readCell(ctx, r, t, func(rows query.Rows, cell int) {
		switch {
		case rows.Null(cell):
			resp = noContent()
		case raw:
			resp = textResponse(query.KindCell(rows, cell, t.column.Type.Kind(), t.column.Scale).AppendText(nil))
		default:
			b := append([]byte{'{'}, r.contextPrefix("#"+t.table.Set+"("+t.id.String()+")/"+t.column.Wire)...)
			resp = r.jsonResponse(http.StatusOK, append(r.appendValue(append(b, `"value":`...), t.column, cell, rows), '}'))
		}
	})
	if err != nil || resp != nil {
		return resp, err
	}
	if _, err := r.Session.Find(ctx, t.table, t.id); err != nil {
		return nil, err
	}
	return nil, fault.NothingToRead(t.table.Name, t.id.String())
}

// appendValue appends one cell that is not null, quoted where the client wants numbers so.
func (r *Request) appendValue(b []byte, c *schema.Column, cell int, rows query.Rows) []byte {
	if !r.quotesNumbers() || !exact(c, c.Type.Kind()) {
		return appendCell(b, c.Type.Kind(), c.Scale, cell, rows)
	}
	return append(appendCell(append(b, '"'), c.Type.Kind(), c.Scale, cell, rows), '"')
}

// readCell reads one column of one row; fn is not called when there is no such row for the caller.
func (s *Service) readCell(ctx context.Context, r *Request, t *target, fn func(rows query.Rows, cell int)) error {
	root := &query.Link{Table: t.table}
	q := &query.Query{Root: root, Where: query.Equal(root, t.table.Key, value.ID(t.id))}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.column})}
	plan, err := r.Session.Prepare(q)
	if err != nil {
		return err
	}
	return r.Session.Read(ctx, plan, 1, func(p *engine.Page) error {
		if p.Rows.Next() {
			fn(p.Rows, plan.Root.Cells[0])
		}
		return p.Rows.Err()
	})
}

// putProperty sets one column from {"value": …}.
func (s *Service) putProperty(ctx context.Context, r *Request, t *target) (*Response, error) {
	if err := checkJSON(r.Header); err != nil {
		return nil, err
	}
	return s.setProperty(ctx, r, t, r.Body)
}

// setProperty writes a column from the body of a PUT. What the service keeps itself is left as it is, as in a PATCH.
func (s *Service) setProperty(ctx context.Context, r *Request, t *target, body []byte) (*Response, error) {
	if err := changeableTable(t.table); err != nil {
		return nil, err
	}
	if t.column.Type == schema.TypeLookup || t.column.Type == schema.TypeID || t.suffix != "" {
		return nil, fault.NoMethod(r.Method)
	}
	v, taken, err := odata.BindProperty(t.column, body, odata.BodyOptions{
		Kind: query.Update, RejectExcess: s.engine.Settings().ExcessDecimals == settings.DecimalsReject,
	})
	if err != nil {
		return nil, err
	}
	cond, err := parseConditions(r.Header)
	if err != nil {
		return nil, err
	}
	ch := &query.Change{Kind: query.Update, Table: t.table, ID: t.id, IfMatch: cond.versions}
	if taken {
		ch.Set = []query.Assign{{Column: t.column, Value: v}}
	}
	var resp *Response
	err = s.writeOnce(ctx, r, &resp, func(tx *engine.Tx) error {
		if err := tx.Update(ch); err != nil {
			return err
		}
		resp = noContent()
		if r.Method == http.MethodPut {
			r.setAddress(resp, t.table, t.id, false)
		}
		return nil
	})
	return resp, err
}
