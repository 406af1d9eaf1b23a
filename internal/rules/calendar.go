package rules

import (
	"time"

	"almoner/internal/settings"
	"almoner/internal/value"
)

// givingYear returns the giving year a calendar date lies in: the calendar year in which that giving year begins.
func givingYear(days int64, startMonth int) int {
	year, month, _ := value.Civil(days)
	if month < startMonth {
		year--
	}
	return year
}

// GivingYear returns the giving year of a moment by the organization's calendar.
func GivingYear(now int64, s *settings.Settings) int {
	return givingYear(value.DateOf(now, s.Timezone), s.YearStartMonth)
}

// dateOf returns the calendar date of a DateOnly or DateTime value in the organization's time zone.
func dateOf(v value.Value, zone *time.Location) int64 {
	if v.Kind() == value.KindDate {
		return v.Int()
	}
	return value.DateOf(v.Int(), zone)
}

// firstDate returns the calendar date of the first value that is set; ok is false when none is.
func firstDate(zone *time.Location, values ...value.Value) (days int64, ok bool) {
	for _, v := range values {
		if !v.IsNull() {
			return dateOf(v, zone), true
		}
	}
	return 0, false
}

// addMonths moves a date by whole months. The day of the month is the given one, or the last the month has.
func addMonths(days int64, months, dayOfMonth int) int64 {
	year, month, _ := value.Civil(days)
	index := year*12 + month - 1 + months
	year, month = index/12, index%12+1
	last := int(value.CivilDays(year, month+1, 1) - value.CivilDays(year, month, 1))
	return value.CivilDays(year, month, min(dayOfMonth, last))
}

// quarterEnd returns the last day of the calendar quarter before the one a date lies in.
func quarterEnd(days int64) int64 {
	year, month, _ := value.Civil(days)
	return value.CivilDays(year, (month-1)/3*3+1, 1) - 1
}
