package servicetest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"almoner/internal/servicetest"
)

// TestDeletesMeetCreates deletes donors, gifts and payments while others write to them. Whoever comes too late is told so (404), whoever
// would tear a row from its parent is refused (405), and nothing is left dangling.
func TestDeletesMeetCreates(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		h := newHouse(t, db.Serve(t))
		servers := []*servicetest.Server{h.Server}
		if db.Shared() {
			servers = append(servers, db.Serve(t))
		}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		var all sync.WaitGroup
		for i := range 8 {
			r := &rival{house: h, server: servers[i%len(servers)], dice: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(i)))}
			all.Go(func() {
				for ctx.Err() == nil {
					r.write()
				}
			})
		}
		all.Wait()
		h.CheckBooks(t)
		for _, lonely := range []string{"svc_giftpayments?$select=svc_amount&$filter=svc_GiftNumber/svc_giftid eq null", "svc_gifts?$select=svc_giftnum&$filter=svc_Donor/svc_donorid eq null"} {
			if rows := h.Get(t, "/"+lonely)["value"].([]any); len(rows) > 0 {
				t.Errorf("%s: %v", lonely, rows)
			}
		}
	})
}

// rival writes to a few rows that others delete meanwhile.
type rival struct {
	*house
	server *servicetest.Server
	dice   *rand.Rand
}

// slot is one of the few ids everybody uses.
func (r *rival) slot(digit string) string {
	return fmt.Sprintf("%s0000000-0000-4000-8000-%012d", digit, r.dice.IntN(3))
}

func (r *rival) write() {
	donor, gift, payment := r.slot("d"), r.slot("9"), r.slot("8")
	switch r.dice.IntN(8) {
	case 0:
		r.send("POST", "/svc_donors", fmt.Sprintf(`{"svc_donorid":%q,"svc_formaldefault":"Rival"}`, donor), 412)
	case 1:
		r.send("DELETE", "/svc_donors("+donor+")", "", 404, 405)
	case 2, 3:
		r.send("POST", "/svc_gifts", fmt.Sprintf(`{"svc_giftid":%q,"svc_giftdate":"2026-01-01","svc_gifttype":730850001,"svc_amount1":100,
			"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`, gift, donor, r.fund), 404, 412)
	case 4:
		r.send("DELETE", "/svc_gifts("+gift+")", "", 404)
	case 5, 6:
		r.send("POST", "/svc_giftpayments", fmt.Sprintf(`{"svc_giftpaymentid":%q,"svc_amount":10,"svc_GiftNumber@odata.bind":"/svc_gifts(%s)"}`, payment, gift), 404, 412)
	default:
		r.send("PATCH", "/svc_giftpayments("+payment+")", fmt.Sprintf(`{"svc_amount":%d,"svc_GiftNumber@odata.bind":"/svc_gifts(%s)"}`, r.dice.IntN(50), gift), 404)
	}
}

// send fails the test when an answer is neither success nor one of the refusals given.
func (r *rival) send(method, path, body string, refusals ...int) {
	a, err := r.server.Call(context.Background(), method, path, body)
	if err != nil || a.Status >= 300 && !slices.Contains(refusals, a.Status) {
		r.t.Errorf("%s %s: %v %+v", method, path, err, a)
	}
}
