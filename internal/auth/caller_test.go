package auth

import (
	"strings"
	"testing"
	"time"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// grants makes a role of PRIVILEGE:DEPTH texts.
func grants(t testing.TB, direct bool, unit value.GUID, texts ...string) HeldRole {
	t.Helper()
	r := HeldRole{Role: value.NewGUID(time.Now()), Direct: direct, Unit: unit}
	for _, text := range texts {
		g, err := ParseGrant(CatalogOf(testModel(t)), text)
		if err != nil {
			t.Fatal(err)
		}
		r.Grants = append(r.Grants, g)
	}
	return r
}

func text(s string) *string { return &s }

func (s *site) principal() Principal { return Principal{Client: testClient} }

func TestCallerIsRefused(t *testing.T) {
	s := newSite(t)
	s.addAccount(guid(10), guid(11), HeldRole{Role: guid(12), Direct: true}).Disabled = true
	s.addAccount(guid(20), guid(21))
	for name, test := range map[string]struct {
		client value.GUID
		want   fault.Code
	}{
		"unknown":       {guid(99), fault.UserNotMember},
		"disabled":      {guid(11), fault.UserDisabled},
		"without roles": {guid(21), fault.UserHasNoRoles},
	} {
		_, err := s.Caller(t.Context(), Principal{Client: test.client}, Impersonation{})
		if f := fault.As(err); f.Code != test.want || f.Status != 403 {
			t.Errorf("%s: %v with status %d", name, err, f.Status)
		}
	}
}

func TestCallerCache(t *testing.T) {
	s := newSite(t)
	ask := func() error {
		_, err := s.Caller(t.Context(), s.principal(), Impersonation{})
		return err
	}
	for range 3 {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	if s.dir.reads != 1 {
		t.Errorf("%d reads for three requests, want one", s.dir.reads)
	}
	s.dir.change(func() { s.dir.accounts[Lookup{ByApplication, testClient}].Disabled = true })
	if err := ask(); err != nil {
		t.Errorf("refused before the poll: %v", err)
	}
	s.clock = s.clock.Add(pollPause)
	s.poll()
	if f := fault.As(ask()); f.Code != fault.UserDisabled {
		t.Errorf("after the poll: %v", f)
	}
}

// TestCallerCacheNeedsThePoll proves that a process cut off from its database does not go on believing what it knew.
func TestCallerCacheNeedsThePoll(t *testing.T) {
	s := newSite(t)
	if _, err := s.Caller(t.Context(), s.principal(), Impersonation{}); err != nil {
		t.Fatal(err)
	}
	s.dir.down = errDown
	s.clock = s.clock.Add(pollPatience)
	if err := s.Poll(t.Context()); err == nil {
		t.Error("poll succeeded without a database")
	}
	_, err := s.Caller(t.Context(), s.principal(), Impersonation{})
	if f := fault.As(err); f.Status != 503 {
		t.Errorf("%v, want 503", err)
	}
}

func TestNewAccountsWorkAtOnce(t *testing.T) {
	s := newSite(t)
	p := Principal{Client: guid(41)}
	if _, err := s.Caller(t.Context(), p, Impersonation{}); fault.As(err).Code != fault.UserNotMember {
		t.Fatal(err)
	}
	s.dir.change(func() { s.addAccount(guid(40), guid(41), HeldRole{Role: guid(42), Direct: true}) })
	c, err := s.Caller(t.Context(), p, Impersonation{})
	if err != nil || c.User != guid(40) {
		t.Errorf("caller %+v, %v", c, err)
	}
}

func TestImpersonation(t *testing.T) {
	s := newSite(t)
	root := RootUnit
	delegate := s.addAccount(guid(10), guid(11), grants(t, true, root, "prvActOnBehalfOfAnotherUser:global", "prvReadsvc_gift:local", "prvReadsvc_fund:global"))
	s.addAccount(guid(12), guid(13), grants(t, true, root, "prvReadsvc_gift:global"), grants(t, false, root, "prvActOnBehalfOfAnotherUser:global"))
	person := s.addAccount(guid(20), value.GUID{}, grants(t, true, root, "prvReadsvc_gift:global", "prvCreatesvc_gift:basic"))
	s.dir.accounts[Lookup{ByObject, guid(21)}] = person
	s.addAccount(guid(30), value.GUID{}, HeldRole{Role: guid(1), Direct: true}).Disabled = true
	person2 := guid(22)
	s.addAccount(person2, value.GUID{}, HeldRole{Role: guid(1), Direct: true})

	for name, test := range map[string]struct {
		client value.GUID
		im     Impersonation
		code   fault.Code
		status int
		user   value.GUID
	}{
		"by systemuserid":         {guid(11), Impersonation{CallerID: text(guid(20).String())}, 0, 0, guid(20)},
		"in braces, upper case":   {guid(11), Impersonation{CallerID: text("{" + strings.ToUpper(guid(20).String()) + "}")}, 0, 0, guid(20)},
		"by object id":            {guid(11), Impersonation{ObjectID: text(guid(21).String())}, 0, 0, guid(20)},
		"both, same user":         {guid(11), Impersonation{CallerID: text(guid(20).String()), ObjectID: text(guid(21).String())}, 0, 0, guid(20)},
		"both, different users":   {guid(11), Impersonation{CallerID: text(person2.String()), ObjectID: text(guid(21).String())}, fault.CallerIDInvalid, 400, value.GUID{}},
		"oneself":                 {guid(11), Impersonation{CallerID: text(guid(10).String())}, 0, 0, guid(10)},
		"oneself, no right":       {guid(13), Impersonation{CallerID: text(guid(12).String())}, 0, 0, guid(12)},
		"empty":                   {guid(11), Impersonation{CallerID: text("")}, fault.CallerIDInvalid, 400, value.GUID{}},
		"not a GUID":              {guid(11), Impersonation{ObjectID: text("me")}, fault.CallerIDInvalid, 400, value.GUID{}},
		"unknown user":            {guid(11), Impersonation{CallerID: text(guid(98).String())}, fault.ObjectDoesNotExist, 403, value.GUID{}},
		"disabled user":           {guid(11), Impersonation{CallerID: text(guid(30).String())}, fault.UserDisabled, 403, value.GUID{}},
		"right through team only": {guid(13), Impersonation{CallerID: text(guid(20).String())}, fault.PrivilegeDenied, 403, value.GUID{}},
		"no right, unknown user":  {guid(13), Impersonation{CallerID: text(guid(98).String())}, fault.PrivilegeDenied, 403, value.GUID{}},
		"administrator":           {testClient, Impersonation{CallerID: text(guid(20).String())}, 0, 0, guid(20)},
	} {
		c, err := s.Caller(t.Context(), Principal{Client: test.client}, test.im)
		if test.code != 0 {
			if f := fault.As(err); err == nil || f.Code != test.code || f.Status != test.status {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || c.User != test.user {
			t.Errorf("%s: caller %+v, %v", name, c, err)
		}
	}

	m := s.model
	c, _ := s.Caller(t.Context(), Principal{Client: guid(11)}, Impersonation{CallerID: text(guid(20).String())})
	if c.Real != delegate.User || !c.Impersonating() || c.Admin {
		t.Errorf("caller %+v", c)
	}
	for _, test := range []struct {
		table string
		right Right
		want  Depth
		gap   value.GUID // whom the refusal names
	}{
		{"svc_gift", Read, Local, value.GUID{}}, // the lesser of both
		{"svc_gift", Create, None, guid(10)},    // only the real caller lacks it
		{"svc_fund", Read, None, guid(20)},      // only the user lacks it
		{"contact", Read, None, guid(20)},       // both lack it
		{"svc_giftpayment", Write, None, guid(20)},
	} {
		table := m.Table(test.table)
		if d := c.Depth(table, test.right); d != test.want {
			t.Errorf("%s of %s reaches %s, want %s", test.right, test.table, d, test.want)
		}
		if test.want == None && !strings.Contains(Denied(c, table, test.right).Message, "Principal user (Id="+test.gap.String()) {
			t.Errorf("%s of %s: refusal %q does not name %s", test.right, test.table, Denied(c, table, test.right).Message, test.gap)
		}
	}
	c, _ = s.Caller(t.Context(), s.principal(), Impersonation{CallerID: text(guid(20).String())})
	if c.Depth(m.Table("svc_gift"), Create) != Basic || c.Depth(m.Table("svc_fund"), Read) != None {
		t.Error("an administrator acting for a user must have exactly the user's rights")
	}
}

func TestChallenge(t *testing.T) {
	s := newSite(t)
	want := "Bearer authorization_uri=https://give.example/" + testOrganization.String() + "/oauth2/authorize, resource_id=https://give.example/"
	if got := s.Challenge(t.Context(), "https://give.example", fault.New(fault.RequestIsNotAuthenticated, "x")); got != want {
		t.Errorf("challenge %q, want %q", got, want)
	}
	if got := s.Challenge(t.Context(), "https://give.example", invalidToken("x")); got != want+", error=invalid_token" {
		t.Errorf("challenge %q", got)
	}
}
