package seed

import (
	"fmt"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// person is what is remembered of a contact.
type person struct {
	id          value.GUID
	first, last uint16 // in firstNames and lastNames
}

// body is what is remembered of an organization.
type body struct {
	id    value.GUID
	name  string
	voice value.GUID // its representative
}

// people are the persons and organizations of the sample.
type people struct {
	contacts  []person
	charities []body // who applies for grants
	companies []body // who gives
	scholars  []value.GUID
	staff     []value.GUID
	index     map[value.GUID]int // contacts and donors by key: contact i is i, donor i is -i-1
}

// address is where somebody lives.
type address struct {
	place
	street, postal string
}

func (f *foundation) newAddress(foreign bool) address {
	d := f.dice
	home := len(places) - canadianPlaces
	p := places[d.IntN(home)]
	postal := fmt.Sprintf("%s%03d", p.postal, d.IntN(1000))
	if foreign {
		p = places[home+d.IntN(canadianPlaces)]
		postal = fmt.Sprintf("%s %d%c%d", p.postal, d.IntN(10), 'A'+rune(d.IntN(20)), d.IntN(10))
	}
	return address{p, fmt.Sprintf("%d %s", d.between(1, 2400), pick(d, streets)), postal}
}

// newPerson makes a contact; last is the index of a surname it shares, or -1.
func (f *foundation) newPerson(moment int64, at address, last int) (*draft, person) {
	d := f.dice
	if last < 0 {
		last = d.IntN(len(lastNames))
	}
	p := person{first: uint16(d.IntN(len(firstNames))), last: uint16(last)}
	r := f.begin("contact", moment).text("firstname", firstNames[p.first]).text("lastname", lastNames[p.last])
	p.id = r.ID
	r.text("address1_line1", at.street).text("address1_city", at.city).text("address1_stateorprovince", at.state)
	r.text("address1_postalcode", at.postal).text("address1_country", at.country)
	if d.chance(0.35) {
		r.text("salutation", early(d, salutations))
	}
	if d.chance(0.6) {
		r.text("mobilephone", fmt.Sprintf("+1 %d 555 01%02d", d.between(201, 989), d.IntN(100)))
	}
	r.flag("donotbulkemail", d.chance(0.12)).flag("donotpostalmail", d.chance(0.05)).flag("svc_deceased", d.chance(0.015))
	return r, p
}

// email makes an address from a name; it may be shared, as couples do.
func (f *foundation) email(p person) string {
	local := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(fold(s), "'", ""), "-", "") }
	domain := pick(f.dice, []string{"example.com", "example.org", "example.net", "mail.example.com"})
	return fmt.Sprintf("%s.%s%d@%s", local(firstNames[p.first]), local(lastNames[p.last]), f.dice.IntN(900), domain)
}

// fold makes a plain ASCII word of a name.
func fold(name string) string {
	var b strings.Builder
	for _, r := range value.Fold(name) {
		if r < 0x80 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// saveContact saves a contact and remembers it.
func (f *foundation) saveContact(r *draft, p person) value.GUID {
	f.index[p.id] = len(f.contacts)
	f.contacts = append(f.contacts, p)
	f.save(r)
	return p.id
}

// newBody makes an organization with its representative.
func (f *foundation) newBody(moment int64, name string) body {
	d := f.dice
	at := f.newAddress(false)
	web := strings.ReplaceAll(fold(name), " ", "") + ".example.org"
	r := f.begin("account", moment).text("name", name).text("emailaddress1", "office@"+web).text("websiteurl", "https://"+web)
	r.text("telephone1", fmt.Sprintf("+1 %d 555 01%02d", d.between(201, 989), d.IntN(100)))
	r.text("address1_line1", at.street).text("address1_city", at.city).text("address1_stateorprovince", at.state)
	r.text("address1_postalcode", at.postal).text("address1_country", at.country)
	account := f.save(r).ID
	c, p := f.newPerson(moment, at, -1)
	c.text("jobtitle", pick(d, jobTitles)).text("emailaddress1", fold(firstNames[p.first])+"@"+web)
	c.put("parentcustomerid", value.Ref(account, f.model.Table("account").TypeCode))
	return body{account, name, f.saveContact(c, p)}
}

// makeOthers makes the persons and organizations that do not give: applicants, scholars and staff.
func (f *foundation) makeOthers() error {
	d := f.dice
	for i := range 6 + f.size.Donors/250 {
		at := f.newAddress(false)
		r, p := f.newPerson(f.founded, at, -1)
		r.text("jobtitle", jobTitles[i%len(jobTitles)]).text("emailaddress1", fold(firstNames[p.first])+"@foundation.example.org")
		f.staff = append(f.staff, f.saveContact(r, p))
	}
	for range 12 + f.size.Donors/40 {
		name := pick(d, places).city + " " + pick(d, charityKinds)
		if d.chance(0.3) {
			name = pick(d, lastNames) + " " + pick(d, charityKinds)
		}
		f.charities = append(f.charities, f.newBody(f.founded, name))
		if err := f.settleAfter(batchRows); err != nil {
			return err
		}
	}
	for range 8 + f.size.Donors/40 {
		r, p := f.newPerson(f.founded, f.newAddress(false), -1)
		r.text("jobtitle", "Student").text("emailaddress1", f.email(p))
		f.scholars = append(f.scholars, f.saveContact(r, p))
	}
	return f.settle()
}

// recall returns what the rules may want to know of a donor or contact written earlier.
func (f *foundation) recall(id value.GUID) *query.Row {
	i, ok := f.index[id]
	switch {
	case !ok:
		return nil
	case i >= 0:
		p := f.contacts[i]
		r := query.NewRow(f.model.Table("contact"), id)
		r.Put("firstname", value.Text(firstNames[p.first]))
		r.Put("lastname", value.Text(lastNames[p.last]))
		r.Put("fullname", value.Text(f.fullName(p)))
		return r
	default:
		donor := &f.donors[-i-1]
		r := query.NewRow(f.model.Table("svc_donor"), id)
		r.Put("svc_primarycontact", lookup(donor.primary))
		r.Put("svc_secondarycontact", lookup(donor.secondary))
		return r
	}
}

func (f *foundation) fullName(p person) string { return firstNames[p.first] + " " + lastNames[p.last] }

// lookup is the value of a lookup with a single target; zero is null.
func lookup(id value.GUID) value.Value {
	if id.IsZero() {
		return value.Null
	}
	return value.ID(id)
}
