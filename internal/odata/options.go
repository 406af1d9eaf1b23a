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

// platformOptions are recognised, kept in Options.Others and otherwise without effect on a query.
var platformOptions = map[string]bool{
	"sql": true, "tag": true, "partitionId": true, "UnMaskedData": true, "LabelLanguages": true, "annotations": true,
}

// ParseOptions reads a raw query string. An option the service does not know, one sent twice, one without a value and
// broken percent-encoding are refused (decision 17).
func ParseOptions(rawQuery string) (*Options, error) {
	o := &Options{}
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
		put(&o.sent, name, true)
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
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return "", badRequest("The query string is not valid UTF-8 text.")
	}
	return text, nil
}

func (o *Options) put(name, text string) error {
	if strings.HasPrefix(name, "@") && len(name) > 1 {
		put(&o.Aliases, name, text)
		return nil
	}
	if platformOptions[name] {
		put(&o.Others, name, text)
		return nil
	}
	slot := o.slot(name)
	switch {
	case slot == nil && name != "$top" && name != "$count":
		return badRequest("The query parameter '%s' is not supported.", name)
	case strings.TrimSpace(text) == "":
		return badRequest("The value for OData query '%s' cannot be empty.", name)
	case slot == nil:
		return o.putScalar(name, strings.TrimSpace(text))
	}
	*slot = text
	return nil
}

// put sets an entry of a map that is made with its first one.
func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[name] = v
}

// slot is where an option that is kept as text goes; nil for any other name.
func (o *Options) slot(name string) *string {
	switch name {
	case "$select":
		return &o.Select
	case "$expand":
		return &o.Expand
	case "$filter":
		return &o.Filter
	case "$orderby":
		return &o.OrderBy
	case "$apply":
		return &o.Apply
	case "$skiptoken":
		return &o.SkipToken
	case "$deltatoken":
		return &o.DeltaToken
	case "$id":
		return &o.ID
	case "fetchXml":
		return &o.FetchXML
	case "savedQuery":
		return &o.SavedQuery
	case "userQuery":
		return &o.UserQuery
	default:
		return nil
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
