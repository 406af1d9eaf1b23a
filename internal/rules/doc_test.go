package rules_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"almoner/internal/rules"
	"almoner/internal/settings"
)

const page = "../../docs/rules.md"

// The page of rules and the rules say the same.
func TestPageOfRules(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if regexp.MustCompile("^\\| `[a-z]+\\.[a-z]+` \\|").MatchString(line) {
			lines[line] = true
		}
	}
	for _, r := range rules.All {
		line := fmt.Sprintf("| `%s` | %s | %s |", r.Name, r.Text, r.Example)
		if !lines[line] {
			t.Errorf("%s lacks the line\n%s", page, line)
		}
		delete(lines, line)
	}
	for line := range lines {
		t.Errorf("%s speaks of a rule that is not there:\n%s", page, line)
	}
}

// Every rule has a name of its own and what an accountant needs to understand it.
func TestRulesAreTold(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules.All {
		if seen[r.Name] || r.Name == "" {
			t.Errorf("rule %q twice", r.Name)
		}
		seen[r.Name] = true
		if !strings.HasSuffix(r.Text, ".") || !strings.HasSuffix(r.Example, ".") {
			t.Errorf("rule %s: text and example are sentences", r.Name)
		}
		if (r.Do == nil) != (r.On == 0) {
			t.Errorf("rule %s has a step without a stage, or a stage without a step", r.Name)
		}
	}
	for _, name := range regexp.MustCompile(`settings? ([a-z]+\.[a-z_]+)`).FindAllStringSubmatch(allTexts(), -1) {
		if settings.Doc(name[1]) == "" {
			t.Errorf("a rule names the setting %s, which is not there", name[1])
		}
	}
}

func allTexts() string {
	var b strings.Builder
	for _, r := range rules.All {
		b.WriteString(r.Text + "\n")
	}
	return b.String()
}
