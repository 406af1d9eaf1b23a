package auth

import (
	"context"
	"slices"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// share runs one change of shares for a caller.
func (o *offices) share(by value.GUID, do func(context.Context, *Sharing) error) error {
	o.t.Helper()
	c := o.callerOf(by)
	return o.Write(o.t.Context(), func(tx store.Tx) error {
		return do(o.t.Context(), &Sharing{Tx: tx, Model: o.model, Caller: c, Now: o.clock})
	})
}

func (o *offices) access(principal *query.Row, contact string) Mask {
	o.t.Helper()
	m, err := PrincipalAccess(o.t.Context(), o.Store, o.model, principal, o.row("contact", o.contacts[contact]))
	if err != nil {
		o.t.Fatal(err)
	}
	return m
}

var everyRight = []string{
	"prvReadcontact:basic", "prvWritecontact:basic", "prvAppendcontact:basic", "prvAppendTocontact:basic",
	"prvDeletecontact:basic", "prvAssigncontact:basic", "prvSharecontact:basic",
}

func TestSharing(t *testing.T) {
	o := newOffices(t)
	o.role(o.boss, everyRight...)
	o.role(o.clerk, "prvReadcontact:basic", "prvWritecontact:basic")
	row := o.row("contact", o.contacts["boss"])
	clerk := o.row("systemuser", o.clerk)

	steps := []struct {
		name string
		do   func(context.Context, *Sharing) error
		want Mask
	}{
		{"grant reading", func(ctx context.Context, s *Sharing) error { return s.Grant(ctx, row, clerk, Read.Bit()) }, 1},
		{"grant writing too", func(ctx context.Context, s *Sharing) error { return s.Grant(ctx, row, clerk, Write.Bit()) }, 3},
		{"grant what their role lacks", func(ctx context.Context, s *Sharing) error { return s.Grant(ctx, row, clerk, Delete.Bit()) }, 3},
		{"modify to writing", func(ctx context.Context, s *Sharing) error { return s.Modify(ctx, row, clerk, Write.Bit()) }, 2},
		{"modify to reading", func(ctx context.Context, s *Sharing) error { return s.Modify(ctx, row, clerk, Read.Bit()) }, 1},
		{"revoke", func(ctx context.Context, s *Sharing) error { return s.Revoke(ctx, row, clerk) }, 0},
		{"revoke again", func(ctx context.Context, s *Sharing) error { return s.Revoke(ctx, row, clerk) }, 0},
	}
	for _, step := range steps {
		if err := o.share(o.boss, step.do); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := o.access(clerk, "boss"); got != step.want {
			t.Errorf("%s: access %q, want %q", step.name, got, step.want)
		}
		q := keyQuery(o.model.Table("contact"))
		if err := Secure(o.callerOf(o.clerk), q); err != nil {
			t.Fatal(err)
		}
		if seen := slices.Contains(o.names(q), "boss"); seen != step.want.Has(Read) {
			t.Errorf("%s: in a collection visible is %v", step.name, seen)
		}
		if err := RowAccess(t.Context(), o.Store, o.model, o.callerOf(o.clerk), row, Write); (err == nil) != step.want.Has(Write) {
			t.Errorf("%s: writing alone: %v", step.name, err)
		}
	}
}

func TestSharingWithATeam(t *testing.T) {
	o := newOffices(t)
	o.role(o.boss, everyRight...)
	o.role(o.guest, "prvReadcontact:basic")
	o.role(o.team, "prvReadcontact:basic")
	row, team := o.row("contact", o.contacts["boss"]), o.row("team", o.team)
	if err := o.share(o.boss, func(ctx context.Context, s *Sharing) error { return s.Grant(ctx, row, team, Read.Bit()) }); err != nil {
		t.Fatal(err)
	}
	for name, principal := range map[string]*query.Row{"team": team, "member": o.row("systemuser", o.guest)} {
		if got := o.access(principal, "boss"); got != Read.Bit() {
			t.Errorf("%s has %q", name, got)
		}
	}
	shared, err := SharedWith(t.Context(), o.Store, o.model, row)
	if err != nil || len(shared) != 1 || shared[0].Principal != value.Ref(o.team, 9) || shared[0].Mask != Read.Bit() {
		t.Errorf("shared with %v, %v", shared, err)
	}
}

func TestSharingIsRefused(t *testing.T) {
	o := newOffices(t)
	o.role(o.boss, "prvReadcontact:basic", "prvSharecontact:basic")
	o.role(o.clerk, "prvReadcontact:basic")
	o.role(o.guest, "prvReadcontact:global", "prvReadsvc_fund:global")
	boss, clerk, mine := o.row("systemuser", o.boss), o.row("systemuser", o.clerk), o.row("contact", o.contacts["boss"])
	fund := query.NewRow(o.model.Table("svc_fund"), guid(9))
	stranger := o.row("systemuser", SystemUser)
	for name, test := range map[string]struct {
		by             value.GUID
		row, principal *query.Row
		mask           Mask
		code           fault.Code
	}{
		"with the owner":            {o.boss, mine, boss, 1, fault.ShareWithOwner},
		"organization's row":        {o.guest, fund, clerk, 1, fault.ShareOrganizationOwned},
		"without the right":         {o.guest, mine, clerk, 1, fault.PrivilegeDenied},
		"somebody else's row":       {o.boss, o.row("contact", o.contacts["clerk"]), o.row("systemuser", o.guest), 1, fault.AccessDenied},
		"more than one has":         {o.boss, mine, clerk, 3, fault.PrivilegeDenied},
		"with one who cannot read":  {o.boss, mine, stranger, 1, fault.AssigneeLacksPrivileges},
		"a right that is not a row": {o.boss, mine, clerk, Create.Bit(), fault.BadPayload},
	} {
		err := o.share(test.by, func(ctx context.Context, s *Sharing) error { return s.Grant(ctx, test.row, test.principal, test.mask) })
		if f := fault.As(err); f.Code != test.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}
