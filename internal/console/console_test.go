package console

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

func ask(method, target string, header ...string) *http.Response {
	mux := http.NewServeMux()
	for _, pattern := range Patterns {
		mux.Handle(pattern, Handler())
	}
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w.Result()
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		method, path string
		status       int
		header, want string
	}{
		{"GET", "/console/", 200, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "/console/console.css", 200, "Content-Type", "text/css; charset=utf-8"},
		{"GET", "/console/main.mjs", 200, "Content-Type", "text/javascript; charset=utf-8"},
		{"GET", "/console/mark.svg", 200, "Content-Type", "image/svg+xml"},
		{"HEAD", "/console/", 200, "Cache-Control", "no-cache"},
		{"GET", "/console", 301, "Location", "/console/"},
		{"GET", "/console/nothing.mjs", 404, "Content-Type", "text/plain; charset=utf-8"},
		{"GET", "/console/%2e%2e", 404, "Content-Type", "text/plain; charset=utf-8"},
		{"POST", "/console/", 405, "Allow", "GET, HEAD"},
		{"OPTIONS", "/console/main.mjs", 405, "Allow", "GET, HEAD"},
		{"DELETE", "/console", 405, "Allow", "GET, HEAD"},
	} {
		got := ask(c.method, c.path)
		if got.StatusCode != c.status || got.Header.Get(c.header) != c.want {
			t.Errorf("%s %s answered %d with %s %q, not %d with %q", c.method, c.path, got.StatusCode, c.header, got.Header.Get(c.header), c.status, c.want)
		}
		if got.Header.Get("Content-Security-Policy") != policy {
			t.Errorf("%s %s has the policy %q", c.method, c.path, got.Header.Get("Content-Security-Policy"))
		}
	}
}

func TestUnchangedFilesAreNotSentAgain(t *testing.T) {
	tag := ask("GET", "/console/main.mjs").Header.Get("ETag")
	if tag == "" || tag == ask("GET", "/console/dom.mjs").Header.Get("ETag") {
		t.Errorf("the tag is %q", tag)
	}
	if got := ask("GET", "/console/main.mjs", "If-None-Match", tag); got.StatusCode != http.StatusNotModified {
		t.Errorf("answered %d to its own tag", got.StatusCode)
	}
}

// files reads every file of the console.
func files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(pages, "pages", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := pages.ReadFile(name)
		all[strings.TrimPrefix(name, "pages/")] = string(body)
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

func TestEveryFileHasAType(t *testing.T) {
	for name := range files(t) {
		if contentTypes[path.Ext(name)] == "" || strings.Contains(name, "/") {
			t.Errorf("%s cannot be served", name)
		}
	}
}

// What the policy forbids is not there, so that nothing breaks quietly: no other site, no script or style in the markup, no text that
// becomes markup or code.
func TestPagesKeepThePolicy(t *testing.T) {
	forbidden := map[string][]*regexp.Regexp{
		"":      {regexp.MustCompile(`(?i)(?:https?:)?//[a-z0-9-]+\.[a-z]`), regexp.MustCompile(`(?i)data:`)},
		".html": {regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:`), regexp.MustCompile(`(?i)<script[^>]*>[^<]`)},
		".mjs": {
			regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser`),
			regexp.MustCompile(`\beval\(|new Function|setTimeout\(['"]|localStorage|document\.cookie|\.style\b`),
		},
		".css": {regexp.MustCompile(`@import|url\(`)},
	}
	for name, body := range files(t) {
		body = strings.ReplaceAll(body, `xmlns="http://www.w3.org/2000/svg"`, "") // a name, not an address
		for _, kind := range []string{"", path.Ext(name)} {
			for _, bad := range forbidden[kind] {
				if found := bad.FindString(body); found != "" {
					t.Errorf("%s has %q", name, found)
				}
			}
		}
	}
}

// The console reads: the only request that is no GET is the one for a token.
func TestPagesOnlyRead(t *testing.T) {
	method := regexp.MustCompile(`method:`)
	for name, body := range files(t) {
		if path.Ext(name) == ".mjs" && name != "session.mjs" && method.MatchString(body) {
			t.Errorf("%s chooses a method", name)
		}
	}
	if n := len(method.FindAllString(files(t)["session.mjs"], -1)); n != 1 {
		t.Errorf("session.mjs sends %d kinds of request", n)
	}
}

func TestEveryFileNamedIsThere(t *testing.T) {
	all := files(t)
	named := map[string]bool{"index.html": true}
	for name, body := range all {
		for _, found := range regexp.MustCompile(`(?:from|import) '\./([^']+)'|(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(body, -1) {
			file := found[1] + found[2]
			if _, ok := all[file]; !ok {
				t.Errorf("%s names %s, which is not there", name, file)
			}
			named[file] = true
		}
	}
	for name := range all {
		if !named[name] {
			t.Errorf("nobody names %s", name)
		}
	}
}

// The modules that need no browser are tested by node. A machine without it skips this loudly; under CI=true that is a failure.
func TestModules(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no node on this machine")
		}
		t.Skip("no node on this machine: the console's modules are NOT tested; install Node.js 20 or newer")
	}
	const tests = "testdata/pages.test.mjs"
	if _, err := os.Stat(tests); err != nil { // so that go test knows what its result depends on
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "node", "--test", tests).CombinedOutput(); err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}
