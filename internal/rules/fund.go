package rules

import (
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

var fundRules = []Rule{
	{
		Name: "fund.department", Table: "svc_fund", On: OnCreate, Do: (*Books).fillDepartment,
		Text:    "A fund without a department belongs to the one marked as default.",
		Example: "With Finance marked svc_isdefault, a new fund without svc_department gets Finance.",
	},
	{
		Name: "fund.balances", Table: "svc_fund", On: OnSave, Do: (*Books).setBalances,
		Text:    "Balances come from the ledger and set svc_balancesupdated when they change; with balances.mode = derived net assets are initial amount, gifts paid, other receipts and earnings less grants paid and fees.",
		Example: "A ledger run that writes svc_netassets stamps svc_balancesupdated with the current time.",
	},
	{
		Name: "fund.totals", Table: "svc_fund", On: OnCreate, Do: (*Books).openFund,
		Text:    "svc_giftspaid is all money gifts and interfund transfers brought in, svc_giftspending what pledges still owe, svc_grantspaid and svc_grantspending what was and is to be paid out, and the year columns donor giving by giving year.",
		Example: "An interfund gift of 900 raises svc_giftspaid by 900 and leaves svc_totalgivingthisyear alone.",
	},
	{
		Name: "fund.spendable", Table: "svc_fund",
		Text:    "svc_spendable of an endowed fund is its allotment (svc_spendableamount, or svc_spendpercent of net assets) less grants paid this year and pending; of others net assets less grants pending; never below zero. With svc_alternatespendablefund the allotment is credited to that fund instead.",
		Example: "Net assets 250,000 at 4.5 percent, 4,000 paid and 2,500 pending: 4,750.00.",
	},
	{
		Name: "fund.primarydonor", Table: "svc_fund",
		Text:    "Grant payments carry the primary donor of their fund and follow it.",
		Example: "A fund's new primary donor shows on its grant payments.",
	},
	{
		Name: "fund.delete", Table: "svc_fund",
		Text:    "A fund named by gifts, payments, requests, grant payments or interfund rows cannot be deleted; parent and alternate links to it become empty.",
		Example: "A fund with one gift stays.",
	},
	{
		Name: "fundgroup.netassets", Table: "svc_fundgroup", On: OnCreate, Do: (*Books).openGroup,
		Text:    "A fund group's net assets are those of its active funds.",
		Example: "Deactivating a fund of 50,000 lowers its group by 50,000.",
	},
}

func (b *Books) fillDepartment(w *Write) error {
	if !w.New.Value("svc_department").IsNull() {
		return nil
	}
	t := b.tables.department
	rows, err := b.env.Find(t, []query.Assign{set(t, "svc_isdefault", value.Bool(true)), set(t, "statecode", value.Int(0))}, []*schema.Column{t.Key})
	if err == nil && len(rows) > 0 {
		w.New.Put("svc_department", value.ID(rows[0].ID))
	}
	return err
}

var balanceNames = []string{"svc_netassets", "svc_earnings", "svc_initialamount", "svc_historic"}

func (b *Books) setBalances(w *Write) error {
	if b.settings.Balances == settings.BalancesDerived {
		old := value.Null
		if w.Old != nil {
			old = w.Old.Value("svc_netassets")
		}
		w.New.Put("svc_netassets", old)
	}
	if w.Has("svc_balancesupdated") {
		return nil
	}
	for _, name := range balanceNames {
		if w.Changed(name) {
			w.New.Put("svc_balancesupdated", value.Time(b.env.Now()))
			return nil
		}
	}
	return nil
}

// openFund gives a new fund its zeros.
func (b *Books) openFund(w *Write) error { return zeroTotals(w.New) }

func (b *Books) openGroup(w *Write) error { return zeroTotals(w.New) }

// afterGroup notes a group that is in another currency now.
func (b *Books) afterGroup(w *Write) error { return b.renewIfMoved(w) }

// zeroTotals sets the totals of a new row to zero.
func zeroTotals(r *query.Row) error {
	for _, name := range totals[r.Table.Name] {
		c := r.Table.MustColumn(name)
		r.Set(c, value.Money(0))
		r.Set(c.Base, value.Money(0))
	}
	return nil
}

// fundNote is what a transaction has done to a fund besides moving its sums.
type fundNote struct {
	known bool        // group holds the fund's part in a group's net assets before the first write
	group fundInGroup // as it was
	allot bool        // the allotment must be made anew
}

// fundInGroup is a fund's part in the net assets of a group.
type fundInGroup struct {
	group    value.GUID
	currency value.GUID // the fund's; zero for the base currency
	net      money
}

func (b *Books) fundNote(id value.GUID) *fundNote {
	n := b.funds[id]
	if n == nil {
		n = &fundNote{}
		b.funds[id] = n
	}
	return n
}

// inGroup returns a fund's part in a group: that of an inactive fund or of none is nothing.
func (b *Books) inGroup(r *query.Row) (fundInGroup, error) {
	if r == nil || !isActive(r) || r.Value("svc_fundgroup").IsNull() {
		return fundInGroup{}, nil
	}
	currency, err := b.currencyOf(r)
	return fundInGroup{r.Value("svc_fundgroup").ID(), currency, money{r.Value("svc_netassets").Int(), baseOf(r, "svc_netassets")}}, err
}

// allotmentNames are the columns that decide what a fund may spend or passes on.
var allotmentNames = []string{
	"svc_netassets", "svc_endowed", "svc_spendpercent", "svc_spendableamount", "svc_alternatespendablefund", "exchangerate", "statecode",
}

// afterFund notes what follows from a fund's own write.
func (b *Books) afterFund(w *Write) error {
	id := w.Row().ID
	b.touched.Funds[id] = true
	note := b.fundNote(id)
	if !note.known {
		var err error
		note.known = true
		if note.group, err = b.inGroup(w.Old); err != nil {
			return err
		}
	}
	if err := b.renewIfMoved(w); err != nil {
		return err
	}
	if w.Old == nil || w.New == nil || w.changedAny(allotmentNames) {
		note.allot = true
		b.noteReceiver(w.Old)
		b.noteReceiver(w.New)
	}
	if w.Kind == query.Update && w.Changed("svc_primarydonor") {
		return b.spreadPrimaryDonor(w)
	}
	return nil
}

// changedAny tells whether one of the columns differs.
func (w *Write) changedAny(names []string) bool {
	return slices.ContainsFunc(names, w.Changed)
}

// noteReceiver notes the fund that an endowed fund passes its allotment on to: what it may spend changes at read time.
func (b *Books) noteReceiver(r *query.Row) {
	if r != nil && !r.Value("svc_alternatespendablefund").IsNull() {
		b.receivers[r.Value("svc_alternatespendablefund").ID()] = true
	}
}

// spreadPrimaryDonor lets the fund's grant payments follow its primary donor.
func (b *Books) spreadPrimaryDonor(w *Write) error {
	t := b.tables.disbursement
	donor, auto := t.MustColumn("svc_fundprimarydonor"), t.MustColumn("x_auto")
	rows, err := b.env.Find(t, []query.Assign{set(t, "svc_fund", value.ID(w.New.ID))}, []*schema.Column{donor, auto})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if have := r.Get(donor); !have.IsNull() && have != w.Old.Value("svc_primarydonor") {
			continue
		}
		err := b.env.Derive(t, r.ID, []query.Assign{
			{Column: donor, Value: w.New.Value("svc_primarydonor")}, {Column: auto, Value: value.Int(r.Get(auto).Int() | autoDonor)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
