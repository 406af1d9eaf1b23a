package odata

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"almoner/internal/fault"
)

// Options are the query options of one request, percent-decoded but not parsed further. An option that was not sent is "".
type Options struct {
	Select     string
	Expand     string
	Filter     string
	OrderBy    string
	Apply      string
	Top        *int // nil when not sent
	Count      bool // $count=true
	SkipToken  string
	DeltaToken string
	ID         string // $id, the row to unlink
	FetchXML   string
	SavedQuery string
	UserQuery  string
	Aliases    map[string]string // parameter aliases by name with the @: @p1
	Others     map[string]string // recognised options of the platform that bear no query: sql, tag, annotations ...

	sent map[string]bool
}

// Has tells whether an option of this exact name ($filter, fetchXml, @p1) was sent.
func (o *Options) Has(name string) bool { return o.sent[name] }

// Sent counts the options that were sent.
func (o *Options) Sent() int { return len(o.sent) }

// platformOptions are recognised, kept in Options.Others and otherwise without effect on a query.
var platformOptions = map[string]bool{
	"sql": true, "tag": true, "partitionId": true, "UnMaskedData": true, "LabelLanguages": true, "annotations": true,
}

// ParseOptions reads a raw query string. An option the service does not know, one sent twice, one without a value and
// broken percent-encoding are refused (decision 17).
func ParseOptions(rawQuery string) (*Options, error) {
	o := &Options{Aliases: map[string]string{}, Others: map[string]string{}, sent: map[string]bool{}}
	for rawQuery != "" {
		var pair string
		pair, rawQuery, _ = strings.Cut(rawQuery, "&")
		if pair == "" {
			continue
		}
		name, text, err := decodePair(pair)
		if err != nil {
			return nil, err
		}
		if o.sent[name] {
			return nil, badRequest("Query option '%s' was specified more than once, but it must be specified at most once.", name)
		}
		o.sent[name] = true
		if err := o.put(name, text); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func decodePair(pair string) (name, text string, err error) {
	rawName, rawText, _ := strings.Cut(pair, "=")
	if name, err = decodeText(rawName); err != nil {
		return "", "", err
	}
	text, err = decodeText(rawText)
	return name, text, err
}

// decodeText undoes the encoding of a query string, where an unencoded plus sign is a blank.
func decodeText(raw string) (string, error) {
	text, err := url.QueryUnescape(raw)
	if err != nil {
		return "", badRequest("The query string is not well formed: %s.", strings.TrimPrefix(err.Error(), "invalid URL "))
	}
	if !utf8.ValidString(text) {
		return "", badRequest("The query string is not valid UTF-8.")
	}
	return text, nil
}

func (o *Options) put(name, text string) error {
	if strings.HasPrefix(name, "@") && len(name) > 1 {
		o.Aliases[name] = text
		return nil
	}
	if platformOptions[name] {
		o.Others[name] = text
		return nil
	}
	slot, ok := o.slots()[name]
	if !ok {
		return badRequest("The query parameter '%s' is not supported.", name)
	}
	if strings.TrimSpace(text) == "" {
		return badRequest("The value for OData query '%s' cannot be empty.", name)
	}
	if slot != nil {
		*slot = text
		return nil
	}
	return o.putScalar(name, strings.TrimSpace(text))
}

// slots names the options that are kept as text; $top and $count are read at once and have none.
func (o *Options) slots() map[string]*string {
	return map[string]*string{
		"$select": &o.Select, "$expand": &o.Expand, "$filter": &o.Filter, "$orderby": &o.OrderBy, "$apply": &o.Apply,
		"$skiptoken": &o.SkipToken, "$deltatoken": &o.DeltaToken, "$id": &o.ID,
		"fetchXml": &o.FetchXML, "savedQuery": &o.SavedQuery, "userQuery": &o.UserQuery,
		"$top": nil, "$count": nil,
	}
}

func (o *Options) putScalar(name, text string) error {
	if name == "$count" {
		if text != "true" && text != "false" {
			return badRequest("Invalid value '%s' for $count query option found. Valid values are 'true' and 'false'.", text)
		}
		o.Count = text == "true"
		return nil
	}
	top, err := parseTop(text)
	if err != nil {
		return err
	}
	o.Top = &top
	return nil
}

// parseTop reads the number of a $top; one too large for an int counts as the largest.
func parseTop(text string) (int, error) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, badRequest("Invalid value '%s' for $top query option found. The $top query option requires a non-negative integer value.", text)
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 1<<31 - 1, nil
	}
	return int(n), nil
}

// badRequest is the fault of everything wrong with a URL.
func badRequest(format string, args ...any) *fault.Error {
	return fault.New(fault.BadRequest, format, args...)
}
