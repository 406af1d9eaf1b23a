package schema

import "strings"

// nearest is the greatest edit distance at which two names count as a slip of the pen.
const nearest = 2

// Near returns the property or navigation property a client most likely meant by a name the table does not have: the
// same letters in another case, a lookup named without its _value form, or one within two edits. It returns "" when
// nothing is close. Ties go to the name that comes first.
func (t *Table) Near(name string) string {
	if len(name) > 200 {
		return ""
	}
	if col := t.columns[strings.ToLower(name)]; col != nil && !col.Hidden && col.Type == TypeLookup && col.Wire != name {
		if nav := t.navs[col.Nav]; nav != nil && strings.EqualFold(nav.Name, name) && nav.Name != name {
			return nav.Name
		}
		return col.Wire
	}
	var names []string
	for _, col := range t.Columns {
		if !col.Hidden {
			names = append(names, col.Wire)
		}
	}
	return closest(name, append(names, t.navNames()...))
}

// NearNav is Near for a place where only a navigation property can stand.
func (t *Table) NearNav(name string) string {
	if len(name) > 200 {
		return ""
	}
	return closest(name, t.navNames())
}

func (t *Table) navNames() []string {
	names := make([]string, len(t.navList))
	for i, nav := range t.navList {
		names[i] = nav.Name
	}
	return names
}

// closest returns the name that is within a few edits of another, but not the same; "" when none is. Ties go to the first.
func closest(name string, names []string) string {
	best, distance := "", nearest+1
	for _, candidate := range names {
		if d := apart(name, candidate, distance); d < distance && candidate != name {
			best, distance = candidate, d
		}
	}
	return best
}

// apart is the edit distance of two names, 0 when only their case differs; limit or more means too far.
func apart(a, b string, limit int) int {
	if strings.EqualFold(a, b) {
		return 0
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
