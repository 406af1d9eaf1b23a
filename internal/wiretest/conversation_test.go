package wiretest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almoner/internal/wiretest"
)

// TestPrintIsParseTurnedRound reads every conversation and writes it back as it was.
func TestPrintIsParseTurnedRound(t *testing.T) {
	files, err := filepath.Glob("../../testdata/wire/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations found", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := wiretest.Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if wiretest.Print(c) != string(text) {
			t.Errorf("%s is written back otherwise", file)
		}
	}
}

// TestOrders reads the lines that are more than comments, and refuses those nobody could follow.
func TestOrders(t *testing.T) {
	c, err := wiretest.Parse("@ data/a.txt\n# ! jobs\n! set year.start_month 7\n> GET /a\n< 200\n\n! clock 2027-01-01T00:00:00Z\n! jobs\n> GET /b\n< 200\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Before) != 1 || c.Before[0] != "data/a.txt" || len(c.Settings) != 1 || c.Settings[0] != [2]string{"year.start_month", "7"} {
		t.Errorf("before all: %v %v", c.Before, c.Settings)
	}
	if a, b := c.Exchanges[0], c.Exchanges[1]; !a.Clock.IsZero() || a.Jobs || b.Clock.Year() != 2027 || !b.Jobs {
		t.Errorf("before the requests: %+v %+v", a, b)
	}
	for _, text := range []string{
		"! wait\n> GET /a\n< 200", "!jobs\n> GET /a\n< 200", "! jobs now\n> GET /a\n< 200", "! clock noon\n> GET /a\n< 200", "! set a\n> GET /a\n< 200",
		"> GET /a\n< 200\n! set a b\n> GET /a\n< 200", "> GET /a\n< 200\n@ data/a.txt\n> GET /a\n< 200", "a stray line\n> GET /a\n< 200", "< 200", "> GET",
	} {
		if _, err := wiretest.Parse(text); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
