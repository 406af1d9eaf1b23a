package auth

import (
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// person makes a caller of the root unit from roles.
func person(t testing.TB, user value.GUID, roles ...HeldRole) *Caller {
	t.Helper()
	return NewCaller(testModel(t), &Account{
		Organization: testOrganization, User: user, AccessMode: 4, Unit: RootUnit,
		Parents: map[value.GUID]value.GUID{RootUnit: {}}, Roles: roles,
	})
}

func TestMissingPrivilegeMessage(t *testing.T) {
	c := person(t, guid(7), grants(t, true, RootUnit, "prvReadsvc_fund:global", "prvCreatesvc_gift:global"))
	gift := testModel(t).Table("svc_gift")
	err := Require(c, gift, Read)
	f := fault.As(err)
	want := "Principal user (Id=" + guid(7).String() + ", type=8, roleCount=1, privilegeCount=2, accessMode=4), is missing prvReadsvc_gift privilege (Id=" +
		schema.PrivilegeID("prvReadsvc_gift").String() + ") on OTC=" + value.Int(int64(gift.TypeCode)).String() + " for entity 'svc_gift' (LocalizedName='" + gift.Label +
		"'). context.Caller=" + guid(7).String() + ". Consider adding missing privilege to one of the principal (user/team) roles."
	if f.Message != want || f.Code != fault.PrivilegeDenied || f.Status != 403 {
		t.Errorf("%d %v %q\nwant %q", f.Status, f.Code, f.Message, want)
	}
	if Require(c, gift, Create) != nil {
		t.Error("a granted right is refused")
	}
	if f := fault.As(Require(c, gift, CreateRights...)); !strings.Contains(f.Message, "prvReadsvc_gift") {
		t.Errorf("create without read: %v", f)
	}
}

// TestEveryRightOnEveryTable grants each privilege alone and looks at what it opens: that right on that table and nothing
// else.
func TestEveryRightOnEveryTable(t *testing.T) {
	m := testModel(t)
	for _, p := range CatalogOf(m).All() {
		if p.Table == nil {
			continue
		}
		c := person(t, guid(7), HeldRole{Role: guid(8), Direct: true, Unit: RootUnit, Grants: []Grant{{p.ID, Global}}})
		opened := 0
		for _, table := range m.Tables {
			if table.Hidden || joinedSide(m, table) != nil {
				continue
			}
			for r := range rightCount {
				if c.Depth(table, r) == None {
					continue
				}
				opened++
				if table != p.Table || r != p.Right {
					t.Errorf("%s opens %s of %s", p.Name, r, table.Name)
				}
			}
		}
		want := 1
		if AffectsSecurity(p.Table) && changes(p.Right) {
			want = 0 // these are for System Administrator alone
		}
		if opened != want {
			t.Errorf("%s opens %d rights, want %d", p.Name, opened, want)
		}
	}
}

func TestDepthIsTheBestOfAllRoles(t *testing.T) {
	gift := testModel(t).Table("svc_gift")
	c := person(t, guid(7),
		grants(t, true, RootUnit, "prvReadsvc_gift:basic", "prvWritesvc_gift:deep"),
		grants(t, false, guid(50), "prvReadsvc_gift:local", "prvWritesvc_gift:basic"))
	if c.Depth(gift, Read) != Local || c.Depth(gift, Write) != Deep {
		t.Errorf("read %s write %s", c.Depth(gift, Read), c.Depth(gift, Write))
	}
	// A role held through a team reaches the team's unit, not the user's.
	if units := c.unitsFor(gift, Read); len(units) != 1 || units[0] != guid(50) {
		t.Errorf("local reading reaches units %v, want the team's", units)
	}
}

func TestJoiningTablesAreGovernedByTheirFirstSide(t *testing.T) {
	m := testModel(t)
	c := person(t, guid(7), grants(t, true, RootUnit, "prvReadlist:global", "prvReadcontact:global"))
	members := m.Table("listmember")
	if err := Require(c, members, Read); err != nil {
		t.Errorf("reading members with the right to read lists: %v", err)
	}
	if f := fault.As(Require(c, members, Create)); !strings.Contains(f.Message, "prvWritelist") {
		t.Errorf("adding members: %v", f)
	}
	if p := CatalogOf(m).ByName("prvReadlistmember"); p != nil {
		t.Error("joining tables must have no privileges of their own")
	}
}

func TestAuditPrivilege(t *testing.T) {
	c := person(t, guid(7), grants(t, true, RootUnit, "prvreadauditsummary:global"))
	if err := Require(c, testModel(t).Table("audit"), Read); err != nil {
		t.Error(err)
	}
	if f := fault.As(Require(person(t, guid(7)), testModel(t).Table("audit"), Read)); !strings.Contains(f.Message, "prvReadAuditSummary") {
		t.Error(f)
	}
}

func TestMiscPrivileges(t *testing.T) {
	c := person(t, guid(7), grants(t, true, RootUnit, "prvBulkDelete:global"))
	if err := RequireMisc(c, "PRVBULKDELETE"); err != nil {
		t.Error(err)
	}
	if f := fault.As(RequireMisc(c, OverrideCreated)); f.Code != fault.PrivilegeDenied || !strings.Contains(f.Message, OverrideCreated) {
		t.Error(f)
	}
	if err := RequireMisc(System(testModel(t), testOrganization), OverrideCreated); err != nil {
		t.Error(err)
	}
}

func TestParseGrant(t *testing.T) {
	c := CatalogOf(testModel(t))
	for text, want := range map[string]Grant{
		"prvReadsvc_gift:global": {schema.PrivilegeID("prvReadsvc_gift"), Global},
		"PRVREADSVC_GIFT:Basic":  {schema.PrivilegeID("prvReadsvc_gift"), Basic},
		"prvReadsvc_fund:global": {schema.PrivilegeID("prvReadsvc_fund"), Global},
	} {
		if got, err := ParseGrant(c, text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"prvReadsvc_gift", "prvReadsvc_gift:", "prvReadsvc_gift:none", "prvReadsvc_gift:all", "prvReadnothing:global", ":global",
		"prvReadsvc_fund:basic", "prvAssignsvc_fund:global", "prvReadsvc_donor:deep",
	} {
		if _, err := ParseGrant(c, text); err == nil {
			t.Errorf("%s: accepted", text)
		} else if _, ok := err.(*UsageError); !ok {
			t.Errorf("%s: %v is no usage error", text, err)
		}
	}
}

func TestMask(t *testing.T) {
	m, err := ParseMask("ReadAccess,WriteAccess, AppendToAccess")
	if err != nil || m != 1|2|16 || m.String() != "ReadAccess, WriteAccess, AppendToAccess" {
		t.Errorf("%v %q", err, m)
	}
	if got := Mask(0).String(); got != "None" {
		t.Errorf("empty mask is %q", got)
	}
	if _, err := ParseMask("FlyAccess"); fault.As(err).Status != 400 {
		t.Errorf("unknown right: %v", err)
	}
}
