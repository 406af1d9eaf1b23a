package seed

import (
	"fmt"

	"almoner/internal/value"
)

// references are the small tables everything else points at.
type references struct {
	founded     int64      // moment the foundation was set up
	foreign     value.GUID // the foreign currency
	departments []value.GUID
	functions   []value.GUID
	groups      []value.GUID
	formats     []value.GUID // of fund statements
	letters     []value.GUID // templates
	campaigns   []value.GUID // one per calendar year of the history, oldest first
	appeals     []value.GUID // two per campaign, spring and year end
	events      []value.GUID // one per campaign

	ledger            map[string]value.GUID // accounts by number
	cash, transit     value.GUID            // accounts of deposits
	payable           value.GUID
	grants, stipends  value.GUID // accounts of expenses
	cardFee, bankFee  value.GUID // percent and flat; flat
	portalFee, anyFee value.GUID // percent; not calculated
}

// ledgerAccounts are the chart of accounts: number, name, whether the normal balance is a credit.
var ledgerAccounts = []struct {
	number, name string
	credit       bool
}{
	{"1010", "Operating Checking", false}, {"1020", "Deposits in Transit", false}, {"1100", "Pledges Receivable", false},
	{"1500", "Joint Investment Pool", false}, {"2010", "Accounts Payable", true}, {"2100", "Grants Payable", true},
	{"3100", "Net Assets without Donor Restrictions", true}, {"3200", "Net Assets with Donor Restrictions", true},
	{"4010", "Contributions", true}, {"4020", "Restricted Contributions", true}, {"4100", "Event and Other Revenue", true},
	{"4200", "Investment Income", true}, {"4300", "Interfund Transfers In", true}, {"5010", "Grants", false},
	{"5020", "Scholarships", false}, {"5110", "Processing Fees", false}, {"5120", "Administrative Fees", false},
}

func (f *foundation) makeReferences() error {
	f.founded = (f.first - 400) * value.SecondsPerDay
	f.ledger = map[string]value.GUID{}
	f.makeCurrency()
	f.makeLedger()
	f.makeOffices()
	f.makeFees()
	f.makeStationery()
	f.makeCampaigns()
	return f.settle()
}

// makeCurrency adds a currency besides the base currency, which the database has.
func (f *foundation) makeCurrency() {
	f.keepBase()
	name, code, rate := "Canadian Dollar", "CAD", int64(13_650_000_000)
	if f.desk.settings.BaseCurrency == code {
		name, code, rate = "US Dollar", "USD", 7_326_000_000
	}
	r := f.begin("transactioncurrency", f.founded)
	r.text("currencyname", name).text("isocurrencycode", code).text("currencysymbol", "$").put("exchangerate", value.Decimal(rate, 10))
	f.foreign = f.keep(r).ID
}

// keepBase remembers the currency that the database was made with.
func (f *foundation) keepBase() {
	t := f.base.Table
	f.kept[f.base.ID] = f.base
	f.keptRows[t] = append(f.keptRows[t], f.base)
}

func (f *foundation) makeLedger() {
	for _, a := range ledgerAccounts {
		side := int64(730850000)
		if a.credit {
			side++
		}
		r := f.begin("svc_account", f.founded).text("svc_accountnum", a.number).text("svc_accountname", a.name).choice("svc_normalbalance", side)
		r.flag("svc_jointinvestmentaccount", a.number == "1500")
		f.ledger[a.number] = f.keep(r).ID
	}
	f.cash, f.transit, f.payable = f.ledger["1010"], f.ledger["1020"], f.ledger["2010"]
	f.grants, f.stipends = f.ledger["5010"], f.ledger["5020"]
}

func (f *foundation) makeOffices() {
	departments := []string{"Development", "Finance", "Community Impact", "Scholarships", "Donor Services"}
	for i, name := range departments {
		r := f.begin("svc_department", f.founded).text("svc_departmentname", name).text("svc_departmentcode", fmt.Sprintf("D%02d", i+1))
		r.flag("svc_isdefault", i == 0)
		if i == 4 {
			r.link("svc_parentdepartment", f.departments[0])
		}
		f.departments = append(f.departments, f.keep(r).ID)
	}
	for i, cause := range causes {
		r := f.begin("svc_function", f.founded).text("svc_functionname", cause).text("svc_functioncode", fmt.Sprintf("F%03d", 100+i))
		f.functions = append(f.functions, f.save(r.choice("svc_functioncategory", 730850000+int64(i%10/8))).ID)
	}
	for i, name := range []string{"Donor Advised", "Scholarships", "Field of Interest", "Agency Endowments", "Operations", "Special Projects"} {
		r := f.begin("svc_fundgroup", f.founded).text("svc_fundgroupname", name).text("svc_groupcode", fmt.Sprintf("GR%d", i+1))
		f.groups = append(f.groups, f.save(r).ID)
	}
}

func (f *foundation) makeFees() {
	fee := func(id, name string, calculation, percent, flat int64) value.GUID {
		r := f.begin("svc_giftfee", f.founded).text("svc_feeid", id).text("svc_feename", name).choice("svc_feecalculation", calculation)
		r.choice("svc_feetype", 730850000).choice("svc_fundpayingthefee", 730850000)
		r.link("svc_expenseaccount", f.ledger["5110"]).link("svc_incomeaccount", f.cash)
		if percent > 0 {
			r.put("svc_feepercent", value.Decimal(percent, 4))
		}
		if flat > 0 {
			r.money("svc_flatfeeamount", flat)
		}
		return f.keep(r).ID
	}
	f.cardFee = fee("CARD", "Card processing", feeFlatAndPercent, 2_9000, 30)
	f.portalFee = fee("PORTAL", "Donation portal", feePercent, 1_2500, 0)
	f.bankFee = fee("WIRE", "Incoming wire", feeFlat, 0, 15_00)
	f.anyFee = fee("OTHER", "Other, by agreement", feeManual, 0, 0)
}

func (f *foundation) makeStationery() {
	for i, name := range []string{"Quarterly Statement", "Annual Statement", "Scholarship Statement"} {
		r := f.begin("svc_fundstatementformat", f.founded).text("svc_formatname", name).flag("svc_showearnings", i < 2).flag("svc_showspendable", true)
		f.formats = append(f.formats, f.save(r.flag("svc_showanonymous", false).text("svc_body", "Statement of {svc_fundname}")).ID)
	}
	for _, name := range []string{"Award Letter", "Report Reminder", "Final Report Received", "Carta de concesión"} {
		language := "en"
		if name == "Carta de concesión" {
			language = "es"
		}
		r := f.begin("svc_lettertemplates", f.founded).text("svc_templatename", name).text("svc_templatetype", "Grant")
		r.text("svc_subject", name+": {svc_grantname}").text("svc_body", "Dear {svc_requestcontact}, …").text("svc_language", language)
		f.letters = append(f.letters, f.save(r).ID)
	}
}

// makeCampaigns makes one campaign for each calendar year of the history, with a spring and a year-end appeal and a gala.
func (f *foundation) makeCampaigns() {
	firstYear, _, _ := value.Civil(f.first)
	lastYear, _, _ := value.Civil(f.last)
	for year := firstYear; year <= lastYear; year++ {
		begun := max(value.CivilDays(year, 1, 5), f.first) * value.SecondsPerDay
		r := f.begin("campaign", begun).text("name", fmt.Sprintf("Annual Fund %d", year)).text("codename", fmt.Sprintf("AF%d", year))
		status := int64(3) // completed
		if year == lastYear {
			status = 2 // launched
		}
		campaign := f.save(r.choice("statuscode", status)).ID
		f.campaigns = append(f.campaigns, campaign)
		for _, season := range []string{"Spring appeal", "Year-end appeal"} {
			f.appeals = append(f.appeals, f.save(f.begin("campaignactivity", begun).text("subject", fmt.Sprintf("%s %d", season, year))).ID)
		}
		r = f.begin("svc_event", begun).text("svc_eventname", fmt.Sprintf("Harvest Gala %d", year)).text("svc_location", "Fairhaven Grand Hall")
		r.date("svc_eventdate", value.CivilDays(year, 10, 14)).money("svc_goal", int64(60_000_00+5_000_00*(year-firstYear))).link("svc_campaign", campaign)
		f.events = append(f.events, f.save(r).ID)
	}
}

// campaignOf returns the campaign, appeal and gala of a day.
func (f *foundation) campaignOf(day int64) (campaign, appeal, gala value.GUID) {
	firstYear, _, _ := value.Civil(f.first)
	year, month, _ := value.Civil(day)
	i := year - firstYear
	season := 0
	if month >= 9 {
		season = 1
	}
	return f.campaigns[i], f.appeals[2*i+season], f.events[i]
}
