package metadata

import "strings"

// xmlWriter writes XML one element a line.
type xmlWriter struct{ b []byte }

// attribute is one attribute of an element; one with an empty value is left out.
type attribute struct{ name, value string }

// element writes an element with what body writes inside it; body may be nil.
func (w *xmlWriter) element(name string, attributes []attribute, body func()) {
	w.b = append(append(w.b, '<'), name...)
	for _, a := range attributes {
		if a.value == "" {
			continue
		}
		w.b = append(append(append(w.b, ' '), a.name...), `="`...)
		w.b = append(append(w.b, escapeXML.Replace(a.value)...), '"')
	}
	start := len(w.b)
	w.b = append(w.b, ">\n"...)
	inside := len(w.b)
	if body != nil {
		body()
	}
	if len(w.b) == inside {
		w.b = append(w.b[:start], "/>\n"...)
		return
	}
	w.b = append(append(append(w.b, "</"...), name...), ">\n"...)
}

// text writes an element that holds text alone.
func (w *xmlWriter) text(name, text string) {
	w.b = append(append(append(w.b, '<'), name...), '>')
	w.b = append(w.b, escapeXML.Replace(text)...)
	w.b = append(append(append(w.b, "</"...), name...), ">\n"...)
}

// escapeXML makes text fit for attributes and content; line breaks survive the normalisation of attributes.
var escapeXML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\r", "&#13;", "\t", "&#9;")
