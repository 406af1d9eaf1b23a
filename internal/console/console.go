// Package console serves the web console: pages for a browser that ask the Web API with the token of whoever looks at them, like any
// other client. The pages are open to everybody and hold no data.
package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"path"
	"strings"
	"time"
)

// root is the path the pages are below.
const root = "/console/"

// Patterns are what the console answers, as a mux takes them: the path without its last slash, the console, and its files. All files lie
// in one folder; a pattern for whole folders would collide with the token endpoint of a tenant.
var Patterns = []string{"/console", root + "{$}", root + "{file}"}

// policy lets the pages load their own files and ask their own service, and nothing else. No string becomes markup or script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; " +
	"frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"

//go:embed pages
var pages embed.FS

// contentTypes are the kinds of file the console has, whatever the machine believes of their names.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Handler answers Patterns. It sends the path without its last slash to the one with it, so that the pages find their files.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "the console takes GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	name, below := strings.CutPrefix(r.URL.Path, root)
	if !below {
		http.Redirect(w, r, root, http.StatusMovedPermanently)
		return
	}
	if name == "" {
		name = "index.html"
	}
	body, err := pages.ReadFile("pages/" + name)
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", contentTypes[path.Ext(name)])
	h.Set("Cache-Control", "no-cache") // a browser asks each time, and is told by the tag that nothing changed
	h.Set("ETag", tagOf(body))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// tagOf is the entity tag of a file's bytes.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}
