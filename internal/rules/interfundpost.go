package rules

import (
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// PostInterfund carries out a transfer between funds: an Interfund request with a paid payment from the grant fund, an
// Interfund gift with a payment to the gift fund, both linked back to the row. Posting again does nothing.
func PostInterfund(env Env, id value.GUID) error {
	p, err := openTransfer(env, id)
	if err != nil || !p.row.Value("svc_gift").IsNull() {
		return err
	}
	if p.row.Value("svc_amount").Int() <= 0 {
		return fault.Rule("svc_interfundgrants", "PostInterfund", "svc_amount", "The amount %s of a transfer must be above 0.", p.row.Value("svc_amount"))
	}
	request, err := p.postGrant()
	if err != nil {
		return err
	}
	gift, err := p.postGift(request)
	if err != nil {
		return err
	}
	t := p.row.Table
	changes := []query.Assign{set(t, "svc_gift", value.ID(gift)), set(t, "svc_request", value.ID(request))}
	for _, name := range []string{"svc_interfunddate", "svc_postingdate"} {
		if p.row.Value(name).IsNull() {
			changes = append(changes, set(t, name, p.date))
		}
	}
	return env.Update(t, id, changes)
}

// ReverseInterfund takes a posted transfer back: it sets svc_reversedate and reverses both payments. Reversing again does
// nothing.
func ReverseInterfund(env Env, id value.GUID) error {
	p, err := openTransfer(env, id)
	if err != nil || !p.row.Value("svc_reversedate").IsNull() {
		return err
	}
	if p.row.Value("svc_gift").IsNull() {
		return fault.Rule("svc_interfundgrants", "ReverseInterfund", "svc_gift", "The transfer %s has not been posted.", id)
	}
	if err := p.reverseGift(); err != nil {
		return err
	}
	if err := p.reverseGrant(); err != nil {
		return err
	}
	return env.Update(p.row.Table, id, []query.Assign{set(p.row.Table, "svc_reversedate", value.Time(env.Now()))})
}

// transfer is an interfund row being posted or reversed.
type transfer struct {
	Env
	row    *query.Row
	date   value.Value // the moment of the transfer
	tables tables
}

func openTransfer(env Env, id value.GUID) (*transfer, error) {
	p := &transfer{Env: env, tables: findTables(env.Model())}
	var err error
	if p.row, err = env.Lock(p.tables.interfund, id); err != nil {
		return nil, err
	}
	if p.row == nil {
		return nil, fault.NotFound(p.tables.interfund.Name, id.String())
	}
	p.date = p.row.Value("svc_interfunddate")
	if p.date.IsNull() {
		p.date = value.Time(env.Now())
	}
	return p, nil
}

// postGrant makes the paying side: a request and its paid payment.
func (p *transfer) postGrant() (value.GUID, error) {
	t := p.tables.request
	request, err := p.Create(t, []query.Assign{
		set(t, "svc_requesttype", value.Int(requestInterfund)), set(t, "svc_requeststatus", value.Int(requestApproved)),
		set(t, "svc_grantname", p.row.Value("svc_granttitle")), set(t, "svc_fund", p.row.Value("svc_grantfund")),
		set(t, "svc_originalgrantamount", p.row.Value("svc_amount")), set(t, "svc_decisiondate", p.date),
		set(t, "transactioncurrencyid", p.row.Value("transactioncurrencyid")),
	})
	if err != nil {
		return request, err
	}
	t = p.tables.disbursement
	columns := []query.Assign{
		set(t, "svc_requestlookup", value.ID(request)), set(t, "svc_amount", p.row.Value("svc_amount")),
		set(t, "svc_requirementtype", value.Int(requirementPayment)), set(t, "svc_disbursementtype", value.Int(disburseInterfund)),
		set(t, "svc_fund", p.row.Value("svc_grantfund")), set(t, "svc_account", p.row.Value("svc_grantaccount")),
		set(t, "svc_paymentdate", p.date), set(t, "svc_paymentsent", p.date), set(t, "svc_cleardate", p.date),
	}
	if s := p.Settings(); onlyFolioPays(s) {
		columns = append(columns, set(t, "svc_folio", value.Text(s.FolioPaid[0])))
	}
	_, err = p.Create(t, columns)
	return request, err
}

// onlyFolioPays tells whether nothing but a folio code makes a disbursement paid.
func onlyFolioPays(s *settings.Settings) bool {
	return slices.Equal(s.GrantPaidWhen, []settings.PaidWhen{settings.PaidByFolio}) && len(s.FolioPaid) > 0
}

// postGift makes the receiving side: a gift and its payment.
func (p *transfer) postGift(request value.GUID) (value.GUID, error) {
	t := p.tables.gift
	gift, err := p.Create(t, []query.Assign{
		set(t, "svc_gifttype", value.Int(giftTypeInterfund)), set(t, "svc_giftdate", value.Date(dateOf(p.date, p.Settings().Timezone))),
		set(t, "svc_amount1", p.row.Value("svc_amount")), set(t, "svc_fund1", p.row.Value("svc_giftfund")),
		set(t, "svc_donor", p.row.Value("svc_donor")), set(t, "svc_interfundrequest", value.ID(request)),
		set(t, "transactioncurrencyid", p.row.Value("transactioncurrencyid")),
	})
	if err != nil {
		return gift, err
	}
	t = p.tables.payment
	_, err = p.Create(t, []query.Assign{
		set(t, "svc_giftnumber", value.ID(gift)), set(t, "svc_amount", p.row.Value("svc_amount")),
		set(t, "svc_paymenttype", value.Int(payInterfund)), set(t, "svc_fund", p.row.Value("svc_giftfund")),
		set(t, "svc_account", p.row.Value("svc_giftaccount")), set(t, "svc_postingdate", p.date),
	})
	return gift, err
}

// reverseGift reverses the payments of the receiving side in full.
func (p *transfer) reverseGift() error {
	t := p.tables.payment
	rows, err := p.Find(t, []query.Assign{set(t, "svc_giftnumber", p.row.Value("svc_gift"))}, []*schema.Column{t.MustColumn("svc_amount")})
	if err != nil {
		return err
	}
	for _, r := range rows {
		err := p.Update(t, r.ID, []query.Assign{
			set(t, "svc_reversalamount", r.Value("svc_amount")), set(t, "svc_reversaltype", value.Int(reversalVoid)),
			set(t, "svc_reversaldate", value.Time(p.Now())),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reverseGrant voids the payments of the paying side: their folio says so, or, without a code for it, their net amount.
func (p *transfer) reverseGrant() error {
	t := p.tables.disbursement
	rows, err := p.Find(t, []query.Assign{set(t, "svc_requestlookup", p.row.Value("svc_request"))}, []*schema.Column{t.Key})
	if err != nil {
		return err
	}
	void := set(t, "svc_netamount", value.Money(0))
	if codes := p.Settings().FolioVoid; slices.Contains(codes, "reversed") {
		void = set(t, "svc_folio", value.Text("reversed"))
	} else if len(codes) > 0 {
		void = set(t, "svc_folio", value.Text(codes[0]))
	}
	for _, r := range rows {
		if err := p.Update(t, r.ID, []query.Assign{void}); err != nil {
			return err
		}
	}
	return nil
}
