package wiretest

import (
	"fmt"
	"regexp"
	"strings"
)

// variables are the values a conversation has seen, by name.
type variables map[string]string

var variable = regexp.MustCompile(`\$\{([a-zA-Z0-9_]+)(?::(guid|num|token))?\}`)

var kinds = map[string]string{
	"":      `[^"\s]*?`,
	"guid":  `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
	"num":   `-?[0-9]+`,
	"token": `[A-Za-z0-9_\-%.]+`,
}

// expand puts values in for names.
func (v variables) expand(text string) (string, error) {
	var missing error
	out := variable.ReplaceAllStringFunc(text, func(m string) string {
		name := variable.FindStringSubmatch(m)[1]
		val, ok := v[name]
		if !ok {
			missing = fmt.Errorf("${%s} has no value yet", name)
		}
		return val
	})
	return out, missing
}

// match compares a text with its pattern and keeps the values of names seen first.
func (v variables) match(pattern, text string) bool {
	var names []string
	var b strings.Builder
	b.WriteString(`(?s)^`)
	at := 0
	for _, m := range variable.FindAllStringSubmatchIndex(pattern, -1) {
		b.WriteString(regexp.QuoteMeta(pattern[at:m[0]]))
		at = m[1]
		name := pattern[m[2]:m[3]]
		if val, ok := v[name]; ok {
			b.WriteString(regexp.QuoteMeta(val))
			continue
		}
		kind := ""
		if m[4] >= 0 {
			kind = pattern[m[4]:m[5]]
		}
		names = append(names, name)
		b.WriteString("(" + kinds[kind] + ")")
	}
	b.WriteString(regexp.QuoteMeta(pattern[at:]) + `$`)
	found := regexp.MustCompile(b.String()).FindStringSubmatch(text)
	if found == nil {
		return false
	}
	for i, name := range names {
		if old, ok := v[name]; ok && old != found[i+1] {
			return false
		}
		v[name] = found[i+1]
	}
	return true
}

var volatile = regexp.MustCompile(`(` + kinds["guid"] + `)|(W/\\?")([0-9]+)|("versionnumber":)([0-9]+)|((?:\$(?:skiptoken|deltatoken)=|globalmetadataversion":"))(` + kinds["token"] + `)`)

// abstract replaces what differs from run to run in an answer by names, making new ones for values not seen before. It is what
// -update writes. Ids the conversation itself chose stay as they are.
func (v variables) abstract(text string, chosen map[string]bool) string {
	byValue := map[string]string{}
	for name, val := range v {
		byValue[val] = name
	}
	text = strings.ReplaceAll(text, v["base"], "${base}")
	text = strings.ReplaceAll(text, v["origin"], "${origin}")
	return volatile.ReplaceAllStringFunc(text, func(m string) string {
		s := volatile.FindStringSubmatch(m)
		switch {
		case s[1] != "" && chosen[s[1]]:
			return m
		case s[1] != "":
			return v.name(byValue, s[1], "g", "guid")
		case s[3] != "":
			return s[2] + v.name(byValue, s[3], "v", "num")
		case s[5] != "":
			return s[4] + v.name(byValue, s[5], "v", "num")
		default:
			return s[6] + v.name(byValue, s[7], "t", "token")
		}
	})
}

func (v variables) name(byValue map[string]string, val, prefix, kind string) string {
	if name, ok := byValue[val]; ok {
		return "${" + name + "}"
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s%d", prefix, n)
		if _, taken := v[name]; !taken {
			v[name], byValue[val] = val, name
			return "${" + name + ":" + kind + "}"
		}
	}
}

var guid = regexp.MustCompile(kinds["guid"])

// chosenIDs collects the ids that are written out in the requests of a conversation.
func chosenIDs(exchanges []*Exchange) map[string]bool {
	chosen := map[string]bool{}
	for _, x := range exchanges {
		for _, id := range guid.FindAllString(x.Target+"\n"+x.Body, -1) {
			chosen[id] = true
		}
	}
	return chosen
}
