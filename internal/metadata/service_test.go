package metadata

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/messages"
	"almoner/internal/odata"
	"almoner/internal/schema"
	"almoner/tables"
)

const base = "https://example.org/api/data/v9.2"

func model(t testing.TB) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func service(t testing.TB) *Service {
	t.Helper()
	return New(model(t), messages.All())
}

// ask sends a URL in which the values of query options stand unencoded.
func ask(t testing.TB, s *Service, target string) ([]byte, error) {
	t.Helper()
	rawPath, rawQuery, _ := strings.Cut(target, "?")
	path, err := odata.ParsePath(rawPath)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	var pairs []string
	for _, pair := range strings.Split(rawQuery, "&") {
		name, text, _ := strings.Cut(pair, "=")
		if name != "" {
			pairs = append(pairs, name+"="+url.QueryEscape(text))
		}
	}
	options, err := odata.ParseOptions(strings.Join(pairs, "&"))
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return s.Query(base, path, options)
}

// answer is ask for a URL that must be answered with JSON.
func answer(t testing.TB, s *Service, target string) map[string]any {
	t.Helper()
	body, err := ask(t, s, target)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%s: %v in %.300s", target, err, body)
	}
	return out
}

// rows are the objects in the value of a collection.
func rows(t testing.TB, body map[string]any) []map[string]any {
	t.Helper()
	list, ok := body["value"].([]any)
	if !ok {
		t.Fatalf("no value in %v", body)
	}
	out := make([]map[string]any, len(list))
	for i, v := range list {
		out[i] = v.(map[string]any)
	}
	return out
}

// names collects one text member of rows.
func names(list []map[string]any, member string) []string {
	out := []string{}
	for _, r := range list {
		text, _ := r[member].(string)
		out = append(out, text)
	}
	return out
}

func refusal(t testing.TB, err error) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("want a fault, got %v", err)
	}
	return f
}

func TestVersionFollowsContent(t *testing.T) {
	full, again := service(t), service(t)
	if full.Version() == "" || full.Version() != again.Version() {
		t.Errorf("the same model and messages have versions %q and %q", full.Version(), again.Version())
	}
	if fewer := New(model(t), nil); fewer.Version() == full.Version() {
		t.Error("a service without messages has the same version")
	}
}
