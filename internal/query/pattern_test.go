package query

import (
	"strings"
	"testing"

	"almoner/internal/value"
)

func TestPatternMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"%", "", true},
		{"abc", "ABC", true},
		{"abc  ", "abc", true},
		{"abc", "abc  ", true},
		{"a%c", "abbbc", true},
		{"a%c", "abbb", false},
		{"a_c", "abc", true},
		{"a_c", "ac", false},
		{"_", "é", true},
		{"[a-c]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[C-A]x", "bx", false},
		{"[A-C]x", "Bx", true},
		{"[^a-c]x", "dx", true},
		{"[^a-c]x", "ax", false},
		{"[Á]x", "ax", true},
		{"[-a]", "-", true},
		{"[a-]", "-", true},
		{"[a-]", "b", false},
		{"[%]", "%", true},
		{"[%]", "x", false},
		{"50[%]%", "50% off", true},
		{"[[]x]", "[x]", true},
		{"[x", "[x", true},
		{"x]", "x]", true},
		{"[]", "", false},
		{"[^]", "^", true},
		{"[^^]", "^", false},
		{"%ab%ab", "abxabab", true},
		{"%ab%abc", "abxabab", false},
		{"Zö%", "zoe", true},
		{"%🎁", "a 🎁", true},
	} {
		if got := LikePattern(test.pattern).Match(value.Fold(test.text)); got != test.want {
			t.Errorf("%q like %q is %v", test.text, test.pattern, got)
		}
	}
}

func TestPatternOfOtherOperators(t *testing.T) {
	for _, test := range []struct {
		pattern Pattern
		text    string
		want    bool
	}{
		{ContainsPattern("NN"), "anna", true},
		{ContainsPattern("n "), "ann lee", true},
		{ContainsPattern("n "), "anna", false},
		{ContainsPattern(""), "", true},
		{PrefixPattern("an "), "an apple", true},
		{PrefixPattern("an "), "anna", false},
		{SuffixPattern("a "), "anna", true},
		{SuffixPattern("[a-n]"), "anna", true},
	} {
		if got := test.pattern.Match(value.Fold(test.text)); got != test.want {
			t.Errorf("%q by %v is %v", test.text, test.pattern, got)
		}
	}
}

func TestPatternShortcuts(t *testing.T) {
	if text, ok := LikePattern("A[b]C ").Exact(); !ok || text != "abc" {
		t.Errorf("exact: %q, %v", text, ok)
	}
	if text, all := PrefixPattern("Ab").Prefix(); !all || text != "ab" {
		t.Errorf("prefix: %q, %v", text, all)
	}
	if text, all := LikePattern("ab%c").Prefix(); all || text != "ab" {
		t.Errorf("prefix of more: %q, %v", text, all)
	}
	if text, ok := ContainsPattern("x y ").Within(); !ok || text != "x y " {
		t.Errorf("within: %q, %v", text, ok)
	}
	if LikePattern("a%").HasClass() || !LikePattern("[a-b]").HasClass() {
		t.Error("classes are not told apart")
	}
}

// A pattern of many runs must not take exponential time.
func TestPatternManyRuns(t *testing.T) {
	if LikePattern(strings.Repeat("a%", 200) + "b").Match(strings.Repeat("a", 20000)) {
		t.Error("matched")
	}
}
