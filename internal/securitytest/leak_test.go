package securitytest

import (
	"encoding/json"
	"flag"
	"net/http"
	"strings"
	"testing"
)

var (
	seed      = flag.Uint64("seed", 0, "seed of the random questions; 0 for a new one")
	questions = flag.Int("questions", 400, "how many random questions are asked on each store")
)

// A caller who may read a part of the rows is told exactly what somebody is told who asks a database that holds nothing else.
func TestAnswersLeakNothing(t *testing.T) {
	for kind := range stores {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newTwins(t, kind)
			var refused, data int
			for range *questions {
				switch w.compareAnswers(w.ask()) {
				case http.StatusForbidden:
					refused++
				case http.StatusOK:
					data++
				}
			}
			t.Logf("%d answered, %d refused, %d others", data, refused, *questions-data-refused)
			if refused == 0 || data < *questions/2 {
				t.Errorf("of %d questions %d were refused and %d answered: the questions are not worth much", *questions, refused, data)
			}
		})
	}
}

// compareAnswers asks both foundations and returns the status of the limited caller's answer.
func (w *twins) compareAnswers(q question) int {
	w.t.Helper()
	got := w.everyPage(w.limited, q)
	if q.forbidden {
		got.refused(w.t, http.StatusForbidden, "0x80040220", "is missing prvReadsvc_donor privilege")
		return got.status
	}
	want := w.everyPage(w.reader, q)
	if got.status != want.status || got.status == http.StatusOK && got.body != want.body {
		w.t.Errorf("%s\n  told %d %s\n want %d %s", got.asked, got.status, clip(got.body), want.status, clip(want.body))
	}
	w.shows(got)
	return got.status
}

// shows fails the test when an answer holds something of a hidden row that its question did not.
func (w *twins) shows(a answer) {
	w.t.Helper()
	if strings.Contains(a.body, hidden) && !strings.Contains(a.asked, hidden) {
		w.t.Errorf("%s: shows a hidden row: %s", a.asked, clip(a.body))
	}
}

func clip(s string) string {
	if len(s) > 1500 {
		return s[:1500] + "…"
	}
	return s
}

// everyPage asks a question and follows its next links; the body is all pages' rows, one after the other.
func (w *twins) everyPage(c caller, q question) answer {
	headers := append([]string{"Accept", "application/json;odata.metadata=none"}, q.headers...)
	a := c.get(q.path, headers...)
	all := a
	all.body = ""
	for range 100 {
		rest, next := cutNext(a.body)
		all.body += rest
		if next == "" || a.status != http.StatusOK {
			return all
		}
		a = c.to(http.MethodGet, strings.TrimPrefix(next, c.w.origin), "", headers...)
		if a.status != http.StatusOK {
			return a
		}
	}
	w.t.Fatalf("%s: more than 100 pages", q.path)
	return all
}

// cutNext takes the links off a list answer.
func cutNext(body string) (rest, next string) {
	var page map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &page) != nil {
		return body, ""
	}
	_ = json.Unmarshal(page["@odata.nextLink"], &next) // absent on the last page
	delete(page, "@odata.nextLink")
	delete(page, "@odata.deltaLink")
	delete(page, "@odata.context")
	return text(page), next
}
