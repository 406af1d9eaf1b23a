package rules

import (
	"fmt"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

var giftRules = []Rule{
	{
		Name: "gift.required", Table: "svc_gift", On: OnSave, Do: (*Books).checkGift,
		Text:    "A gift has a date, a first split with amount and fund, and a donor if its type counts as a donor's giving.",
		Example: "A pledge without svc_donor is refused; a Non Gift without one is not.",
	},
	{
		Name: "gift.splits", Table: "svc_gift", On: OnSave, Do: (*Books).checkSplits,
		Text:    "Each split amount needs its fund, and the amounts of one gift share one sign; a fund without an amount is kept and ignored.",
		Example: "svc_amount2 50.00 without svc_fund2 is refused.",
	},
	{
		Name: "gift.total", Table: "svc_gift", On: OnSave, Do: (*Books).setTotal,
		Text:    "svc_totalgift is the sum of the splits: always for pledges, and for other gifts a different total is refused (setting splits.mismatch).",
		Example: "Splits of 611.23 and 261.95 with a total of 873.18 pass; 873.19 is refused.",
	},
	{
		Name: "gift.commitment", Table: "svc_gift", On: OnSave, Do: (*Books).setCommitment,
		Text:    "A pledge's svc_commitment starts as its first total and then belongs to the client, so that a write-off shows as the difference.",
		Example: "A pledge of 10,000 written down to 6,000 keeps the commitment 10,000.",
	},
	{
		Name: "gift.stock", Table: "svc_gift", On: OnSave, Do: (*Books).setStock,
		Text:    "svc_fmvtotal is the value per unit times the shares; a missing value per unit is the mean of high and low.",
		Example: "47.39 a share and 120.5 shares make 5,710.50; shares \"one lot\" make none.",
	},
	{
		Name: "gift.snapshot", Table: "svc_gift", On: OnSave, Do: (*Books).setSnapshot,
		Text:    "A gift keeps the donor's primary and secondary person of its day; they change only when the gift moves to another donor.",
		Example: "A donor's new spouse does not appear on last year's gifts.",
	},
	{
		Name: "gift.matching", Table: "svc_gift", On: OnSave, Do: (*Books).checkMatching,
		Text:    "A matching gift may not match itself, directly or around a circle.",
		Example: "Gift A matches B; letting B match A is refused.",
	},
	{
		Name: "gift.paymenttype", Table: "svc_gift", On: OnCreate, Do: (*Books).setGiftPaymentType,
		Text:    "svc_giftpaymenttype is filled for pledges and interfund gifts and never demanded.",
		Example: "A pledge without it gets Pledge (accrual).",
	},
	{
		Name: "gift.number", Table: "svc_gift", On: OnCreate, Do: (*Books).numberGift,
		Text:    "A gift without a number gets the next one (setting gift.autonumber).",
		Example: "The first gift becomes G-0000001.",
	},
	{
		Name: "gift.books", Table: "svc_gift", On: OnSave, Do: (*Books).setGiftBooks,
		Text:    "svc_paid is the sum of received payments less reversals, svc_balance is svc_totalgift minus svc_paid, and svc_feeamounttotal is all fees; a one-off gift without payment rows shows itself as paid (setting gift.assume_paid).",
		Example: "A pledge of 4,000 with 4,500 received has the balance -500.00.",
	},
	{
		Name: "gift.range", Table: "svc_gift",
		Text:    "svc_giftrange follows the gift's value in base currency until a client writes it (setting gift.range_auto).",
		Example: "A gift of 250.00 falls into 250-999.99; after a full refund into Under 100.",
	},
	{
		Name: "gift.delete", Table: "svc_gift", On: OnDelete, Do: (*Books).checkGiftDelete,
		Text:    "A gift's payments go with it, unless one of them is posted: then the delete is refused (setting delete.posted_children).",
		Example: "A gift whose payment has a deposit date cannot be deleted.",
	},
}

// autoRange is the bit of x_auto that says the service set svc_giftrange.
const autoRange = 1

func (b *Books) checkGift(w *Write) error {
	if w.New.Value("svc_gifttype").IsNull() {
		w.New.Put("svc_gifttype", value.Int(giftTypeGift))
	}
	for _, name := range []string{"svc_giftdate", "svc_amount1", "svc_fund1"} {
		if w.New.Value(name).IsNull() {
			return fault.Missing("svc_gift", "gift.required", name)
		}
	}
	if b.settings.IsGiving(w.New.Value("svc_gifttype").Int()) && w.New.Value("svc_donor").IsNull() {
		return fault.Missing("svc_gift", "gift.required", "svc_donor")
	}
	return nil
}

func (b *Books) setCommitment(w *Write) error {
	became := b.isPledgeRow(w.New) && (w.Old == nil || !b.isPledgeRow(w.Old))
	if became && w.New.Value("svc_commitment").IsNull() {
		w.New.Put("svc_commitment", w.New.Value("svc_totalgift"))
	}
	return nil
}

func (b *Books) isPledgeRow(r *query.Row) bool {
	return b.settings.IsPledge(r.Value("svc_gifttype").Int())
}

func (b *Books) setSnapshot(w *Write) error {
	moved := w.Old != nil && w.Changed("svc_donor")
	if w.Old != nil && !moved {
		return nil
	}
	pairs := [][2]string{{"svc_primarydonorcontact", "svc_primarycontact"}, {"svc_secondarydonorcontact", "svc_secondarycontact"}}
	if w.Has(pairs[0][0]) && w.Has(pairs[1][0]) {
		return nil
	}
	donor, err := b.rowOf(w.New, "svc_donor")
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		if w.Has(pair[0]) {
			continue
		}
		person := value.Null
		if donor != nil {
			person = donor.Value(pair[1])
		}
		w.New.Put(pair[0], person)
	}
	return nil
}

// rowOf returns the row a lookup points at; nil when it points nowhere.
func (b *Books) rowOf(r *query.Row, name string) (*query.Row, error) {
	c := r.Table.MustColumn(name)
	id := r.Get(c)
	if id.IsNull() {
		return nil, nil
	}
	target := c.Targets[0]
	if c.Polymorphic() {
		target = b.env.Model().ByCode(id.TypeCode())
	}
	return b.env.Row(target, id.ID())
}

func (b *Books) checkMatching(w *Write) error {
	if !w.Changed("svc_matchinggift") {
		return nil
	}
	c := w.New.Table.MustColumn("svc_matchinggift")
	next := w.New.Get(c).ID()
	for seen := (map[value.GUID]bool{}); !next.IsZero() && !seen[next]; {
		if next == w.New.ID {
			return fault.Rule("svc_gift", "gift.matching", c.Name, "The value %s of 'svc_matchinggift' would make the gift match itself.", w.New.Get(c))
		}
		seen[next] = true
		row, err := b.env.Row(b.tables.gift, next)
		if err != nil {
			return err
		}
		next = parentOf(row, c)
	}
	return nil
}

func (b *Books) setGiftPaymentType(w *Write) error {
	if w.Has("svc_giftpaymenttype") || !w.New.Value("svc_giftpaymenttype").IsNull() {
		return nil
	}
	switch kind := w.New.Value("svc_gifttype").Int(); {
	case b.settings.IsPledge(kind):
		w.New.Put("svc_giftpaymenttype", value.Int(payPledge))
	case kind == giftTypeInterfund:
		w.New.Put("svc_giftpaymenttype", value.Int(payInterfund))
	}
	return nil
}

func (b *Books) numberGift(w *Write) error {
	if !b.settings.GiftAutonumber {
		return nil
	}
	return b.number(w, "svc_giftnum", "G-")
}

// number fills an empty column with the next number of the table's counter.
func (b *Books) number(w *Write, column, prefix string) error {
	if !w.New.Value(column).IsNull() {
		return nil
	}
	n, err := b.env.NextNumber(w.New.Table.Name)
	if err == nil {
		w.New.Put(column, value.Text(fmt.Sprintf("%s%07d", prefix, n)))
	}
	return err
}

// setGiftBooks puts the columns that follow from the gift and its payments on the row itself.
func (b *Books) setGiftBooks(w *Write) error {
	b.markRange(w)
	if !movesGift(w) {
		return nil
	}
	f, err := b.fileOf(w)
	if err != nil || b.Deferred && w.Old != nil {
		return err
	}
	g, err := b.newGift(w.New)
	if err != nil {
		return err
	}
	p, err := b.project(f, g)
	if err != nil {
		return err
	}
	columns, err := b.giftColumns(w.New, p)
	for _, a := range columns {
		w.New.Set(a.Column, a.Value)
	}
	return err
}

// giftBookColumns are the columns of a gift the books are made from.
var giftBookColumns = append(append([]string{
	"svc_donor", "svc_gifttype", "svc_giftdate", "statecode", "transactioncurrencyid", "exchangerate", "svc_totalgift", "svc_giftadjustment",
	"svc_feeamount", "svc_giftrange", "createdon",
}, amountNames...), fundNames...)

// movesGift tells whether a write of a gift can move the books; one of other columns costs no further statement.
func movesGift(w *Write) bool { return w.Kind != query.Update || w.changedAny(giftBookColumns) }

// fileOf returns the file of the gift being written.
func (b *Books) fileOf(w *Write) (*giftFile, error) {
	if w.Old == nil {
		return b.newFile(w.New.ID), nil
	}
	return b.file(w.New.ID)
}

// markRange notes who set svc_giftrange.
func (b *Books) markRange(w *Write) {
	auto := w.New.Value("x_auto").Int()
	switch {
	case w.New.Value("svc_giftrange").IsNull():
		auto |= autoRange
	case w.Has("svc_giftrange"):
		auto &^= autoRange
	}
	w.New.Put("x_auto", value.Int(auto))
}

// giftColumns lists what a gift's row shall show for a projection.
func (b *Books) giftColumns(r *query.Row, p *projection) ([]query.Assign, error) {
	t := r.Table
	total := r.Value("svc_totalgift").Int()
	out := summed(make([]query.Assign, 0, 10), t, "svc_paid", p.paid)
	out, err := ownMoney(out, r, named{"svc_balance", total - p.paid.amount}, named{"svc_feeamounttotal", p.fees})
	worth := value.Null
	if !p.currency.IsZero() {
		worth = value.Int(p.value.amount)
	}
	out = append(out, set(t, "x_value", value.Int(p.value.base)), set(t, "x_worth", worth), set(t, "x_counted", value.Bool(p.counted)))
	if b.settings.GiftRangeAuto && r.Value("x_auto").Int()&autoRange != 0 {
		out = append(out, set(t, "svc_giftrange", value.Int(giftRange(p.value.base))))
	}
	return out, err
}

// checkGiftDelete refuses while a posted payment hangs on the gift; the other payments are removed with it.
func (b *Books) checkGiftDelete(w *Write) error {
	if _, err := b.file(w.Old.ID); err != nil {
		return err
	}
	if donor := w.Old.Value("svc_donor"); !donor.IsNull() {
		// The donor may name the gift as its largest or latest; from here on nobody else makes it do so.
		if _, err := b.env.Lock(b.tables.donor, donor.ID()); err != nil {
			return err
		}
	}
	if b.settings.DeletePosted == settings.PostedCascade {
		return nil
	}
	t := b.tables.payment
	names := []string{"svc_postingdate", "svc_depositdate", "svc_cleardate", "svc_folio"}
	rows, err := b.env.Find(t, []query.Assign{set(t, "svc_giftnumber", value.ID(w.Old.ID))}, columnsOf(t, names))
	if err != nil {
		return err
	}
	for _, r := range rows {
		for _, name := range names {
			if !r.Value(name).IsNull() {
				return fault.New(fault.CannotDeleteAssociated, "The gift %s cannot be deleted: its payment %s is posted ('%s' is %s).", w.Old.ID, r.ID, name, r.Value(name)).
					At("svc_gift", "rule gift.delete", "column "+name)
			}
		}
	}
	return nil
}
