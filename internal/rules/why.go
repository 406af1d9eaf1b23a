package rules

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// Entry is one piece of a total: the money of one gift or payment. The entries behind a total add up to it exactly.
type Entry struct {
	Gift    value.GUID
	Payment value.GUID // zero for a one-off gift
	Date    int64      // days
	Year    int        // giving year
	Amount  int64      // cents of base currency
}

// WhyDonor visits the giving events behind a donor's year totals, in order of gift.
func WhyDonor(env Env, donor value.GUID, visit func(Entry) error) error {
	y := explainer{Books: NewBooks(env), visit: visit}
	return y.gifts("svc_donor", donor, func(r *query.Row, p *projection) error {
		for _, e := range p.giving {
			if err := y.tell(r.ID, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// WhyFund visits the events behind a fund's svc_giftspaid: those of gifts split to it, in order of split and gift, then
// payments that were made to it on other gifts.
func WhyFund(env Env, fund value.GUID, visit func(Entry) error) error {
	y := explainer{Books: NewBooks(env), visit: visit, told: map[value.GUID]bool{}}
	for _, name := range fundNames {
		err := y.gifts(name, fund, func(r *query.Row, p *projection) error { return y.tellFund(r.ID, fund, p) })
		if err != nil {
			return err
		}
	}
	return y.strayPayments(fund)
}

// explainer reads gifts anew and tells what they bring.
type explainer struct {
	*Books
	visit func(Entry) error
	told  map[value.GUID]bool // gifts already told of
}

// gifts projects all gifts whose lookup points at a row, in batches.
func (y *explainer) gifts(link string, id value.GUID, each func(*query.Row, *projection) error) error {
	t := y.tables.gift
	var after []value.Value
	for {
		batch, err := readRows(y.env, t, giftFacts, []condition{equal(t, link, value.ID(id))}, []string{t.Key.Name}, after, batchSize)
		if err != nil {
			return err
		}
		for _, r := range batch {
			if err := y.gift(r, each); err != nil {
				return err
			}
		}
		if len(batch) < batchSize {
			return nil
		}
		after = []value.Value{value.ID(batch[len(batch)-1].ID)}
	}
}

func (y *explainer) gift(r *query.Row, each func(*query.Row, *projection) error) error {
	if y.told[r.ID] {
		return nil
	}
	if y.told != nil {
		y.told[r.ID] = true
	}
	g, err := y.newGift(r)
	if err != nil {
		return err
	}
	f := &giftFile{row: r, gift: g, payments: map[value.GUID]*payment{}, fees: map[value.GUID]*fee{}}
	if err := y.readFile(f); err != nil {
		return err
	}
	p, err := y.project(f, f.gift)
	if err != nil {
		return err
	}
	return each(r, p)
}

func (y *explainer) tell(gift value.GUID, e event) error {
	return y.visit(Entry{Gift: gift, Payment: e.payment, Date: e.date, Year: givingYear(e.date, y.settings.YearStartMonth), Amount: e.base})
}

func (y *explainer) tellFund(gift, fund value.GUID, p *projection) error {
	for _, s := range p.inflow {
		if s.fund != fund || s.base == 0 {
			continue
		}
		if err := y.tell(gift, s.event); err != nil {
			return err
		}
	}
	return nil
}

// strayPayments tells of gifts that reach the fund through payments alone.
func (y *explainer) strayPayments(fund value.GUID) error {
	t := y.tables.payment
	rows, err := y.env.Find(t, []query.Assign{set(t, "svc_fund", value.ID(fund))}, columnsOf(t, []string{"svc_giftnumber"}))
	if err != nil {
		return err
	}
	for _, r := range rows {
		gift := r.Value("svc_giftnumber").ID()
		if y.told[gift] || gift.IsZero() {
			continue
		}
		row, err := y.env.Row(y.tables.gift, gift)
		if err != nil {
			return err
		}
		if row == nil {
			continue
		}
		if err := y.gift(row, func(r *query.Row, p *projection) error { return y.tellFund(r.ID, fund, p) }); err != nil {
			return err
		}
	}
	return nil
}
