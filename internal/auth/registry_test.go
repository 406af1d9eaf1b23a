package auth

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// service is an authenticator over a real database.
func (d *database) service(baseURL string) *Authenticator {
	d.t.Helper()
	a, err := New(Options{Directory: d.Registry, Model: d.model, BaseURL: baseURL, TokenTTL: time.Hour, Now: func() time.Time { return d.clock }})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.Announce(d.t.Context(), baseURL); err != nil {
		d.t.Fatal(err)
	}
	if err := a.Poll(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	return a
}

func TestApplicationLife(t *testing.T) {
	d := openDatabase(t)
	a := d.service(siteURL)
	ctx := t.Context()
	app, err := d.CreateApp(ctx, "Website", []string{"reader", "Reader"})
	if err != nil {
		t.Fatal(err)
	}
	account, err := a.signIn(ctx, app.ClientID, app.ClientSecret)
	if err != nil || account.User != app.SystemUserID {
		t.Fatalf("sign-in: %+v, %v", account, err)
	}
	token, err := a.mintFor(ctx, account)
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Authenticate(ctx, "Bearer "+token)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Caller(ctx, p, Impersonation{})
	if err != nil || c.Depth(d.model.Table("svc_gift"), Read) != Global || c.Depth(d.model.Table("svc_gift"), Write) != None {
		t.Fatalf("caller %+v, %v", c, err)
	}
	if _, err := d.CreateApp(ctx, "WEBSITE", nil); err == nil {
		t.Error("a second application of the same name was made")
	}

	rotated, err := d.RotateApp(ctx, "website")
	if err != nil || rotated.ClientID != app.ClientID || rotated.ClientSecret == app.ClientSecret || rotated.SystemUserID != app.SystemUserID {
		t.Fatalf("rotate: %+v, %v", rotated, err)
	}
	if _, err := a.signIn(ctx, app.ClientID, app.ClientSecret); err == nil {
		t.Error("the old secret still works")
	}
	if _, err := a.signIn(ctx, app.ClientID, rotated.ClientSecret); err != nil {
		t.Errorf("the new secret does not work: %v", err)
	}

	if err := d.DisableApp(ctx, "Website"); err != nil {
		t.Fatal(err)
	}
	if err := a.Poll(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Caller(ctx, p, Impersonation{}); fault.As(err).Code != fault.UserDisabled {
		t.Errorf("disabled: %v", err)
	}
	if _, err := a.signIn(ctx, app.ClientID, rotated.ClientSecret); err == nil {
		t.Error("a disabled application can sign in")
	}
	if _, err := d.IssueToken(ctx, "Website", time.Hour); err == nil {
		t.Error("a token was issued to a disabled application")
	}
	apps, err := d.ListApps(ctx)
	if err != nil || len(apps) != 2 {
		t.Fatalf("apps %+v, %v", apps, err)
	}
	i := slices.IndexFunc(apps, func(a App) bool { return a.Name == "Website" })
	if i < 0 || !apps[i].Disabled || !slices.Equal(apps[i].Roles, []string{"Reader"}) {
		t.Errorf("apps %+v", apps)
	}
}

func TestSecretsAreNotInUserRows(t *testing.T) {
	d := openDatabase(t)
	app, err := d.CreateApp(t.Context(), "Website", nil)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := d.SecretHash(t.Context(), app.ClientID)
	if err != nil || !strings.HasPrefix(hash, "$argon2id$") || strings.Contains(hash, app.ClientSecret) {
		t.Errorf("hash %q, %v", hash, err)
	}
	user := d.row("systemuser", app.SystemUserID)
	for _, c := range user.Table.Columns {
		if v := user.Get(c).String(); strings.Contains(v, app.ClientSecret) || strings.Contains(v, "argon2") {
			t.Errorf("column %s holds the secret", c.Name)
		}
	}
}

func TestIssueToken(t *testing.T) {
	d := openDatabase(t)
	ctx := t.Context()
	early, err := d.IssueToken(ctx, "", time.Hour) // before any process ever served
	if err != nil {
		t.Fatal(err)
	}
	first, second := d.service("http://127.0.0.1:1111"), d.service("http://127.0.0.1:2222")
	late, err := d.IssueToken(ctx, "", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*Authenticator{"first": first, "second": second} {
		for _, token := range []string{early, late} {
			p, err := a.Authenticate(ctx, "Bearer "+token)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c, err := a.Caller(ctx, p, Impersonation{}); err != nil || !c.Admin {
				t.Errorf("%s: %+v, %v", name, c, err)
			}
		}
	}
	for _, ttl := range []time.Duration{0, -time.Hour, MaxTokenTTL + time.Second} {
		if _, err := d.IssueToken(ctx, "", ttl); !isUsage(err) {
			t.Errorf("life %v: %v", ttl, err)
		}
	}
	if _, err := d.IssueToken(ctx, "Nobody", time.Hour); err == nil {
		t.Error("a token was issued to nobody")
	}
}

func isUsage(err error) bool {
	var u *UsageError
	return errors.As(err, &u)
}

func TestUsageMistakes(t *testing.T) {
	d := openDatabase(t)
	ctx := t.Context()
	for name, do := range map[string]func() error{
		"unknown role of an app":  func() error { _, err := d.CreateApp(ctx, "A", []string{"Nothing"}); return err },
		"unknown role of a user":  func() error { _, err := d.CreateUser(ctx, "A", []string{"Nothing"}); return err },
		"no name":                 func() error { _, err := d.CreateUser(ctx, "  ", nil); return err },
		"unknown privilege":       func() error { _, err := d.CreateRole(ctx, "A", []string{"prvFly:global"}); return err },
		"impossible depth":        func() error { _, err := d.CreateRole(ctx, "A", []string{"prvReadsvc_fund:local"}); return err },
		"disabling the last door": func() error { return d.DisableApp(ctx, administratorName) },
	} {
		if err := do(); !isUsage(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, do := range map[string]func() error{
		"role twice":  func() error { _, err := d.CreateRole(ctx, "reader", nil); return err },
		"rotate none": func() error { _, err := d.RotateApp(ctx, "Nobody"); return err },
		"show none":   func() error { _, err := d.ShowRole(ctx, "Nothing"); return err },
	} {
		if err := do(); err == nil || isUsage(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRolesAndPeople(t *testing.T) {
	d := openDatabase(t)
	ctx := t.Context()
	id, err := d.CreateRole(ctx, "Clerk", []string{"prvReadsvc_gift:basic", "prvReadsvc_gift:deep", "prvCreatesvc_gift:basic"})
	if err != nil {
		t.Fatal(err)
	}
	user, err := d.CreateUser(ctx, "Maria de la Cruz", []string{"clerk"})
	if err != nil {
		t.Fatal(err)
	}
	row := d.row("systemuser", user)
	if row.Value("firstname").Text() != "Maria de la" || row.Value("lastname").Text() != "Cruz" || !row.Value("applicationid").IsNull() {
		t.Errorf("user row %v %v", row.Value("firstname"), row.Value("lastname"))
	}
	gift := d.model.Table("svc_gift")
	if c := d.callerOf(user); c.Depth(gift, Read) != Deep || c.Depth(gift, Create) != Basic || c.Roles != 1 {
		t.Errorf("caller %+v", c)
	}
	d.edit(func(e *RoleEditor) error {
		return e.Add(ctx, id, []Grant{{schema.PrivilegeID("prvReadsvc_gift"), Global}, {schema.PrivilegeID("prvReadsvc_fund"), Global}})
	})
	d.edit(func(e *RoleEditor) error { return e.Remove(ctx, id, schema.PrivilegeID("prvCreatesvc_gift")) })
	if c := d.callerOf(user); c.Depth(gift, Read) != Global || c.Depth(gift, Create) != None {
		t.Error("changed grants are not in force")
	}
	held, err := PrivilegesOf(ctx, d.Store, d.model, row)
	if err != nil || len(held) != 2 || held[0].Privilege.Name != "prvReadsvc_fund" || held[1].Depth != Global || held[0].Unit != RootUnit {
		t.Errorf("privileges %+v, %v", held, err)
	}
	d.edit(func(e *RoleEditor) error {
		return e.Replace(ctx, id, []Grant{{schema.PrivilegeID("prvReadcontact"), Local}})
	})
	info, err := d.ShowRole(ctx, "clerk")
	if err != nil || !slices.Equal(info.Grants, []NamedGrant{{"prvReadcontact", Local}}) {
		t.Errorf("role %+v, %v", info, err)
	}
	roles, err := d.ListRoles(ctx)
	if err != nil || len(roles) != 4 || roles[0].Name != "Clerk" {
		t.Errorf("roles %+v, %v", roles, err)
	}
}

func TestRoleEditorRefuses(t *testing.T) {
	d := openDatabase(t)
	ctx := t.Context()
	for name, test := range map[string]struct {
		role   value.GUID
		grant  Grant
		status int
	}{
		"unknown role":      {guid(9), Grant{schema.PrivilegeID("prvReadcontact"), Global}, 404},
		"unknown privilege": {roleID(RoleReader), Grant{guid(9), Global}, 404},
		"impossible depth":  {roleID(RoleReader), Grant{schema.PrivilegeID("prvReadsvc_fund"), Basic}, 400},
		"no depth":          {roleID(RoleReader), Grant{schema.PrivilegeID("prvReadsvc_fund"), None}, 400},
		"administrator":     {roleID(RoleAdministrator), Grant{schema.PrivilegeID("prvReadcontact"), Global}, 400},
	} {
		err := d.Write(ctx, func(tx store.Tx) error {
			return (&RoleEditor{Tx: tx, Model: d.model, Now: d.clock}).Add(ctx, test.role, []Grant{test.grant})
		})
		if f := fault.As(err); err == nil || f.Status != test.status {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReportsFollowTheManagers(t *testing.T) {
	d := openDatabase(t)
	user := func(name string, manager value.GUID) value.GUID {
		vs := values{"fullname": value.Text(name), "businessunitid": value.ID(RootUnit)}
		if !manager.IsZero() {
			vs["parentsystemuserid"] = value.ID(manager)
		}
		return d.add("systemuser", vs)
	}
	top := user("top", value.GUID{})
	middle := user("middle", top)
	low := user("low", middle)
	c := d.callerOf(top)
	if !slices.Equal(c.Reports, []value.GUID{middle, low}) {
		t.Errorf("reports %v, want %v", c.Reports, []value.GUID{middle, low})
	}
}

func TestKeyRenewal(t *testing.T) {
	d := openDatabase(t)
	ctx := t.Context()
	first, err := d.Trust(ctx)
	if err != nil {
		t.Fatal(err)
	}
	count := func(after time.Duration, keys, retired int) {
		t.Helper()
		d.clock = d.clock.Add(after)
		if err := d.RenewKeys(ctx); err != nil {
			t.Fatal(err)
		}
		trust, err := d.Trust(ctx)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, k := range trust.Keys {
			if k.Retired {
				n++
			}
		}
		if len(trust.Keys) != keys || n != retired {
			t.Errorf("%d keys, %d retired, want %d and %d", len(trust.Keys), n, keys, retired)
		}
	}
	count(0, 1, 0)
	count(keyLife, 2, 0)
	count(keyLead+keyRetire+time.Minute, 2, 1)
	count(keyForget, 1, 0)
	if last, _ := d.Trust(ctx); last.Keys[0].KID == first.Keys[0].KID {
		t.Error("the first key is still the one in use")
	}
}
