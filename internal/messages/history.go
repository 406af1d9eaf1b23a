package messages

import (
	"context"
	"encoding/json"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

const auditCollectionType = "Microsoft.Dynamics.CRM.AuditDetailCollection"

var (
	pagingParam   = Param{Name: "PagingInfo", Type: "Microsoft.Dynamics.CRM.PagingInfo", Optional: true}
	historyFields = []Param{{Name: "AuditDetailCollection", Type: auditCollectionType}}
)

// history holds the messages that read what the change log says about a row.
var history = []*Message{
	{
		Name: "RetrieveRecordChangeHistory", Function: true, Params: []Param{{Name: "Target", Type: entityType}, pagingParam},
		Returns: "Microsoft.Dynamics.CRM.RetrieveRecordChangeHistoryResponse", Fields: historyFields, Doc: "Every audited change of a row.", Do: recordHistory,
	},
	{
		Name: "RetrieveAttributeChangeHistory", Function: true,
		Params:  []Param{{Name: "Target", Type: entityType}, {Name: "AttributeLogicalName", Type: "Edm.String"}, pagingParam},
		Returns: "Microsoft.Dynamics.CRM.RetrieveAttributeChangeHistoryResponse", Fields: historyFields, Doc: "Every audited change of one column of a row.", Do: recordHistory,
	},
	{
		Name: "RetrieveAuditDetails", Function: true, Binding: OnRow, Tables: []string{"audit"},
		Returns: "Microsoft.Dynamics.CRM.RetrieveAuditDetailsResponse", Fields: []Param{{Name: "AuditDetail", Type: "Microsoft.Dynamics.CRM.AuditDetail"}},
		Doc: "The values before and after one audited change.", Do: auditDetails,
	},
	{
		Name: "DeleteRecordChangeHistory", Params: []Param{{Name: "Target", Type: entityType}},
		Returns: "Microsoft.Dynamics.CRM.DeleteRecordChangeHistoryResponse", Fields: []Param{{Name: "DeletedEntriesCount", Type: "Edm.Int32"}},
		Doc: "Forgets the details of a row's audited changes.", Do: deleteHistory,
	},
}

// emptySet is the platform's form of an empty keyed collection.
type emptySet struct {
	Count      int
	IsReadOnly bool
	Keys       []string
	Values     []string
}

// auditDetail is one change with its values before and after.
type auditDetail struct {
	Type     string                     `json:"@odata.type"`
	Invalid  []string                   `json:"InvalidNewValueAttributes"`
	Language int                        `json:"LocLabelLanguageCode"`
	Deleted  emptySet                   `json:"DeletedAttributes"`
	Old      map[string]json.RawMessage `json:"OldValue"`
	New      map[string]json.RawMessage `json:"NewValue"`
}

type auditCollection struct {
	MoreRecords      bool
	PagingCookie     string
	TotalRecordCount int
	AuditDetails     []auditDetail
}

// paging reads PagingInfo: page number and rows per page.
func paging(p Params) (page, count int, err error) {
	var info struct{ PageNumber, Count int }
	if raw, ok := p["PagingInfo"]; ok && json.Unmarshal(raw, &info) != nil {
		return 0, 0, badParameter("PagingInfo", "an object with PageNumber and Count")
	}
	page, count = max(info.PageNumber, 1), info.Count
	if count <= 0 || count > engine.MaxPage {
		count = engine.MaxPage
	}
	return page, count, nil
}

func recordHistory(ctx context.Context, c *Call) (*Result, error) {
	if err := auth.RequireMisc(c.Session.Caller(), "prvReadRecordAuditHistory"); err != nil {
		return nil, err
	}
	row, err := readable(ctx, c, "Target")
	if err != nil {
		return nil, err
	}
	column, err := c.Params.Text("AttributeLogicalName")
	if err != nil {
		return nil, err
	}
	if column != "" && row.Table.Column(column) == nil {
		return nil, fault.Property(column, row.Table.Name, row.Table.Near(column))
	}
	page, count, err := paging(c.Params)
	if err != nil {
		return nil, err
	}
	lines, err := c.Session.AuditLines(ctx, row.Table, row.ID)
	if err != nil {
		return nil, err
	}
	details := []auditDetail{}
	for _, line := range lines {
		if d := detailOf(row.Table, line, column); d != nil {
			details = append(details, *d)
		}
	}
	out := auditCollection{TotalRecordCount: len(details), AuditDetails: []auditDetail{}}
	first := min((page-1)*count, len(details))
	last := min(first+count, len(details))
	out.AuditDetails, out.MoreRecords = append(out.AuditDetails, details[first:last]...), last < len(details)
	return &Result{Body: struct{ AuditDetailCollection auditCollection }{out}}, nil
}

// detailOf turns a line of the log into the platform's form; nil when it speaks of no column of the table, or not of the one asked for.
func detailOf(t *schema.Table, line *query.Row, column string) *auditDetail {
	kind := []byte(`"#Microsoft.Dynamics.CRM.` + t.Name + `"`)
	d := &auditDetail{
		Type: "#Microsoft.Dynamics.CRM.AttributeAuditDetail", Invalid: []string{}, Deleted: emptySet{Keys: []string{}, Values: []string{}},
		Old: map[string]json.RawMessage{"@odata.type": kind}, New: map[string]json.RawMessage{"@odata.type": kind},
	}
	found := false
	for _, a := range engine.ChangedColumns(line.Value("changedata").Text()) {
		col := t.Column(a.Name)
		if col == nil || column != "" && a.Name != column {
			continue
		}
		found = true
		put(d.Old, col, a.Old)
		put(d.New, col, a.New)
	}
	if !found {
		return nil
	}
	return d
}

// put adds a logged value under its wire name in its JSON form.
func put(into map[string]json.RawMessage, c *schema.Column, text *string) {
	if text == nil {
		return
	}
	switch c.Type.Kind() {
	case value.KindText, value.KindID, value.KindDate, value.KindTime:
		s := *text
		if c.Type == schema.TypeLookup && len(s) > 36 {
			s = s[len(s)-36:]
		}
		raw, err := json.Marshal(s)
		if err == nil {
			into[c.Wire] = raw
		}
	default:
		into[c.Wire] = json.RawMessage(*text)
	}
}

func auditDetails(ctx context.Context, c *Call) (*Result, error) {
	line, err := c.Session.Find(ctx, c.Table, c.ID)
	if err != nil {
		return nil, err
	}
	object := line.Value("objectid")
	t := c.Model().ByCode(object.TypeCode())
	if t == nil || line.Value("derived").Bool() {
		return nil, fault.NotFound("audit", c.ID.String())
	}
	if err := auth.Require(c.Session.Caller(), t, auth.Read); err != nil {
		return nil, err
	}
	if c.Session.Caller().Depth(t, auth.Read) != auth.Global {
		if _, err := c.Session.Find(ctx, t, object.ID()); err != nil {
			return nil, err
		}
	}
	var detail any = plainDetail{"#Microsoft.Dynamics.CRM.AuditDetail"}
	if d := detailOf(t, line, ""); d != nil {
		detail = d
	}
	return &Result{Body: struct{ AuditDetail any }{detail}}, nil
}

// plainDetail is the detail of a line that speaks of no column, such as that of a share.
type plainDetail struct {
	Type string `json:"@odata.type"`
}

// deleteHistory forgets what a row's audited changes were; that it changed stays known, for deltas.
func deleteHistory(ctx context.Context, c *Call) (*Result, error) {
	if !c.Session.Caller().Admin {
		return nil, fault.New(fault.GenericAccessDenied, "Only a System Administrator may delete change history.")
	}
	row, err := readable(ctx, c, "Target")
	if err != nil {
		return nil, err
	}
	n := 0
	err = c.Write(func(tx *engine.Tx) error {
		n, err = tx.ForgetHistory(row.Table, row.ID)
		return err
	})
	return &Result{Body: struct{ DeletedEntriesCount int }{n}}, err
}
