package rules

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// giftFile is one gift with its payments and fees as the transaction sees them: read once, under a lock on the gift and before
// the first write that touches them, then kept in step with the writes.
type giftFile struct {
	row      *query.Row // nil when the gift does not exist (any more, or yet)
	gift     *gift
	payments map[value.GUID]*payment
	fees     map[value.GUID]*fee

	before     *projection // as it was at the start; nil when there was no gift
	beforeGift *gift
}

// file returns the file of a gift, opening it if need be. The gift is locked.
func (b *Books) file(id value.GUID) (*giftFile, error) {
	if f := b.gifts[id]; f != nil {
		return f, nil
	}
	row, err := b.env.Lock(b.tables.gift, id)
	if err != nil {
		return nil, err
	}
	f := &giftFile{row: row, payments: map[value.GUID]*payment{}, fees: map[value.GUID]*fee{}}
	if row != nil {
		if f.gift, err = b.newGift(row); err != nil {
			return nil, err
		}
		f.beforeGift = f.gift
		if !b.Deferred {
			if err := b.readFile(f); err != nil {
				return nil, err
			}
			if f.before, err = b.project(f, f.gift); err != nil {
				return nil, err
			}
		}
	}
	b.gifts[id] = f
	return f, nil
}

// readFile reads the payments and fees of a gift.
func (b *Books) readFile(f *giftFile) error {
	t := b.tables.payment
	payments, err := b.env.Find(t, []query.Assign{set(t, "svc_giftnumber", value.ID(f.row.ID))}, columnsOf(t, paymentColumns))
	if err != nil {
		return err
	}
	for _, r := range payments {
		f.payments[r.ID] = newPayment(r, b.settings)
	}
	t = b.tables.fee
	fees, err := b.env.Find(t, []query.Assign{set(t, "svc_gift", value.ID(f.row.ID))}, columnsOf(t, feeColumns))
	for _, r := range fees {
		f.fees[r.ID] = newFee(r)
	}
	return err
}

// newFile opens the file of a gift that is being created: there is nothing to read.
func (b *Books) newFile(id value.GUID) *giftFile {
	f := b.gifts[id]
	if f == nil {
		f = &giftFile{payments: map[value.GUID]*payment{}, fees: map[value.GUID]*fee{}}
		b.gifts[id] = f
	}
	return f
}

// project derives everything from a gift and the payments and fees of a file.
func (b *Books) project(f *giftFile, g *gift) (*projection, error) {
	return project(b.settings, g, f.paymentList(), f.feeList())
}

// with returns a copy of the file in which a payment is as it is about to become; p nil takes it out.
func (f *giftFile) with(id value.GUID, p *payment) *giftFile {
	c := *f
	c.payments = make(map[value.GUID]*payment, len(f.payments)+1)
	for k, v := range f.payments {
		c.payments[k] = v
	}
	if p == nil {
		delete(c.payments, id)
	} else {
		c.payments[id] = p
	}
	return &c
}

// paymentList returns the payments in order of id.
func (f *giftFile) paymentList() []*payment {
	out := make([]*payment, 0, len(f.payments))
	for _, id := range sortedIDs(f.payments) {
		out = append(out, f.payments[id])
	}
	return out
}

func (f *giftFile) feeList() []*fee {
	out := make([]*fee, 0, len(f.fees))
	for _, id := range sortedIDs(f.fees) {
		out = append(out, f.fees[id])
	}
	return out
}
