package query

import (
	"testing"
	"time"
	_ "time/tzdata"

	"almoner/internal/value"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func days(t *testing.T, text string) int64 {
	t.Helper()
	d, err := value.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func seconds(t *testing.T, text string) int64 {
	t.Helper()
	s, err := value.ParseTime(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMidnight(t *testing.T) {
	tests := []struct{ zone, day, want, why string }{
		{"UTC", "2024-03-10", "2024-03-10T00:00:00Z", "plain"},
		{"America/New_York", "2024-03-10", "2024-03-10T05:00:00Z", "spring day begins before the change"},
		{"America/New_York", "2024-03-11", "2024-03-11T04:00:00Z", "day after the change"},
		{"America/New_York", "2024-11-04", "2024-11-04T05:00:00Z", "day after the autumn change"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "midnight does not exist: the day begins at one"},
		{"America/Havana", "2023-11-05", "2023-11-05T04:00:00Z", "midnight comes twice: the first counts"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "a day that was skipped begins where the next does"},
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "the day after a skipped one"},
		{"Asia/Kathmandu", "2024-01-01", "2023-12-31T18:15:00Z", "odd offset"},
		{"Pacific/Kiritimati", "2024-01-01", "2023-12-31T10:00:00Z", "furthest east"},
		{"UTC", "1753-01-01", "1753-01-01T00:00:00Z", "first day of the platform"},
	}
	for _, tt := range tests {
		c := Calendar{Zone: zone(t, tt.zone)}
		got := c.Midnight(days(t, tt.day))
		if want := seconds(t, tt.want); got != want {
			t.Errorf("%s, %s (%s): got %s, want %s", tt.zone, tt.day, tt.why, value.Time(got), tt.want)
		}
	}
}

func TestMidnightBeginsItsDay(t *testing.T) {
	for _, name := range []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut", "Asia/Kolkata"} {
		c := Calendar{Zone: zone(t, name)}
		for d := days(t, "2017-01-01"); d < days(t, "2020-01-01"); d++ {
			m := c.Midnight(d)
			if c.Day(m) != d || c.Day(m-1) != d-1 {
				t.Fatalf("%s: midnight of %s is %s", name, value.Date(d), value.Time(m))
			}
		}
	}
}

func TestHour(t *testing.T) {
	tests := []struct{ zone, at, want string }{
		{"UTC", "2024-03-01T09:59:59Z", "2024-03-01T09:00:00Z"},
		{"Asia/Kolkata", "2024-03-01T09:45:00Z", "2024-03-01T09:30:00Z"},
		{"Asia/Kolkata", "2024-03-01T09:29:59Z", "2024-03-01T08:30:00Z"},
		{"America/New_York", "2024-03-10T07:00:00Z", "2024-03-10T07:00:00Z"},
		{"UTC", "1969-12-31T23:30:00Z", "1969-12-31T23:00:00Z"},
	}
	for _, tt := range tests {
		if got := (Calendar{Zone: zone(t, tt.zone)}).Hour(seconds(t, tt.at)); got != seconds(t, tt.want) {
			t.Errorf("%s %s: got %s, want %s", tt.zone, tt.at, value.Time(got), tt.want)
		}
	}
	if got := (Calendar{}).Hour(seconds(t, "2024-03-01T09:59:59Z")); got != seconds(t, "2024-03-01T09:00:00Z") {
		t.Errorf("without a zone: %s", value.Time(got))
	}
}

func TestWeek(t *testing.T) {
	for day, want := range map[string]string{
		"2024-03-03": "2024-03-03", "2024-03-09": "2024-03-03", "2024-03-10": "2024-03-10",
		"1970-01-01": "1969-12-28", "1969-12-27": "1969-12-21",
	} {
		if got := (Calendar{}).Week(days(t, day)); got != days(t, want) {
			t.Errorf("week of %s: got %s, want %s", day, value.Date(got), want)
		}
	}
}

func TestAddMonths(t *testing.T) {
	tests := []struct {
		day  string
		n    int64
		want string
	}{
		{"2024-01-31", 1, "2024-02-29"},
		{"2023-01-31", 1, "2023-02-28"},
		{"2024-02-29", 12, "2025-02-28"},
		{"2024-02-29", -12, "2023-02-28"},
		{"2024-02-29", 48, "2028-02-29"},
		{"2024-03-31", -1, "2024-02-29"},
		{"2024-12-15", 1, "2025-01-15"},
		{"2024-01-15", -1, "2023-12-15"},
		{"2024-10-31", 1, "2024-11-30"},
		{"2024-06-30", 0, "2024-06-30"},
		{"2024-01-01", -maxCount, "0001-01-01"},
		{"2024-01-01", 12 * maxCount, "9999-12-31"},
	}
	for _, tt := range tests {
		if got := AddMonths(days(t, tt.day), tt.n); got != days(t, tt.want) {
			t.Errorf("%s %+d months: got %s, want %s", tt.day, tt.n, value.Date(got), tt.want)
		}
	}
}

func TestFiscal(t *testing.T) {
	tests := []struct {
		start  int
		day    string
		year   int
		period int
		begins string // of the year
		from   string // of the period
	}{
		{1, "2026-06-30", 2026, 2, "2026-01-01", "2026-04-01"},
		{0, "2026-01-01", 2026, 1, "2026-01-01", "2026-01-01"},
		{7, "2026-06-30", 2025, 4, "2025-07-01", "2026-04-01"},
		{7, "2025-07-01", 2025, 1, "2025-07-01", "2025-07-01"},
		{7, "2026-07-01", 2026, 1, "2026-07-01", "2026-07-01"},
		{12, "2026-02-28", 2025, 1, "2025-12-01", "2025-12-01"},
		{12, "2026-03-01", 2025, 2, "2025-12-01", "2026-03-01"},
		{4, "2026-03-31", 2025, 4, "2025-04-01", "2026-01-01"},
	}
	for _, tt := range tests {
		c := Calendar{StartMonth: tt.start}
		d := days(t, tt.day)
		year, period := c.FiscalYear(d), c.FiscalPeriod(d)
		if year != tt.year || period != tt.period {
			t.Errorf("start %d, %s: got year %d period %d, want %d and %d", tt.start, tt.day, year, period, tt.year, tt.period)
		}
		if got := c.FiscalYearStart(year); got != days(t, tt.begins) {
			t.Errorf("start %d, %s: year begins %s, want %s", tt.start, tt.day, value.Date(got), tt.begins)
		}
		if got := c.FiscalPeriodStart(year, period); got != days(t, tt.from) {
			t.Errorf("start %d, %s: period begins %s, want %s", tt.start, tt.day, value.Date(got), tt.from)
		}
	}
	if got := (Calendar{StartMonth: 7}).FiscalPeriodStart(2025, 5); got != days(t, "2026-07-01") {
		t.Errorf("the fifth period is the next year's first: got %s", value.Date(got))
	}
}
