package securitytest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// question is one random request. It is forbidden when it goes through a table the limited caller may not read at all.
type question struct {
	path      string
	headers   []string
	forbidden bool
}

// oneOf picks an element.
func oneOf[T any](w *twins, list []T) T { return list[w.r.IntN(len(list))] }

func (w *twins) chance(percent int) bool { return w.r.IntN(100) < percent }

// ask makes a random question.
func (w *twins) ask() question {
	lt := oneOf(w, leakTables)
	q := question{forbidden: lt.forbidden}
	switch w.r.IntN(7) {
	case 0:
		q.path = lt.set + "/$count?$filter=" + w.filter(lt, "", 2, &q)
	case 1:
		q.path = lt.set + "?$apply=" + w.apply(lt, &q)
	case 2:
		q.path = lt.set + "?fetchXml=" + escape(w.fetch(lt, &q))
	case 3:
		q.path = lt.set + "?fetchXml=" + escape(w.fetchAggregate(lt, &q))
	case 4:
		q.path = w.collection(lt, &q)
	default:
		q.path = lt.set + "?" + w.options(lt, &q)
	}
	if w.chance(20) && !strings.Contains(q.path, "fetchXml") && !strings.Contains(q.path, "$apply") {
		q.headers = append(q.headers, "Prefer", "odata.maxpagesize=3")
	}
	return q
}

// options are $select, $filter, $orderby, $expand and $count of a list.
func (w *twins) options(lt *leakTable, q *question) string {
	parts := []string{"$select=" + strings.Join(w.columns(lt), ",")}
	if w.chance(70) {
		parts = append(parts, "$filter="+w.filter(lt, "", 3, q))
	}
	if w.chance(50) {
		parts = append(parts, "$orderby="+w.path(lt, "", 1, q)+oneOf(w, []string{"", " desc"}))
	}
	if len(lt.single)+len(lt.many) > 0 && w.chance(40) {
		parts = append(parts, "$expand="+w.expand(lt, q))
	}
	if w.chance(40) {
		parts = append(parts, "$count=true")
	}
	return strings.Join(parts, "&")
}

func (w *twins) columns(lt *leakTable) []string { return append([]string{lt.key}, all(lt)...) }

func all(lt *leakTable) []string { return slices.Concat(lt.texts, lt.numbers) }

// navs are the navigation properties of a kind in a fixed order, so that a seed always gives the same questions.
func navs(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// path is a column of a table, or of one reached through lookups.
func (w *twins) path(lt *leakTable, prefix string, depth int, q *question) string {
	if depth > 0 && len(lt.single) > 0 && w.chance(50) {
		nav := oneOf(w, navs(lt.single))
		to := w.tables[lt.single[nav]]
		q.forbidden = q.forbidden || to.forbidden
		return w.path(to, prefix+nav+"/", depth-1, q)
	}
	return prefix + oneOf(w, all(lt))
}

// literal is a value a column may hold, of a row the caller may read or not.
func (w *twins) literal(lt *leakTable, column string) string {
	row := w.pick(lt.name)
	if slices.Contains(lt.numbers, column) {
		return fmt.Sprint(row.number)
	}
	return "'" + row.texts[column] + "'"
}

// filter is a random condition. prefix is the variable of a lambda, or "".
func (w *twins) filter(lt *leakTable, prefix string, depth int, q *question) string {
	switch n := w.r.IntN(10); {
	case depth > 0 && n < 2:
		return "(" + w.filter(lt, prefix, depth-1, q) + oneOf(w, []string{" and ", " or "}) + w.filter(lt, prefix, depth-1, q) + ")"
	case depth > 0 && n == 2:
		return "not (" + w.filter(lt, prefix, depth-1, q) + ")"
	case depth > 0 && n < 5 && len(lt.many) > 0 && prefix == "":
		return w.lambda(lt, prefix, depth, q)
	case depth > 0 && n < 8 && len(lt.single) > 0:
		nav := oneOf(w, navs(lt.single))
		to := w.tables[lt.single[nav]]
		q.forbidden = q.forbidden || to.forbidden
		return w.compare(to, prefix+nav+"/")
	default:
		return w.compare(lt, prefix)
	}
}

func (w *twins) lambda(lt *leakTable, prefix string, depth int, q *question) string {
	nav := oneOf(w, navs(lt.many))
	to := w.tables[lt.many[nav]]
	q.forbidden = q.forbidden || to.forbidden
	if w.chance(20) {
		return prefix + nav + "/any()"
	}
	return prefix + nav + "/" + oneOf(w, []string{"any", "all"}) + "(x:" + w.filter(to, "x/", depth-1, q) + ")"
}

func (w *twins) compare(lt *leakTable, prefix string) string {
	column := oneOf(w, all(lt))
	if slices.Contains(lt.texts, column) && w.chance(40) {
		value := w.literal(lt, column)
		if w.chance(50) {
			value = oneOf(w, []string{"'" + hidden + "'", "'a'", "'%25'"})
		}
		return oneOf(w, []string{"contains", "startswith", "endswith"}) + "(" + prefix + column + "," + value + ")"
	}
	if w.chance(20) {
		return prefix + column + oneOf(w, []string{" eq null", " ne null"})
	}
	return prefix + column + " " + oneOf(w, []string{"eq", "ne", "gt", "ge", "lt", "le"}) + " " + w.literal(lt, column)
}

// expand is one expanded navigation property with its own options.
func (w *twins) expand(lt *leakTable, q *question) string {
	if len(lt.many) > 0 && (len(lt.single) == 0 || w.chance(50)) {
		nav := oneOf(w, navs(lt.many))
		to := w.tables[lt.many[nav]]
		q.forbidden = q.forbidden || to.forbidden
		options := "$select=" + strings.Join(w.columns(to), ",")
		if w.chance(50) {
			options += ";$filter=" + w.filter(to, "", 1, q)
		}
		if w.chance(30) {
			options += ";$orderby=" + oneOf(w, all(to)) + ";$top=3"
		}
		return nav + "(" + options + ")"
	}
	nav := oneOf(w, navs(lt.single))
	to := w.tables[lt.single[nav]]
	q.forbidden = q.forbidden || to.forbidden
	options := "$select=" + strings.Join(w.columns(to), ",")
	if len(to.single) > 0 && w.chance(50) {
		options += ";$expand=" + w.expand(&leakTable{single: to.single}, q)
	}
	return nav + "(" + options + ")"
}

// apply groups and adds up.
func (w *twins) apply(lt *leakTable, q *question) string {
	sums := "$count as n"
	for _, c := range lt.numbers {
		sums += "," + c + " with " + oneOf(w, []string{"sum", "min", "max", "average"}) + " as " + c + "_of"
	}
	out := ""
	if w.chance(60) {
		out = "filter(" + w.filter(lt, "", 2, q) + ")/"
	}
	if w.chance(30) {
		return out + "aggregate(" + sums + ")"
	}
	column := w.path(lt, "", 1, q)
	return out + "groupby((" + column + "),aggregate(" + sums + "))"
}

// collection is a path from a row to those that point at it.
func (w *twins) collection(lt *leakTable, q *question) string {
	if len(lt.many) == 0 || lt.forbidden {
		return lt.set + "?" + w.options(lt, q)
	}
	row := oneOf(w, w.visible(lt.name))
	nav := oneOf(w, navs(lt.many))
	to := w.tables[lt.many[nav]]
	q.forbidden = q.forbidden || to.forbidden
	path := lt.set + "(" + row.id + ")/" + nav
	if w.chance(30) {
		return path + "/$count"
	}
	return path + "?" + w.options(to, q)
}

// fetch is a random FetchXML query with a link.
func (w *twins) fetch(lt *leakTable, q *question) string {
	var b strings.Builder
	b.WriteString(`<fetch returntotalrecordcount="true"><entity name="` + lt.name + `"><attribute name="` + lt.key + `"/>`)
	for _, c := range all(lt) {
		b.WriteString(`<attribute name="` + c + `"/>`)
	}
	if w.chance(60) {
		b.WriteString(w.link(lt, oneOf(w, []string{"inner", "outer", "exists", "in"}), q))
	}
	b.WriteString(`<filter type="` + oneOf(w, []string{"and", "or"}) + `">` + w.condition(lt))
	if w.chance(50) {
		b.WriteString(w.link(lt, oneOf(w, []string{"any", "not any", "all", "not all"}), q))
	}
	b.WriteString(`</filter><order attribute="` + oneOf(w, all(lt)) + `"/></entity></fetch>`)
	return b.String()
}

// link is a link-entity to a table that a lookup leads to.
func (w *twins) link(lt *leakTable, kind string, q *question) string {
	if len(lt.single) == 0 {
		return ""
	}
	nav := oneOf(w, navs(lt.single))
	to := w.tables[lt.single[nav]]
	q.forbidden = q.forbidden || to.forbidden
	column := w.whole.model.Table(lt.name).Nav(nav).Column.Name
	attributes := ""
	if kind == "inner" || kind == "outer" {
		attributes = `<attribute name="` + to.texts[0] + `"/>`
	}
	return fmt.Sprintf(`<link-entity name="%s" from="%s" to="%s" alias="l%d" link-type="%s">%s<filter>%s</filter></link-entity>`,
		to.name, to.key, column, w.r.IntN(1000), kind, attributes, w.condition(to))
}

func (w *twins) condition(lt *leakTable) string {
	column := oneOf(w, all(lt))
	if w.chance(20) {
		return `<condition attribute="` + column + `" operator="` + oneOf(w, []string{"null", "not-null"}) + `"/>`
	}
	operators := []string{"eq", "ne", "gt", "le"}
	if slices.Contains(lt.texts, column) {
		operators = append(operators, "like", "not-like", "begins-with")
	}
	value := strings.Trim(w.literal(lt, column), "'")
	return `<condition attribute="` + column + `" operator="` + oneOf(w, operators) + `" value="` + value + `"/>`
}

// fetchAggregate counts and groups in FetchXML.
func (w *twins) fetchAggregate(lt *leakTable, q *question) string {
	link := ""
	if w.chance(60) {
		link = w.link(lt, oneOf(w, []string{"inner", "outer"}), q)
		link = strings.ReplaceAll(link, `"/><filter>`, `" alias="g" groupby="true"/><filter>`)
	}
	sums := ""
	for _, c := range lt.numbers {
		sums += `<attribute name="` + c + `" alias="` + c + `_of" aggregate="` + oneOf(w, []string{"sum", "min", "max", "avg"}) + `"/>`
	}
	return `<fetch aggregate="true"><entity name="` + lt.name + `"><attribute name="` + lt.key + `" alias="n" aggregate="count"/>` + sums + link +
		`<filter>` + w.condition(lt) + `</filter></entity></fetch>`
}
