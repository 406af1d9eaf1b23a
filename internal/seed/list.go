package seed

import (
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// dynamicLists are lists by query: name and FetchXML.
var dynamicLists = [][2]string{
	{"Contacts in Washington", `<fetch><entity name="contact"><attribute name="fullname"/><filter>` +
		`<condition attribute="address1_stateorprovince" operator="eq" value="WA"/><condition attribute="statecode" operator="eq" value="0"/></filter></entity></fetch>`},
	{"Lapsed donors", `<fetch><entity name="contact"><attribute name="fullname"/><link-entity name="svc_donor" from="svc_primarycontact" to="contactid">` +
		`<filter><condition attribute="svc_mostrecentgiftdate" operator="olderthan-x-months" value="18"/></filter></link-entity></entity></fetch>`},
	{"Major donors", `<fetch distinct="true"><entity name="contact"><attribute name="fullname"/><link-entity name="svc_donor" from="svc_primarycontact" to="contactid">` +
		`<filter><condition attribute="svc_largestgift" operator="ge" value="10000"/></filter></link-entity></entity></fetch>`},
}

// makeLists makes marketing lists: static ones with members, one of them locked and one inactive, and dynamic ones.
func (f *foundation) makeLists() error {
	d := f.dice
	people := make([]value.GUID, 0, len(f.contacts)/3)
	for _, p := range f.contacts {
		if d.chance(0.33) {
			people = append(people, p.id)
		}
	}
	f.makeStatic("Year-end appeal", "contact", people)
	f.makeStatic("Newsletter", "contact", people[:len(people)/2]).flag("lockstatus", true)
	f.makeStatic("Gala guests (old)", "contact", people[:min(40, len(people))]).choice("statecode", stateInactive).choice("statuscode", 1)
	companies := make([]value.GUID, len(f.companies))
	for i, b := range f.companies {
		companies[i] = b.id
		f.kept[b.id] = query.NewRow(f.model.Table("account"), b.id)
		f.kept[b.id].Put("name", value.Text(b.name))
	}
	f.makeStatic("Corporate partners", "account", companies)
	for _, l := range dynamicLists {
		r := f.beginList(l[0], "contact").flag("type", true).text("query", l[1])
		f.save(r)
	}
	return f.settle()
}

// makeStatic makes a static list with its members. What is put on the returned row closes the list after them.
func (f *foundation) makeStatic(name, table string, members []value.GUID) *draft {
	r := f.beginList(name, table).flag("type", false)
	f.save(r)
	code := f.model.Table(table).TypeCode
	for _, id := range members {
		m := f.begin("listmember", r.Value("createdon").Int()).link("listid", r.ID).put("entityid", value.Ref(id, code))
		f.save(m)
	}
	return r
}

func (f *foundation) beginList(name, table string) *draft {
	codes := map[string]int64{"account": 2, "contact": 4}
	if f.desk.settings.ListMembertype == settings.MembersPlatform {
		codes = map[string]int64{"account": 1, "contact": 2}
	}
	r := f.begin("list", f.moment(f.last-int64(f.dice.between(5, 300)))).text("listname", name).choice("createdfromcode", codes[table])
	return r.text("purpose", "Sample list")
}
