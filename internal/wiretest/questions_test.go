package wiretest_test

// condition writes one FetchXML condition in a filter.
func condition(attribute, operator string, values ...string) string {
	text := `<filter><condition attribute="` + attribute + `" operator="` + operator + `"`
	if len(values) == 1 {
		return text + ` value="` + values[0] + `"/></filter>`
	}
	text += ">"
	for _, v := range values {
		text += "<value>" + v + "</value>"
	}
	return text + "</condition></filter>"
}

// function writes a query function on a column; further holds its other parameters.
func function(name, column, further string) string {
	if further != "" {
		further = "," + further
	}
	return "Microsoft.Dynamics.CRM." + name + "(PropertyName='" + column + "'" + further + ")"
}

// counted asks an operator that counts units in both languages.
func counted(name, operator, column, x, want string) question {
	return question{filter: function(name, column, "PropertyValue="+x), fetch: condition(column, operator, x), want: want}
}

// window asks an operator without a value in both languages.
func window(name, operator, want string) question {
	return question{filter: function(name, "svc_giftdate", ""), fetch: condition("svc_giftdate", operator), want: want}
}

const (
	everyGift = "G1 G2 G3 G4 G5 G6 G7 G8 G9 G10"
	ito       = "d0000000-0000-4000-8000-000000000001"
	relief    = "f0000000-0000-4000-8000-000000000001"
	books     = "f0000000-0000-4000-8000-000000000003"
	gifts     = "svc_svc_donor_svc_gift_Donor"
	payments  = "svc_svc_gift_svc_giftpayment_GiftNumber"
)

// questions are asked of the rows of testdata/wire/data/foundation.txt.
var questions = join(comparisonQuestions, textQuestions, functionQuestions, windowQuestions, relatedQuestions, linkQuestions)

func join(lists ...[]question) (all []question) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var comparisonQuestions = []question{
	{filter: "svc_giftnum eq 'g1'", fetch: condition("svc_giftnum", "eq", "g1"), want: "G1"},
	{filter: "svc_giftnum ne 'G1'", fetch: condition("svc_giftnum", "ne", "G1"), want: "G2 G3 G4 G5 G6 G7 G8 G9 G10"},
	{filter: "svc_giftnum ne 'G1'", fetch: condition("svc_giftnum", "neq", "G1"), want: "G2 G3 G4 G5 G6 G7 G8 G9 G10"},
	{filter: "svc_giftnum gt 'G8'", fetch: condition("svc_giftnum", "gt", "G8"), want: "G9"},
	{filter: "svc_totalgift gt 100", fetch: condition("svc_totalgift", "gt", "100"), want: "G2 G3 G5 G8"},
	{filter: "svc_totalgift ge 100", fetch: condition("svc_totalgift", "ge", "100.00"), want: "G1 G2 G3 G5 G8"},
	{filter: "svc_totalgift lt 40", fetch: condition("svc_totalgift", "lt", "40"), want: "G6 G7"},
	{filter: "svc_totalgift le 40", fetch: condition("svc_totalgift", "le", "40"), want: "G6 G7 G10"},
	{filter: "svc_totalgift eq 250.50", fetch: condition("svc_totalgift", "eq", "250.5"), want: "G2"},
	{filter: "svc_totalgift gt 250.499", fetch: condition("svc_totalgift", "gt", "250.499"), want: "G2 G3 G5 G8"},
	{filter: "svc_totalgift eq 250.501", fetch: condition("svc_totalgift", "eq", "250.501"), want: ""},
	{filter: "100 eq svc_totalgift", want: "G1"},
	{filter: "40 lt svc_totalgift and svc_totalgift lt 100", want: "G4 G9"},
	{filter: "svc_giftdate ge 2026-06-30", fetch: condition("svc_giftdate", "ge", "2026-06-30"), want: "G1 G3 G9 G10"},
	{filter: "svc_giftdate eq 2026-06-30", fetch: condition("svc_giftdate", "eq", "2026-06-30"), want: "G1"},
	{filter: "svc_giftdate eq 2026-06-30T23:00:00Z", fetch: condition("svc_giftdate", "eq", "2026-06-30T23:00:00Z"), want: "G1"},
	{filter: "svc_dateacknowledged ge 2026-06-30", fetch: condition("svc_dateacknowledged", "ge", "2026-06-30"), want: "G1 G2 G3 G9 G10"},
	{filter: "svc_dateacknowledged ge 2026-06-30T13:30:00+02:00", fetch: condition("svc_dateacknowledged", "ge", "2026-06-30T13:30:00+02:00"), want: "G1 G3 G9 G10"},
	{filter: "svc_dateacknowledged eq 2026-05-15", fetch: condition("svc_dateacknowledged", "eq", "2026-05-15"), want: "G5"},
	{filter: "svc_giftanonymous eq true", fetch: condition("svc_giftanonymous", "eq", "1"), want: "G2"},
	{filter: "svc_giftanonymous", want: "G2"},
	{filter: "not svc_giftanonymous and svc_totalgift gt 900", want: "G3 G5"},
	{filter: "svc_gifttype eq 730850001", fetch: condition("svc_gifttype", "eq", "730850001"), want: "G3"},
	{filter: "statecode eq 1", fetch: condition("statecode", "eq", "1"), want: "G6"},
	{filter: "_svc_donor_value eq " + ito, fetch: condition("svc_donor", "eq", "{D0000000-0000-4000-8000-000000000001}"), want: "G1 G2 G7 G10"},
	{filter: "svc_Donor/svc_donorid eq " + ito, want: "G1 G2 G7 G10"},
	{filter: "_svc_donor_value eq null", fetch: condition("svc_donor", "null"), want: "G8"},
	{filter: "svc_Donor eq null", want: "G8"},
	{filter: "_svc_donor_value ne null", fetch: condition("svc_donor", "not-null"), want: "G1 G2 G3 G4 G5 G6 G7 G9 G10"},
	{filter: "null eq svc_purpose", fetch: condition("svc_purpose", "null"), want: "G2 G8 G9 G10"},
	{filter: "svc_giftmethod ne 730850002", fetch: condition("svc_giftmethod", "ne", "730850002"), want: "G2 G3 G4 G5 G7 G8 G9 G10"},
	{filter: "not (svc_giftmethod eq 730850002)", want: "G2 G3 G4 G5 G7 G8 G9 G10"},
	{filter: "svc_giftmethod gt 730850002", fetch: condition("svc_giftmethod", "gt", "730850002"), want: "G3"},
	{filter: "not (svc_giftmethod gt 730850002)", want: "G1 G2 G4 G5 G6 G7 G8 G9 G10"},
	{filter: "svc_giftmethod le 730850002", fetch: condition("svc_giftmethod", "le", "730850002"), want: "G1 G4 G6"},
	{filter: "svc_giftnum eq 'G1' or svc_giftnum eq 'G2' and svc_totalgift gt 1000", want: "G1"},
	{filter: "(svc_giftnum eq 'G1' or svc_giftnum eq 'G2') and svc_totalgift gt 100", want: "G2",
		fetch: `<filter><condition attribute="svc_totalgift" operator="gt" value="100"/><filter type="or"><condition attribute="svc_giftnum" operator="eq" value="G1"/><condition attribute="svc_giftnum" operator="eq" value="G2"/></filter></filter>`},
	{filter: "svc_giftnum in ('G1','g3')", fetch: condition("svc_giftnum", "in", "G1", "g3"), want: "G1 G3"},
	{filter: function("In", "svc_gifttype", "PropertyValues=['730850001','730850002']"), fetch: condition("svc_gifttype", "in", "730850001", "730850002"), want: "G3 G5"},
	{filter: function("In", "svc_purpose", `PropertyValues=["a[b]c","x'y"]`), fetch: condition("svc_purpose", "in", "a[b]c", "x'y"), want: "G5"},
	{filter: "svc_totalgift in (100,20.25,null)", want: "G1 G7"},
	{filter: "svc_giftmethod in (730850003,null)", want: "G2 G3 G5 G7 G8 G9 G10"},
	{filter: function("NotIn", "svc_giftmethod", "PropertyValues=['730850002','730850003']"), fetch: condition("svc_giftmethod", "not-in", "730850002", "730850003"), want: "G2 G4 G5 G7 G8 G9 G10"},
	{filter: function("Between", "svc_totalgift", "PropertyValues=['40','100']"), fetch: condition("svc_totalgift", "between", "40", "100"), want: "G1 G4 G9 G10"},
	{filter: function("NotBetween", "svc_giftmethod", "PropertyValues=['730850001','730850003']"), fetch: condition("svc_giftmethod", "not-between", "730850001", "730850003"), want: "G4"},
	{filter: function("Between", "svc_giftdate", "PropertyValues=['2026-06-29','2026-06-30']"), fetch: condition("svc_giftdate", "between", "2026-06-29", "2026-06-30"), want: "G1 G2"},
	{filter: "svc_paid lt svc_totalgift", fetch: `<filter><condition attribute="svc_paid" operator="lt" valueof="svc_totalgift"/></filter>`, want: "G3"},
	{filter: "svc_purpose eq svc_honor", fetch: `<filter><condition attribute="svc_purpose" operator="eq" valueof="svc_honor"/></filter>`, want: "G6"},
	{filter: "svc_purpose ne svc_honor", fetch: `<filter><condition attribute="svc_purpose" operator="ne" valueof="svc_honor"/></filter>`, want: "G1 G2 G3 G4 G5 G7 G8 G9 G10"},
	{filter: "svc_totalgift gt svc_Donor/svc_aim", want: "G1 G2",
		fetch: `<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" alias="d"/><filter><condition attribute="svc_totalgift" operator="gt" valueof="d.svc_aim"/></filter>`},
	{filter: "true", want: everyGift},
	{filter: "false", want: ""},
}

var textQuestions = []question{
	{filter: "contains(svc_purpose,'book')", fetch: condition("svc_purpose", "like", "%book%"), want: "G6 G7"},
	{filter: "contains(svc_purpose,'book') eq true", want: "G6 G7"},
	{filter: "not contains(svc_purpose,'book')", fetch: condition("svc_purpose", "not-like", "%book%"), want: "G1 G2 G3 G4 G5 G8 G9 G10"},
	{filter: "contains(svc_purpose,'book') eq false", want: "G1 G2 G3 G4 G5 G8 G9 G10"},
	{filter: "startswith(svc_purpose,'buch')", fetch: condition("svc_purpose", "begins-with", "BÜCH"), want: "G4"},
	{filter: "not startswith(svc_purpose,'b')", fetch: condition("svc_purpose", "not-begin-with", "b"), want: "G1 G2 G3 G5 G8 G9 G10"},
	{filter: "endswith(svc_purpose,'books')", fetch: condition("svc_purpose", "ends-with", "books"), want: "G6 G7"},
	{filter: "not endswith(svc_purpose,'score')", fetch: condition("svc_purpose", "not-end-with", "score"), want: "G1 G2 G4 G5 G6 G7 G8 G9 G10"},
	{filter: "svc_purpose eq 'books'", fetch: condition("svc_purpose", "eq", "Books  "), want: "G6 G7"},
	{filter: "svc_purpose eq 'BUCHER'", fetch: condition("svc_purpose", "eq", "bücher"), want: "G4"},
	{filter: "contains(svc_purpose,'r_s')", fetch: condition("svc_purpose", "like", "%r_s%"), want: "G3"},
	{filter: "contains(svc_purpose,'[_]')", fetch: condition("svc_purpose", "like", "%[_]%"), want: "G3"},
	{filter: "contains(svc_purpose,'[%]')", fetch: condition("svc_purpose", "like", "%[%]"), want: "G1"},
	{filter: "startswith(svc_purpose,'%100')", fetch: condition("svc_purpose", "begins-with", "%100"), want: "G1"},
	{filter: "contains(svc_purpose,'[a-c]')", fetch: condition("svc_purpose", "like", "%[a-c]%"), want: "G3 G4 G5 G6 G7"},
	{filter: "contains(svc_purpose,'[^a-z]')", fetch: condition("svc_purpose", "like", "%[^a-z]%"), want: "G1 G3 G5"},
	{filter: "contains(svc_purpose,'a[[]b')", fetch: condition("svc_purpose", "like", "a[[]b%"), want: "G5"},
	{filter: "contains(svc_purpose,'')", want: "G1 G3 G4 G5 G6 G7"},
	{filter: "svc_Donor/svc_formaldefault eq 'O''Hara, Ben'", want: "G5 G6"},
	{filter: "contains(svc_Donor/svc_formaldefault,'hara')", fetch: condition("svc_donor", "like", "%hara%"), want: "G5 G6"},
	{fetch: condition("svc_donor", "not-like", "%hara%"), want: "G1 G2 G3 G4 G7 G8 G9 G10"},
	{filter: "svc_Donor/svc_formaldefault eq 'ANGSTROM, zoe'", want: "G3 G4 G9"},
}

var functionQuestions = []question{
	{filter: "tolower(svc_giftnum) eq 'g1'", want: "G1"},
	{filter: "toupper(svc_purpose) eq 'BOOKS'", want: "G6 G7"},
	{filter: "trim(svc_purpose) eq 'books'", want: "G6 G7"},
	{filter: "length(svc_purpose) eq 5", want: "G5 G7"},
	{filter: "indexof(svc_purpose,'score') eq 6", want: "G3"},
	{filter: "substring(svc_giftnum,1) eq '10'", want: "G10"},
	{filter: "substring(svc_giftnum,1,1) eq '1'", want: "G1 G10"},
	{filter: "concat(svc_giftnum,svc_check) eq 'g420'", want: "G4"},
	{filter: "contains(tolower(svc_purpose),'BOOK')", want: "G6 G7"},
	{filter: "year(svc_giftdate) eq 2026 and month(svc_giftdate) eq 6", want: "G1 G2 G4"},
	{filter: "day(svc_giftdate) eq 31", want: "G6 G7"},
	{filter: "hour(svc_dateacknowledged) eq 9", want: "G2"},
	{filter: "minute(svc_dateacknowledged) eq 30", want: "G1"},
	{filter: "second(svc_dateacknowledged) eq 59", want: "G7"},
	{filter: "date(svc_dateacknowledged) eq 2026-06-30", want: "G1 G2 G3"},
	{filter: "svc_dateacknowledged gt now()", want: "G3 G9 G10"},
	{filter: "round(svc_totalgift) eq 251", want: "G2"},
	{filter: "floor(svc_totalgift) eq 250", want: "G2"},
	{filter: "ceiling(svc_totalgift) eq 21", want: "G7"},
	{filter: "svc_totalgift add 0.75 eq 21", want: "G7"},
	{filter: "svc_totalgift sub svc_paid eq 750", want: "G3"},
	{filter: "svc_totalgift mul 2 eq 501", want: "G2"},
	{filter: "svc_totalgift div 2 eq 50", want: "G1"},
	{filter: "svc_totalgift mod 60 eq 40", want: "G1 G3 G10"},
	{filter: "-svc_totalgift lt -999", want: "G3 G5"},
	{filter: "svc_totalgift add svc_totalgift mul 2 eq 300", want: "G1"},
	{filter: "(svc_totalgift add svc_totalgift) mul 2 eq 400", want: "G1"},
}

var windowQuestions = []question{
	window("Today", "today", "G1"),
	window("Yesterday", "yesterday", "G2"),
	window("Tomorrow", "tomorrow", "G3"),
	window("Last7Days", "last-seven-days", "G1 G2"),
	window("Next7Days", "next-seven-days", "G3 G10"),
	window("ThisWeek", "this-week", "G1 G2 G3"),
	window("LastWeek", "last-week", "G4"),
	window("NextWeek", "next-week", "G10"),
	window("ThisMonth", "this-month", "G1 G2 G4"),
	window("LastMonth", "last-month", "G5"),
	window("NextMonth", "next-month", "G3 G10"),
	window("ThisYear", "this-year", "G1 G2 G3 G4 G5 G6 G10"),
	window("LastYear", "last-year", "G7"),
	window("NextYear", "next-year", "G9"),
	window("ThisFiscalYear", "this-fiscal-year", "G1 G2 G3 G4 G5 G6 G10"),
	window("LastFiscalYear", "last-fiscal-year", "G7"),
	window("NextFiscalYear", "next-fiscal-year", "G9"),
	window("ThisFiscalPeriod", "this-fiscal-period", "G1 G2 G4 G5"),
	window("LastFiscalPeriod", "last-fiscal-period", "G6"),
	window("NextFiscalPeriod", "next-fiscal-period", "G3 G10"),
	counted("LastXHours", "last-x-hours", "svc_dateacknowledged", "1", "G1"),
	counted("LastXHours", "last-x-hours", "svc_dateacknowledged", "3", "G1 G2"),
	counted("NextXHours", "next-x-hours", "svc_dateacknowledged", "1", ""),
	counted("NextXHours", "next-x-hours", "svc_dateacknowledged", "2", "G3"),
	counted("LastXDays", "last-x-days", "svc_giftdate", "8", "G1 G2"),
	counted("LastXDays", "last-x-days", "svc_giftdate", "9", "G1 G2 G4"),
	counted("NextXDays", "next-x-days", "svc_giftdate", "4", "G3"),
	counted("NextXDays", "next-x-days", "svc_giftdate", "5", "G3 G10"),
	counted("LastXWeeks", "last-x-weeks", "svc_giftdate", "6", "G1 G2 G4"),
	counted("LastXWeeks", "last-x-weeks", "svc_giftdate", "7", "G1 G2 G4 G5"),
	counted("NextXWeeks", "next-x-weeks", "svc_giftdate", "1", "G3 G10"),
	counted("LastXMonths", "last-x-months", "svc_giftdate", "2", "G1 G2 G4 G5"),
	counted("LastXMonths", "last-x-months", "svc_giftdate", "3", "G1 G2 G4 G5 G6"),
	counted("NextXMonths", "next-x-months", "svc_giftdate", "1", "G3 G10"),
	counted("LastXYears", "last-x-years", "svc_giftdate", "1", "G1 G2 G4 G5 G6 G7"),
	counted("NextXYears", "next-x-years", "svc_giftdate", "1", "G3 G9 G10"),
	counted("OlderThanXMinutes", "olderthan-x-minutes", "svc_dateacknowledged", "30", "G2 G4 G5 G7 G8"),
	counted("OlderThanXMinutes", "olderthan-x-minutes", "svc_dateacknowledged", "29", "G1 G2 G4 G5 G7 G8"),
	counted("OlderThanXHours", "olderthan-x-hours", "svc_dateacknowledged", "3", "G4 G5 G7 G8"),
	counted("OlderThanXDays", "olderthan-x-days", "svc_giftdate", "1", "G4 G5 G6 G7 G8"),
	counted("OlderThanXDays", "olderthan-x-days", "svc_dateacknowledged", "1", "G5 G7 G8"),
	counted("OlderThanXWeeks", "olderthan-x-weeks", "svc_giftdate", "2", "G5 G6 G7 G8"),
	counted("OlderThanXMonths", "olderthan-x-months", "svc_giftdate", "1", "G5 G6 G7 G8"),
	counted("OlderThanXYears", "olderthan-x-years", "svc_giftdate", "1", "G8"),
	counted("LastXFiscalYears", "last-x-fiscal-years", "svc_giftdate", "1", "G7"),
	counted("LastXFiscalYears", "last-x-fiscal-years", "svc_giftdate", "2", "G7 G8"),
	counted("NextXFiscalYears", "next-x-fiscal-years", "svc_giftdate", "1", "G9"),
	counted("LastXFiscalPeriods", "last-x-fiscal-periods", "svc_giftdate", "2", "G6 G7"),
	counted("NextXFiscalPeriods", "next-x-fiscal-periods", "svc_giftdate", "3", "G3 G9 G10"),
	counted("InFiscalYear", "in-fiscal-year", "svc_giftdate", "2025", "G7"),
	counted("InFiscalPeriod", "in-fiscal-period", "svc_giftdate", "1", "G6 G8 G9"),
	{filter: function("On", "svc_dateacknowledged", "PropertyValue='2026-06-29'"), fetch: condition("svc_dateacknowledged", "on", "2026-06-29"), want: "G4"},
	{filter: function("On", "svc_giftdate", "PropertyValue='2026-06-29'"), fetch: condition("svc_giftdate", "on", "2026-06-29"), want: "G2"},
	{filter: function("OnOrAfter", "svc_dateacknowledged", "PropertyValue='2026-06-30'"), fetch: condition("svc_dateacknowledged", "on-or-after", "2026-06-30"), want: "G1 G2 G3 G9 G10"},
	{filter: function("OnOrBefore", "svc_dateacknowledged", "PropertyValue='2026-05-15'"), fetch: condition("svc_dateacknowledged", "on-or-before", "2026-05-15"), want: "G5 G7 G8"},
	{filter: function("InFiscalPeriodAndYear", "svc_giftdate", "PropertyValue1=2,PropertyValue2=2026"), fetch: condition("svc_giftdate", "in-fiscal-period-and-year", "2", "2026"), want: "G1 G2 G4 G5"},
	{filter: function("InOrBeforeFiscalPeriodAndYear", "svc_giftdate", "PropertyValue1=4,PropertyValue2=2025"), fetch: condition("svc_giftdate", "in-or-before-fiscal-period-and-year", "4", "2025"), want: "G7 G8"},
	{filter: function("InOrAfterFiscalPeriodAndYear", "svc_giftdate", "PropertyValue1=3,PropertyValue2=2026"), fetch: condition("svc_giftdate", "in-or-after-fiscal-period-and-year", "3", "2026"), want: "G3 G9 G10"},
	{filter: function("EqualUserId", "ownerid", ""), fetch: condition("ownerid", "eq-userid"), want: everyGift},
	{filter: function("NotEqualUserId", "ownerid", ""), fetch: condition("ownerid", "ne-userid"), want: ""},
	{filter: function("NotEqualUserId", "modifiedonbehalfby", ""), fetch: condition("modifiedonbehalfby", "ne-userid"), want: everyGift},
	{filter: function("EqualBusinessId", "owningbusinessunit", ""), fetch: condition("owningbusinessunit", "eq-businessid"), want: everyGift},
	{filter: function("NotEqualBusinessId", "owningbusinessunit", ""), fetch: condition("owningbusinessunit", "ne-businessid"), want: ""},
	{filter: function("EqualUserTeams", "ownerid", ""), fetch: condition("ownerid", "eq-userteams"), want: ""},
	{filter: function("EqualUserOrUserTeams", "ownerid", ""), fetch: condition("ownerid", "eq-useroruserteams"), want: everyGift},
	{filter: function("EqualUserOrUserHierarchy", "ownerid", ""), fetch: condition("ownerid", "eq-useroruserhierarchy"), want: everyGift},
	{filter: function("EqualUserOrUserHierarchyAndTeams", "ownerid", ""), fetch: condition("ownerid", "eq-useroruserhierarchyandteams"), want: everyGift},
	{filter: function("EqualUserLanguage", "importsequencenumber", ""), fetch: condition("importsequencenumber", "eq-userlanguage"), want: ""},
	{set: "svc_funds", filter: function("Under", "svc_fundid", "PropertyValue='"+relief+"'"), fetch: condition("svc_fundid", "under", relief), want: "Harbor Books Harbor Schools"},
	{set: "svc_funds", filter: function("UnderOrEqual", "svc_fundid", "PropertyValue='"+relief+"'"), fetch: condition("svc_fundid", "eq-or-under", relief), want: "Harbor Books Harbor Relief Harbor Schools"},
	{set: "svc_funds", filter: function("NotUnder", "svc_fundid", "PropertyValue='"+relief+"'"), fetch: condition("svc_fundid", "not-under", relief), want: "General Harbor Relief"},
	{set: "svc_funds", filter: function("Above", "svc_fundid", "PropertyValue='"+books+"'"), fetch: condition("svc_fundid", "above", books), want: "Harbor Relief Harbor Schools"},
	{set: "svc_funds", filter: function("AboveOrEqual", "svc_fundid", "PropertyValue='"+books+"'"), fetch: condition("svc_fundid", "eq-or-above", books), want: "Harbor Books Harbor Relief Harbor Schools"},
	{filter: function("ThisMonth", "svc_giftdate", "") + " or " + function("LastYear", "svc_giftdate", ""), want: "G1 G2 G4 G7"},
}

// link writes a link-entity from a gift's donor, or from a donor to its gifts.
func link(kind, table, from, to, inside string) string {
	return `<link-entity name="` + table + `" from="` + from + `" to="` + to + `" alias="l" link-type="` + kind + `">` + inside + `</link-entity>`
}

var relatedQuestions = []question{
	{filter: "svc_Donor/svc_PrimaryContact/lastname eq 'ito'", want: "G1 G2 G7 G10",
		fetch: link("inner", "svc_donor", "svc_donorid", "svc_donor",
			`<link-entity name="contact" from="contactid" to="svc_primarycontact">`+condition("lastname", "eq", "ITO")+`</link-entity>`)},
	{filter: "svc_Donor/svc_temperature ne 730850000", want: "G3 G4 G5 G6 G8 G9"},
	{filter: "svc_Donor/svc_temperature eq null", want: "G8"},
	{filter: "svc_Fund1/svc_Parent/svc_fundname eq 'Harbor Relief'", want: "G2 G7"},
	{set: "svc_donors", filter: gifts + "/any(g:g/svc_totalgift gt 900)", fetch: "<filter>" + link("any", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "900")) + "</filter>", want: "O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", filter: "not " + gifts + "/any(g:g/svc_totalgift gt 900)", fetch: "<filter>" + link("not any", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "900")) + "</filter>", want: "Ito, Aya Harbor Bank harbor friends"},
	{set: "svc_donors", filter: gifts + "/any()", fetch: link("exists", "svc_gift", "svc_donor", "svc_donorid", ""), want: "Ito, Aya O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", filter: gifts + "/all(g:g/svc_totalgift gt 20)", want: "Ito, Aya Harbor Bank harbor friends Ångström, Zoë"},
	{set: "svc_donors", filter: gifts + "/any(g:g/" + payments + "/any(p:p/svc_amount gt 120 and g/svc_totalgift gt 500))", want: "Ångström, Zoë"},
	{set: "svc_donors", filter: gifts + "/any(g:g/svc_Fund1/svc_fundname eq 'General')", want: "O'Hara, Ben"},
	{set: "svc_donors", filter: gifts + "/any(g:" + function("Today", "svc_giftdate", "") + " or contains(g/svc_purpose,'book'))", want: "0x80060888 Could not find a property named 'svc_giftdate' on type 'Microsoft.Dynamics.CRM.svc_donor'."},
	{set: "svc_donors", filter: gifts + "/any(g:g/" + function("Today", "svc_giftdate", "") + " or contains(g/svc_purpose,'book'))", want: "Ito, Aya O'Hara, Ben"},
	{set: "svc_donors", filter: gifts + "/any(g:g/svc_totalgift gt svc_aim)", want: "Ito, Aya"},
	{set: "svc_requestpayments", filter: "svc_Payee_contact/lastname eq 'Ito'", want: "RP1"},
	{set: "svc_requestpayments", filter: "svc_Payee_account/name eq 'harbor bank'", want: "RP2"},
	{set: "svc_requestpayments", filter: "_svc_payee_value eq null", fetch: condition("svc_payee", "null"), want: "RP3"},
	{set: "svc_requestpayments", filter: "svc_Payee_account eq null", want: "RP1 RP3"},
	{set: "svc_requestpayments", filter: "svc_billitemid eq null and svc_paymentdate eq null and statecode eq 0", want: "RP1 RP2 RP3"},
	{set: "svc_requestpayments", fetch: condition("svc_payee", "like", "harbor%"), want: "RP2"},
}

var linkQuestions = []question{
	{set: "svc_donors", fetch: link("inner", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "240")), want: "Ito, Aya O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", fetch: link("natural", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "240")), want: "Ito, Aya O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", fetch: link("outer", "svc_gift", "svc_donor", "svc_donorid", "") + `<filter><condition entityname="l" attribute="svc_giftid" operator="null"/></filter>`, want: "Harbor Bank harbor friends"},
	{set: "svc_donors", fetch: link("in", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "90")), want: "Ito, Aya O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", fetch: link("matchfirstrowusingcrossapply", "svc_gift", "svc_donor", "svc_donorid", ""), want: "Ito, Aya O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", fetch: "<filter>" + link("not all", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "900")) + "</filter>", want: "O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", fetch: "<filter>" + link("all", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "900")) + "</filter>", want: "Ito, Aya"},
	{set: "svc_donors", fetch: `<filter type="or">` + link("any", "svc_gift", "svc_donor", "svc_donorid", condition("svc_totalgift", "gt", "900")) + `<condition attribute="svc_donortype" operator="eq" value="1"/></filter>`, want: "Harbor Bank O'Hara, Ben Ångström, Zoë"},
	{set: "svc_donors", fetch: link("inner", "svc_gift", "svc_donor", "svc_donorid", `<link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid">`+condition("svc_amount", "gt", "120")+`</link-entity>`), want: "Ångström, Zoë"},
	{fetch: link("outer", "svc_donor", "svc_donorid", "svc_donor", condition("svc_temperature", "eq", "730850000")) + `<filter><condition entityname="l" attribute="svc_donorid" operator="not-null"/></filter>`, want: "G1 G2 G7 G10"},
}
