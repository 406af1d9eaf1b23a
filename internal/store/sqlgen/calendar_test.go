package sqlgen

import (
	"sort"
	"testing"
	"time"
	_ "time/tzdata"
)

func TestZoneShiftsFollowTheZone(t *testing.T) {
	for _, name := range []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		shifts := ZoneShifts(zone)
		if !sort.SliceIsSorted(shifts, func(i, j int) bool { return shifts[i].Since < shifts[j].Since }) {
			t.Errorf("%s: shifts are not in order", name)
		}
		end := time.Date(2199, 12, 1, 0, 0, 0, 0, time.UTC).Unix()
		for at := time.Date(1753, 1, 2, 3, 4, 5, 0, time.UTC).Unix(); at < end; at += 36000 * 7 {
			_, want := time.Unix(at, 0).In(zone).Zone()
			if got := shiftAt(shifts, at); got != int64(want) {
				t.Fatalf("%s: at %v the shift is %d, want %d", name, time.Unix(at, 0).UTC(), got, want)
			}
		}
	}
}

// shiftAt is what the statement's sub-select finds.
func shiftAt(shifts []Shift, at int64) int64 {
	i := sort.Search(len(shifts), func(i int) bool { return shifts[i].Since > at })
	return shifts[i-1].Seconds
}
