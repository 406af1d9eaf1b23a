package synctest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"almoner/internal/store"
)

// twice is a store on which every transaction is lost the first time, as after a deadlock, and runs again.
type twice struct{ store.Store }

var errLost = errors.New("lost on purpose")

func (s twice) Write(ctx context.Context, fn func(store.Tx) error) error {
	err := s.Store.Write(ctx, func(tx store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errLost
	})
	if !errors.Is(err, errLost) {
		return err
	}
	return s.Store.Write(ctx, fn)
}

// TestTransactionsRunAgain makes every kind of write on stores that run transactions twice: each must have happened once.
func TestTransactionsRunAgain(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { runAgain(t, twice{newSQLite(t)}) })
	t.Run("PostgreSQL", func(t *testing.T) { runAgain(t, twice{newPostgreSQL(t)}) })
}

func runAgain(t *testing.T, st store.Store) {
	f := serve(t, st)
	w := &writer{world: newWorld(f.client), client: f.client, random: rand.New(rand.NewPCG(newSeed(t), 0))}
	m := newMirror(f.client, "svc_gifts")
	for range 4 {
		for range 20 {
			w.write()
		}
		if err := m.pull(); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := readAll(f.client, "svc_gifts")
	if err != nil {
		t.Fatal(err)
	}
	compareMirror(t, "svc_gifts", m.rows, whole)

	deep := fmt.Sprintf(`{"svc_giftnum":"deep","svc_giftdate":"2026-03-01","svc_gifttype":730850001,"svc_amount1":100,"svc_Fund1@odata.bind":"/svc_funds(%s)",
		"svc_Donor":{"svc_formaldefault":"Deep","svc_PrimaryContact":{"lastname":"Deep"}},"svc_svc_gift_svc_giftpayment_GiftNumber":[{"svc_amount":30},{"svc_amount":20}]}`, w.ids["svc_funds"][0])
	gift := f.must("POST", "svc_gifts", deep).id()
	for target, want := range map[string]string{
		"svc_gifts(" + gift + ")/svc_paid/$value":                          "50.00",
		"svc_donors/$count?$filter=svc_formaldefault eq 'Deep'":            "1",
		"contacts/$count?$filter=lastname eq 'Deep'":                       "1",
		"svc_giftpayments/$count?$filter=_svc_giftnumber_value eq " + gift: "2",
	} {
		if got := f.must("GET", target, "").body; got != want {
			t.Errorf("%s is %s, want %s", target, got, want)
		}
	}
	f.CheckBooks(t)
}
