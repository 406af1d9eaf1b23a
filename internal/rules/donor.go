package rules

import (
	"strings"
	"unicode/utf16"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

var donorRules = []Rule{
	{
		Name: "donor.open", Table: "svc_donor", On: OnCreate, Do: (*Books).openDonor,
		Text:    "A new donor starts with totals of zero and no gifts.",
		Example: "svc_countofgifts is 0 and svc_largestgift is empty.",
	},
	{
		Name: "donor.organization", Table: "svc_donor", On: OnSave, Do: (*Books).fillOrganization,
		Text:    "An organization donor without svc_organization gets the account its primary contact belongs to.",
		Example: "The representative of Acme makes the donor Acme's.",
	},
	{
		Name: "donor.greeting", Table: "svc_donor", On: OnSave, Do: (*Books).greet,
		Text:    "Greetings a client left out are made from the donor's persons, and follow them until a client writes them.",
		Example: "Ann Lee with Bo Lee makes \"Ann and Bo Lee\"; with Bo Ray \"Ann Lee and Bo Ray\"; an organization its account's name.",
	},
}

// bookRules hold through the sums made when a transaction is settled.
var bookRules = []Rule{
	{
		Name: "donor.giving", Table: "svc_donor",
		Text:    "A donor's giving of a year is one-off gifts by gift date less what was refunded, and pledge payments by payment date (setting giving.pledge_basis); six years are shown.",
		Example: "Pledge payments of 1,000 in December and 3,000 in January are 1,000 last year and 3,000 this year.",
	},
	{
		Name: "donor.commitment", Table: "svc_donor",
		Text:    "svc_totalcommitment is the value of all gifts: lifetime giving plus what pledges still owe.",
		Example: "A pledge of 4,000 with 1,000 paid adds 4,000.",
	},
	{
		Name: "donor.gifts", Table: "svc_donor",
		Text:    "Count, first, latest and largest look at active gifts of giving types whose value is above zero; ties go to the later date, then creation, then id.",
		Example: "A gift that was refunded in full is not counted.",
	},
	{
		Name: "donor.delete", Table: "svc_donor",
		Text:    "A donor with gifts, or who is a fund's primary donor, cannot be deleted.",
		Example: "The first gift in the way is named.",
	},
}

// Bits of x_auto on a donor: the greetings the service wrote.
const (
	autoFormal   = 1
	autoInformal = 2
)

func (b *Books) openDonor(w *Write) error {
	w.New.Put("svc_countofgifts", value.Int(0))
	c := w.New.Table.MustColumn("svc_totalcommitment")
	w.New.Set(c, value.Money(0))
	w.New.Set(c.Base, value.Money(0))
	if w.New.Value("svc_donortype").IsNull() {
		w.New.Put("svc_donortype", value.Bool(false))
	}
	return nil
}

// afterDonor notes a donor that is in another currency now.
func (b *Books) afterDonor(w *Write) error { return b.renewIfMoved(w) }

func (b *Books) fillOrganization(w *Write) error {
	if !w.New.Value("svc_organization").IsNull() || !w.New.Value("svc_donortype").Bool() || w.Has("svc_organization") {
		return nil
	}
	if w.Old != nil && !w.changedAny([]string{"svc_primarycontact", "svc_donortype"}) {
		return nil
	}
	person, err := b.rowOf(w.New, "svc_primarycontact")
	if err != nil || person == nil {
		return err
	}
	parent := person.Value("parentcustomerid")
	if parent.TypeCode() == b.tables.account.TypeCode && !parent.IsNull() {
		w.New.Put("svc_organization", value.ID(parent.ID()))
	}
	return nil
}

// greet writes the greetings a client has not written. It reads the persons only when a greeting is missing or they changed.
func (b *Books) greet(w *Write) error {
	auto := w.New.Value("x_auto").Int()
	formal, auto := w.wantsGreeting("svc_formaldefault", autoFormal, auto)
	informal, auto := w.wantsGreeting("svc_informalgreeting", autoInformal, auto)
	if formal || informal {
		names, err := b.greetings(w.New)
		if err != nil {
			return err
		}
		if formal {
			auto = putGreeting(w.New, "svc_formaldefault", names.formal, autoFormal, auto)
		}
		if informal {
			auto = putGreeting(w.New, "svc_informalgreeting", names.informal, autoInformal, auto)
		}
	}
	w.New.Put("x_auto", value.Int(auto))
	return nil
}

// wantsGreeting tells whether a greeting is to be made, and takes the bit away from one the client wrote.
func (w *Write) wantsGreeting(name string, bit, auto int64) (bool, int64) {
	missing := w.New.Value(name).IsNull()
	if w.Has(name) && !missing {
		return false, auto &^ bit
	}
	if w.Old == nil || w.Has(name) {
		return missing, auto
	}
	follows := auto&bit != 0 && w.changedAny([]string{"svc_primarycontact", "svc_secondarycontact", "svc_organization", "svc_donortype"})
	return follows, auto
}

// putGreeting writes a greeting, unless there is nothing to make it from.
func putGreeting(r *query.Row, name, text string, bit, auto int64) int64 {
	if text == "" {
		return auto
	}
	c := r.Table.MustColumn(name)
	r.Set(c, value.Text(cut(text, c)))
	return auto | bit
}

// cut shortens a text to the length of its column.
func cut(text string, c *schema.Column) string {
	units := utf16.Encode([]rune(text))
	if len(units) <= c.Max {
		return text
	}
	return strings.TrimSpace(string(utf16.Decode(units[:c.Max])))
}

// greeting is how a donor is addressed.
type greeting struct{ formal, informal string }

// greetings makes the greetings of a donor from its persons and organization; empty where nobody is named.
func (b *Books) greetings(r *query.Row) (greeting, error) {
	var persons []*query.Row
	for _, name := range []string{"svc_primarycontact", "svc_secondarycontact"} {
		person, err := b.rowOf(r, name)
		if err != nil {
			return greeting{}, err
		}
		if person != nil {
			persons = append(persons, person)
		}
	}
	if r.Value("svc_primarycontact").IsNull() {
		return greeting{}, nil
	}
	g := greet(persons)
	if r.Value("svc_donortype").Bool() {
		account, err := b.rowOf(r, "svc_organization")
		if err != nil {
			return g, err
		}
		if account != nil && !account.Value("name").IsNull() {
			g.formal = account.Value("name").Text()
		}
	}
	return g, nil
}

// greet names one or two persons.
func greet(persons []*query.Row) greeting {
	var full, first []string
	for _, p := range persons {
		full = append(full, fullName(p))
		if name := p.Value("firstname").Text(); name != "" {
			first = append(first, name)
		}
	}
	g := greeting{formal: strings.Join(full, " and "), informal: strings.Join(first, " and ")}
	if len(persons) == 2 && len(first) == 2 {
		surname := persons[0].Value("lastname").Text()
		if surname != "" && surname == persons[1].Value("lastname").Text() {
			g.formal = g.informal + " " + surname
		}
	}
	return g
}

// fullName joins first and last name.
func fullName(r *query.Row) string {
	return strings.TrimSpace(r.Value("firstname").Text() + " " + r.Value("lastname").Text())
}
