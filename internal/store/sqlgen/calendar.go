package sqlgen

import (
	"time"

	"almoner/internal/query"
	"almoner/internal/value"
)

// ZoneTable is the hidden table with the shifts of the organization's time zone. A store fills it from ZoneShifts when it
// is opened: since (seconds, UTC) and shift (seconds to add).
const ZoneTable = "zoneshift"

// Shift says that from a moment on, in UTC seconds, local time is so many seconds ahead.
type Shift struct{ Since, Seconds int64 }

// The span for which shifts are listed; before and after it the first and the last hold.
const (
	firstShiftYear = 1753
	lastShiftYear  = 2200
)

// ZoneShifts lists the shifts of a time zone in order of time. The first begins before every moment a column can hold.
func ZoneShifts(zone *time.Location) []Shift {
	if zone == nil {
		zone = time.UTC
	}
	at := time.Date(firstShiftYear, 1, 1, 0, 0, 0, 0, time.UTC).In(zone)
	end := time.Date(lastShiftYear, 1, 1, 0, 0, 0, 0, time.UTC)
	shifts := []Shift{{Since: -1 << 62, Seconds: offset(at)}}
	for {
		_, next := at.ZoneBounds()
		switch {
		case next.IsZero() || next.After(end):
			return shifts
		case !next.After(at): // beyond the zone's table, bounds of a leap year may end a day early
			next = at.Add(24 * time.Hour)
		}
		if s := offset(next); s != shifts[len(shifts)-1].Seconds {
			shifts = append(shifts, Shift{Since: next.Unix(), Seconds: s})
		}
		at = next
	}
}

func offset(t time.Time) int64 {
	_, seconds := t.Zone()
	return int64(seconds)
}

// isUTC tells whether local time is UTC, so that no shift has to be looked up.
func isUTC(cal query.Calendar) bool {
	return cal.Zone == nil || cal.Zone == time.UTC || cal.Zone.String() == "UTC"
}

// firstMonth is the month fiscal years begin with.
func firstMonth(cal query.Calendar) int64 {
	if cal.StartMonth < 1 || cal.StartMonth > 12 {
		return 1
	}
	return int64(cal.StartMonth)
}

// Days are counted from 1970-01-01 and may be negative, but never lie before year 0; with its days added, SQL's division
// and remainder are those of the calendar.
const (
	yearZeroDays    = 719528
	yearZeroSeconds = yearZeroDays * value.SecondsPerDay
	sundayShift     = yearZeroDays + 6 // makes Sunday 0 modulo 7
)

// calendarNumber prints a date part or a date grouping of a moment or a date.
func (p *printer) calendarNumber(c query.Call) {
	x := c.Args[0]
	switch c.Fn {
	case query.FnYear, query.FnGroupYear:
		p.ofDays(p.d.year, x)
	case query.FnMonth, query.FnGroupMonth:
		p.ofDays(p.d.month, x)
	case query.FnDay, query.FnGroupDay:
		p.ofDays(p.d.day, x)
	case query.FnHour:
		p.ofDaySeconds(x, "/3600)")
	case query.FnMinute:
		p.ofDaySeconds(x, "/60%60)")
	case query.FnSecond:
		p.ofDaySeconds(x, "%60)")
	case query.FnGroupWeek:
		p.week(x)
	case query.FnGroupQuarter:
		p.put("((")
		p.ofDays(p.d.month, x)
		p.put("+2)/3)")
	case query.FnGroupFiscalPeriod:
		p.put("((")
		p.ofDays(p.d.month, x)
		p.put("+")
		p.int(12 - firstMonth(p.cal))
		p.put(")%12/3+1)")
	case query.FnGroupFiscalYear:
		p.fiscalYear(x)
	default:
		p.fail("function %d is no date part", c.Fn)
	}
}

// fiscalYear prints the year a fiscal year begins in.
func (p *printer) fiscalYear(x query.Expr) {
	if firstMonth(p.cal) == 1 {
		p.ofDays(p.d.year, x)
		return
	}
	p.put("((")
	p.ofDays(p.d.year, x)
	p.put("*12+")
	p.ofDays(p.d.month, x)
	p.put("-")
	p.int(firstMonth(p.cal))
	p.put(")/12)")
}

// week prints the number of the week: weeks begin on Sunday, and week 1 holds 1 January.
func (p *printer) week(x query.Expr) {
	p.put("(SELECT (y+(w-y%7+7)%7)/7+1 FROM (SELECT ")
	p.ofDays(p.d.yearDay, x)
	p.put(" AS y,(")
	p.days(x)
	p.put("+")
	p.int(sundayShift)
	p.put(")%7 AS w) AS v)")
}

// ofDays prints a function of the days of a moment or a date.
func (p *printer) ofDays(fn wrap, x query.Expr) {
	p.put(fn.before)
	p.days(x)
	p.put(fn.after)
}

// ofDaySeconds prints a part of the local time of day; of a date it is midnight's.
func (p *printer) ofDaySeconds(x query.Expr, tail string) {
	p.put("((")
	if query.KindOf(x) == value.KindTime {
		p.local(x)
	} else {
		p.number(x, form{family: momentForm})
	}
	p.put("+")
	p.int(yearZeroSeconds)
	p.put(")%86400")
	p.put(tail)
}

// days prints the local calendar day of a moment, or a date as it is.
func (p *printer) days(x query.Expr) {
	if query.KindOf(x) != value.KindTime {
		p.number(x, form{family: dateForm})
		return
	}
	p.put("((")
	p.local(x)
	p.put("+")
	p.int(yearZeroSeconds)
	p.put(")/86400-")
	p.int(yearZeroDays)
	p.put(")")
}

// local prints a moment on the organization's clock.
func (p *printer) local(x query.Expr) {
	moment := form{family: momentForm}
	p.number(x, moment)
	if isUTC(p.cal) {
		return
	}
	p.put(`+(SELECT shift FROM ` + ZoneTable + ` WHERE since<=`)
	p.number(x, moment)
	p.put(` ORDER BY since DESC LIMIT 1)`)
}
