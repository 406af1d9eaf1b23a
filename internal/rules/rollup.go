package rules

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// money is an amount in the currency of its row, with its value in base currency.
type money struct{ amount, base int64 }

// rollup is a sum over other rows: the base values of all of them and, where the parent is in a foreign currency, of those in the same
// currency also the amounts. own and ownBase are zero for a parent in base currency.
type rollup struct{ base, own, ownBase int64 }

// in expresses the sum in the parent's currency, which has a rate: amounts in that currency count as they are, and only the rest is
// converted.
func (s rollup) in(rate int64) (int64, error) {
	rest, err := fromBase(s.base-s.ownBase, rate)
	if err != nil {
		return 0, err
	}
	return sumMoney(s.own, rest)
}

// plus adds a difference.
func (s rollup) plus(d rollup) (sum rollup, err error) {
	if sum.base, err = sumMoney(s.base, d.base); err != nil {
		return sum, err
	}
	if sum.own, err = sumMoney(s.own, d.own); err != nil {
		return sum, err
	}
	sum.ownBase, err = sumMoney(s.ownBase, d.ownBase)
	return sum, err
}

// total names the columns a rollup is kept in: the one that is shown, or a hidden one of base minor units, and two hidden ones that only
// rows in a foreign currency use.
type total struct{ column, own, ownBase string }

var (
	commitmentTotal    = total{"svc_totalcommitment", "x_commitmentown", "x_commitmentownbase"}
	giftsPaidTotal     = total{"svc_giftspaid", "x_giftspaidown", "x_giftspaidownbase"}
	giftsPendingTotal  = total{"svc_giftspending", "x_giftspendingown", "x_giftspendingownbase"}
	grantsPaidTotal    = total{"svc_grantspaid", "x_grantspaidown", "x_grantspaidownbase"}
	grantsPendingTotal = total{"svc_grantspending", "x_grantspendingown", "x_grantspendingownbase"}
	nonGiftTotal       = total{"x_nongift", "x_nongiftown", "x_nongiftownbase"}
	feesTotal          = total{"x_fees", "x_feesown", "x_feesownbase"}
	groupTotal         = total{"svc_netassets", "x_netassetsown", "x_netassetsownbase"}
)

// of reads the sum a row keeps; foreign tells that the row is in a foreign currency.
func (t total) of(r *query.Row, foreign bool) rollup {
	c := r.Table.MustColumn(t.column)
	if c.Base != nil {
		c = c.Base
	}
	s := rollup{base: r.Get(c).Int()}
	if foreign {
		s.own, s.ownBase = r.Value(t.own).Int(), r.Value(t.ownBase).Int()
	}
	return s
}

// columns lists what a row keeps and shows of a sum. Hidden columns are listed where they differ.
func (t total) columns(r *query.Row, s rollup) ([]query.Assign, error) {
	c := r.Table.MustColumn(t.column)
	if c.Base == nil {
		return hiddenColumns(r, nil, named{t.column, s.base}, named{t.own, s.own}, named{t.ownBase, s.ownBase}), nil
	}
	shown, err := s.in(rateOf(r))
	return hiddenColumns(r, summed(nil, r.Table, t.column, money{shown, s.base}), named{t.own, s.own}, named{t.ownBase, s.ownBase}), err
}

// put makes a row keep and show a sum.
func (t total) put(r *query.Row, s rollup) error {
	columns, err := t.columns(r, s)
	putAll(r, columns)
	return err
}

// hiddenColumns appends hidden numbers that a row does not hold yet; an empty column holds zero.
func hiddenColumns(r *query.Row, to []query.Assign, numbers ...named) []query.Assign {
	for _, n := range numbers {
		if c := r.Table.MustColumn(n.column); r.Get(c).Int() != n.amount {
			to = append(to, query.Assign{Column: c, Value: value.Int(n.amount)})
		}
	}
	return to
}

// adds appends what a row of sums per year takes on: the sum, and the part of it in the parent's own currency if there is any.
func (s rollup) adds(t *schema.Table, to []query.Assign, sum string) []query.Assign {
	to = append(to, set(t, sum, value.Int(s.base)))
	if s.own != 0 || s.ownBase != 0 {
		to = append(to, set(t, sum+"own", value.Int(s.own)), set(t, sum+"ownbase", value.Int(s.ownBase)))
	}
	return to
}

// foreign returns the id of a currency that is not the base currency; zero for the base currency and for none.
func (b *Books) foreign(currency value.Value) (value.GUID, error) {
	if currency.IsNull() {
		return value.GUID{}, nil
	}
	if b.home.IsZero() {
		base, err := b.env.BaseCurrency()
		if err != nil || base == nil {
			return currency.ID(), err
		}
		b.home = base.ID
	}
	if currency.ID() == b.home {
		return value.GUID{}, nil
	}
	return currency.ID(), nil
}

// currencyOf returns the foreign currency a row is in; zero for the base currency.
func (b *Books) currencyOf(r *query.Row) (value.GUID, error) {
	return b.foreign(r.Value("transactioncurrencyid"))
}

// changedCurrency tells whether a write moves a row from one currency to another.
func (b *Books) changedCurrency(w *Write) (bool, error) {
	if w.Kind != query.Update || !w.Changed("transactioncurrencyid") {
		return false, nil
	}
	was, err := b.currencyOf(w.Old)
	if err != nil {
		return false, err
	}
	is, err := b.currencyOf(w.New)
	return was != is, err
}
