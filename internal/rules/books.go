package rules

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// Books is the rules at work in one transaction. For each row written the engine calls Before, which refuses or completes the
// row, and After, which notes what the write touched; once at the end it calls Settle, which brings every total up to date.
// A Books is used by one goroutine and belongs to one transaction.
type Books struct {
	// Deferred leaves the totals of gifts, requests, donors and funds to a later Recompute of what Touched tells.
	Deferred bool

	env      Env
	settings *settings.Settings
	tables   tables
	home     value.GUID // the base currency; zero until it was asked for

	gifts     map[value.GUID]*giftFile
	requests  map[value.GUID]bool
	tally     *tally
	funds     map[value.GUID]*fundNote
	receivers map[value.GUID]bool
	groups    map[value.GUID]*groupTally
	lists     map[value.GUID]int64
	leaving   map[value.GUID]bool // rows deleted in the transaction
	touched   Touched
	renewed   Touched // parents whose currency changed: their sums are made anew instead of moved
}

// tables holds the tables the books work on.
type tables struct {
	gift, payment, fee, request, disbursement, donor, fund, group, interfund *schema.Table
	list, member, contact, account, currency, department                     *schema.Table
	donorYear, fundYear, fundQuarter                                         *schema.Table
}

// NewBooks opens the books for one transaction.
func NewBooks(env Env) *Books {
	b := &Books{env: env, settings: env.Settings(), tables: findTables(env.Model())}
	b.clear()
	return b
}

func findTables(m *schema.Model) tables {
	return tables{
		gift: m.Table("svc_gift"), payment: m.Table("svc_giftpayment"), fee: m.Table("svc_giftfee"), request: m.Table("svc_request"),
		disbursement: m.Table("svc_requestpayment"), donor: m.Table("svc_donor"), fund: m.Table("svc_fund"), group: m.Table("svc_fundgroup"),
		interfund: m.Table("svc_interfundgrants"), list: m.Table("list"), member: m.Table("listmember"), contact: m.Table("contact"),
		account: m.Table("account"), currency: m.Table("transactioncurrency"), department: m.Table("svc_department"),
		donorYear: m.Table("donoryear"), fundYear: m.Table("fundyear"), fundQuarter: m.Table("fundquarter"),
	}
}

func (b *Books) clear() {
	b.gifts = map[value.GUID]*giftFile{}
	b.requests = map[value.GUID]bool{}
	b.tally = newTally(b.settings)
	b.funds = map[value.GUID]*fundNote{}
	b.receivers = map[value.GUID]bool{}
	b.groups = map[value.GUID]*groupTally{}
	b.lists = map[value.GUID]int64{}
	b.leaving = map[value.GUID]bool{}
	b.touched = NewTouched()
	b.renewed = Touched{}
}

// Before runs the rules on a row about to be written: they refuse it with a fault, or set columns of w.New. It must be called
// before the row is stored, because the books of a gift are read as they were before the first write that touches them.
func (b *Books) Before(w *Write) error {
	if w.Kind == query.Delete {
		b.leaving[w.Old.ID] = true
	}
	for _, list := range [][]*Rule{opening, byTable[w.Row().Table.Name], closing} {
		if err := b.runRules(list, w); err != nil {
			return err
		}
	}
	return nil
}

// Leaving tells whether a row is one that the transaction deletes, along with what goes with it.
func (b *Books) Leaving(id value.GUID) bool { return b.leaving[id] }

// After notes what a stored write touched.
func (b *Books) After(w *Write) error {
	switch w.Row().Table {
	case b.tables.gift:
		return b.afterGift(w)
	case b.tables.payment:
		return b.afterPayment(w)
	case b.tables.fee:
		return b.afterFee(w)
	case b.tables.request:
		return b.afterRequest(w)
	case b.tables.disbursement:
		return b.afterDisbursement(w)
	case b.tables.donor:
		return b.afterDonor(w)
	case b.tables.fund:
		return b.afterFund(w)
	case b.tables.group:
		return b.afterGroup(w)
	case b.tables.member:
		return b.afterMember(w)
	default:
		return nil
	}
}

// Settle brings every derived value up to date with the writes noted since the last Settle. Parents are locked in one order:
// gifts, requests, donors, funds, fund groups, lists, each by ascending id.
func (b *Books) Settle() error {
	defer b.clear()
	steps := []func() error{
		b.settleGifts, b.settleRequests, b.lockParents, b.settleDonors, b.settleFunds, b.settleGroups, b.settleLists, b.renew,
	}
	if b.Deferred {
		b.tally = newTally(b.settings)
		steps = []func() error{b.settleFunds, b.settleGroups, b.settleLists} // what follows from a fund's own write
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// renew makes the sums of parents anew that were written in another currency: which of their children are in the same one has changed.
func (b *Books) renew() error {
	if b.renewed.empty() {
		return nil
	}
	return Recompute(b.env, b.renewed, nil)
}

// renewIfMoved notes a parent whose currency a write has changed.
func (b *Books) renewIfMoved(w *Write) error {
	moved, err := b.changedCurrency(w)
	if err != nil || !moved {
		return err
	}
	b.touched.Add(w.New.Table.Name, w.New.ID)
	b.renewed.Add(w.New.Table.Name, w.New.ID)
	return nil
}

// lockParents locks the donors and funds that are about to be settled, all at once.
func (b *Books) lockParents() error {
	var keys []query.Key
	for _, id := range b.tally.movedDonors() {
		keys = append(keys, query.Key{Table: b.tables.donor, ID: id})
	}
	for _, id := range b.movedFunds() {
		keys = append(keys, query.Key{Table: b.tables.fund, ID: id})
	}
	return b.env.LockAll(keys)
}

// set makes an assignment by column name.
func set(t *schema.Table, name string, v value.Value) query.Assign {
	return query.Assign{Column: t.MustColumn(name), Value: v}
}

// lookup makes the value of a single-target lookup; zero is null.
func lookup(id value.GUID) value.Value {
	if id.IsZero() {
		return value.Null
	}
	return value.ID(id)
}
