package metadata

import "encoding/xml"

// xmlWriter writes XML one element a line.
type xmlWriter struct{ b []byte }

// Write appends bytes as they are; it never fails.
func (w *xmlWriter) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}

// raw appends markup.
func (w *xmlWriter) raw(pieces ...string) {
	for _, s := range pieces {
		w.b = append(w.b, s...)
	}
}

// escaped appends text so that it fits attributes and content.
func (w *xmlWriter) escaped(s string) {
	_ = xml.EscapeText(w, []byte(s)) // fails only when Write does
}

// attribute is one attribute of an element; one with an empty value is left out.
type attribute struct{ name, value string }

// element writes an element with what body writes inside it; body may be nil.
func (w *xmlWriter) element(name string, attributes []attribute, body func()) {
	w.raw("<", name)
	for _, a := range attributes {
		if a.value != "" {
			w.raw(" ", a.name, `="`)
			w.escaped(a.value)
			w.raw(`"`)
		}
	}
	start := len(w.b)
	w.raw(">\n")
	inside := len(w.b)
	if body != nil {
		body()
	}
	if len(w.b) == inside {
		w.b = append(w.b[:start], "/>\n"...)
		return
	}
	w.raw("</", name, ">\n")
}

// text writes an element that holds text alone.
func (w *xmlWriter) text(name, text string) {
	w.raw("<", name, ">")
	w.escaped(text)
	w.raw("</", name, ">\n")
}
