package rulestest

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// History is a random life of a small foundation: creates, patches, deletes, moves and changes of state in any order, some of
// them several in one transaction, some refused.
type History struct {
	*Env
	Log     []string        // what was done since the log was last cleared
	Founded []*query.Change // what founding made, in order
	Last    []*query.Change // what the last transaction tried
	LastErr error           // why it was refused; nil if it was not
	Refused int
	random  *rand.Rand
	donors  []value.GUID
	funds   []value.GUID
	groups  []value.GUID
}

// NewHistory founds a foundation whose life is the same for the same seed.
func NewHistory(seed uint64) *History {
	h := &History{Env: New(seed), random: rand.New(rand.NewPCG(seed, 77))}
	h.found("svc_department", Cells{"svc_departmentname": "Finance", "svc_isdefault": true})
	for i := range 2 {
		h.groups = append(h.groups, h.found("svc_fundgroup", Cells{"svc_fundgroupname": "Group " + strconv.Itoa(i)}))
	}
	for i := range 4 {
		c := Cells{"svc_fundname": "Fund " + strconv.Itoa(i), "svc_fundclass": 730850001, "svc_fundtype": 730850000, "svc_fundgroup": h.groups[i%2]}
		if i == 3 {
			c["transactioncurrencyid"] = h.CAD
		}
		h.funds = append(h.funds, h.found("svc_fund", c))
	}
	for i := range 3 {
		c := Cells{"svc_formaldefault": "Donor " + strconv.Itoa(i)}
		if i == 2 {
			c["transactioncurrencyid"] = h.CAD
		}
		h.donors = append(h.donors, h.found("svc_donor", c))
	}
	return h
}

func (h *History) found(table string, c Cells) value.GUID {
	t := h.Table(table)
	id := h.NewID()
	set := h.Assigns(t, c)
	h.Founded = append(h.Founded, &query.Change{Kind: query.Create, Table: t, ID: id, Set: set})
	err := h.Write(func() error {
		_, err := h.Env.create(t, id, set, false)
		return err
	})
	if err != nil {
		panic(err)
	}
	return id
}

// Step does the next thing: one write, or a transaction of a few. A refusal takes the transaction back.
func (h *History) Step() {
	h.Clock += int64(h.random.IntN(3)) * 3600
	writes := 1
	if h.chance(6) {
		writes = 2 + h.random.IntN(4)
	}
	h.Log = append(h.Log, fmt.Sprintf("transaction of %d", writes))
	h.Last = nil
	h.LastErr = h.Write(func() error {
		for range writes {
			if err := h.act(); err != nil {
				return err
			}
		}
		return nil
	})
	if h.LastErr != nil {
		h.Refused++
		h.Log = append(h.Log, "  refused: "+h.LastErr.Error())
	}
}

// act makes one random write inside the transaction under way.
func (h *History) act() error {
	switch n := h.random.IntN(100); {
	case n < 14 && len(h.Rows("svc_gift")) < 40:
		return h.create1("svc_gift", h.newGift())
	case n < 36 && len(h.Rows("svc_giftpayment")) < 160:
		return h.create1("svc_giftpayment", h.newPayment())
	case n < 50:
		return h.patch("svc_gift", h.giftPatch())
	case n < 66:
		return h.patch("svc_giftpayment", h.paymentPatch())
	case n < 72:
		return h.remove("svc_giftpayment")
	case n < 75:
		return h.remove("svc_gift")
	case n < 79:
		return h.fee()
	case n < 94:
		return h.grants()
	case n < 95:
		return h.patch(pickOne(h, "svc_donor", "svc_donor", "svc_fundgroup"), Cells{"transactioncurrencyid": h.currency()})
	case n < 96:
		return h.patch("transactioncurrency", Cells{"exchangerate": pickOne(h, 5_000_000_000, 13_650_000_000, 20_000_000_000, 1_493_300_000_000)})
	default:
		return h.patch("svc_fund", h.fundPatch())
	}
}

func (h *History) chance(n int) bool { return h.random.IntN(n) == 0 }

// some returns a random row of a table; false when there is none.
func (h *History) some(table string) (value.GUID, bool) {
	rows := sortedRows(h.rows[h.Table(table)])
	if len(rows) == 0 {
		return value.GUID{}, false
	}
	return rows[h.random.IntN(len(rows))].ID, true
}

func (h *History) create1(table string, c Cells) error {
	if c == nil {
		return nil
	}
	h.Log = append(h.Log, fmt.Sprintf("  create %s %v", table, c))
	t := h.Table(table)
	ch := h.try(query.Create, t, h.NewID(), h.Assigns(t, c))
	_, err := h.Env.create(t, ch.ID, ch.Set, false)
	return err
}

func (h *History) patch(table string, c Cells) error {
	id, ok := h.some(table)
	if !ok {
		return nil
	}
	h.Log = append(h.Log, fmt.Sprintf("  patch %s %s %v", table, id, c))
	t := h.Table(table)
	ch := h.try(query.Update, t, id, h.Assigns(t, c))
	return h.Env.update(t, id, ch.Set, false)
}

func (h *History) remove(table string) error {
	id, ok := h.some(table)
	if !ok {
		return nil
	}
	h.Log = append(h.Log, fmt.Sprintf("  delete %s %s", table, id))
	ch := h.try(query.Delete, h.Table(table), id, nil)
	return h.Env.Delete(ch.Table, id)
}

// try notes a change before it is made.
func (h *History) try(kind query.ChangeKind, t *schema.Table, id value.GUID, set []query.Assign) *query.Change {
	ch := &query.Change{Kind: kind, Table: t, ID: id, Set: set}
	h.Last = append(h.Last, ch)
	return ch
}

// currency is one of three: the base currency, one whose cents are dear, and one whose cents are cheap.
func (h *History) currency() value.GUID { return pickOne(h, h.USD, h.CAD, h.JPY) }

func (h *History) cents() Cents { return Cents(1 + h.random.IntN(300000)) }

func (h *History) date() Day {
	return Day(fmt.Sprintf("%d-%02d-%02d", 2022+h.random.IntN(6), pickOne(h, 1, 6, 7, 12), pickOne(h, 1, 28)))
}

func pickOne[T any](h *History, list ...T) T { return list[h.random.IntN(len(list))] }

func (h *History) giftType() int {
	return pickOne(h, 730850000, 730850000, 730850000, 730850001, 730850001, 730850001, 730850002, 730850005, 100000000, 100000001)
}

func (h *History) newGift() Cells {
	c := Cells{"svc_gifttype": h.giftType(), "svc_giftdate": h.date(), "svc_donor": pickOne(h, h.donors...), "svc_amount1": h.cents(), "svc_fund1": pickOne(h, h.funds...)}
	for i := 2; i <= 4 && h.chance(2); i++ {
		c["svc_amount"+strconv.Itoa(i)] = h.cents()
		c["svc_fund"+strconv.Itoa(i)] = pickOne(h, h.funds...)
	}
	if h.chance(4) {
		c["transactioncurrencyid"] = h.currency()
	}
	if h.chance(8) {
		c["svc_giftadjustment"] = pickOne(h, h.cents(), -h.cents())
	}
	if h.chance(6) {
		c["svc_feeamount"] = Cents(h.random.IntN(500))
	}
	if h.chance(12) {
		for i := 1; i <= 4; i++ {
			if a, ok := c["svc_amount"+strconv.Itoa(i)].(Cents); ok {
				c["svc_amount"+strconv.Itoa(i)] = -a
			}
		}
	}
	return c
}

func (h *History) giftPatch() Cells {
	switch h.random.IntN(9) {
	case 0:
		return Cells{"svc_amount1": h.cents()}
	case 1:
		return Cells{"svc_totalgift": h.cents()}
	case 2:
		return Cells{"svc_gifttype": h.giftType()}
	case 3:
		return Cells{"svc_giftdate": h.date()}
	case 4:
		return Cells{"svc_donor": pickOne(h, h.donors...)}
	case 5:
		return Cells{"svc_giftadjustment": pickOne[any](h, nil, h.cents(), -h.cents())}
	case 6:
		return Cells{"statecode": h.random.IntN(2)}
	case 7:
		return Cells{"svc_amount2": pickOne[any](h, nil, h.cents()), "svc_fund2": pickOne(h, h.funds...)}
	default:
		return Cells{"transactioncurrencyid": h.currency()}
	}
}

func (h *History) newPayment() Cells {
	gift, ok := h.some("svc_gift")
	if !ok {
		return nil
	}
	c := Cells{"svc_giftnumber": gift, "svc_amount": h.cents()}
	if h.chance(10) {
		c["svc_amount"] = -h.cents()
	}
	if balance := h.Must("svc_gift", gift).Value("svc_balance").Int(); balance > 0 && h.chance(3) {
		c["svc_amount"] = Cents(balance)
	}
	if h.chance(2) {
		c["svc_postingdate"] = h.date()
	}
	if h.chance(3) {
		c["svc_checkdate"] = h.date()
	}
	if h.chance(3) {
		c["svc_fund"] = pickOne[any](h, nil, pickOne(h, h.funds...))
	}
	if h.chance(5) {
		c["svc_paymenttype"] = pickOne(h, 730850000, 730850007, 100000010)
	}
	if h.chance(8) {
		c["svc_folio"] = pickOne(h, "Void ", "paid", "RETURNED")
	}
	if h.chance(5) {
		c["svc_feeamount"+pickOne(h, "", "2", "3", "4")] = Cents(h.random.IntN(900))
	}
	if fee, ok := h.some("svc_giftfee"); ok && h.chance(4) {
		c["svc_giftfee"+pickOne(h, "", "2")] = fee
	}
	return c
}

func (h *History) paymentPatch() Cells {
	switch h.random.IntN(8) {
	case 0:
		return Cells{"svc_amount": h.cents()}
	case 1:
		return Cells{"svc_reversalamount": pickOne[any](h, nil, Cents(0), Cents(1+h.random.IntN(60000))), "svc_reversaltype": 730850002}
	case 2:
		return Cells{"svc_folio": pickOne[any](h, nil, "voided", "posted")}
	case 3:
		return Cells{"svc_postingdate": pickOne[any](h, nil, h.date())}
	case 4:
		return Cells{"svc_fund": pickOne[any](h, nil, pickOne(h, h.funds...))}
	case 5:
		return Cells{"statecode": h.random.IntN(2)}
	case 6:
		return Cells{"svc_paymenttype": pickOne[any](h, nil, 730850001, 100000010)}
	default:
		gift, _ := h.some("svc_gift")
		return Cells{"svc_giftnumber": gift}
	}
}

func (h *History) fee() error {
	gift, ok := h.some("svc_gift")
	switch n := h.random.IntN(4); {
	case n == 0:
		return h.remove("svc_giftfee")
	case n == 1 || !ok:
		return h.patch("svc_giftfee", Cells{"svc_amount": Cents(h.random.IntN(2000)), "statecode": h.random.IntN(2)})
	case len(h.Rows("svc_giftfee")) > 12:
		return h.patch("svc_giftfee", Cells{"svc_gift": gift})
	default:
		c := Cells{"svc_feename": "Fee", "svc_feecalculation": pickOne(h, 730850000, 730850001, 730850002, 730850003),
			"svc_feepercent": h.random.IntN(50000), "svc_flatfeeamount": Cents(h.random.IntN(100)), "svc_amount": Cents(h.random.IntN(2000))}
		if h.chance(2) {
			c["svc_gift"] = gift
		}
		return h.create1("svc_giftfee", c)
	}
}

func (h *History) fundPatch() Cells {
	switch h.random.IntN(8) {
	case 7:
		return Cells{"svc_primarydonor": pickOne[any](h, nil, pickOne(h, h.donors...))}
	case 6:
		return Cells{"transactioncurrencyid": h.currency()}
	case 0:
		return Cells{"svc_netassets": pickOne[any](h, nil, h.cents()*100), "svc_earnings": h.cents()}
	case 1:
		return Cells{"svc_endowed": h.chance(2), "svc_spendpercent": pickOne(h, 4.5, 5.0, 3.75)}
	case 2:
		return Cells{"svc_spendableamount": pickOne[any](h, nil, h.cents())}
	case 3:
		return Cells{"svc_fundgroup": pickOne[any](h, nil, pickOne(h, h.groups...))}
	case 4:
		return Cells{"svc_alternatespendablefund": pickOne[any](h, nil, pickOne(h, h.funds...)), "svc_initialamount": h.cents()}
	default:
		return Cells{"statecode": h.random.IntN(2)}
	}
}

// grants writes requests and their rows.
func (h *History) grants() error {
	request, ok := h.some("svc_request")
	switch n := h.random.IntN(12); {
	case !ok || n == 0 && len(h.Rows("svc_request")) < 12:
		c := Cells{"svc_fund": pickOne(h, h.funds...), "svc_originalgrantamount": h.cents()}
		if h.chance(3) {
			c["transactioncurrencyid"] = h.currency()
		}
		return h.create1("svc_request", c)
	case n == 1:
		return h.patch("svc_request", Cells{"svc_grantamendment": pickOne[any](h, nil, -h.cents()), "statecode": h.random.IntN(2)})
	case n == 2:
		return h.patch("svc_request", Cells{"transactioncurrencyid": h.currency()})
	case n == 3:
		return h.remove(pickOne(h, "svc_request", "svc_requestpayment", "svc_requestpayment"))
	case n < 7 && len(h.Rows("svc_requestpayment")) < 60:
		return h.create1("svc_requestpayment", h.newDisbursement(request))
	default:
		return h.patch("svc_requestpayment", h.disbursementPatch(request))
	}
}

func (h *History) newDisbursement(request value.GUID) Cells {
	c := Cells{"svc_requestlookup": request, "svc_amount": h.cents()}
	if h.chance(3) {
		c["svc_fund"] = pickOne(h, h.funds...)
	}
	if h.chance(3) {
		c["svc_requirementtype"] = pickOne(h, 730850000, 730850001)
		c["svc_requirementdue"] = h.date()
	}
	if h.chance(2) {
		c["svc_paymentdate"] = h.date()
	}
	if h.chance(3) {
		c["svc_paymentsent"] = h.date()
	}
	return c
}

func (h *History) disbursementPatch(request value.GUID) Cells {
	switch h.random.IntN(8) {
	case 0:
		return Cells{"svc_amount": h.cents()}
	case 1:
		return Cells{"svc_netamount": pickOne[any](h, nil, h.cents())}
	case 2:
		return Cells{"svc_folio": pickOne[any](h, nil, "Paid", "void")}
	case 3:
		return Cells{"svc_paymentsent": pickOne[any](h, nil, h.date())}
	case 4:
		return Cells{"svc_fund": pickOne[any](h, nil, pickOne(h, h.funds...))}
	case 5:
		return Cells{"statecode": h.random.IntN(2), "svc_cleardate": pickOne[any](h, nil, h.date())}
	case 6:
		return Cells{"svc_estimatedgrantpaydate": h.date(), "svc_requirementfulfilled": pickOne[any](h, nil, h.date())}
	default:
		return Cells{"svc_requestlookup": request}
	}
}
