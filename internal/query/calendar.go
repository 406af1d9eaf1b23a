package query

import (
	"sort"
	"time"

	"almoner/internal/value"
)

// Calendar is the organization's calendar: its time zone and the month its years begin with. Days are counted from
// 1970-01-01, moments in seconds from that day's midnight UTC. Weeks begin on Sunday; a year carries the number of the
// calendar year it begins in, and has four quarters of three months (decision 32).
type Calendar struct {
	Zone       *time.Location // nil is UTC
	StartMonth int            // 1 to 12
}

// The days a window may reach: beyond them nothing is stored.
var (
	firstDay = value.CivilDays(1, 1, 1)
	lastDay  = value.CivilDays(9999, 12, 31)
)

// maxCount is the most units a window counts; more reach beyond every stored date all the same.
const maxCount = 100_000_000

const daysPerWeek = 7

// Day returns the calendar day of a moment.
func (c Calendar) Day(second int64) int64 { return value.DateOf(second, c.Zone) }

// Midnight returns the first moment of a day. Where the clock is moved at midnight the day may begin at another hour; a day
// the zone skipped altogether begins and ends at the same moment.
func (c Calendar) Midnight(day int64) int64 {
	const half = 16 * 3600 // no zone is further than this from UTC
	start := day*value.SecondsPerDay - half
	return start + int64(sort.Search(2*half, func(i int) bool { return c.Day(start+int64(i)) >= day }))
}

// Hour returns the first moment of the hour on the zone's clock that a moment lies in.
func (c Calendar) Hour(second int64) int64 {
	zone := c.Zone
	if zone == nil {
		zone = time.UTC
	}
	_, offset := time.Unix(second, 0).In(zone).Zone()
	return second - floorMod(second+int64(offset), 3600)
}

// Week returns the Sunday on or before a day.
func (c Calendar) Week(day int64) int64 {
	const thursday = 4 // 1970-01-01
	return day - floorMod(day+thursday, daysPerWeek)
}

// Month returns the first day of a day's month.
func (c Calendar) Month(day int64) int64 {
	y, m, _ := value.Civil(day)
	return value.CivilDays(y, m, 1)
}

// Year returns the first day of a day's calendar year.
func (c Calendar) Year(day int64) int64 {
	y, _, _ := value.Civil(day)
	return value.CivilDays(y, 1, 1)
}

// FiscalYear returns the organization's year that a day belongs to; giving years are the same years.
func (c Calendar) FiscalYear(day int64) int {
	y, m, _ := value.Civil(day)
	if m < c.StartMonth {
		return y - 1
	}
	return y
}

// FiscalYearStart returns the first day of an organization's year.
func (c Calendar) FiscalYearStart(year int) int64 { return value.CivilDays(year, c.startMonth(), 1) }

// FiscalPeriod returns the quarter, 1 to 4, of the organization's year that a day belongs to.
func (c Calendar) FiscalPeriod(day int64) int {
	_, m, _ := value.Civil(day)
	return (m-c.startMonth()+12)%12/3 + 1
}

// FiscalPeriodStart returns the first day of a quarter. Quarters below 1 and above 4 belong to the years around.
func (c Calendar) FiscalPeriodStart(year, period int) int64 {
	return AddMonths(c.FiscalYearStart(year), 3*(int64(period)-1))
}

func (c Calendar) startMonth() int { return max(c.StartMonth, 1) }

// AddMonths returns the same day of the month n months later, or the month's last day where it is shorter: a month after
// 31 January is 28 or 29 February.
func AddMonths(day, n int64) int64 {
	y, m, d := value.Civil(day)
	months := int64(y)*12 + int64(m) - 1 + n
	switch {
	case months < 12:
		return firstDay
	case months >= 9999*12:
		return lastDay
	}
	first := value.CivilDays(int(months/12), int(months%12)+1, 1)
	next := value.CivilDays(int((months+1)/12), int((months+1)%12)+1, 1)
	return min(first+int64(d)-1, next-1)
}

func floorMod(a, b int64) int64 { return ((a % b) + b) % b }
