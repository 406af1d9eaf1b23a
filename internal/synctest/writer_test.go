package synctest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
)

// world is what writers know of the database: the ids of rows that were there when they looked. Rows in it may be gone.
type world struct {
	mu    sync.Mutex
	ids   map[string][]string
	done  atomic.Int64 // requests answered
	taken atomic.Int64 // of them, how many were accepted
}

func (w *world) add(set string, ids ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids[set] = append(w.ids[set], ids...)
}

// pick returns the id of a row, which others may be changing or deleting at the same time.
func (w *world) pick(r *rand.Rand, set string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := w.ids[set]
	return ids[r.IntN(len(ids))]
}

// lose returns the id of a row and forgets it.
func (w *world) lose(r *rand.Rand, set string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := w.ids[set]
	i := r.IntN(len(ids))
	id := ids[i]
	if len(ids) > 20 {
		ids[i] = ids[len(ids)-1]
		w.ids[set] = ids[:len(ids)-1]
	}
	return id
}

// newWorld fills a database with the rows every writer needs.
func newWorld(c *client) *world {
	w := &world{ids: map[string][]string{}}
	c.must("POST", "svc_departments", `{"svc_departmentname":"General","svc_isdefault":true}`)
	for i := range 5 {
		fund := fmt.Sprintf(`{"svc_fundname":"Fund %d","svc_fundclass":730850000,"svc_fundtype":730850003}`, i)
		w.add("svc_funds", c.must("POST", "svc_funds", fund).id())
		w.add("lists", c.must("POST", "lists", fmt.Sprintf(`{"listname":"List %d","type":false,"createdfromcode":4}`, i)).id())
	}
	r := rand.New(rand.NewPCG(0, 0))
	for i := range 8 {
		w.add("contacts", c.must("POST", "contacts", contact(i)).id())
		w.add("svc_donors", c.must("POST", "svc_donors", fmt.Sprintf(`{"svc_formaldefault":"Donor %d"}`, i)).id())
		w.add("svc_gifts", c.must("POST", "svc_gifts", w.gift(r)).id())
		w.add("svc_giftpayments", c.must("POST", "svc_giftpayments", w.payment(r, w.pick(r, "svc_gifts"))).id())
	}
	return w
}

func contact(n int) string { return fmt.Sprintf(`{"firstname":"Aya","lastname":"Ito %d"}`, n) }

func (w *world) gift(r *rand.Rand) string {
	kind := 730850000 + r.IntN(2) // gift or pledge
	return fmt.Sprintf(`{"svc_giftdate":"2026-0%d-15","svc_gifttype":%d,"svc_amount1":%d,"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`,
		1+r.IntN(9), kind, 1+r.IntN(1000), w.pick(r, "svc_donors"), w.pick(r, "svc_funds"))
}

func (w *world) payment(r *rand.Rand, gift string) string {
	if !strings.HasPrefix(gift, "$") {
		gift = "/svc_gifts(" + gift + ")"
	}
	return fmt.Sprintf(`{"svc_amount":%d,"svc_postingdate":"2026-05-%02dT10:00:00Z","svc_GiftNumber@odata.bind":"%s"}`, 1+r.IntN(100), 1+r.IntN(28), gift)
}

// writer makes one random write after another.
type writer struct {
	*world
	client *client
	random *rand.Rand
}

// write makes one write of a random kind and waits for its answer.
func (w *writer) write() {
	kinds := []func(){
		w.createOne, w.createOne, w.createMany, w.createChain, w.pay, w.pay,
		w.updateOne, w.updateOne, w.updateMany, w.updateSet,
		w.deleteOne, w.deleteMany, w.replacePayment, w.addMember, w.removeMember,
	}
	kinds[w.random.IntN(len(kinds))]()
}

// send sends a write until it is answered and tells whether it was accepted.
func (w *writer) send(method, target, body string, header ...string) *answer {
	a := w.client.once(method, target, body, header...)
	w.done.Add(1)
	if a.status < 300 {
		w.taken.Add(1)
	} else if a.status >= 500 || a.status == 401 || a.status == 403 {
		w.client.t.Errorf("%s %s: %s\n%s", method, target, a, body)
	}
	return a
}

func (w *writer) createOne() {
	set, body := "contacts", contact(w.random.IntN(1000))
	if w.random.IntN(2) == 0 {
		set, body = "svc_gifts", w.gift(w.random)
	}
	if a := w.send("POST", set, body); a.status == 204 {
		w.add(set, a.id())
	}
}

func (w *writer) pay() {
	if a := w.send("POST", "svc_giftpayments", w.payment(w.random, w.pick(w.random, "svc_gifts"))); a.status == 204 {
		w.add("svc_giftpayments", a.id())
	}
}

func (w *writer) createMany() {
	var targets, ids []string
	for range 2 + w.random.IntN(6) {
		ids = append(ids, newID())
		targets = append(targets, fmt.Sprintf(`{"svc_giftid":"%s",%s`, ids[len(ids)-1], w.gift(w.random)[1:]))
	}
	if a := w.send("POST", "svc_gifts/Microsoft.Dynamics.CRM.CreateMultiple", targetsOf(targets)); a.status == 200 {
		w.add("svc_gifts", ids...)
	}
}

func targetsOf(targets []string) string { return `{"Targets":[` + strings.Join(targets, ",") + `]}` }

// createChain makes contact, donor, gift and payment in one change set.
func (w *writer) createChain() {
	gift := newID()
	b := (&batch{}).changeSet(
		[2]string{"POST contacts", contact(w.random.IntN(1000))},
		[2]string{"POST svc_donors", `{"svc_formaldefault":"Chain","svc_PrimaryContact@odata.bind":"$1"}`},
		[2]string{"POST svc_gifts", fmt.Sprintf(`{"svc_giftid":"%s","svc_giftdate":"2026-02-02","svc_amount1":50,"svc_Donor@odata.bind":"$2","svc_Fund1@odata.bind":"/svc_funds(%s)"}`,
			gift, w.pick(w.random, "svc_funds"))},
		[2]string{"POST svc_giftpayments", w.payment(w.random, "$3")},
	)
	if a := w.batch(b); a.status == 200 {
		w.add("svc_gifts", gift)
	}
}

func (w *writer) batch(b *batch) *answer {
	return w.send("POST", "$batch", b.end(), "Content-Type", batchType)
}

// change is a random change of a random row.
func (w *writer) change() (set, id, body string) {
	n := w.random.IntN(500)
	switch w.random.IntN(4) {
	case 0:
		return "contacts", w.pick(w.random, "contacts"), fmt.Sprintf(`{"jobtitle":"job %d"}`, n)
	case 1:
		return "svc_donors", w.pick(w.random, "svc_donors"), fmt.Sprintf(`{"svc_informalgreeting":"dear %d"}`, n)
	case 2:
		return "svc_gifts", w.pick(w.random, "svc_gifts"), fmt.Sprintf(`{"svc_amount1":%d,"svc_totalgift":%d,"svc_Donor@odata.bind":"/svc_donors(%s)"}`, n+1, n+1, w.pick(w.random, "svc_donors"))
	default:
		return "svc_giftpayments", w.pick(w.random, "svc_giftpayments"), fmt.Sprintf(`{"svc_amount":%d}`, n%50+1)
	}
}

func (w *writer) updateOne() {
	set, id, body := w.change()
	w.send("PATCH", set+"("+id+")", body, "If-Match", "*")
}

func (w *writer) updateMany() {
	var targets []string
	for i := range 2 + w.random.IntN(6) {
		targets = append(targets, fmt.Sprintf(`{"svc_giftid":"%s","svc_purpose":"purpose %d"}`, w.pick(w.random, "svc_gifts"), i))
	}
	w.send("POST", "svc_gifts/Microsoft.Dynamics.CRM.UpdateMultiple", targetsOf(targets))
}

// updateSet changes several rows in one change set.
func (w *writer) updateSet() {
	var parts [][2]string
	for range 2 + w.random.IntN(4) {
		set, id, body := w.change()
		parts = append(parts, [2]string{"PATCH " + set + "(" + id + ")", body})
	}
	w.batch((&batch{}).changeSet(parts...))
}

func (w *writer) deleteOne() {
	set := []string{"contacts", "svc_gifts", "svc_giftpayments"}[w.random.IntN(3)]
	w.send("DELETE", set+"("+w.lose(w.random, set)+")", "")
}

func (w *writer) deleteMany() {
	var targets []string
	for range 1 + w.random.IntN(3) {
		targets = append(targets, `{"svc_giftpaymentid":"`+w.lose(w.random, "svc_giftpayments")+`"}`)
	}
	w.send("POST", "svc_giftpayments/Microsoft.Dynamics.CRM.DeleteMultiple", targetsOf(targets))
}

// replacePayment deletes a payment and makes another one, sometimes under the same id, in one change set.
func (w *writer) replacePayment() {
	old := w.lose(w.random, "svc_giftpayments")
	fresh := newID()
	if w.random.IntN(2) == 0 {
		fresh = old
	}
	body := fmt.Sprintf(`{"svc_giftpaymentid":"%s",%s`, fresh, w.payment(w.random, w.pick(w.random, "svc_gifts"))[1:])
	b := (&batch{}).changeSet([2]string{"DELETE svc_giftpayments(" + old + ")", ""}, [2]string{"POST svc_giftpayments", body})
	if a := w.batch(b); a.status == 200 {
		w.add("svc_giftpayments", fresh)
	}
}

func (w *writer) addMember() {
	w.send("POST", "lists("+w.pick(w.random, "lists")+")/listcontact_association/$ref", `{"@odata.id":"contacts(`+w.pick(w.random, "contacts")+`)"}`)
}

func (w *writer) removeMember() {
	w.send("DELETE", "lists("+w.pick(w.random, "lists")+")/listcontact_association("+w.pick(w.random, "contacts")+")/$ref", "")
}
