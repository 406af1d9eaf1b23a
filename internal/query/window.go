package query

import (
	"almoner/internal/fault"
	"almoner/internal/value"
)

// edge is one end of a window of time: the midnight of a day, or a moment, or none. Windows hold what is at or after their
// first edge and before their last.
type edge struct {
	kind edgeKind
	at   int64
}

type edgeKind uint8

const (
	open edgeKind = iota
	atDay
	atSecond
)

func day(n int64) edge    { return edge{atDay, n} }
func second(n int64) edge { return edge{atSecond, n} }

// dateCondition turns a date operator into a range of the column it is used on.
func (r *resolver) dateCondition(c Cond) (Filter, error) {
	kind := KindOf(c.Left)
	switch {
	case kind != value.KindDate && kind != value.KindTime:
		return nil, unfit(c, "a date column")
	case kind == value.KindDate && c.Op.Facts().Hours:
		return nil, unfit(c, "a column with a time of day")
	case c.Op == OpInFiscalPeriod:
		return r.inPeriod(c)
	}
	from, to, err := r.window(c)
	if err != nil {
		return nil, err
	}
	var out And
	if from.kind != open {
		out = append(out, Cond{c.Left, OpGe, []Expr{Literal{r.edgeValue(from, kind)}}})
	}
	if to.kind != open {
		out = append(out, Cond{c.Left, OpLt, []Expr{Literal{r.edgeValue(to, kind)}}})
	}
	return AllOf(out), nil
}

// edgeValue is an edge as a value to compare a column with. A DateOnly value counts as its midnight: the first that is not
// before a moment is the day after the one that holds the second before it.
func (r *resolver) edgeValue(e edge, kind value.Kind) value.Value {
	switch {
	case kind == value.KindDate && e.kind == atDay:
		return value.Date(e.at)
	case kind == value.KindDate:
		return value.Date(r.Day(e.at-1) + 1)
	case e.kind == atDay:
		return value.Time(r.Midnight(e.at))
	default:
		return value.Time(e.at)
	}
}

// inPeriod holds for a quarter of any year.
func (r *resolver) inPeriod(c Cond) (Filter, error) {
	period, err := periodArg(c, 0)
	if err != nil {
		return nil, err
	}
	return Cond{Call{FnGroupFiscalPeriod, []Expr{c.Left}}, OpEq, []Expr{Literal{value.Int(int64(period))}}}, nil
}

// window returns the range an operator stands for (first edge included, last one not).
func (r *resolver) window(c Cond) (from, to edge, err error) {
	switch {
	case c.Op <= OpOnOrBefore:
		return r.givenDay(c)
	case c.Op >= OpLastXHours && c.Op <= OpOlderThanXYears:
		return r.countedWindow(c)
	case c.Op >= OpInFiscalYear:
		return r.fiscalWindow(c)
	default:
		from, to = r.namedWindow(c.Op)
		return from, to, nil
	}
}

// givenDay is the window of On, OnOrAfter and OnOrBefore.
func (r *resolver) givenDay(c Cond) (from, to edge, err error) {
	d, err := r.dayArg(c)
	if err != nil {
		return from, to, err
	}
	if c.Op != OpOnOrBefore {
		from = day(d)
	}
	if c.Op != OpOnOrAfter {
		to = day(d + 1)
	}
	return from, to, nil
}

// namedWindow is the window of an operator without a value.
func (r *resolver) namedWindow(op Op) (from, to edge) {
	today := r.Day(r.Now)
	span := func(first, days int64) (edge, edge) { return day(first), day(first + days) }
	months := func(first, n, size int64) (edge, edge) {
		return day(AddMonths(first, n*size)), day(AddMonths(first, (n+1)*size))
	}
	week, month, year := r.Week(today), r.Month(today), r.Year(today)
	fiscalYear := r.FiscalYearStart(r.FiscalYear(today))
	period := r.FiscalPeriodStart(r.FiscalYear(today), r.FiscalPeriod(today))
	switch op {
	case OpToday:
		return span(today, 1)
	case OpYesterday:
		return span(today-1, 1)
	case OpTomorrow:
		return span(today+1, 1)
	case OpLast7Days:
		return day(today - 7), second(r.Now + 1)
	case OpNext7Days:
		return second(r.Now), day(today + 8)
	case OpThisWeek:
		return span(week, daysPerWeek)
	case OpLastWeek:
		return span(week-daysPerWeek, daysPerWeek)
	case OpNextWeek:
		return span(week+daysPerWeek, daysPerWeek)
	case OpThisMonth:
		return months(month, 0, 1)
	case OpLastMonth:
		return months(month, -1, 1)
	case OpNextMonth:
		return months(month, 1, 1)
	case OpThisYear:
		return months(year, 0, 12)
	case OpLastYear:
		return months(year, -1, 12)
	case OpNextYear:
		return months(year, 1, 12)
	case OpThisFiscalYear:
		return months(fiscalYear, 0, 12)
	case OpLastFiscalYear:
		return months(fiscalYear, -1, 12)
	case OpNextFiscalYear:
		return months(fiscalYear, 1, 12)
	case OpThisFiscalPeriod:
		return months(period, 0, 3)
	case OpLastFiscalPeriod:
		return months(period, -1, 3)
	default: // OpNextFiscalPeriod
		return months(period, 1, 3)
	}
}

// countedWindow is the window of an operator that counts units back or ahead. Those of hours end or begin now; fiscal ones
// are the whole periods before or after the current one.
func (r *resolver) countedWindow(c Cond) (from, to edge, err error) {
	x, err := countArg(c)
	if err != nil {
		return from, to, err
	}
	today, hour := r.Day(r.Now), r.Hour(r.Now)
	now, past := second(r.Now), second(r.Now+1)
	fiscalYear := r.FiscalYearStart(r.FiscalYear(today))
	period := r.FiscalPeriodStart(r.FiscalYear(today), r.FiscalPeriod(today))
	switch c.Op {
	case OpLastXHours:
		return second(hour - x*3600), past, nil
	case OpLastXDays:
		return day(today - x), past, nil
	case OpLastXWeeks:
		return day(today - 7*x), past, nil
	case OpLastXMonths:
		return day(AddMonths(today, -x)), past, nil
	case OpLastXYears:
		return day(AddMonths(today, -12*x)), past, nil
	case OpNextXHours:
		return now, second(hour + (x+1)*3600), nil
	case OpNextXDays:
		return now, day(today + x + 1), nil
	case OpNextXWeeks:
		return now, day(today + 7*x + 1), nil
	case OpNextXMonths:
		return now, day(AddMonths(today+1, x)), nil
	case OpNextXYears:
		return now, day(AddMonths(today+1, 12*x)), nil
	case OpLastXFiscalPeriods:
		return day(AddMonths(period, -3*x)), day(period), nil
	case OpLastXFiscalYears:
		return day(AddMonths(fiscalYear, -12*x)), day(fiscalYear), nil
	case OpNextXFiscalPeriods:
		return day(AddMonths(period, 3)), day(AddMonths(period, 3*(x+1))), nil
	case OpNextXFiscalYears:
		return day(AddMonths(fiscalYear, 12)), day(AddMonths(fiscalYear, 12*(x+1))), nil
	case OpOlderThanXMinutes:
		return from, second(r.Now - floorMod(r.Now, 60) - x*60), nil
	case OpOlderThanXHours:
		return from, second(hour - x*3600), nil
	case OpOlderThanXDays:
		return from, day(today - x), nil
	case OpOlderThanXWeeks:
		return from, day(today - 7*x), nil
	case OpOlderThanXMonths:
		return from, day(AddMonths(today, -x)), nil
	default: // OpOlderThanXYears
		return from, day(AddMonths(today, -12*x)), nil
	}
}

// fiscalWindow is the window of a year, or of a quarter of a year, given by number.
func (r *resolver) fiscalWindow(c Cond) (from, to edge, err error) {
	if c.Op == OpInFiscalYear {
		year, err := yearArg(c, 0)
		return day(r.FiscalYearStart(year)), day(r.FiscalYearStart(year + 1)), err
	}
	period, err := periodArg(c, 0)
	if err != nil {
		return from, to, err
	}
	year, err := yearArg(c, 1)
	if c.Op != OpInOrBeforeFiscalPeriodAndYear {
		from = day(r.FiscalPeriodStart(year, period))
	}
	if c.Op != OpInOrAfterFiscalPeriodAndYear {
		to = day(r.FiscalPeriodStart(year, period+1))
	}
	return from, to, err
}

// literalArg returns an argument of a condition; null where it is not a constant.
func literalArg(c Cond, i int) value.Value {
	if i < len(c.Args) {
		if l, ok := c.Args[i].(Literal); ok {
			return l.Value
		}
	}
	return value.Null
}

// countArg is the number of units of a condition: a positive integer, held within what a calendar can count.
func countArg(c Cond) (int64, error) {
	v := literalArg(c, 0)
	if v.Kind() != value.KindInt || v.Int() <= 0 {
		return 0, fault.New(fault.FetchBadX, "The operator '%s' needs a positive integer; '%s' is none.", c.Op, v)
	}
	return min(v.Int(), maxCount), nil
}

// dayArg is the day a condition names. A moment stands for its day in the organization's zone.
func (r *resolver) dayArg(c Cond) (int64, error) {
	switch v := literalArg(c, 0); v.Kind() {
	case value.KindDate:
		return v.Int(), nil
	case value.KindTime:
		return r.Day(v.Int()), nil
	default:
		return 0, fault.New(fault.FetchBadValue, "The operator '%s' needs a date; '%s' is none.", c.Op, v)
	}
}

func periodArg(c Cond, i int) (int, error) {
	return numberArg(c, i, 1, 4, "a fiscal period from 1 to 4")
}

func yearArg(c Cond, i int) (int, error) { return numberArg(c, i, 1, 9998, "a year") }

func numberArg(c Cond, i int, low, high int64, want string) (int, error) {
	v := literalArg(c, i)
	if v.Kind() != value.KindInt || v.Int() < low || v.Int() > high {
		return 0, fault.New(fault.FetchBadValue, "The operator '%s' needs %s; '%s' is none.", c.Op, want, v)
	}
	return int(v.Int()), nil
}
