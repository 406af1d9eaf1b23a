package webapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// getRow answers GET of one row, also of one reached through a navigation property.
func (s *Service) getRow(ctx context.Context, r *Request, t *target) (*Response, error) {
	if t.missing {
		return noContent(), nil
	}
	row, err := s.row(ctx, r, t)
	if err != nil {
		return nil, err
	}
	resp := r.jsonResponse(http.StatusOK, row.body)
	resp.pooled = row.pooled
	if row.version > 0 {
		resp.Header.Set("ETag", etag(row.version))
	}
	if r.unchanged(row.version) {
		resp.Status, resp.Body = http.StatusNotModified, nil
		resp.Header.Del("Content-Type")
	}
	r.setApplied(resp, r.Prefer.appliedHeader(0, false))
	return resp, nil
}

// row reads the row of a target: by its shape where it has one, else bound anew.
func (s *Service) row(ctx context.Context, r *Request, t *target) (*encodedRow, error) {
	if t.nav == nil || !t.nav.Many {
		sh, err := s.rowShape(ctx, r, t.table)
		if err != nil {
			return nil, err
		}
		if sh != nil {
			row, err := s.readShape(ctx, r, sh, t.id)
			if row == nil && err == nil {
				err = absent(ctx, r.Session, t.table, t.id)
			}
			return row, err
		}
	}
	bound, err := odata.Bind(s.engine.Model(), t.table, r.Options)
	if err != nil {
		return nil, err
	}
	scope, err := r.scope(ctx, t, bound.Query.Root)
	if err != nil {
		return nil, err
	}
	bound.Query.Where = query.AllOf(bound.Query.Where, scope)
	return s.readRow(ctx, r, r.Session, bound, t.id)
}

// absent says why a row was not found: it is not there, or the caller may not see it (decision 14).
func absent(ctx context.Context, from reading, t *schema.Table, id value.GUID) error {
	if _, err := from.Find(ctx, t, id); err != nil {
		return err
	}
	return fault.NothingToRead(t.Name, id.String())
}

// reading is what a session and a transaction have in common.
type reading interface {
	Prepare(q *query.Query) (*engine.Plan, error)
	Read(ctx context.Context, plan *engine.Plan, limit int, fn func(*engine.Page) error) error
	Find(ctx context.Context, t *schema.Table, id value.GUID) (*query.Row, error)
}

// encodedRow is one row as JSON.
type encodedRow struct {
	body    []byte
	pooled  *[]byte // the lent memory of the body; nil when it is its own
	version int64
}

// readRow reads one row by its key and encodes it as a single answer: 404 when it is not there, 403 when it may not be seen.
func (s *Service) readRow(ctx context.Context, r *Request, from reading, bound *odata.Bound, id value.GUID) (*encodedRow, error) {
	q := bound.Query
	bound.LimitExpands(r.Prefer.PageSize, engine.MaxPage)
	r.addLabels(q)
	q.Where = query.AllOf(q.Where, query.Equal(q.Root, q.Root.Table.Key, value.ID(id)))
	plan, err := from.Prepare(q)
	if err != nil {
		return nil, err
	}
	var out *encodedRow
	err = from.Read(ctx, plan, 1, func(p *engine.Page) error {
		if !p.Rows.Next() {
			return p.Rows.Err()
		}
		enc := r.newEncoder(ctx, plan, singleRow, nil)
		out = &encodedRow{body: enc.object(nil, enc.root, p.Rows, p.Children, r.contextPrefix("#"+q.Root.Table.Set+bound.Context+"/$entity"))}
		if plan.Root.Version >= 0 {
			out.version = p.Rows.Int(plan.Root.Version)
		}
		return nil
	})
	if err != nil || out != nil {
		return out, err
	}
	return nil, absent(ctx, from, q.Root.Table, id)
}

// contextPrefix is the @odata.context member of an answer with its comma; nothing at metadata level none.
func (r *Request) contextPrefix(fragment string) []byte {
	if r.level() == none {
		return nil
	}
	b := append([]byte(`"@odata.context":`), value.AppendJSON(nil, r.Base+"/$metadata"+fragment)...)
	return append(b, ',')
}

func etag(version int64) string { return `W/"` + strconv.FormatInt(version, 10) + `"` }

// unchanged tells whether a conditional GET may be answered with 304.
func (r *Request) unchanged(version int64) bool {
	tag := r.Header.Get("If-None-Match")
	if tag == "" || tag == "null" || r.Options.Expand != "" || len(r.Prefer.annotations) > 0 {
		return false
	}
	tags, any, err := parseTags(tag)
	return err == nil && !any && tags.Has(version)
}

// createRow answers POST to a set, or to a collection reached from a row, whose lookup is then set too.
func (s *Service) createRow(ctx context.Context, r *Request, t *target) (*Response, error) {
	if err := writableTable(t.table); err != nil {
		return nil, err
	}
	ch, err := s.bindBody(r, t.table, query.Create)
	if err != nil {
		return nil, err
	}
	if err := setParent(ch, t); err != nil {
		return nil, err
	}
	var resp *Response
	err = s.writeOnce(ctx, r, &resp, func(tx *engine.Tx) error {
		if r.changeSet == nil && len(ch.Nested) == 0 {
			tx.Sole()
		}
		id, err := tx.Create(ch)
		if err != nil {
			return err
		}
		resp, err = s.written(ctx, r, tx, t.table, id, http.StatusCreated)
		return err
	})
	return resp, err
}

// setParent makes a row posted to a collection of another row its child.
func setParent(ch *query.Change, t *target) error {
	if t.nav == nil {
		return nil
	}
	if t.nav.Relation == nil {
		return fault.NoMethod(http.MethodPost)
	}
	v := value.ID(t.parent)
	if t.nav.Column.Polymorphic() {
		v = value.Ref(t.parent, t.nav.From.TypeCode)
	}
	ch.Set = append(ch.Set, query.Assign{Column: t.nav.Column, Value: v})
	return nil
}

func writableTable(t *schema.Table) error {
	if t.ReadOnly {
		return fault.New(fault.BadRequest, "The table '%s' is read only.", t.Name).WithStatus(http.StatusMethodNotAllowed).At(t.Name)
	}
	return nil
}

// changeableTable refuses a table whose rows cannot be changed. A row that joins two others is made and removed only.
func changeableTable(t *schema.Table) error {
	if err := writableTable(t); err != nil || t.Updatable() {
		return err
	}
	return fault.New(fault.BadRequest, "Rows of '%s' join two others: they are created and deleted, not updated.", t.Name).WithStatus(http.StatusMethodNotAllowed).At(t.Name)
}

// written makes the answer to a create or update: 204 with the row's address, or the row itself when asked for. A duplicate is refused
// here where the client asked to be told.
func (s *Service) written(ctx context.Context, r *Request, tx *engine.Tx, t *schema.Table, id value.GUID, status int) (*Response, error) {
	if strings.EqualFold(r.Header.Get("MSCRM.SuppressDuplicateDetection"), "false") {
		if err := tx.CheckDuplicates(t, id); err != nil {
			return nil, err
		}
	}
	resp := noContent()
	if r.Prefer.Representation {
		bound, err := odata.Bind(s.engine.Model(), t, r.representationOptions())
		if err != nil {
			return nil, err
		}
		bound.LeaveOutNested()
		if err := tx.Settle(); err != nil {
			return nil, err
		}
		row, err := s.readRow(ctx, r, tx, bound, id)
		if err != nil {
			return nil, err
		}
		resp = r.jsonResponse(status, row.body)
		resp.Header.Set("ETag", etag(row.version))
		r.Prefer.applied = []string{"return=representation"}
		r.setApplied(resp, r.Prefer.appliedHeader(0, false))
	}
	if r.Session.Deferred {
		resp.Header.Add("Preference-Applied", "rollups=deferred")
	}
	r.setAddress(resp, t, id, r.Method == http.MethodPost || status == http.StatusCreated)
	for _, text := range tx.Warnings() {
		resp.Header.Add("Warning", `199 almoner "`+warnable.Replace(text)+`"`)
	}
	return resp, nil
}

// setAddress tells the address of a row that was written. Location goes with a new row; in a batch with every one.
func (r *Request) setAddress(resp *Response, t *schema.Table, id value.GUID, created bool) {
	self := r.Base + "/" + t.Set + "(" + id.String() + ")"
	resp.Header.Set("OData-EntityId", self)
	if created || r.inBatch {
		resp.Header.Set("Location", self)
	}
}

// warnable makes a text fit to stand between the quotes of a Warning header.
var warnable = strings.NewReplacer(`"`, `'`, "\n", " ")

// representationOptions are the query options a returned row honours: $select and $expand on POST, $select on PATCH. Of collections inside
// an expanded property nothing is shown.
func (r *Request) representationOptions() *odata.Options {
	o := *r.Options
	if r.Method == http.MethodPatch {
		o.Expand = ""
	}
	return &o
}

func (r *Request) setApplied(resp *Response, applied string) {
	if applied != "" {
		resp.Header.Set("Preference-Applied", applied)
	}
}

// bindBody turns a JSON body into a change.
func (s *Service) bindBody(r *Request, t *schema.Table, kind query.ChangeKind) (*query.Change, error) {
	if err := checkJSON(r.Header); err != nil {
		return nil, err
	}
	return odata.BindBody(s.engine.Model(), t, r.Body, odata.BodyOptions{
		Kind:         kind,
		RejectExcess: s.engine.Settings().ExcessDecimals == settings.DecimalsReject,
		Quoted:       strings.Contains(r.Header.Get("Content-Type"), "IEEE754Compatible=true"),
		Reference:    r.boundReference,
	})
}

// checkJSON refuses a body that says it is something other than JSON.
func checkJSON(h http.Header) error {
	ct, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	switch ct = strings.ToLower(strings.TrimSpace(ct)); ct {
	case "", "application/json", "text/json":
		return nil
	default:
		return fault.New(fault.BadRequest, "The media type '%s' is not supported; send application/json.", ct).WithStatus(http.StatusUnsupportedMediaType)
	}
}

// patchRow answers PATCH of one row. Whether a row that is not there may be made by it is decision 3.
func (s *Service) patchRow(ctx context.Context, r *Request, t *target) (*Response, error) {
	if err := changeableTable(t.table); err != nil {
		return nil, err
	}
	ch, err := s.bindBody(r, t.table, query.Update)
	if err != nil {
		return nil, err
	}
	if !ch.ID.IsZero() && ch.ID != t.id {
		return nil, fault.New(fault.BadPayload, "The key %s in the body is not the key %s of the URL.", ch.ID, t.id).At(t.table.Name, "column "+t.table.Key.Name)
	}
	ch.ID = t.id
	cond, err := parseConditions(r.Header)
	if err != nil {
		return nil, err
	}
	ch.IfMatch = cond.versions
	var resp *Response
	err = s.writeOnce(ctx, r, &resp, func(tx *engine.Tx) error {
		status, err := s.patch(ctx, tx, r, t.table, ch, cond)
		if err != nil {
			return err
		}
		resp, err = s.written(ctx, r, tx, t.table, t.id, status)
		return err
	})
	return resp, err
}

// patch updates a row, or creates it where an upsert is meant and allowed, and tells which by the status of the representation.
func (s *Service) patch(ctx context.Context, tx *engine.Tx, r *Request, t *schema.Table, ch *query.Change, cond conditions) (int, error) {
	upsert := s.engine.Upserts(t)
	if upsert { // which of the two it is, and so whether the row is there, is told only to who may read the table
		if err := auth.Require(r.Session.Caller(), t, auth.Read); err != nil {
			return 0, err
		}
	}
	exists, err := tx.Row(t, ch.ID, false)
	if err != nil {
		return 0, err
	}
	switch {
	case cond.onlyNew && !upsert:
		return 0, refuseNew(ctx, tx, r, t, ch.ID)
	case cond.onlyNew && exists != nil:
		if err := auth.Require(r.Session.Caller(), t, auth.CreateRights...); err != nil {
			return 0, err
		}
		return 0, alreadyThere(t, ch.ID)
	case exists == nil && upsert && !cond.mustExist:
		created, err := s.bindBody(r, t, query.Create)
		if err != nil {
			return 0, err
		}
		created.ID = ch.ID
		_, err = tx.Create(created)
		return http.StatusCreated, err
	default:
		return http.StatusOK, tx.Update(ch)
	}
}

// refuseNew refuses a PATCH that would make a row, on a table that takes no upserts: there is no such row, or it is there already. Which of
// the two it is, is told to who may change the row.
func refuseNew(ctx context.Context, tx *engine.Tx, r *Request, t *schema.Table, id value.GUID) error {
	if err := auth.Require(r.Session.Caller(), t, auth.UpdateRights...); err != nil {
		return err
	}
	if _, err := tx.Find(ctx, t, id); err != nil {
		return err
	}
	return alreadyThere(t, id)
}

func alreadyThere(t *schema.Table, id value.GUID) error {
	return fault.New(fault.DuplicateRecord, "A record with matching key values already exists.").At(t.Name, "id "+id.String())
}

// deleteRow answers DELETE of one row.
func (s *Service) deleteRow(ctx context.Context, r *Request, t *target) (*Response, error) {
	if err := writableTable(t.table); err != nil {
		return nil, err
	}
	cond, err := parseConditions(r.Header)
	if err != nil {
		return nil, err
	}
	resp := noContent()
	err = s.writeOnce(ctx, r, &resp, func(tx *engine.Tx) error {
		resp = noContent()
		return tx.Delete(&query.Change{Kind: query.Delete, Table: t.table, ID: t.id, IfMatch: cond.versions})
	})
	return resp, err
}
