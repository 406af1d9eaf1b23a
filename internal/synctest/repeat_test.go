package synctest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"almoner/internal/programtest"
)

// copies is how often each repeatable request is sent at the same time.
const copies = 20

// TestRepeatedRequests sends each request many times at once, to processes of which one is killed meanwhile, and once more after all have
// been killed. It must have been done once, and all answers must be the same.
func TestRepeatedRequests(t *testing.T) {
	programtest.Each(t, repeatEverything)
}

func repeatEverything(t *testing.T, db programtest.Database) {
	nodes := db.ServeAll(t)
	c := connect(t, db.Run(t, "token"), nodes)
	w := newWorld(c)
	fund, donor := w.ids["svc_funds"][0], w.ids["svc_donors"][0]
	gift := fmt.Sprintf(`{"svc_giftnum":"once","svc_giftdate":"2026-03-01","svc_amount1":10,"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`, donor, fund)
	r := &repeater{t: t, client: c, nodes: nodes}

	made := r.send("POST", "svc_gifts", gift)
	r.expect(made, 204, "svc_gifts/$count?$filter=svc_giftnum eq 'once'", "1")
	shown := r.send("POST", "svc_gifts?$select=svc_giftnum,svc_totalgift", strings.Replace(gift, "once", "shown", 1), "Prefer", "return=representation")
	r.expect(shown, 201, "svc_gifts/$count?$filter=svc_giftnum eq 'shown'", "1")

	row := "svc_gifts(" + made.id() + ")"
	tag := c.must("GET", row+"?$select=svc_giftnum", "").header.Get("ETag")
	r.expect(r.send("PATCH", row, `{"svc_purpose":"books"}`, "If-Match", tag), 204, row+"/svc_purpose/$value", "books")
	r.expect(r.send("PUT", row+"/svc_check", `{"value":"17"}`), 204, row+"/svc_check/$value", "17")
	r.expect(r.send("PUT", row+"/svc_MatchingDonor/$ref", `{"@odata.id":"svc_donors(`+donor+`)"}`), 204, row+"/_svc_matchingdonor_value/$value", donor)

	many := r.send("POST", "contacts/Microsoft.Dynamics.CRM.CreateMultiple", `{"Targets":[{"lastname":"Twin"},{"lastname":"Twin"}]}`)
	r.expect(many, 200, "contacts/$count?$filter=lastname eq 'Twin'", "2")

	b := (&batch{}).changeSet([2]string{"POST contacts", `{"lastname":"Batch"}`}, [2]string{"POST svc_donors", `{"svc_formaldefault":"Batch","svc_PrimaryContact@odata.bind":"$1"}`}).
		request("POST contacts", `{"lastname":"Batch"}`).request("DELETE contacts("+w.ids["contacts"][0]+")", "")
	r.expect(r.send("POST", "$batch", b.end(), "Content-Type", batchType), 200, "contacts/$count?$filter=lastname eq 'Batch'", "2")
	r.expect(r.send("DELETE", row, ""), 204, "svc_gifts/$count?$filter=svc_giftnum eq 'once'", "0")
	r.again()
	if n := c.must("GET", "contacts/$count?$filter=lastname eq 'Batch' or lastname eq 'Twin'", "").body; n != "4" {
		t.Errorf("sent again, the requests left %s contacts", n)
	}
}

// repeater sends requests many times.
type repeater struct {
	t      *testing.T
	client *client
	nodes  []*programtest.Node
	sent   []func() // sends a request again and compares
}

// send sends a request many times at once, kills a process meanwhile, and returns the one answer.
func (r *repeater) send(method, target, body string, header ...string) *answer {
	r.t.Helper()
	header = append(header, repeatable(newID())...)
	answers := make([]*answer, copies)
	var sent sync.WaitGroup
	for i := range copies {
		sent.Go(func() { answers[i] = r.client.persist(method, target, body, header...) })
	}
	victim := r.nodes[len(r.sent)%len(r.nodes)]
	victim.Kill()
	victim.Start(r.t)
	sent.Wait()
	compare := func(a *answer) {
		if got, want := whole(a), whole(answers[0]); got != want {
			r.t.Fatalf("%s %s answered\n%s\nand\n%s", method, target, want, got)
		}
	}
	for _, a := range answers {
		compare(a)
	}
	r.otherBody(method, target, body, header)
	r.sent = append(r.sent, func() { compare(r.client.persist(method, target, body, header...)) })
	return answers[0]
}

// again sends all requests once more after every process has been killed.
func (r *repeater) again() {
	for _, n := range r.nodes {
		n.Kill()
		n.Start(r.t)
	}
	for _, send := range r.sent {
		send()
	}
}

// otherBody sends something else under the same id, which is refused.
func (r *repeater) otherBody(method, target, body string, header []string) {
	r.t.Helper()
	if _, message := r.client.refused(400, method, target, body+" ", header...); !strings.Contains(message, "was used for another request") {
		r.t.Errorf("%s %s with another body: %s", method, target, message)
	}
}

// whole is everything of an answer that has to be the same each time.
func whole(a *answer) string {
	text := fmt.Sprintln(a.status)
	for _, name := range []string{"OData-EntityId", "Location", "ETag", "Content-Type", "Preference-Applied", "OData-Version", "Repeatability-Result", "Warning"} {
		text += name + ": " + a.header.Get(name) + "\n"
	}
	return text + "\n" + a.body
}

// expect fails the test unless an answer has a status and a read afterwards gives a value.
func (r *repeater) expect(a *answer, status int, read, want string) {
	r.t.Helper()
	if a.status != status || a.header.Get("Repeatability-Result") != "accepted" {
		r.t.Fatalf("got %s, with Repeatability-Result %q", a, a.header.Get("Repeatability-Result"))
	}
	if got := r.client.must("GET", read, "").body; got != want {
		r.t.Errorf("%s is %s, want %s", read, got, want)
	}
}
