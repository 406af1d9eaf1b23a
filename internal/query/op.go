package query

// Op is a condition operator. The platform's query functions and FetchXML's operators are the same operators under two
// names; the table below holds both.
type Op uint8

// The operators a store understands.
const (
	OpEq Op = iota + 1
	OpNe
	OpGt
	OpGe
	OpLt
	OpLe
	OpIn
	OpNotIn
	OpBetween
	OpNotBetween
	OpNull
	OpNotNull
	OpLike
	OpNotLike
	OpContains
	OpNotContains
	OpBeginsWith
	OpNotBeginsWith
	OpEndsWith
	OpNotEndsWith
	OpContainValues
	OpNotContainValues
	OpAbove // hierarchy: the column is a key or the parent lookup of a table with a hierarchical relation
	OpAboveOrEqual
	OpUnder
	OpUnderOrEqual
	OpNotUnder
)

// The operators that depend on the caller or the clock. The resolve pass turns them into those above.
const (
	OpEqualUserID Op = iota + 64
	OpNotEqualUserID
	OpEqualBusinessID
	OpNotEqualBusinessID
	OpEqualUserLanguage
	OpEqualUserTeams
	OpEqualUserOrUserTeams
	OpEqualUserOrUserHierarchy
	OpEqualUserOrUserHierarchyAndTeams
	OpOn
	OpOnOrAfter
	OpOnOrBefore
	OpToday
	OpYesterday
	OpTomorrow
	OpLast7Days
	OpNext7Days
	OpThisWeek
	OpLastWeek
	OpNextWeek
	OpThisMonth
	OpLastMonth
	OpNextMonth
	OpThisYear
	OpLastYear
	OpNextYear
	OpThisFiscalYear
	OpLastFiscalYear
	OpNextFiscalYear
	OpThisFiscalPeriod
	OpLastFiscalPeriod
	OpNextFiscalPeriod
	OpLastXHours
	OpLastXDays
	OpLastXWeeks
	OpLastXMonths
	OpLastXYears
	OpNextXHours
	OpNextXDays
	OpNextXWeeks
	OpNextXMonths
	OpNextXYears
	OpLastXFiscalPeriods
	OpLastXFiscalYears
	OpNextXFiscalPeriods
	OpNextXFiscalYears
	OpOlderThanXMinutes
	OpOlderThanXHours
	OpOlderThanXDays
	OpOlderThanXWeeks
	OpOlderThanXMonths
	OpOlderThanXYears
	OpInFiscalYear
	OpInFiscalPeriod
	OpInFiscalPeriodAndYear
	OpInOrAfterFiscalPeriodAndYear
	OpInOrBeforeFiscalPeriodAndYear
)

// Arity says how many values an operator takes.
type Arity uint8

// The arities. Many is one or more.
const (
	NoValue Arity = iota
	OneValue
	TwoValues
	ManyValues
)

// OpFacts is one row of the operator table.
type OpFacts struct {
	Op       Op
	Fetch    string // FetchXML operator; "" if FetchXML has none
	Function string // name in the Microsoft.Dynamics.CRM namespace; "" if OData writes it otherwise
	Arity    Arity
	Dates    bool // only for date and date-time columns
	Hours    bool // not for DateOnly columns
}

// Ops is the table of operators, in the order of their declaration.
var Ops = []OpFacts{
	{OpEq, "eq", "", OneValue, false, false},
	{OpNe, "ne", "", OneValue, false, false},
	{OpGt, "gt", "", OneValue, false, false},
	{OpGe, "ge", "", OneValue, false, false},
	{OpLt, "lt", "", OneValue, false, false},
	{OpLe, "le", "", OneValue, false, false},
	{OpIn, "in", "In", ManyValues, false, false},
	{OpNotIn, "not-in", "NotIn", ManyValues, false, false},
	{OpBetween, "between", "Between", TwoValues, false, false},
	{OpNotBetween, "not-between", "NotBetween", TwoValues, false, false},
	{OpNull, "null", "", NoValue, false, false},
	{OpNotNull, "not-null", "", NoValue, false, false},
	{OpLike, "like", "", OneValue, false, false},
	{OpNotLike, "not-like", "", OneValue, false, false},
	{OpContains, "", "", OneValue, false, false},
	{OpNotContains, "", "", OneValue, false, false},
	{OpBeginsWith, "begins-with", "", OneValue, false, false},
	{OpNotBeginsWith, "not-begin-with", "", OneValue, false, false},
	{OpEndsWith, "ends-with", "", OneValue, false, false},
	{OpNotEndsWith, "not-end-with", "", OneValue, false, false},
	{OpContainValues, "contain-values", "ContainValues", ManyValues, false, false},
	{OpNotContainValues, "not-contain-values", "DoesNotContainValues", ManyValues, false, false},
	{OpAbove, "above", "Above", OneValue, false, false},
	{OpAboveOrEqual, "eq-or-above", "AboveOrEqual", OneValue, false, false},
	{OpUnder, "under", "Under", OneValue, false, false},
	{OpUnderOrEqual, "eq-or-under", "UnderOrEqual", OneValue, false, false},
	{OpNotUnder, "not-under", "NotUnder", OneValue, false, false},
	{OpEqualUserID, "eq-userid", "EqualUserId", NoValue, false, false},
	{OpNotEqualUserID, "ne-userid", "NotEqualUserId", NoValue, false, false},
	{OpEqualBusinessID, "eq-businessid", "EqualBusinessId", NoValue, false, false},
	{OpNotEqualBusinessID, "ne-businessid", "NotEqualBusinessId", NoValue, false, false},
	{OpEqualUserLanguage, "eq-userlanguage", "EqualUserLanguage", NoValue, false, false},
	{OpEqualUserTeams, "eq-userteams", "EqualUserTeams", NoValue, false, false},
	{OpEqualUserOrUserTeams, "eq-useroruserteams", "EqualUserOrUserTeams", NoValue, false, false},
	{OpEqualUserOrUserHierarchy, "eq-useroruserhierarchy", "EqualUserOrUserHierarchy", NoValue, false, false},
	{OpEqualUserOrUserHierarchyAndTeams, "eq-useroruserhierarchyandteams", "EqualUserOrUserHierarchyAndTeams", NoValue, false, false},
	{OpOn, "on", "On", OneValue, true, false},
	{OpOnOrAfter, "on-or-after", "OnOrAfter", OneValue, true, false},
	{OpOnOrBefore, "on-or-before", "OnOrBefore", OneValue, true, false},
	{OpToday, "today", "Today", NoValue, true, false},
	{OpYesterday, "yesterday", "Yesterday", NoValue, true, false},
	{OpTomorrow, "tomorrow", "Tomorrow", NoValue, true, false},
	{OpLast7Days, "last-seven-days", "Last7Days", NoValue, true, false},
	{OpNext7Days, "next-seven-days", "Next7Days", NoValue, true, false},
	{OpThisWeek, "this-week", "ThisWeek", NoValue, true, false},
	{OpLastWeek, "last-week", "LastWeek", NoValue, true, false},
	{OpNextWeek, "next-week", "NextWeek", NoValue, true, false},
	{OpThisMonth, "this-month", "ThisMonth", NoValue, true, false},
	{OpLastMonth, "last-month", "LastMonth", NoValue, true, false},
	{OpNextMonth, "next-month", "NextMonth", NoValue, true, false},
	{OpThisYear, "this-year", "ThisYear", NoValue, true, false},
	{OpLastYear, "last-year", "LastYear", NoValue, true, false},
	{OpNextYear, "next-year", "NextYear", NoValue, true, false},
	{OpThisFiscalYear, "this-fiscal-year", "ThisFiscalYear", NoValue, true, false},
	{OpLastFiscalYear, "last-fiscal-year", "LastFiscalYear", NoValue, true, false},
	{OpNextFiscalYear, "next-fiscal-year", "NextFiscalYear", NoValue, true, false},
	{OpThisFiscalPeriod, "this-fiscal-period", "ThisFiscalPeriod", NoValue, true, false},
	{OpLastFiscalPeriod, "last-fiscal-period", "LastFiscalPeriod", NoValue, true, false},
	{OpNextFiscalPeriod, "next-fiscal-period", "NextFiscalPeriod", NoValue, true, false},
	{OpLastXHours, "last-x-hours", "LastXHours", OneValue, true, true},
	{OpLastXDays, "last-x-days", "LastXDays", OneValue, true, false},
	{OpLastXWeeks, "last-x-weeks", "LastXWeeks", OneValue, true, false},
	{OpLastXMonths, "last-x-months", "LastXMonths", OneValue, true, false},
	{OpLastXYears, "last-x-years", "LastXYears", OneValue, true, false},
	{OpNextXHours, "next-x-hours", "NextXHours", OneValue, true, true},
	{OpNextXDays, "next-x-days", "NextXDays", OneValue, true, false},
	{OpNextXWeeks, "next-x-weeks", "NextXWeeks", OneValue, true, false},
	{OpNextXMonths, "next-x-months", "NextXMonths", OneValue, true, false},
	{OpNextXYears, "next-x-years", "NextXYears", OneValue, true, false},
	{OpLastXFiscalPeriods, "last-x-fiscal-periods", "LastXFiscalPeriods", OneValue, true, false},
	{OpLastXFiscalYears, "last-x-fiscal-years", "LastXFiscalYears", OneValue, true, false},
	{OpNextXFiscalPeriods, "next-x-fiscal-periods", "NextXFiscalPeriods", OneValue, true, false},
	{OpNextXFiscalYears, "next-x-fiscal-years", "NextXFiscalYears", OneValue, true, false},
	{OpOlderThanXMinutes, "olderthan-x-minutes", "OlderThanXMinutes", OneValue, true, true},
	{OpOlderThanXHours, "olderthan-x-hours", "OlderThanXHours", OneValue, true, true},
	{OpOlderThanXDays, "olderthan-x-days", "OlderThanXDays", OneValue, true, false},
	{OpOlderThanXWeeks, "olderthan-x-weeks", "OlderThanXWeeks", OneValue, true, false},
	{OpOlderThanXMonths, "olderthan-x-months", "OlderThanXMonths", OneValue, true, false},
	{OpOlderThanXYears, "olderthan-x-years", "OlderThanXYears", OneValue, true, false},
	{OpInFiscalYear, "in-fiscal-year", "InFiscalYear", OneValue, true, false},
	{OpInFiscalPeriod, "in-fiscal-period", "InFiscalPeriod", OneValue, true, false},
	{OpInFiscalPeriodAndYear, "in-fiscal-period-and-year", "InFiscalPeriodAndYear", TwoValues, true, false},
	{OpInOrAfterFiscalPeriodAndYear, "in-or-after-fiscal-period-and-year", "InOrAfterFiscalPeriodAndYear", TwoValues, true, false},
	{OpInOrBeforeFiscalPeriodAndYear, "in-or-before-fiscal-period-and-year", "InOrBeforeFiscalPeriodAndYear", TwoValues, true, false},
}

var (
	opByFetch    = map[string]*OpFacts{}
	opByFunction = map[string]*OpFacts{}
	opFacts      [256]*OpFacts
)

func init() {
	for i := range Ops {
		f := &Ops[i]
		opFacts[f.Op] = f
		if f.Fetch != "" {
			opByFetch[f.Fetch] = f
		}
		if f.Function != "" {
			opByFunction[f.Function] = f
		}
	}
	opByFetch["neq"] = opFacts[OpNe]
}

// Facts returns the operator's row in the table.
func (op Op) Facts() *OpFacts { return opFacts[op] }

// OpByFetch finds an operator by its FetchXML name; nil if there is none.
func OpByFetch(name string) *OpFacts { return opByFetch[name] }

// OpByFunction finds an operator by its query function name; nil if there is none.
func OpByFunction(name string) *OpFacts { return opByFunction[name] }
