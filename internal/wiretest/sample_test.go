package wiretest_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"almoner/internal/schema"
)

// sample is a legal value of a column: what is sent, what a read gives back, and its label where it has one.
type sample struct {
	send  any
	want  any
	label string
}

func same(v any) sample { return sample{send: v, want: v} }

// samples lists legal values of a column that is no lookup: the bounds of its range and something in between, every option of a
// choice, and null.
func samples(c *schema.Column) []sample {
	null := sample{}
	switch c.Type {
	case schema.TypeString, schema.TypeMemo:
		return []sample{same("plain"), same(longest(c)), same(clipped(c, " ünï 😀 \"\\\n")), {send: "", want: nil}, null}
	case schema.TypeName:
		return []sample{same("svc_gift")}
	case schema.TypeInteger:
		low, high := bounds(c, math.MinInt32, math.MaxInt32)
		return []sample{same(number(low, 0)), same(number(high, 0)), null}
	case schema.TypeMoney:
		return []sample{exact("1234.5", "1234.50"), exact("0.005", "0.01"), exact("-7", "-7.00"), exact("12345678901.23", "12345678901.23"), exact("0", "0.00"), null}
	case schema.TypeDecimal:
		low, high := bounds(c, -1, 1)
		return []sample{same(number(high, c.Scale)), same(number(low, c.Scale)), null}
	case schema.TypeFloat:
		return []sample{same(json.Number("4.5")), same(json.Number("-0.25")), same(json.Number("12345678.125")), null}
	case schema.TypeDate:
		return []sample{same("2024-02-29"), same("1753-01-01"), same("9999-12-30"), null}
	case schema.TypeDateTime:
		return []sample{same("2024-02-29T23:59:59Z"), {send: "2024-03-01T01:30:00.75+02:00", want: "2024-02-29T23:30:00Z"}, same("1753-01-01T00:00:00Z"), null}
	case schema.TypeGUID:
		return []sample{same("0badc0de-0000-4000-8000-00000000000a"), {send: "0BADC0DE-0000-4000-8000-00000000000B", want: "0badc0de-0000-4000-8000-00000000000b"}, null}
	default:
		return optionSamples(c)
	}
}

// optionSamples lists every option with its label, and of an open set a value nobody declared.
func optionSamples(c *schema.Column) []sample {
	var out []sample
	for _, o := range c.Options.Options {
		s := same(json.Number(strconv.FormatInt(o.Value, 10)))
		if c.Type == schema.TypeBool {
			s = same(o.Value == 1)
		}
		s.label = o.Label
		out = append(out, s)
	}
	if c.Options.Open {
		out = append(out, same(json.Number("730850999")), same(json.Number("100000999")))
	}
	if c.Type == schema.TypeChoice {
		out = append(out, sample{})
	}
	return out
}

func exact(send, want string) sample { return sample{send: json.Number(send), want: json.Number(want)} }

// bounds is the range of a column in scaled units: its own, or the one given.
func bounds(c *schema.Column, low, high int64) (int64, int64) {
	if c.Low != 0 || c.High != 0 {
		return c.Low, c.High
	}
	return low, high
}

// number writes a scaled integer as JSON.
func number(n int64, scale int) json.Number {
	text := strconv.FormatInt(n, 10)
	if scale == 0 {
		return json.Number(text)
	}
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	text = strings.Repeat("0", max(0, scale+1-len(text))) + text
	return json.Number(sign + text[:len(text)-scale] + "." + text[len(text)-scale:])
}

// longest is a text of exactly the length a column holds, within reason.
func longest(c *schema.Column) string { return strings.Repeat("é", min(c.Max, 4000)) }

// clipped cuts an ASCII-ended text to a column's length.
func clipped(c *schema.Column, text string) string {
	if len(text) > c.Max {
		return text[:1]
	}
	return text
}

// refusal is a value a column must not take, and the code it is refused with.
type refusal struct {
	send string // JSON
	code string
}

const (
	badPayload = "0x80048d19"
	tooLong    = "0x80044331"
	badText    = "0x80040278"
	noOption   = "0x8004431a"
	noStatus   = "0x80048408"
	badInteger = "0x8004432f"
	badDecimal = "0x80044330"
	badDate    = "0x80040239"
)

// refusals lists what a column that is no lookup must not take, whatever its table.
func refusals(c *schema.Column) []refusal {
	switch c.Type {
	case schema.TypeString, schema.TypeMemo:
		out := []refusal{{`5`, badPayload}, {`true`, badPayload}, {`{}`, badPayload}, {`"\u0001"`, badText}}
		if c.Max <= 4000 {
			out = append(out, refusal{`"` + longest(c) + `x"`, tooLong})
		}
		return out
	case schema.TypeName:
		return []refusal{{`5`, badPayload}}
	case schema.TypeInteger:
		return []refusal{{`"5"`, badPayload}, {`1.5`, badPayload}, {`true`, badPayload}, {`2147483648`, badInteger}, {`-2147483649`, badInteger}}
	case schema.TypeMoney:
		return []refusal{{`"5"`, badPayload}, {`true`, badPayload}, {`922337203685478`, badDecimal}, {`1e30`, badDecimal}}
	case schema.TypeDecimal:
		return []refusal{{`"5"`, badPayload}, {`[]`, badPayload}, {`1e30`, badDecimal}}
	case schema.TypeFloat:
		return []refusal{{`"5"`, badPayload}, {`false`, badPayload}, {`1e400`, badDecimal}}
	case schema.TypeBool:
		return []refusal{{`"true"`, badPayload}, {`1`, badPayload}}
	case schema.TypeDate:
		return []refusal{{`5`, badPayload}, {`"2024-03-01T00:00:00Z"`, badPayload}, {`"2024-13-01"`, badPayload}, {`"1752-12-31"`, badDate}}
	case schema.TypeDateTime:
		return []refusal{{`5`, badPayload}, {`"soon"`, badPayload}, {`"1752-12-31T23:59:59Z"`, badDate}}
	case schema.TypeGUID:
		return []refusal{{`5`, badPayload}, {`"abc"`, badPayload}}
	case schema.TypeState, schema.TypeStatus:
		return []refusal{{`"Active"`, badPayload}, {`999`, noStatus}}
	default:
		return []refusal{{`"label"`, badPayload}, {`1.5`, badPayload}, {`999`, noOption}, {`-1`, noOption}}
	}
}
