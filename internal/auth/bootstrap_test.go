package auth

import (
	"sync"
	"testing"

	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

func TestBootstrapMakesTheFoundations(t *testing.T) {
	d := openDatabase(t)
	for table, want := range map[string]int{
		"organization": 1, "businessunit": 1, "team": 1, "transactioncurrency": 1, "systemuser": 2, "role": 3, "systemuserroles": 1,
		"privilege": len(CatalogOf(d.model).All()),
	} {
		if got := d.count(table); got != want {
			t.Errorf("%d rows of %s, want %d", got, table, want)
		}
	}
	admin := d.callerOf(AdministratorUser)
	if !admin.Admin || admin.Roles != 1 || admin.Unit != RootUnit || admin.Organization.IsZero() {
		t.Errorf("administrator is %+v", admin)
	}
	currency := d.row("transactioncurrency", schema.MetadataID("transactioncurrency", "USD"))
	if got := currency.Value("exchangerate").String(); got != "1.0000000000" {
		t.Errorf("rate of the base currency is %s", got)
	}
	if got := d.row("businessunit", RootUnit).Value("createdby").ID(); got != SystemUser {
		t.Errorf("root unit was created by %s, want SYSTEM", got)
	}
}

func TestBootstrapIsIdempotent(t *testing.T) {
	d := openDatabase(t)
	before := map[string]int{}
	tables := []string{"organization", "businessunit", "privilege", "roleprivileges", "role", "systemuser"}
	for _, table := range tables {
		before[table] = d.count(table)
	}
	revision, _ := d.Revision(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := Bootstrap(t.Context(), d.Store, d.model, d.clock, settings.Default()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, table := range tables {
		if got := d.count(table); got != before[table] {
			t.Errorf("%s has %d rows after another start, had %d", table, got, before[table])
		}
	}
	if again, _ := d.Revision(t.Context()); again != revision {
		t.Errorf("revision moved from %d to %d although nothing changed", revision, again)
	}
	trust, err := d.Trust(t.Context())
	if err != nil || len(trust.Keys) != 1 {
		t.Errorf("keys %v, %v, want one", trust, err)
	}
}

func TestBuiltinRoles(t *testing.T) {
	d := openDatabase(t)
	for _, test := range []struct {
		role   string
		grants map[string]Depth
	}{
		{RoleIntegration, map[string]Depth{
			"prvCreatesvc_gift": Global, "prvDeletesvc_fund": Global, "prvAssigncontact": Global, "prvReadsystemuser": Global,
			"prvAppendTotransactioncurrency": Global, "prvActOnBehalfOfAnotherUser": Global, "prvReaduserquery": Basic,
			"prvWritesystemuser": None, "prvCreaterole": None, "prvReadAuditSummary": None, "prvWritetransactioncurrency": None,
		}},
		{RoleReader, map[string]Depth{
			"prvReadsvc_gift": Global, "prvReadlist": Global, "prvReadteam": Global, "prvCreatesvc_gift": None,
			"prvActOnBehalfOfAnotherUser": None, "prvReadrole": None,
		}},
		{RoleAdministrator, map[string]Depth{"prvWriterole": Global, "prvReadAuditSummary": Global}},
	} {
		info, err := d.ShowRole(t.Context(), test.role)
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]Depth{}
		for _, g := range info.Grants {
			have[g.Privilege] = g.Depth
		}
		for name, want := range test.grants {
			if have[name] != want {
				t.Errorf("%s grants %s at %s, want %s", test.role, name, have[name], want)
			}
		}
	}
}

// TestNewTableGetsPrivileges starts once with a table missing from the privileges, as after an overlay added it.
func TestNewTableGetsPrivileges(t *testing.T) {
	d := openDatabase(t)
	p := CatalogOf(d.model).ByName("prvReadsvc_gift")
	kept := CatalogOf(d.model).ByName("prvReadsvc_fund")
	integration := roleID(RoleIntegration)
	d.edit(func(e *RoleEditor) error { return e.Remove(t.Context(), integration, kept.ID) })
	d.remove("roleprivileges", "privilegeid", value.ID(p.ID))
	d.remove("privilege", "privilegeid", value.ID(p.ID))
	if err := Bootstrap(t.Context(), d.Store, d.model, d.clock, settings.Default()); err != nil {
		t.Fatal(err)
	}
	held, err := roleGrants(t.Context(), d.Store, d.model, integration)
	if err != nil || held[p.ID] == nil {
		t.Errorf("the new table's privilege is not granted: %v", err)
	}
	if held[kept.ID] != nil {
		t.Error("a privilege an administrator took away came back")
	}
}
