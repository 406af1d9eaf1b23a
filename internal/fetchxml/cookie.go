package fetchxml

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"almoner/internal/fault"
)

// Cookie says where a page of rows lies: its number, and for each sort key the values of its first and its last row. A cookie
// without columns carries the number alone.
type Cookie struct {
	Page    int
	Columns []CookieColumn
}

// CookieColumn is one sort key in a cookie. First and Last are the texts of the values; they are meant only when FirstNull
// and LastNull do not say otherwise.
type CookieColumn struct {
	Name                string
	First, Last         string
	FirstNull, LastNull bool
}

// String prints the inner cookie:
//
//	<cookie page="1"><svc_giftnum last="G-3" first="G-1" /><svc_giftid last="{…}" first="{…}" /></cookie>
//
// Characters that XML or a careless client might stumble over are percent-encoded inside the values.
func (c *Cookie) String() string {
	var b strings.Builder
	b.WriteString(`<cookie page="` + strconv.Itoa(c.Page) + `">`)
	for _, col := range c.Columns {
		b.WriteString("<" + col.Name)
		b.WriteString(cookieValue("last", col.Last, col.LastNull))
		b.WriteString(cookieValue("first", col.First, col.FirstNull))
		b.WriteString(" />")
	}
	b.WriteString("</cookie>")
	return b.String()
}

func cookieValue(name, text string, null bool) string {
	if null {
		return " " + name + `null="1"`
	}
	return " " + name + `="` + percentEncode(text, " {}:,()+/") + `"`
}

// Annotation prints the cookie as a page carries it for the next one: the inner cookie encoded twice inside an outer one.
func (c *Cookie) Annotation() string {
	inner := percentEncode(percentEncode(c.String(), ""), "")
	return `<cookie pagenumber="` + strconv.Itoa(c.Page+1) + `" pagingcookie="` + inner + `" istracking="False" />`
}

// percentEncode encodes every byte that is not a letter, a digit, one of -_. or one of keep, with lower-case digits.
func percentEncode(text, keep string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.", c) >= 0, strings.IndexByte(keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// Bounds of a cookie.
const (
	maxCookieBytes   = 256 << 10
	maxCookieColumns = 64
	maxEncodings     = 3
)

func badCookie(why string) error {
	return fault.New(fault.BadPagingCookie, "The paging cookie is not valid: %s.", why)
}

// ParseCookie reads a cookie as clients send it back: the inner cookie, plain or still percent-encoded, or the whole
// annotation around it.
func ParseCookie(text string) (*Cookie, error) {
	if len(text) > maxCookieBytes {
		return nil, badCookie("it is too long")
	}
	text, err := decodeCookie(text)
	if err != nil {
		return nil, err
	}
	root, columns, err := cookieElements(text)
	if err != nil {
		return nil, err
	}
	if inner, whole := root["pagingcookie"]; whole {
		if text, err = decodeCookie(inner); err != nil {
			return nil, err
		}
		if root, columns, err = cookieElements(text); err != nil {
			return nil, err
		}
	}
	page, err := strconv.Atoi(root["page"])
	if err != nil || page < 1 || page > maxNumber {
		return nil, badCookie("it has no page")
	}
	return &Cookie{Page: page, Columns: columns}, nil
}

// decodeCookie takes percent-encodings off until the text is XML.
func decodeCookie(text string) (string, error) {
	text = strings.TrimSpace(text)
	for range maxEncodings {
		if strings.HasPrefix(text, "<") {
			return text, nil
		}
		plain, err := url.PathUnescape(text)
		if err != nil {
			return "", badCookie("its encoding is broken")
		}
		text = plain
	}
	return "", badCookie("it is not XML")
}

// cookieElements reads a cookie element: its attributes, and its children as columns.
func cookieElements(text string) (root map[string]string, columns []CookieColumn, err error) {
	d := xml.NewDecoder(strings.NewReader(text))
	depth := 0
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && root != nil:
			return root, columns, nil
		case err != nil:
			return nil, nil, badCookie("it is not well-formed XML")
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			switch {
			case depth == 1 && root == nil && t.Name.Local == "cookie":
				root = attributes(t)
			case depth == 2 && len(columns) < maxCookieColumns:
				column, err := cookieColumn(t.Name.Local, attributes(t))
				if err != nil {
					return nil, nil, err
				}
				columns = append(columns, column)
			default:
				return nil, nil, badCookie("it holds what no cookie holds")
			}
		case xml.EndElement:
			depth--
		case xml.Directive, xml.ProcInst:
			return nil, nil, badCookie("it holds what no cookie holds")
		}
	}
}

func attributes(t xml.StartElement) map[string]string {
	out := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		out[a.Name.Local] = a.Value
	}
	return out
}

func cookieColumn(name string, attrs map[string]string) (CookieColumn, error) {
	c := CookieColumn{Name: name, FirstNull: attrs["firstnull"] == "1", LastNull: attrs["lastnull"] == "1"}
	var err, err2 error
	c.First, err = url.PathUnescape(attrs["first"])
	c.Last, err2 = url.PathUnescape(attrs["last"])
	if err != nil || err2 != nil {
		return c, badCookie("the encoding of a value is broken")
	}
	return c, nil
}
