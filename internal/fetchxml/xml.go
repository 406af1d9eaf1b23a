package fetchxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"almoner/internal/fault"
)

// Bounds of a text. The decoder is stopped as soon as one is passed, so a hostile text costs no more than its bytes.
const (
	maxBytes  = 4 << 20
	maxDepth  = 32
	maxTokens = 20_000
)

// valueElement is the one element that holds text.
const valueElement = "value"

// element is one XML element with its attributes by name and the text directly inside it.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	text     []byte
}

// malformed is the refusal of a text that is not FetchXML.
func malformed(format string, args ...any) *fault.Error {
	return fault.New(fault.FetchMalformed, "The FetchXml is malformed: "+format, args...)
}

// readXML parses a text into its root element. Document types, processing instructions other than the XML declaration and
// custom entities are refused.
func readXML(text string) (*element, error) {
	if len(text) > maxBytes {
		return nil, malformed("it is longer than %d bytes.", maxBytes)
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the text has been decoded already
	r := reader{}
	for {
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF):
			return r.end()
		case err != nil:
			return nil, fault.Wrap(err, fault.FetchMalformed, "The FetchXml is malformed: it is not well-formed XML near line %d.", line(d))
		}
		if err := r.take(token); err != nil {
			return nil, err
		}
	}
}

func line(d *xml.Decoder) int {
	n, _ := d.InputPos()
	return n
}

// reader builds the element tree token by token.
type reader struct {
	root   *element
	open   []*element
	tokens int
}

func (r *reader) take(token xml.Token) error {
	if r.tokens++; r.tokens > maxTokens {
		return malformed("it has more than %d parts.", maxTokens)
	}
	switch t := token.(type) {
	case xml.StartElement:
		return r.start(t)
	case xml.EndElement:
		return r.close(t.Name.Local)
	case xml.CharData:
		return r.chars(t)
	case xml.ProcInst:
		if t.Target != "xml" {
			return malformed("processing instructions are not allowed.")
		}
	case xml.Directive:
		return malformed("document types are not allowed.")
	}
	return nil
}

func (r *reader) start(t xml.StartElement) error {
	if len(r.open) == maxDepth {
		return malformed("elements are nested more than %d deep.", maxDepth)
	}
	if r.tokens += len(t.Attr); r.tokens > maxTokens {
		return malformed("it has more than %d parts.", maxTokens)
	}
	e := &element{name: t.Name.Local, attrs: make(map[string]string, len(t.Attr))}
	for _, a := range t.Attr {
		if _, twice := e.attrs[a.Name.Local]; twice {
			return malformed("attribute '%s' of '%s' is given twice.", a.Name.Local, e.name)
		}
		e.attrs[a.Name.Local] = a.Value
	}
	switch {
	case len(r.open) > 0:
		parent := r.open[len(r.open)-1]
		parent.children = append(parent.children, e)
	case r.root != nil:
		return malformed("it has more than one root element.")
	default:
		r.root = e
	}
	r.open = append(r.open, e)
	return nil
}

func (r *reader) close(name string) error {
	if len(r.open) == 0 || r.open[len(r.open)-1].name != name {
		return malformed("'%s' is closed but was not open.", name)
	}
	r.open = r.open[:len(r.open)-1]
	return nil
}

// chars takes text, which only values hold; elsewhere there may be blanks and a byte order mark.
func (r *reader) chars(text []byte) error {
	if len(r.open) > 0 && r.open[len(r.open)-1].name == valueElement {
		e := r.open[len(r.open)-1]
		e.text = append(e.text, text...)
		return nil
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) > 0 {
		return malformed("there is text outside the '%s' elements.", valueElement)
	}
	return nil
}

func (r *reader) end() (*element, error) {
	switch {
	case r.root == nil:
		return nil, malformed("it is empty.")
	case len(r.open) > 0:
		return nil, malformed("'%s' is not closed.", r.open[len(r.open)-1].name)
	default:
		return r.root, nil
	}
}
