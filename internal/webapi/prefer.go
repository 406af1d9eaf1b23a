package webapi

import (
	"net/http"
	"strconv"
	"strings"

	"almoner/internal/engine"
)

// Preferences are what the Prefer headers of a call ask for. Unknown preferences are ignored.
type Preferences struct {
	Representation bool // return=representation
	Minimal        bool // return=minimal
	PageSize       int  // odata.maxpagesize; 0: not asked
	TrackChanges   bool
	ContinueOnErr  bool
	Deferred       bool // rollups=deferred
	annotations    []string
	applied        []string
}

// parsePrefer reads all Prefer headers; preferences are separated by commas outside quotes.
func parsePrefer(h http.Header) Preferences {
	var p Preferences
	for _, line := range h.Values("Prefer") {
		for _, item := range splitQuoted(line) {
			name, val, _ := strings.Cut(item, "=")
			p.take(strings.ToLower(strings.TrimSpace(name)), strings.Trim(strings.TrimSpace(val), `"`))
		}
	}
	return p
}

func (p *Preferences) take(name, val string) {
	switch name {
	case "return":
		p.Representation = val == "representation"
		p.Minimal = val == "minimal"
	case "odata.maxpagesize", "maxpagesize":
		if n, err := strconv.Atoi(val); err == nil && n > 0 {
			p.PageSize = min(n, engine.MaxPage)
		}
	case "odata.track-changes":
		p.TrackChanges = true
	case "odata.continue-on-error", "continue-on-error":
		p.ContinueOnErr = val != "false"
	case "odata.include-annotations", "include-annotations":
		for _, a := range strings.Split(val, ",") {
			p.annotations = append(p.annotations, strings.TrimSpace(a))
		}
	case "rollups":
		p.Deferred = val == "deferred"
	}
}

// splitQuoted splits a header at commas that do not stand inside double quotes.
func splitQuoted(s string) []string {
	var out []string
	start, quoted := 0, false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// wants tells whether an annotation was asked for, by name or by a pattern that ends in *.
func (p *Preferences) wants(annotation string) bool {
	for _, a := range p.annotations {
		if a == "*" || a == annotation || strings.HasSuffix(a, "*") && strings.HasPrefix(annotation, a[:len(a)-1]) {
			return true
		}
	}
	return false
}

// applied renders the Preference-Applied header: what was honoured, in a fixed order.
func (p *Preferences) appliedHeader(page int, tracked bool) string {
	out := p.applied
	if page > 0 {
		out = append(out, "odata.maxpagesize="+strconv.Itoa(page))
	}
	if len(p.annotations) > 0 {
		out = append(out, `odata.include-annotations="`+strings.Join(p.annotations, ",")+`"`)
	}
	if tracked {
		out = append(out, "odata.track-changes")
	}
	return strings.Join(out, ", ")
}

// level is how much control information an answer carries.
type level uint8

const (
	minimal level = iota
	full
	none
)

var levelNames = [...]string{"minimal", "full", "none"}

func (l level) String() string { return levelNames[l] }

// level reads the metadata level from Accept.
func (r *Request) level() level {
	accept := r.Header.Get("Accept")
	switch {
	case strings.Contains(accept, "odata.metadata=full"):
		return full
	case strings.Contains(accept, "odata.metadata=none"):
		return none
	default:
		return minimal
	}
}

// quotesNumbers tells whether the client wants decimals and 64-bit integers as strings.
func (r *Request) quotesNumbers() bool {
	return strings.Contains(r.Header.Get("Accept"), "IEEE754Compatible=true")
}
