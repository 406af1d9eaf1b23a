package sqlgen

import (
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

// stretch is a part of an ordered result that one statement reads: the leading sort key null or not, and the rows after a
// position.
type stretch struct {
	terms  []term
	values []value.Value // the position, one value per term; nil: the stretch from its beginning
	lead   leadRows
}

// leadRows says which rows a stretch has by the leading sort key.
type leadRows uint8

const (
	anyLead leadRows = iota
	nullLead
	presentLead
	tiedLead   // that of the position
	beyondLead // those after that of the position
)

// stretches divides the rows after a position. A comparison that has to let nulls pass reads everything before it, so
// where the leading sort key may be null its nulls and its values are read one after the other. So are, where the keys run different
// ways, the rows that share the position's leading key and those beyond: one comparison for both would read all that share it.
func stretches(terms []term, after *query.Position) ([]stretch, error) {
	if after == nil {
		return []stretch{{terms: terms}}, nil
	}
	if len(after.Values) != len(terms) || len(terms) == 0 {
		return nil, fault.New(fault.BadPagingCookie, "The paging position does not fit the query.")
	}
	lead := terms[0]
	switch isNull := after.Values[0].IsNull(); {
	case !lead.nullable && isNull:
		return nil, fault.New(fault.BadPagingCookie, "The paging position does not fit the query.")
	case !lead.nullable, !lead.desc && !isNull:
		return presentStretches(terms, after.Values), nil
	case !lead.desc:
		return []stretch{{terms, after.Values, nullLead}, {terms, nil, presentLead}}, nil
	case isNull:
		return []stretch{{terms, after.Values, nullLead}}, nil
	default:
		return append(presentStretches(terms, after.Values), stretch{terms, nil, nullLead}), nil
	}
}

// presentStretches divides the rows after a position that have a leading key, as the position has.
func presentStretches(terms []term, values []value.Value) []stretch {
	if len(terms) == 1 || agree(leadPresent(terms), values) {
		return []stretch{{terms, values, presentLead}}
	}
	return []stretch{{terms, values, tiedLead}, {terms, values, beyondLead}}
}

// leadPresent returns sort keys for rows whose leading key is not null.
func leadPresent(terms []term) []term {
	terms = slices.Clone(terms)
	terms[0].nullable = false
	return terms
}

// empty tells whether a stretch puts no condition on rows.
func (s stretch) empty() bool { return s.values == nil && s.lead == anyLead }

// stretch prints the condition that a row lies in a stretch.
func (p *printer) stretch(s stretch) {
	switch {
	case s.lead == tiedLead:
		p.at(s.terms[0], s.values[0])
		p.put(" AND ")
		p.after(s.terms[1:], s.values[1:])
	case s.lead == beyondLead:
		p.beyond(leadPresent(s.terms)[0], s.values[0])
	case s.values == nil || s.lead == nullLead:
		p.comparable(s.terms[0].expr)
		if s.lead == presentLead {
			p.put(" IS NOT NULL")
			return
		}
		p.put(" IS NULL")
		if s.values != nil {
			p.put(" AND ")
			p.after(s.terms[1:], s.values[1:])
		}
	default:
		p.after(leadPresent(s.terms), s.values)
	}
}

// agree tells whether keys can be compared as one row value: none is null, all run the same way.
func agree(terms []term, values []value.Value) bool {
	for i, t := range terms {
		if t.nullable || t.desc != terms[0].desc || values[i].IsNull() {
			return false
		}
	}
	return true
}

// after prints the condition that a row comes after a position; no terms left: no row does.
func (p *printer) after(terms []term, values []value.Value) {
	switch {
	case len(terms) == 0:
		p.truth(false)
	case len(terms) == 1:
		p.beyond(terms[0], values[0])
	case agree(terms, values):
		p.rowValue(terms, values)
	default:
		p.put("(")
		p.beyond(terms[0], values[0])
		p.put(" OR ")
		p.at(terms[0], values[0])
		p.put(" AND ")
		p.after(terms[1:], values[1:])
		p.put(")")
	}
}

// rowValue prints (a,b) > (1,2).
func (p *printer) rowValue(terms []term, values []value.Value) {
	p.put("(")
	for i, t := range terms {
		if i > 0 {
			p.put(",")
		}
		p.comparable(t.expr)
	}
	if terms[0].desc {
		p.put(")<(")
	} else {
		p.put(")>(")
	}
	for i, t := range terms {
		if i > 0 {
			p.put(",")
		}
		p.positionValue(t, values[i])
	}
	p.put(")")
}

// beyond prints the condition that one key lies after its place: nulls come first ascending, last descending.
func (p *printer) beyond(t term, v value.Value) {
	switch {
	case v.IsNull() && t.desc:
		p.truth(false)
	case v.IsNull():
		p.comparable(t.expr)
		p.put(" IS NOT NULL")
	case !t.desc:
		p.comparable(t.expr)
		p.put(">")
		p.positionValue(t, v)
	case t.nullable:
		p.put("(")
		p.comparable(t.expr)
		p.put("<")
		p.positionValue(t, v)
		p.put(" OR ")
		p.comparable(t.expr)
		p.put(" IS NULL)")
	default:
		p.comparable(t.expr)
		p.put("<")
		p.positionValue(t, v)
	}
}

// at prints the condition that one key lies at its place.
func (p *printer) at(t term, v value.Value) {
	p.comparable(t.expr)
	if v.IsNull() {
		p.put(" IS NULL")
		return
	}
	p.put("=")
	p.positionValue(t, v)
}

// positionValue prints the value of a position in the form of its sort key.
func (p *printer) positionValue(t term, v value.Value) {
	if query.KindOf(t.expr) == value.KindText {
		p.textConstant(v, foldedText)
		return
	}
	p.literal(v, formOf(t.expr))
}
