package messages

import (
	"context"
	"encoding/json"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// books holds the actions and functions of the foundation's books.
var books = []*Message{
	{
		Name: "SchedulePledgePayments", Binding: OnRow, Tables: []string{"svc_gift"}, Doc: "Creates the scheduled payments of a pledge.",
		Params: []Param{
			{Name: "FirstDate", Type: "Edm.Date"}, {Name: "Frequency", Type: "Edm.Int32"},
			{Name: "Count", Type: "Edm.Int32", Optional: true}, {Name: "Amount", Type: "Edm.Decimal", Optional: true},
		},
		Do: schedulePledge,
	},
	{
		Name: "ApproveRequest", Binding: OnRow, Tables: []string{"svc_request"}, Params: []Param{{Name: "Amount", Type: "Edm.Decimal", Optional: true}},
		Doc: "Approves a request and creates its payment.", Do: approveRequest,
	},
	{Name: "PostInterfund", Binding: OnRow, Tables: []string{"svc_interfundgrants"}, Doc: "Books an interfund grant on both funds.", Do: interfund(rules.PostInterfund)},
	{Name: "ReverseInterfund", Binding: OnRow, Tables: []string{"svc_interfundgrants"}, Doc: "Reverses a posted interfund grant.", Do: interfund(rules.ReverseInterfund)},
	{
		Name: "PreviewFundFee", Function: true, Binding: OnRow, Tables: []string{"svc_fund"}, Doc: "The fee a fund would be charged; writes nothing.",
		Returns: "Microsoft.Dynamics.CRM.PreviewFundFeeResponse",
		Fields:  []Param{{Name: "Annual", Type: "Edm.Decimal"}, {Name: "PerPeriod", Type: "Edm.Decimal"}, {Name: "ReceivingFundId", Type: "Edm.Guid"}},
		Do:      previewFee,
	},
	{
		Name: "Why", Function: true, Binding: OnRow, Tables: []string{"svc_donor", "svc_fund"}, Doc: "The events behind a donor's giving or a fund's gifts; they add up to the total exactly.",
		Params: []Param{{Name: "Year", Type: "Edm.Int32", Optional: true}}, Returns: "Microsoft.Dynamics.CRM.WhyResponse",
		Fields: []Param{{Name: "Total", Type: "Edm.Decimal"}, {Name: "Events", Type: "Collection(Microsoft.Dynamics.CRM.GivingEvent)"}}, Do: why,
	},
	{
		Name: "ConsolidateFund", Function: true, Binding: OnRow, Tables: []string{"svc_fund"}, Doc: "Totals of a fund and every fund below it.",
		Returns: "Microsoft.Dynamics.CRM.ConsolidateFundResponse",
		Fields: []Param{
			{Name: "Funds", Type: "Edm.Int32"}, {Name: "NetAssets", Type: "Edm.Decimal"}, {Name: "GiftsPaid", Type: "Edm.Decimal"},
			{Name: "GiftsPending", Type: "Edm.Decimal"}, {Name: "GrantsPaid", Type: "Edm.Decimal"}, {Name: "GrantsPending", Type: "Edm.Decimal"},
		},
		Do: consolidate,
	},
	{
		Name: "CalculateRollupField", Function: true, Doc: "Makes a derived column of a row anew and returns the row.",
		Params: []Param{{Name: "Target", Type: entityType}, {Name: "FieldName", Type: "Edm.String"}}, Returns: entityType, Do: calculateRollup,
	},
}

// money prints minor units as a JSON number with two decimals.
func money(cents int64) json.Number { return json.Number(value.Money(cents).String()) }

// moneyOrNull is money for a value that may be absent.
func moneyOrNull(v value.Value) *json.Number {
	if v.IsNull() {
		return nil
	}
	n := money(v.Int())
	return &n
}

// mayAct checks that the caller may change the bound row and create rows of the tables an action adds to.
func mayAct(ctx context.Context, c *Call, creates ...string) error {
	row, err := c.Session.Find(ctx, c.Table, c.ID)
	if err != nil {
		return err
	}
	if err := auth.Require(c.Session.Caller(), c.Table, auth.Write); err != nil {
		return err
	}
	if err := auth.RowAccess(ctx, c.Session.Engine().Store(), c.Model(), c.Session.Caller(), row, auth.Write); err != nil {
		return err
	}
	for _, name := range creates {
		if err := auth.Require(c.Session.Caller(), c.Model().Table(name), auth.Create); err != nil {
			return err
		}
	}
	return nil
}

func schedulePledge(ctx context.Context, c *Call) (*Result, error) {
	if err := mayAct(ctx, c, "svc_giftpayment"); err != nil {
		return nil, err
	}
	text, err := c.Params.Text("FirstDate")
	if err != nil {
		return nil, err
	}
	first, err := value.ParseDate(text)
	if err != nil {
		return nil, badParameter("FirstDate", "a date like 2026-01-31")
	}
	frequency, err := c.Params.Int("Frequency")
	if err != nil {
		return nil, err
	}
	count, err := c.Params.Int("Count")
	if err != nil {
		return nil, err
	}
	amount, err := c.Params.Money("Amount")
	if err != nil {
		return nil, err
	}
	s := rules.Schedule{First: first, Frequency: frequency, Count: int(count), Amount: amount}
	return nil, c.Write(func(tx *engine.Tx) error { return rules.SchedulePledgePayments(tx.Env(), c.ID, s) })
}

func approveRequest(ctx context.Context, c *Call) (*Result, error) {
	if err := mayAct(ctx, c, "svc_requestpayment"); err != nil {
		return nil, err
	}
	amount, err := c.Params.Money("Amount")
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error { return rules.ApproveRequest(tx.Env(), c.ID, amount) })
}

func interfund(do func(rules.Env, value.GUID) error) func(context.Context, *Call) (*Result, error) {
	return func(ctx context.Context, c *Call) (*Result, error) {
		if err := mayAct(ctx, c, "svc_gift", "svc_giftpayment", "svc_request", "svc_requestpayment"); err != nil {
			return nil, err
		}
		return nil, c.Write(func(tx *engine.Tx) error { return do(tx.Env(), c.ID) })
	}
}

func previewFee(ctx context.Context, c *Call) (*Result, error) {
	if _, err := c.Session.Find(ctx, c.Table, c.ID); err != nil {
		return nil, err
	}
	var fee rules.FeePreview
	err := c.Session.View(ctx, func(env rules.Env) (err error) {
		fee, err = rules.PreviewFundFee(env, c.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	var receiving *string
	if !fee.Receiving.IsZero() {
		id := fee.Receiving.String()
		receiving = &id
	}
	return &Result{Body: struct {
		Annual          *json.Number
		PerPeriod       *json.Number
		ReceivingFundId *string
	}{moneyOrNull(fee.Annual), moneyOrNull(fee.PerPeriod), receiving}}, nil
}

// givingEvent is one entry of Why.
type givingEvent struct {
	GiftId    string
	PaymentId *string
	Date      string
	Year      int
	Amount    json.Number
}

// why lists the events behind a total, of one giving year or of all.
func why(ctx context.Context, c *Call) (*Result, error) {
	if _, err := c.Session.Find(ctx, c.Table, c.ID); err != nil {
		return nil, err
	}
	for _, name := range []string{"svc_gift", "svc_giftpayment"} {
		t := c.Model().Table(name)
		if err := auth.Require(c.Session.Caller(), t, auth.Read); err != nil {
			return nil, err
		}
		if c.Session.Caller().Depth(t, auth.Read) != auth.Global {
			return nil, auth.Denied(c.Session.Caller(), t, auth.Read)
		}
	}
	year, err := c.Params.Int("Year")
	if err != nil {
		return nil, err
	}
	explain := rules.WhyDonor
	if c.Table.Name == "svc_fund" {
		explain = rules.WhyFund
	}
	total, events := int64(0), []givingEvent{}
	err = c.Session.View(ctx, func(env rules.Env) error {
		return explain(env, c.ID, func(e rules.Entry) error {
			if c.Params.Has("Year") && int64(e.Year) != year {
				return nil
			}
			total += e.Amount
			events = append(events, eventOf(e))
			return nil
		})
	})
	return &Result{Body: struct {
		Total  json.Number
		Events []givingEvent
	}{money(total), events}}, err
}

func eventOf(e rules.Entry) givingEvent {
	out := givingEvent{GiftId: e.Gift.String(), Date: value.Date(e.Date).String(), Year: e.Year, Amount: money(e.Amount)}
	if !e.Payment.IsZero() {
		id := e.Payment.String()
		out.PaymentId = &id
	}
	return out
}

func consolidate(ctx context.Context, c *Call) (*Result, error) {
	if _, err := c.Session.Find(ctx, c.Table, c.ID); err != nil {
		return nil, err
	}
	var t rules.TreeTotals
	err := c.Session.View(ctx, func(env rules.Env) (err error) {
		t, err = rules.FundTree(env, c.ID)
		return err
	})
	return &Result{Body: struct {
		Funds                                                         int
		NetAssets, GiftsPaid, GiftsPending, GrantsPaid, GrantsPending json.Number
	}{t.Funds, money(t.NetAssets), money(t.GiftsPaid), money(t.GiftsPending), money(t.GrantsPaid), money(t.GrantsPending)}}, err
}

// calculateRollup makes the derived columns of a row anew from base rows, of a dynamic list its count, and returns the row.
func calculateRollup(ctx context.Context, c *Call) (*Result, error) {
	t, id, err := c.Params.Reference(c.Model(), "Target", nil)
	if err != nil {
		return nil, err
	}
	row, err := c.Session.Find(ctx, t, id)
	if err != nil {
		return nil, err
	}
	name, err := c.Params.Text("FieldName")
	if err != nil {
		return nil, err
	}
	if col := rollupColumn(t, name); col == nil {
		return nil, fault.New(fault.BadPayload, "The column '%s' of '%s' is not a derived one.", name, t.Name).At(t.Name, "column "+name)
	}
	if err := recount(ctx, c, row); err != nil {
		return nil, err
	}
	return &Result{Row: &Row{t, id}}, nil
}

func rollupColumn(t *schema.Table, name string) *schema.Column {
	if c := t.Column(name); c != nil && !c.Hidden && c.Computed {
		return c
	}
	return nil
}

func recount(ctx context.Context, c *Call, row *query.Row) error {
	if row.Table.Name == "list" && row.Value("type").Bool() {
		return c.Session.Engine().CountMembers(ctx, row.ID)
	}
	return c.Session.Engine().RecomputeRow(ctx, row.Table.Name, row.ID)
}
