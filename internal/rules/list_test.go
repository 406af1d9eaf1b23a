package rules_test

import (
	"testing"

	"almoner/internal/fault"
	"almoner/internal/rules"
	"almoner/internal/value"
)

func (h *house) member(list, id value.GUID, table string) error {
	_, err := h.ClientCreate("listmember", cells{"listid": list, "entityid": value.Ref(id, h.Table(table).TypeCode)})
	return err
}

func TestListMembers(t *testing.T) {
	h := newHouse(t)
	list := h.create("list", cells{"listname": "L", "type": false, "createdfromcode": 4})
	ann := h.create("contact", cells{"firstname": "Ann", "lastname": "Lee"})
	bo := h.create("contact", cells{"lastname": "Ray"})
	account := h.create("account", cells{"name": "Acme"})
	h.want("list", list, map[string]string{"membercount": "0", "statuscode": "0"})
	for _, id := range []value.GUID{ann, bo} {
		if err := h.member(list, id, "contact"); err != nil {
			t.Fatal(err)
		}
	}
	h.want("list", list, map[string]string{"membercount": "2"})
	refuse(t, h.member(list, account, "account"), fault.ListWrongMember, account.String())
	h.update("list", list, cells{"lockstatus": true})
	refuse(t, h.member(list, bo, "contact"), fault.ListLocked)
	h.delete("contact", bo) // a lock does not keep the dead
	h.want("list", list, map[string]string{"membercount": "1"})
	h.update("list", list, cells{"lockstatus": false, "statecode": 1})
	h.want("list", list, map[string]string{"statuscode": "1"})
	refuse(t, h.member(list, ann, "contact"), fault.ObjectInactive)
	h.delete("list", list)
	if len(h.Rows("listmember")) != 0 {
		t.Error("members outlived their list")
	}
}

func TestListKinds(t *testing.T) {
	h := newHouse(t)
	for column := range map[string]bool{"listname": true, "type": true, "createdfromcode": true} {
		c := cells{"listname": "L", "type": true, "createdfromcode": 4}
		delete(c, column)
		_, err := h.ClientCreate("list", c)
		refuse(t, err, fault.RequiredFieldMissing, column)
	}
	create := func(c cells) error {
		c["listname"], c["createdfromcode"] = "L", 4
		_, err := h.ClientCreate("list", c)
		return err
	}
	refuse(t, create(cells{"type": false, "query": "<contact/>"}), fault.ListQueryOnStatic, "query")
	refuse(t, create(cells{"type": true, "lockstatus": true}), fault.ListLockOnDynamic, "lockstatus")
	refuse(t, create(cells{"type": true, "query": "<account/>"}), fault.FetchEntityMismatch)
	list := h.create("list", cells{"listname": "L", "createdfromcode": 4, "type": true, "query": "<contact/>"})
	h.want("list", list, map[string]string{"membercount": "null"})
	ann := h.create("contact", cells{"lastname": "Lee"})
	refuse(t, h.member(list, ann, "contact"), fault.ListDynamic)

	var copied value.GUID
	err := h.Write(func() (err error) {
		if copied, err = rules.CopyToStatic(h, h.Must("list", list)); err != nil {
			return err
		}
		return rules.LockList(h, copied)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.want("list", copied, map[string]string{"type": "false", "lockstatus": "true", "membercount": "0", "createdfromcode": "4"})
	_, err = rules.CopyToStatic(h, h.Must("list", copied))
	refuse(t, err, fault.ListCopyStatic)
}

func TestMemberCodes(t *testing.T) {
	h := newHouse(t)
	list := h.create("list", cells{"listname": "L", "type": false, "createdfromcode": 2})
	if got := rules.MemberTable(h.Model(), h.Config, h.Must("list", list)); got.Name != "account" {
		t.Errorf("2 is %s", got.Name)
	}
	_, err := h.ClientCreate("list", cells{"listname": "L", "type": false, "createdfromcode": 1})
	refuse(t, err, fault.BadOption, "createdfromcode", "Accepted Values: 2,3,4", "rule list.members")
	if err := h.Config.Set("list.membertype", "platform"); err != nil {
		t.Fatal(err)
	}
	if got := rules.MemberTable(h.Model(), h.Config, h.Must("list", list)); got.Name != "contact" {
		t.Errorf("2 of the platform is %s", got.Name)
	}
	for code, table := range map[int]string{1: "account", 2: "contact", 4: "lead"} {
		made := h.create("list", cells{"listname": "L", "type": false, "createdfromcode": code})
		if got := rules.MemberTable(h.Model(), h.Config, h.Must("list", made)); got.Name != table {
			t.Errorf("%d of the platform is %s", code, got.Name)
		}
	}
	_, err = h.ClientCreate("list", cells{"listname": "L", "type": false, "createdfromcode": 3})
	refuse(t, err, fault.BadOption, "createdfromcode", "Accepted Values: 1,2,4", "rule list.members")
}

func TestSmallRules(t *testing.T) {
	h := newHouse(t)
	for number, kind := range map[string]string{"1000": "730850000", "5999": "730850004", "9000": "null"} {
		h.want("svc_account", h.create("svc_account", cells{"svc_accountnum": number}), map[string]string{"svc_accounttype": kind})
	}
	_, err := h.ClientCreate("contact", cells{"jobtitle": "x"})
	refuse(t, err, fault.RequiredFieldMissing, "lastname")
	_, err = h.ClientCreate("account", cells{})
	refuse(t, err, fault.RequiredFieldMissing, "name")
	_, err = h.ClientCreate("svc_criterialist", cells{})
	refuse(t, err, fault.RequiredFieldMissing, "svc_criteria")
	for _, rate := range []int64{0, -1, 9_000_000_000_000_000_000} {
		refuse(t, h.ClientUpdate("transactioncurrency", h.CAD, cells{"exchangerate": rate}), fault.RuleRefused, "exchangerate")
	}
	refuse(t, h.ClientUpdate("transactioncurrency", h.USD, cells{"exchangerate": 12_000_000_000}), fault.RuleRefused, "base currency")
}
