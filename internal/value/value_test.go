package value_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"almoner/internal/value"
)

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		text   string
		scale  int
		want   int64
		excess bool
		err    error
	}{
		{"611.23", 2, 61123, false, nil},
		{"-0.005", 2, -1, true, nil},
		{"0.0049", 2, 0, true, nil},
		{"2.5e2", 2, 25000, false, nil},
		{"25E-3", 2, 3, true, nil},
		{"250", 2, 25000, false, nil},
		{"1.10", 1, 11, false, nil},
		{"0", 2, 0, false, nil},
		{"0.001", 2, 0, true, nil},
		{"92233720368547758.07", 2, 9223372036854775807, false, nil},
		{"92233720368547758.08", 2, 0, false, value.ErrRange},
		{"1e300", 2, 0, false, value.ErrRange},
		{"abc", 2, 0, false, value.ErrNumber},
		{"", 2, 0, false, value.ErrNumber},
		{"1.2.3", 2, 0, false, value.ErrNumber},
	} {
		n, excess, err := value.ParseDecimal(c.text, c.scale)
		if n != c.want || excess != c.excess || err != c.err {
			t.Errorf("%q at %d decimals is %d, %v, %v; want %d, %v, %v", c.text, c.scale, n, excess, err, c.want, c.excess, c.err)
		}
	}
}

func TestDecimalsPrintAndParseBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, scale := rapid.Int64().Draw(t, "n"), rapid.IntRange(0, 10).Draw(t, "scale")
		text := string(value.AppendDecimal(nil, n, scale))
		back, excess, err := value.ParseDecimal(text, scale)
		if n != -1<<63 && (err != nil || excess || back != n) {
			t.Fatalf("%d prints as %s and parses as %d, %v", n, text, back, err)
		}
		if scale > 0 && len(text)-strings.IndexByte(text, '.')-1 != scale {
			t.Fatalf("%s has not %d decimals", text, scale)
		}
	})
}

func TestRoundRatGoesAwayFromZero(t *testing.T) {
	for _, c := range []struct {
		num, den int64
		want     int64
	}{{5, 1000, 1}, {-5, 1000, -1}, {4, 1000, 0}, {1005, 1000, 101}, {-1005, 1000, -101}, {2, 3, 67}} {
		if n, err := value.RoundRat(big.NewRat(c.num, c.den), 2); err != nil || n != c.want {
			t.Errorf("%d/%d rounds to %d, %v; want %d", c.num, c.den, n, err, c.want)
		}
	}
	for _, c := range []struct {
		f, want float64
		excess  bool
	}{
		{4.5, 4.5, false}, {0.00001, 0.00001, false}, {1.000005, 1.00001, true}, {-1.000005, -1.00001, true}, {1.0000049, 1, true},
		{1e-300, 0, true}, {1e300, 1e300, false}, {33333.333333333336, 33333.33333, true},
	} {
		if got, excess := value.RoundFloat(c.f, 5); got != c.want || excess != c.excess {
			t.Errorf("%v rounds to %v, %v; want %v, %v", c.f, got, excess, c.want, c.excess)
		}
	}
	if r := value.Float(4.5).Rat(); r.Cmp(big.NewRat(9, 2)) != 0 {
		t.Errorf("4.5 is %v", r)
	}
	if r := value.Float(0.1).Rat(); r.Cmp(big.NewRat(1, 10)) != 0 {
		t.Errorf("0.1 is %v, a float enters as its shortest text", r)
	}
}

func TestDatesAgreeWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(-6847804800, 253402214400).Draw(t, "seconds")
		want := time.Unix(seconds, 0).UTC()
		if got := string(value.AppendTime(nil, seconds)); got != want.Format("2006-01-02T15:04:05Z") {
			t.Fatalf("%d prints as %s", seconds, got)
		}
		days := value.DateOf(seconds, time.UTC)
		if got := string(value.AppendDate(nil, days)); got != want.Format("2006-01-02") {
			t.Fatalf("day %d prints as %s", days, got)
		}
		if back, err := value.ParseDate(string(value.AppendDate(nil, days))); err != nil || back != days {
			t.Fatalf("day %d parses back as %d, %v", days, back, err)
		}
	})
}

func TestParseTime(t *testing.T) {
	want := time.Date(2024, 3, 1, 9, 5, 0, 0, time.UTC).Unix()
	for _, text := range []string{"2024-03-01T09:05:00Z", "2024-03-01T11:05:00+02:00", "2024-03-01T09:05:00", "2024-03-01T09:05:00.999Z", "2024-03-01T09:05Z"} {
		if got, err := value.ParseTime(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	if _, err := value.ParseTime("yesterday"); err == nil {
		t.Error("yesterday is taken for a moment")
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"Éclair": "eclair", "ÅSA  ": "asa", " x": " x", "Straße": "straße", "ØRSTED": "ørsted", "ǅ": "ǆ", "e\u0301": "e", "": "", "日本 ": "日本",
	} {
		if got := value.Fold(text); got != want {
			t.Errorf("%q folds to %q, want %q", text, got, want)
		}
	}
}

func TestFoldOfASCIIIsWhatSQLDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "text")
		if got, want := value.Fold(text), strings.ToLower(strings.TrimRight(text, " ")); got != want {
			t.Fatalf("%q folds to %q, want %q", text, got, want)
		}
	})
}

func TestPrefixEndIsTheLeastTextAboveThePrefix(t *testing.T) {
	for prefix, want := range map[string]string{"a": "b", "az": "a{", "\ud7ff": "\ue000", "x\U0010ffff": "y"} {
		if got, ok := value.PrefixEnd(prefix); !ok || got != want {
			t.Errorf("above %q comes %q, %v; want %q", prefix, got, ok, want)
		}
	}
	if _, ok := value.PrefixEnd("\U0010ffff"); ok {
		t.Error("something is above the last code point")
	}
}

func TestGUIDs(t *testing.T) {
	const text = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
	for _, form := range []string{text, strings.ToUpper(text), "{" + text + "}"} {
		if g, err := value.ParseGUID(form); err != nil || g.String() != text {
			t.Errorf("%s is %v, %v", form, g, err)
		}
	}
	for _, bad := range []string{"", text[1:], text + "0", strings.Replace(text, "a", "g", 1), strings.ReplaceAll(text, "-", "x")} {
		if _, err := value.ParseGUID(bad); err == nil {
			t.Errorf("%q is taken for a GUID", bad)
		}
	}
	early, late := value.NewGUID(time.UnixMilli(1000)), value.NewGUID(time.UnixMilli(2000))
	if early.String() >= late.String() {
		t.Error("GUIDs are not in order of time")
	}
}
