package seed

import (
	"fmt"

	"almoner/internal/value"
)

// habit is how often a donor gives.
type habit uint8

const (
	never    habit = iota // a prospect
	seldom                // now and then
	yearly                // about once a year
	twice                 // spring and year end
	quarters              // four times a year
	monthly               // a standing gift
	steady                // nearly every day: a payroll giving agent
)

// donor is what is remembered of a donor.
type donor struct {
	id, primary, secondary value.GUID
	organization           bool
	foreign                bool // gives in the foreign currency
	habit                  habit
	level                  float32 // the middle of its gifts, in currency units
	since                  int64   // first day of its history
}

// steadyDonor is the index of the donor that gives nearly every day, foreignDonor that of the one sure to give in another
// currency.
const (
	steadyDonor  = 3
	foreignDonor = 5
)

func (f *foundation) makeDonors() error {
	f.donors = make([]donor, f.size.Donors)
	for i := range f.donors {
		f.makeDonor(i)
		if err := f.settleAfter(batchRows); err != nil {
			return err
		}
	}
	return f.settle()
}

func (f *foundation) makeDonor(i int) {
	d := f.dice
	n := &f.donors[i]
	n.habit, n.since = f.newHabit(i), f.newSince(i)
	n.foreign = i == foreignDonor || i != steadyDonor && d.chance(0.006)
	n.organization = i == steadyDonor || i != foreignDonor && d.chance(0.07)
	n.level = float32(min(max(d.logNormal(110, 1.25), 10), 40_000))
	moment := n.since*value.SecondsPerDay - int64(d.between(2*86400, 60*86400))
	if n.organization {
		n.level *= 6
		f.makeOrganization(i, moment)
		return
	}
	f.makeHousehold(i, moment)
}

func (f *foundation) newHabit(i int) habit {
	switch i {
	case steadyDonor:
		return steady
	case foreignDonor:
		return quarters
	}
	u := f.dice.Float64()
	for _, share := range []struct {
		upTo float64
		habit
	}{{0.08, never}, {0.18, seldom}, {0.60, yearly}, {0.85, twice}, {0.96, quarters}} {
		if u < share.upTo {
			return share.habit
		}
	}
	return monthly
}

// newSince spreads the beginnings of donors over the history: a third were there from the start.
func (f *foundation) newSince(i int) int64 {
	days := int(f.last - f.first)
	if i == steadyDonor || i == foreignDonor || f.dice.chance(0.34) {
		return f.first + int64(f.dice.IntN(min(days, 330)))
	}
	return f.first + int64(f.dice.IntN(days-30))
}

// makeHousehold makes a donor of one or two persons, mostly of one surname and sometimes with one e-mail address.
func (f *foundation) makeHousehold(i int, moment int64) {
	d := f.dice
	n := &f.donors[i]
	at := f.newAddress(n.foreign)
	c, p := f.newPerson(moment, at, -1)
	email := ""
	if i%4 == 0 || d.chance(0.7) {
		email = f.email(p)
		c.text("emailaddress1", email)
	}
	n.primary = f.saveContact(c, p)
	if i%4 == 0 || d.chance(0.25) {
		last := int(p.last)
		if d.chance(0.25) {
			last = -1
		}
		c, p := f.newPerson(moment, at, last)
		switch {
		case i%12 == 0:
			c.text("emailaddress1", email)
		case d.chance(0.5):
			c.text("emailaddress1", f.email(p))
		}
		n.secondary = f.saveContact(c, p)
	}
	r := f.beginDonor(i, moment, at).flag("svc_donortype", false)
	r.text("svc_sortby", lastNames[p.last]+", "+firstNames[p.first])
	f.saveDonor(i, r)
}

// makeOrganization makes a donor that is an organization with a representative.
func (f *foundation) makeOrganization(i int, moment int64) {
	d := f.dice
	name := pick(d, lastNames) + " " + pick(d, businessKinds)
	switch {
	case i == steadyDonor:
		name = "Tidewater Workplace Giving"
	case d.chance(0.25):
		name = pick(d, places).city + " " + pick(d, businessKinds)
	}
	b := f.newBody(moment, name)
	f.companies = append(f.companies, b)
	f.donors[i].primary = b.voice
	r := f.beginDonor(i, moment, f.newAddress(f.donors[i].foreign)).flag("svc_donortype", true)
	f.saveDonor(i, r.text("svc_sortby", name))
}

func (f *foundation) beginDonor(i int, moment int64, at address) *draft {
	d := f.dice
	n := &f.donors[i]
	r := f.begin("svc_donor", moment).link("svc_primarycontact", n.primary).link("svc_secondarycontact", n.secondary)
	if d.chance(0.7) {
		r.text("svc_donor", fmt.Sprintf("D%06d", i+1))
	}
	r.text("svc_donor_street1", at.street).text("svc_donor_city", at.city).text("svc_donor_stateorprovince", at.state)
	r.text("svc_donor_postalcode", at.postal).text("svc_country", at.country).text("svc_county", at.county)
	r.flag("svc_addresstouse", d.chance(0.3)).flag("svc_anonymous", d.chance(0.02))
	stage, inclination := int64(100000005), int64(d.IntN(3))
	if n.habit == never {
		stage, inclination = 100000000+int64(d.IntN(5)), int64(d.IntN(5))
	}
	r.choice("svc_stage", stage).choice("svc_inclination", 100000000+inclination).choice("svc_temperature", 730850000+int64(d.IntN(4)))
	if d.chance(0.3) {
		r.money("svc_aim", nice(d, float64(n.level)*4))
	}
	r.text("svc_sourcedescription", pick(d, []string{"", "Website", "Board referral", "Gala", "Direct mail", "Advisor"}))
	if n.foreign {
		r.put("transactioncurrencyid", value.ID(f.foreign))
	}
	if d.chance(0.015) && n.habit != steady {
		r.choice("statecode", stateInactive)
	}
	return r
}

func (f *foundation) saveDonor(i int, r *draft) {
	f.donors[i].id = r.ID
	f.index[r.ID] = -i - 1
	f.save(r)
}

// makeOpportunities makes what is hoped for from some donors.
func (f *foundation) makeOpportunities() error {
	d := f.dice
	for i := 0; i < len(f.donors); i += 25 {
		n := &f.donors[i]
		day := f.last - int64(d.between(1, 600))
		ask := nice(d, float64(n.level)*20)
		r := f.begin("svc_donoropportunities", f.moment(day)).text("svc_opportunityname", pick(d, causes)+" commitment").link("svc_donor", n.id)
		r.choice("svc_stage", 100000001+int64(d.IntN(5))).choice("svc_opportunitytype", 730850000+int64(d.IntN(2))).choice("svc_vehicle", 730850000+int64(d.IntN(7)))
		r.money("svc_estimatedcommitment", ask).date("svc_targetclosedate", day+int64(d.between(60, 700))).link("svc_fund", early(d, f.funds).id)
		f.save(r.flag("svc_revocable", d.chance(0.4)))
		r = f.begin("svc_proposal", f.moment(day)).text("svc_proposalname", "Proposal: "+pick(d, projects)).link("svc_donor", n.id)
		r.money("svc_askamount", ask).money("svc_expectedamount", ask/2).date("svc_askdate", day+14).choice("svc_stage", 100000004)
		f.save(r)
		if err := f.settleAfter(batchRows); err != nil {
			return err
		}
	}
	return f.settle()
}
