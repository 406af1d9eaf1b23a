package rulestest

import (
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// Books is what the derived columns should hold, as "table key column" and text. It is made in the most literal way from base
// rows alone, reading the rules as an accountant would, and is allowed to be slow.
type Books map[string]string

// model holds the pieces of all sums while Expect goes through the rows, under words for what they are.
type model struct {
	e      *Env
	books  Books
	pieces map[string][]piece
	gifts  map[value.GUID][]countedGift // by donor
}

// piece is what one row brings to a sum: cents of its currency, and of base currency.
type piece struct {
	currency     value.GUID
	amount, base int64
}

// countedGift is a gift that competes for a donor's first, latest and largest.
type countedGift struct {
	id            string
	date, created int64
	worth         piece
}

// Expect computes what every derived column should hold now.
func Expect(e *Env) Books {
	m := &model{e: e, books: Books{}, pieces: map[string][]piece{}, gifts: map[value.GUID][]countedGift{}}
	for _, g := range e.Rows("svc_gift") {
		m.gift(g)
	}
	for _, p := range e.Rows("svc_requestpayment") {
		m.grant(p)
	}
	for _, r := range e.Rows("svc_request") {
		m.request(r)
	}
	for _, d := range e.Rows("svc_donor") {
		m.donor(d)
	}
	for _, f := range e.Rows("svc_fund") {
		m.fund(f)
	}
	for _, g := range e.Rows("svc_fundgroup") {
		m.total(g, "svc_netassets", m.pieces["group "+g.ID.String()])
	}
	return m.books
}

// years notes what the sums per year of a donor or fund should hold.
func (m *model) years(parent *query.Row, table string) {
	for key, pieces := range m.pieces {
		if !strings.HasPrefix(key, table+" "+parent.ID.String()+" ") {
			continue
		}
		all, own, ownBase := m.add(parent, pieces)
		m.books[key] = strconv.FormatInt(all, 10)
		if !strings.HasSuffix(key, " inflow") {
			m.books[key+"own"] = strconv.FormatInt(own, 10)
			m.books[key+"ownbase"] = strconv.FormatInt(ownBase, 10)
		}
	}
}

// bring notes what a row brings to a sum.
func (m *model) bring(key string, child *query.Row, amount, base int64) {
	m.pieces[key] = append(m.pieces[key], piece{m.currency(child), amount, base})
}

// currency is that of a row; a row without one is in base currency.
func (m *model) currency(r *query.Row) value.GUID {
	if v := r.Value("transactioncurrencyid"); !v.IsNull() {
		return v.ID()
	}
	return m.e.USD
}

// add adds pieces in base currency and, for a parent in a foreign currency, those in the same one.
func (m *model) add(parent *query.Row, pieces []piece) (all, own, ownBase int64) {
	for _, p := range pieces {
		all += p.base
		if p.currency == m.currency(parent) && p.currency != m.e.USD {
			own += p.amount
			ownBase += p.base
		}
	}
	return all, own, ownBase
}

// total notes a sum over other rows: pieces in the parent's own currency count as they are, the others by their base values.
func (m *model) total(r *query.Row, column string, pieces []piece) {
	all, own, ownBase := m.add(r, pieces)
	m.say(r, column+"_base", amount(all))
	m.say(r, column, amount(own+round(new(big.Rat).Mul(big.NewRat(all-ownBase, 1), rate(r)))))
}

// Stored reads what the derived columns hold, under the names Expect uses. Columns that Expect does not speak of are left out.
func Stored(e *Env, expected Books) Books {
	out := Books{}
	for key := range expected {
		out[key] = e.stored(strings.Fields(key))
	}
	for table, parent := range map[string]string{"donoryear": "donor", "fundyear": "fund"} {
		for _, r := range e.Side(table) {
			for _, c := range r.Table.Columns {
				if c.Name != parent && c.Name != "year" {
					out.sum(expected, table+" "+r.Value(parent).String()+" "+r.Value("year").String()+" "+c.Name, r.Get(c))
				}
			}
		}
	}
	return out
}

// sum notes a sum of a side table; one of zero that nobody expects is as good as none.
func (b Books) sum(expected Books, key string, v value.Value) {
	if _, ok := expected[key]; ok || v.Int() != 0 {
		b[key] = strconv.FormatInt(v.Int(), 10)
	}
}

func (e *Env) stored(key []string) string {
	if key[0] == "donoryear" || key[0] == "fundyear" {
		return "0" // unless the side table says otherwise
	}
	id := value.MustGUID(key[1])
	return e.Must(key[0], id).Value(key[2]).String()
}

// Differences lists, in order, where two books disagree.
func Differences(stored, expected Books) []string {
	var out []string
	for key, want := range expected {
		if have := stored[key]; have != want {
			out = append(out, key+" is "+have+", should be "+want)
		}
	}
	for key, have := range stored {
		if _, ok := expected[key]; !ok {
			out = append(out, key+" is "+have+", should not be")
		}
	}
	sort.Strings(out)
	return out
}

// say notes what a column should hold.
func (m *model) say(r *query.Row, column, text string) {
	m.books[r.Table.Name+" "+r.ID.String()+" "+column] = text
}

// own notes an amount in the row's own currency with its base value.
func (m *model) own(r *query.Row, column string, cents int64) {
	m.say(r, column, amount(cents))
	m.say(r, column+"_base", amount(base(r, cents)))
}

// base is the base value of an amount of a row.
func base(r *query.Row, cents int64) int64 {
	return round(new(big.Rat).Quo(big.NewRat(cents, 1), rate(r)))
}

func amount(cents int64) string { return value.Money(cents).String() }

func rate(r *query.Row) *big.Rat {
	if v := r.Value("exchangerate").Rat(); v != nil {
		return v
	}
	return big.NewRat(1, 1)
}

// round rounds half away from zero.
func round(r *big.Rat) int64 {
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		return -round(new(big.Rat).Neg(r))
	}
	return floor(new(big.Rat).Add(r, half))
}

func floor(r *big.Rat) int64 {
	return new(big.Int).Div(r.Num(), r.Denom()).Int64() // Euclidean, and the denominator is positive
}

// dealOut rounds exact parts to whole cents that add up to the whole: down first, then one cent each by size of what was cut.
func dealOut(whole int64, exact []*big.Rat) []int64 {
	type cutPart struct {
		index int
		cut   *big.Rat
	}
	out := make([]int64, len(exact))
	var cuts []cutPart
	rest := whole
	for i, x := range exact {
		out[i] = floor(x)
		rest -= out[i]
		cuts = append(cuts, cutPart{i, new(big.Rat).Sub(x, big.NewRat(out[i], 1))})
	}
	sort.SliceStable(cuts, func(a, b int) bool { return cuts[a].cut.Cmp(cuts[b].cut) > 0 })
	for i := int64(0); i < rest; i++ {
		out[cuts[i].index]++
	}
	return out
}

// divide deals out a whole by weights, its magnitude first and its sign afterwards.
func divide(whole int64, weights []int64) []int64 {
	total := int64(0)
	for _, w := range weights {
		total += w
	}
	sign := int64(1)
	if whole < 0 {
		sign = -1
	}
	exact := make([]*big.Rat, len(weights))
	for i, w := range weights {
		switch {
		case total != 0:
			exact[i] = new(big.Rat).Mul(big.NewRat(sign*whole, 1), big.NewRat(w, total))
		case i == 0:
			exact[i] = big.NewRat(sign*whole, 1)
		default:
			exact[i] = new(big.Rat)
		}
	}
	out := dealOut(sign*whole, exact)
	for i := range out {
		out[i] *= sign
	}
	return out
}

// year returns the giving year of a date.
func (m *model) year(days int64) string {
	y, month, _ := value.Civil(days)
	if month < m.e.Config.YearStartMonth {
		y--
	}
	return strconv.Itoa(y)
}

func (m *model) dateOf(v value.Value) int64 {
	if v.Kind() == value.KindDate {
		return v.Int()
	}
	return value.DateOf(v.Int(), m.e.Config.Timezone)
}

func (m *model) has(list []string, folio value.Value) bool {
	return !folio.IsNull() && slices.Contains(list, strings.ToLower(strings.TrimSpace(folio.Text())))
}

func active(r *query.Row) bool { return r.Value("statecode").Int() == 0 }
