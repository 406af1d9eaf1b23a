package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

var currencyRules = []Rule{
	{
		Name: "currency.rate", Table: "transactioncurrency", On: OnSave, Do: (*Books).checkRate,
		Text:    "An exchange rate is above 0 and below 900,000,000; the base currency's is 1, and its code stays.",
		Example: "A rate of 0 is refused; the base currency cannot be given the rate 1.2.",
	},
	{
		Name: "currency.delete", Table: "transactioncurrency", On: OnDelete, Do: (*Books).checkCurrencyDelete,
		Text:    "A currency with rows in it, and the base currency, cannot be deleted.",
		Example: "The Canadian dollar stays while one gift is in it.",
	},
}

// checkCurrencyDelete refuses while a row is in the currency.
func (b *Books) checkCurrencyDelete(w *Write) error {
	if w.Old.Value("isocurrencycode").Text() == b.settings.BaseCurrency {
		return fault.New(fault.CannotDeleteAssociated, "The currency %s cannot be deleted: %s is the base currency.", w.Old.ID, b.settings.BaseCurrency).
			At("transactioncurrency", "rule currency.delete", "column isocurrencycode")
	}
	for _, t := range b.env.Model().Tables {
		c := t.Column("transactioncurrencyid")
		if c == nil || c == t.Key || t.Key == nil {
			continue
		}
		rows, err := readRows(b.env, t, nil, []condition{{c, query.OpEq, []value.Value{value.ID(w.Old.ID)}}}, []string{t.Key.Name}, nil, 1)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			return fault.New(fault.CannotDeleteAssociated, "The currency %s cannot be deleted: the '%s' %s is in it.", w.Old.ID, t.Name, rows[0].ID).
				At("transactioncurrency", "rule currency.delete", "column transactioncurrencyid")
		}
	}
	return nil
}

// masters names, for rows that live in the currency of another row, the lookup to that row.
var masters = map[string]string{"svc_giftpayment": "svc_giftnumber", "svc_requestpayment": "svc_requestlookup", "svc_giftfee": "svc_gift"}

// setCurrency fills a missing currency, holds a row to its master's, and copies the rate when the currency is new.
func (b *Books) setCurrency(w *Write) error {
	t := w.New.Table
	currency := t.Column("transactioncurrencyid")
	if currency == nil || currency == t.Key {
		return nil
	}
	if err := b.followMaster(w, currency); err != nil {
		return err
	}
	if w.New.Get(currency).IsNull() {
		if err := b.fillCurrency(w, currency); err != nil {
			return err
		}
	}
	changed := w.Old == nil || w.Old.Get(currency) != w.New.Get(currency)
	if !changed && !w.New.Value("exchangerate").IsNull() {
		return nil
	}
	return b.copyRate(w.New, currency)
}

// followMaster takes over the currency of the gift or request a row belongs to, and refuses another one.
func (b *Books) followMaster(w *Write, currency *schema.Column) error {
	name, ok := masters[w.New.Table.Name]
	if !ok || w.New.Value(name).IsNull() || w.Old != nil && !w.Changed(name) && !w.Changed(currency.Name) {
		return nil
	}
	link := w.New.Table.MustColumn(name)
	master, err := b.masterRow(link, w.New.Get(link).ID())
	if err != nil || master == nil {
		return err
	}
	want := master.Value("transactioncurrencyid")
	have := w.New.Get(currency)
	if have.IsNull() || !w.Sent[currency] && w.Old == nil {
		w.New.Set(currency, want)
		return nil
	}
	if have != want && !want.IsNull() {
		return fault.Rule(w.New.Table.Name, "row.currency", currency.Name,
			"The currency %s of '%s' must be that of its '%s', which is %s.", have, w.New.Table.Name, name, want)
	}
	return nil
}

// masterRow returns the row whose currency another one follows. A gift's books are opened on the way.
func (b *Books) masterRow(link *schema.Column, id value.GUID) (*query.Row, error) {
	if link.Targets[0] != b.tables.gift {
		return b.env.Row(link.Targets[0], id)
	}
	f, err := b.file(id)
	if err != nil {
		return nil, err
	}
	return f.row, nil
}

// fillCurrency gives a row with money the base currency, and refuses to take a currency away while amounts remain.
func (b *Books) fillCurrency(w *Write, currency *schema.Column) error {
	has := hasMoney(w.New)
	if w.Old != nil && w.Sent[currency] && has && !w.Old.Get(currency).IsNull() {
		return fault.New(fault.CurrencyNull, "The currency cannot be null while '%s' holds amounts.", w.New.Table.Name).
			At(w.New.Table.Name, "rule row.currency", "column "+currency.Name)
	}
	if !has && !needsCurrency(w.New.Table) {
		return nil
	}
	base, err := b.env.BaseCurrency()
	if err != nil || base == nil {
		return err
	}
	w.New.Set(currency, value.ID(base.ID))
	return nil
}

// needsCurrency tells whether a table has amounts at all.
func needsCurrency(t *schema.Table) bool {
	for _, c := range t.Columns {
		if c.Base != nil {
			return true
		}
	}
	return false
}

func hasMoney(r *query.Row) bool {
	for _, c := range r.Table.Columns {
		if c.Base != nil && c.Stored() && !c.Computed && !r.Get(c).IsNull() {
			return true
		}
	}
	return false
}

// copyRate gives a row the rate its currency has now.
func (b *Books) copyRate(r *query.Row, currency *schema.Column) error {
	rate := r.Table.MustColumn("exchangerate")
	id := r.Get(currency)
	if id.IsNull() {
		r.Set(rate, value.Null)
		return nil
	}
	n, err := b.currentRate(id.ID())
	if err != nil {
		return err
	}
	r.Set(rate, value.Decimal(n, rate.Scale))
	return nil
}

// currentRate returns the rate of a currency as it is now.
func (b *Books) currentRate(id value.GUID) (int64, error) {
	base, err := b.env.BaseCurrency()
	if err != nil {
		return 0, err
	}
	if base != nil && base.ID == id {
		return rateOne, nil
	}
	row, err := b.env.Row(b.tables.currency, id)
	if err != nil {
		return 0, err
	}
	if row == nil {
		return 0, fault.New(fault.CurrencyInvalid, "The currency %s is invalid.", id).At("rule row.currency", "column transactioncurrencyid")
	}
	return rateOf(row), nil
}

// maxRate is the first rate that is too large.
const maxRate = 900_000_000 * rateOne

// checkRate holds a currency's rate to what arithmetic can bear.
func (b *Books) checkRate(w *Write) error {
	v := w.New.Value("exchangerate")
	n := v.Int()
	isBase := w.New.Value("isocurrencycode").Text() == b.settings.BaseCurrency
	switch {
	case w.Old != nil && !isBase && w.Old.Value("isocurrencycode").Text() == b.settings.BaseCurrency:
		return fault.Rule("transactioncurrency", "currency.rate", "isocurrencycode", "The value %s of 'isocurrencycode' must stay %s: it is the base currency.",
			w.New.Value("isocurrencycode"), b.settings.BaseCurrency)
	case v.IsNull():
		return fault.Missing("transactioncurrency", "currency.rate", "exchangerate")
	case n <= 0 || n >= maxRate:
		return fault.Rule("transactioncurrency", "currency.rate", "exchangerate", "The value %s of 'exchangerate' must be above 0 and below 900000000.", v)
	case isBase && n != rateOne:
		return fault.Rule("transactioncurrency", "currency.rate", "exchangerate", "The value %s of 'exchangerate' must be 1: %s is the base currency.", v, b.settings.BaseCurrency)
	default:
		return nil
	}
}

// recurrency lists what changes on a row that takes over a currency: the currency, its rate of now, and all base values.
func (b *Books) recurrency(t *schema.Table, id value.GUID, currency value.Value) ([]query.Assign, error) {
	row, err := b.env.Row(t, id)
	if err != nil || row == nil {
		return nil, err
	}
	after := row.Clone()
	after.Put("transactioncurrencyid", currency)
	if err := b.copyRate(after, t.MustColumn("transactioncurrencyid")); err != nil {
		return nil, err
	}
	if err := restate(after); err != nil {
		return nil, err
	}
	return after.Diff(row), nil
}
