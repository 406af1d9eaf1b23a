package securitytest

import (
	"net/http"
	"strings"
	"testing"

	"almoner/internal/auth"
)

// Every door carries the headers that keep browsers from guessing, and none lets other origins in.
func TestSecurityHeaders(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	for _, url := range []string{
		"/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/oauth2/v2.0/token", "/.well-known/jwks.json", "/.well-known/openid-configuration",
		"/api/data/v9.2/", "/api/data/v9.2/contacts", "/api/data/v9.2/nosuchset", "/api/data/v9.2/$metadata", "/debug/pprof/",
		"/console", "/console/", "/console/main.mjs", "/console/nothing",
	} {
		for _, c := range []caller{w.admin, {w: w}} {
			for _, method := range []string{http.MethodGet, http.MethodOptions, http.MethodTrace} {
				h := c.to(method, url, "", "Origin", "https://evil.example", "Access-Control-Request-Method", "GET").header
				for name, want := range map[string]string{
					"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
					"Access-Control-Allow-Origin": "", "Access-Control-Allow-Methods": "", "Server": "", "X-Powered-By": "",
				} {
					if h.Get(name) != want {
						t.Errorf("%s %s: %s is %q", method, url, name, h.Get(name))
					}
				}
			}
		}
	}
}

// Doors for operators are not open to everybody.
func TestOperatorsDoors(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	desk, _ := w.newApp("Desk", auth.RoleIntegration)
	caller{w: w}.to(http.MethodGet, "/debug/pprof/", "").must(t, http.StatusUnauthorized)
	desk.to(http.MethodGet, "/debug/pprof/", "").must(t, http.StatusForbidden)
	w.admin.to(http.MethodGet, "/debug/pprof/", "").must(t, http.StatusOK)
	// The recorder's requests come from 192.0.2.1, which is not this machine.
	caller{w: w}.to(http.MethodGet, "/metrics", "").must(t, http.StatusUnauthorized)
	desk.to(http.MethodGet, "/metrics", "").must(t, http.StatusOK)
}

// Hostile input is answered with a plain refusal; what it is answered with is looked at by every test.
func TestHostileInput(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		id := w.row("contact")
		long := strings.Repeat("x", 40_000)
		deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
		for name, a := range map[string]answer{
			"SQL in a filter":       w.admin.get("contacts?$filter=lastname eq 'a''; DROP TABLE contact; --'"),
			"SQL in a key":          w.admin.get("contacts('1' or '1'='1')"),
			"SQL in a column":       w.admin.get("contacts?$select=lastname;drop"),
			"SQL in an order":       w.admin.get("contacts?$orderby=(select 1)"),
			"SQL in a token":        w.admin.get("contacts?$skiptoken=' or 1=1"),
			"a forged delta token":  w.admin.get("contacts?$deltatoken=eyJ2IjoxfQ"),
			"a forged cookie":       w.admin.get("contacts?fetchXml=" + escape(`<fetch page="2" count="1" paging-cookie="&lt;cookie page=&quot;1&quot;&gt;&lt;contactid last=&quot;x' or 1=1&quot;/&gt;&lt;/cookie&gt;"><entity name="contact"/></fetch>`)),
			"an entity in XML":      w.admin.get("contacts?fetchXml=" + escape(`<!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/passwd">]><fetch><entity name="&x;"/></fetch>`)),
			"nested XML":            w.admin.get("contacts?fetchXml=" + escape("<fetch><entity name='contact'>"+strings.Repeat("<filter>", 800)+strings.Repeat("</filter>", 800)+"</entity></fetch>")),
			"nested parentheses":    w.admin.get("contacts?$filter=" + strings.Repeat("(", 9_000) + "lastname eq 'a'" + strings.Repeat(")", 9_000)),
			"nested JSON":           w.admin.post("contacts", deep),
			"a long URL":            w.admin.get("contacts?$filter=lastname eq '" + long + "'"),
			"a null byte":           w.admin.patch("contacts("+id+")", `{"lastname":"a\u0000b"}`),
			"half a surrogate":      w.admin.patch("contacts("+id+")", `{"lastname":"\ud800"}`),
			"broken UTF-8":          w.admin.patch("contacts("+id+")", "{\"lastname\":\"\xff\xfe\"}"),
			"many operations":       w.admin.batch(manyTimes("GET WhoAmI", 1001)...),
			"a path upwards":        w.admin.get("../../../etc/passwd"),
			"a path with a null":    w.admin.get("contacts%00"),
			"a number out of range": w.admin.get("contacts?$top=99999999999999999999"),
			"a body for a function": w.admin.post("WhoAmI", "{}"),
			"no JSON":               w.admin.post("contacts", "<xml/>"),
			"other type":            w.admin.post("contacts", "a=b", "Content-Type", "application/x-www-form-urlencoded"),
			"TRACE":                 w.admin.send(http.MethodTrace, "contacts", ""),
		} {
			if a.status >= 500 {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		w.admin.get("contacts/$count").is(t, "1")
	})
}

func manyTimes(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// zeros is a body of any length.
type zeros struct{ left int64 }

// A body that says it is too large is refused before it is read.
func TestBodyIsBounded(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	server := w.listen()
	req, err := http.NewRequest(http.MethodPost, server+"/api/data/v9.2/contacts", &zeros{129 << 20})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 129 << 20
	req.Header.Set("Authorization", "Bearer "+w.admin.token)
	req.Header.Set("Expect", "100-continue")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("answered %s", resp.Status)
	}
}

func (z *zeros) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), z.left))
	clear(p[:n])
	z.left -= int64(n)
	return n, nil
}
