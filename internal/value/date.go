package value

import (
	"errors"
	"time"
)

// ErrDate is returned for text that is not a date or a moment in a form we take.
var ErrDate = errors.New("not a date")

// The platform's range of dates (12.5): 1753-01-01 to 9999-12-30.
var (
	MinDate = CivilDays(1753, 1, 1)
	MaxDate = CivilDays(9999, 12, 30)
)

// SecondsPerDay converts between Date and Time values.
const SecondsPerDay = 86400

// CivilDays returns the days from 1970-01-01 to the given day of the proleptic Gregorian calendar.
func CivilDays(year, month, day int) int64 {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / SecondsPerDay
}

// Civil returns year, month and day of a count of days since 1970-01-01.
func Civil(days int64) (year, month, day int) {
	// Counting from 0000-03-01 makes the leap day the last of its year.
	z := days + 719468
	era := z / 146097
	if z < 0 {
		era = (z - 146096) / 146097
	}
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	if month > 12 {
		month -= 12
	}
	year = int(yoe + era*400)
	if month <= 2 {
		year++
	}
	return year, month, day
}

// ParseDate reads yyyy-mm-dd and nothing else.
func ParseDate(s string) (int64, error) {
	if len(s) != 10 {
		return 0, ErrDate
	}
	t, err := time.Parse("2006-01-02", s)
	if err != nil {
		return 0, ErrDate
	}
	return t.Unix() / SecondsPerDay, nil
}

var timeLayouts = []string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
}

// ParseTime reads an ISO 8601 moment with an offset, with Z or with neither (UTC); a bare date is its midnight.
// Fractions of a second are dropped.
func ParseTime(s string) (int64, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Unix(), nil
		}
	}
	return 0, ErrDate
}

// AppendDate appends yyyy-mm-dd.
func AppendDate(b []byte, days int64) []byte {
	y, m, d := Civil(days)
	b = append(b, byte('0'+y/1000%10), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-')
	b = append2(b, m)
	b = append(b, '-')
	return append2(b, d)
}

// AppendTime appends yyyy-mm-ddThh:mm:ssZ.
func AppendTime(b []byte, seconds int64) []byte {
	days := floorDiv(seconds, SecondsPerDay)
	sec := int(seconds - days*SecondsPerDay)
	b = append(AppendDate(b, days), 'T')
	b = append(append2(b, sec/3600), ':')
	b = append(append2(b, sec/60%60), ':')
	return append(append2(b, sec%60), 'Z')
}

// DateOf returns the calendar date of a moment in a time zone, as days.
func DateOf(seconds int64, zone *time.Location) int64 {
	if zone == time.UTC || zone == nil {
		return floorDiv(seconds, SecondsPerDay)
	}
	y, m, d := time.Unix(seconds, 0).In(zone).Date()
	return CivilDays(y, int(m), d)
}

func append2(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
