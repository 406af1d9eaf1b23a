package rules

import (
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// LastQuarter returns the last day of the quarter that ended last before a moment.
func LastQuarter(now int64, s *settings.Settings) value.Value {
	return value.Date(quarterEnd(value.DateOf(now, s.Timezone)))
}

// SnapshotQuarter keeps the net assets of every fund for the quarter that ended last, unless that quarter has been kept
// already, and makes the allotments that are an average of quarters anew.
func SnapshotQuarter(env Env) error {
	b := NewBooks(env)
	t := b.tables.fundQuarter
	quarter := LastQuarter(env.Now(), b.settings)
	kept, err := readRows(env, t, []string{"fund"}, []condition{equal(t, "quarter", quarter)}, []string{"fund", "quarter"}, nil, 1)
	if err != nil || len(kept) > 0 {
		return err
	}
	c := &recalculator{Books: b}
	return c.each(b.tables.fund, []string{"svc_netassets", "svc_netassets_base", "transactioncurrencyid"}, nil, func(batch []*query.Row) error {
		for _, r := range batch {
			if err := b.snapshot(r, quarter); err != nil {
				return err
			}
			if b.settings.Spend == settings.SpendAvg12Q {
				b.fundNote(r.ID).allot = true
			}
		}
		return b.Settle()
	})
}

// snapshot keeps the net assets of a fund for a quarter, in its own currency too if that is a foreign one.
func (b *Books) snapshot(fund *query.Row, quarter value.Value) error {
	currency, err := b.currencyOf(fund)
	if err != nil {
		return err
	}
	t := b.tables.fundQuarter
	row := []query.Assign{
		set(t, "fund", value.ID(fund.ID)), set(t, "quarter", quarter), set(t, "netassets", value.Int(baseOf(fund, "svc_netassets"))),
	}
	if !currency.IsZero() {
		row = append(row, set(t, "currency", value.ID(currency)), set(t, "netassetsown", value.Int(fund.Value("svc_netassets").Int())))
	}
	return b.env.Put(t, row)
}
