package servicetest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"almoner/internal/programtest"
	"almoner/internal/servicetest"
	"almoner/internal/value"
)

// soakTime bounds how long clients keep writing.
const soakTime = 4 * time.Second

// clients is how many write at once.
const clients = 12

// TestManyClientsKeepTheBooks lets many clients pay the same pledges and give to the same funds and donors, at two processes on one
// PostgreSQL database and at one on a file. Every write is acknowledged, and what was acknowledged is what the totals show, to the cent.
func TestManyClientsKeepTheBooks(t *testing.T) {
	programtest.Each(t, func(t *testing.T, db programtest.Database) {
		token := db.Run(t, "token")
		var nodes []*servicetest.Client
		for _, n := range db.ServeAll(t, "--clock", servicetest.Noon.Format(time.RFC3339)) {
			nodes = append(nodes, &servicetest.Client{Origin: n.Origin(), Token: token})
		}
		runSoak(t, db, nodes)
	})
}

// runSoak lets the clients write for a while and compares.
func runSoak(t *testing.T, db programtest.Database, nodes []*servicetest.Client) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := newSoak(t, db, nodes)
	ctx, stop := context.WithTimeout(t.Context(), soakTime)
	defer stop()
	var all sync.WaitGroup
	for i := range clients {
		c := &client{soak: s, node: nodes[i%len(nodes)], dice: rand.New(rand.NewPCG(seed, uint64(i)))}
		if i == 1 {
			c.prefer = deferred // its totals are made anew while the others write
		}
		all.Go(func() { c.live(ctx) })
	}
	all.Go(func() { s.recalculate(ctx) })
	all.Wait()
	s.check()
}

// recalculate mends all totals by a process of its own, again and again: it must not take back what others write meanwhile. Beside a busy
// file it may wait for its turn until they are through.
func (s *soak) recalculate(ctx context.Context) {
	for ctx.Err() == nil {
		if _, err := s.db.Try(s.t, "recalc"); err != nil {
			s.t.Error(err)
		}
		s.recalculations++
	}
}

// side is a donor with a pledge, a fund and a request: there are two of each that everybody writes to.
type side struct{ donor, pledge, fund, request string }

// entry is a row as it was last acknowledged: its amount in cents and the side it belongs to.
type entry struct {
	cents int64
	side  int
}

// soak is what clients share: the sides, and what was acknowledged.
type soak struct {
	t     *testing.T
	db    programtest.Database
	nodes []*servicetest.Client // the processes, as the administrator calls them
	sides [2]side

	mu     sync.Mutex
	known  map[string]map[string]entry // by set and id
	writes int

	recalculations int // of all totals
}

// Sets the clients write to.
const (
	payments = "svc_giftpayments"
	gifts    = "svc_gifts"
	grants   = "svc_requestpayments"
)

const pledged = 100_000_000 // cents of each pledge

func newSoak(t *testing.T, db programtest.Database, nodes []*servicetest.Client) *soak {
	s := &soak{t: t, db: db, nodes: nodes, known: map[string]map[string]entry{payments: {}, gifts: {}, grants: {}}}
	one := nodes[0]
	one.Create(t, "svc_departments", `{"svc_departmentname":"Programs","svc_isdefault":true}`)
	for i := range s.sides {
		p := &s.sides[i]
		p.fund = one.Create(t, "svc_funds", `{"svc_fundname":"River","svc_fundclass":730850000,"svc_fundtype":730850003}`)
		p.donor = one.Create(t, "svc_donors", `{"svc_formaldefault":"Everybody"}`)
		p.pledge = one.Create(t, gifts, fmt.Sprintf(`{"svc_giftdate":"2026-01-01","svc_gifttype":730850001,"svc_amount1":%s,%s}`, money(pledged), p.giftLinks()))
		p.request = one.Create(t, "svc_requests", fmt.Sprintf(`{"svc_originalgrantamount":1000,"svc_Fund@odata.bind":"/svc_funds(%s)"}`, p.fund))
	}
	return s
}

func (p *side) giftLinks() string {
	return fmt.Sprintf(`"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"`, p.donor, p.fund)
}

// links are the lookups of a row of a set that belongs to a side.
func (p *side) links(set string) string {
	switch set {
	case gifts:
		return p.giftLinks()
	case payments:
		return fmt.Sprintf(`"svc_GiftNumber@odata.bind":"/svc_gifts(%s)","svc_Fund@odata.bind":"/svc_funds(%s)"`, p.pledge, p.fund)
	default:
		return fmt.Sprintf(`"svc_RequestLookup@odata.bind":"/svc_requests(%s)","svc_Fund@odata.bind":"/svc_funds(%s)"`, p.request, p.fund)
	}
}

// constants are what every row of a set is created with besides amount and links.
var constants = map[string]string{gifts: `"svc_giftdate":"2026-02-02",`, payments: "", grants: `"svc_paymentsent":"2026-03-03T00:00:00Z",`}

// amounts names the column that holds the amount of a row.
var amounts = map[string]string{gifts: "svc_amount1", payments: "svc_amount", grants: "svc_amount"}

func money(cents int64) string { return value.Money(cents).String() }

// client writes rows of its own below the shared parents, and to the parents themselves.
type client struct {
	*soak
	node   *servicetest.Client
	dice   *rand.Rand
	prefer string
	mine   map[string][]string // ids of own rows by set
}

func (c *client) live(ctx context.Context) {
	c.mine = map[string][]string{}
	sets := []string{payments, payments, gifts, grants}
	for ctx.Err() == nil {
		set := sets[c.dice.IntN(len(sets))]
		own := c.mine[set]
		switch n := c.dice.IntN(20); {
		case n < 8 || len(own) == 0:
			c.create(set)
		case n < 11:
			c.patchAmount(set, own[c.dice.IntN(len(own))])
		case n < 13:
			c.move(set, own[c.dice.IntN(len(own))])
		case n < 16:
			c.remove(set, c.dice.IntN(len(own)))
		case n < 17:
			c.patchParent()
		case n < 18:
			c.refreshParent()
		default:
			c.changeSet()
		}
	}
}

// send sends a write and fails the test unless it succeeds: nobody else writes the row, so that nothing may stand in its way.
func (c *client) send(method, path, body string) *servicetest.Answer {
	var header []string
	if c.prefer != "" {
		header = append(header, c.prefer)
	}
	a, err := c.node.Call(context.Background(), method, path, body, header...)
	if err != nil || a.Status >= 300 {
		c.t.Errorf("%s %s: %v %+v", method, path, err, a)
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	return a
}

func (c *client) cents() int64 { return 1 + c.dice.Int64N(9999) }

func (c *client) create(set string) {
	e := entry{c.cents(), c.dice.IntN(2)}
	a := c.send("POST", "/"+set, fmt.Sprintf(`{%q:%s,%s%s}`, amounts[set], money(e.cents), constants[set], c.sides[e.side].links(set)))
	if a != nil {
		c.mine[set] = append(c.mine[set], a.ID())
		c.know(set, a.ID(), e)
	}
}

func (c *client) patchAmount(set, id string) {
	e := c.recall(set, id)
	e.cents = c.cents()
	if c.send("PATCH", "/"+set+"("+id+")", fmt.Sprintf(`{%q:%s}`, amounts[set], money(e.cents))) != nil {
		c.know(set, id, e)
	}
}

// move carries a row over to the other side.
func (c *client) move(set, id string) {
	e := c.recall(set, id)
	e.side = 1 - e.side
	if c.send("PATCH", "/"+set+"("+id+")", "{"+c.sides[e.side].links(set)+"}") != nil {
		c.know(set, id, e)
	}
}

func (c *client) remove(set string, i int) {
	id := c.mine[set][i]
	if c.send("DELETE", "/"+set+"("+id+")", "") != nil {
		c.mine[set] = append(c.mine[set][:i], c.mine[set][i+1:]...)
		c.know(set, id, entry{})
	}
}

// patchParent writes to a parent that others add to meanwhile.
func (c *client) patchParent() {
	p := c.sides[c.dice.IntN(2)]
	switch c.dice.IntN(4) {
	case 0:
		c.send("PATCH", "/svc_donors("+p.donor+")", fmt.Sprintf(`{"svc_sortby":"%d"}`, c.dice.Int()))
	case 1:
		c.send("PATCH", "/svc_funds("+p.fund+")", fmt.Sprintf(`{"svc_netassets":%s}`, money(c.cents())))
	case 2:
		c.send("PATCH", "/svc_requests("+p.request+")", fmt.Sprintf(`{"svc_notes":"%d"}`, c.dice.Int()))
	default:
		c.send("PATCH", "/svc_gifts("+p.pledge+")", fmt.Sprintf(`{"svc_purpose":"%d"}`, c.dice.Int()))
	}
}

// refreshParent has the totals of a parent made anew that others add to meanwhile.
func (c *client) refreshParent() {
	p := c.sides[c.dice.IntN(2)]
	parent, column := "svc_donors("+p.donor+")", "svc_totalcommitment"
	if c.dice.IntN(2) == 0 {
		parent, column = "svc_gifts("+p.pledge+")", "svc_paid"
	}
	c.send("GET", fmt.Sprintf(`/CalculateRollupField(Target=@t,FieldName=@f)?@t={"@odata.id":%q}&@f='%s'`, parent, column), "")
}

// changeSet makes a gift and a payment in one transaction, sometimes one that fails at its end.
func (c *client) changeSet() {
	gift, payment := entry{c.cents(), c.dice.IntN(2)}, entry{c.cents(), c.dice.IntN(2)}
	giftID, paymentID := value.NewGUID(time.Now()).String(), value.NewGUID(time.Now()).String()
	parts := []string{
		fmt.Sprintf(`POST svc_gifts {"svc_giftid":%q,"svc_giftdate":"2026-05-05","svc_amount1":%s,%s}`, giftID, money(gift.cents), c.sides[gift.side].links(gifts)),
		fmt.Sprintf(`POST svc_giftpayments {"svc_giftpaymentid":%q,"svc_amount":%s,%s}`, paymentID, money(payment.cents), c.sides[payment.side].links(payments)),
	}
	want := 200
	if c.dice.IntN(4) == 0 {
		parts, want = append(parts, `POST svc_gifts {"svc_giftdate":"2025-05-05"}`), 400
	}
	a, err := c.node.Call(context.Background(), "POST", "/$batch", batchOf(parts), "Content-Type: multipart/mixed; boundary=b")
	if err != nil || a.Status != want {
		c.t.Errorf("change set: %v %+v", err, a)
		return
	}
	if want == 200 {
		c.know(gifts, giftID, gift)
		c.know(payments, paymentID, payment)
	}
}

// batchOf is a $batch body with one change set.
func batchOf(parts []string) string {
	var b strings.Builder
	b.WriteString("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n")
	for i, part := range parts {
		method, rest, _ := strings.Cut(part, " ")
		path, body, _ := strings.Cut(rest, " {")
		fmt.Fprintf(&b, "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: %d\r\n\r\n", i+1)
		fmt.Fprintf(&b, "%s /api/data/v9.2/%s HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{%s\r\n", method, path, body)
	}
	b.WriteString("--c--\r\n--b--\r\n")
	return b.String()
}

func (s *soak) know(set, id string, e entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[set][id] = e
}

func (s *soak) recall(set, id string) entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[set][id]
}

// acknowledged adds up the rows of a set on one side.
func (s *soak) acknowledged(set string, side int) (total int64, rows int) {
	for _, e := range s.known[set] {
		if e.side == side && e.cents != 0 {
			total += e.cents
			rows++
		}
	}
	return total, rows
}

// check compares every total with what was acknowledged, and all books with the base rows.
func (s *soak) check() {
	t, one := s.t, s.nodes[0]
	t.Logf("%d writes acknowledged beside %d recalculations", s.writes, s.recalculations)
	servicetest.Eventually(t, "deferred totals are made", func() bool {
		_, err := s.db.Try(t, "recalc", "--check")
		return err == nil
	})
	for i, p := range s.sides {
		paid, _ := s.acknowledged(payments, i)
		given, count := s.acknowledged(gifts, i)
		granted, _ := s.acknowledged(grants, i)
		for _, c := range []struct{ path, column, want string }{
			{"/svc_gifts(" + p.pledge + ")", "svc_paid", money(paid)},
			{"/svc_gifts(" + p.pledge + ")", "svc_balance", money(pledged - paid)},
			{"/svc_donors(" + p.donor + ")", "svc_totalcommitment", money(pledged + given)},
			{"/svc_donors(" + p.donor + ")", "svc_totalgivingthisyear", money(paid + given)},
			{"/svc_donors(" + p.donor + ")", "svc_countofgifts", fmt.Sprint(count + 1)},
			{"/svc_funds(" + p.fund + ")", "svc_giftspaid", money(paid + given)},
			{"/svc_funds(" + p.fund + ")", "svc_giftspending", money(pledged - paid)},
			{"/svc_funds(" + p.fund + ")", "svc_grantspaid", money(granted)},
			{"/svc_requests(" + p.request + ")", "svc_paid", money(granted)},
		} {
			if got := one.Columns(t, c.path, c.column); got != c.want {
				t.Errorf("%s of %s is %s, acknowledged were %s", c.column, c.path, got, c.want)
			}
		}
	}
	s.db.Run(t, "recalc", "--check")
}
