package engine_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// lockWatch is a store that notes which rows its transactions lock, and says of itself that others write too.
type lockWatch struct {
	store.Store
	locked []query.Key
}

func (w *lockWatch) Write(ctx context.Context, fn func(store.Tx) error) error {
	return w.Store.Write(ctx, func(tx store.Tx) error { return fn(&orderedTx{tx, w}) })
}

type orderedTx struct {
	store.Tx
	watch *lockWatch
}

func (t *orderedTx) Serial() bool { return false }

func (t *orderedTx) GetMany(ctx context.Context, keys []query.Key, locked int) ([]*query.Row, error) {
	t.watch.locked = append(t.watch.locked, keys[:locked]...)
	return t.Tx.GetMany(ctx, keys, locked)
}

func (t *orderedTx) GetLocked(ctx context.Context, table *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error) {
	t.watch.locked = append(t.watch.locked, query.Key{Table: table, ID: id})
	return t.Tx.GetLocked(ctx, table, id, cols)
}

// Whatever the order of the operations, what they will change is locked in one order: gifts, donors, funds, then the rest, each by id.
func TestRowsAreLockedInOneOrder(t *testing.T) {
	f := onSQLite(t)
	givers := []giver{f.giver(), f.giver(), f.giver()}
	var written, targets []query.Key
	for _, g := range givers {
		gift := f.write(false, g.gift(0))
		pay := f.create("svc_giftpayment", map[string]value.Value{"svc_giftnumber": value.ID(gift), "svc_amount": value.Money(100)})
		written = append(written, query.Key{Table: f.model.Table("svc_giftpayment"), ID: pay}, query.Key{Table: f.model.Table("svc_donor"), ID: g.donor})
		targets = append(targets, query.Key{Table: f.model.Table("svc_fund"), ID: g.fund})
	}
	w := &lockWatch{Store: f.store}
	e, err := engine.New(t.Context(), engine.Options{Store: w, Model: f.model, Settings: f.engine.Settings(), Clock: nil})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(written)
	slices.Reverse(targets)
	err = e.Session(auth.System(f.model, value.GUID{})).Write(t.Context(), func(x *engine.Tx) error {
		return x.Foresee(engine.Foresight{Written: written, Targets: targets})
	})
	if err != nil {
		t.Fatal(err)
	}
	order := []string{"svc_gift", "svc_donor", "svc_fund", "svc_giftpayment"}
	if len(w.locked) != len(order)*len(givers) {
		t.Errorf("%d rows are locked, want %d", len(w.locked), len(order)*len(givers))
	}
	rank := func(k query.Key) int { return slices.Index(order, k.Table.Name) }
	if !slices.IsSortedFunc(w.locked, func(a, b query.Key) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return bytes.Compare(a.ID[:], b.ID[:])
	}) {
		for _, k := range w.locked {
			t.Log(k.Table.Name, k.ID)
		}
		t.Error("rows are locked out of order")
	}
}
