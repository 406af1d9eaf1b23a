package metadata

import (
	"slices"

	"almoner/internal/odata"
)

// window is which elements of a collection are shown, and in which order.
type window struct {
	keep  predicate // nil keeps all
	order []sortKey
	top   *int
}

type sortKey struct {
	term term
	desc bool
}

// bindWindow binds $filter, $orderby and $top to the type of a collection.
func bindWindow(of *shape, filter odata.Node, order []odata.OrderItem, top *int) (window, error) {
	w := window{top: top}
	if filter != nil {
		keep, err := bindFilter(of, filter)
		if err != nil {
			return w, err
		}
		w.keep = keep
	}
	for _, item := range order {
		t, err := bindTerm(of, item.Expr)
		if err != nil {
			return w, err
		}
		w.order = append(w.order, sortKey{t, item.Desc})
	}
	return w, nil
}

// match returns the elements the filter keeps.
func (w window) match(list []element) []element {
	if w.keep == nil {
		return list
	}
	var out []element
	for _, e := range list {
		if w.keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// apply returns the elements that are shown.
func (w window) apply(list []element) []element {
	out := w.match(list)
	if len(w.order) > 0 {
		out = slices.Clone(out)
		slices.SortStableFunc(out, w.compare)
	}
	if w.top != nil && *w.top < len(out) {
		out = out[:*w.top]
	}
	return out
}

// compare puts null first ascending, as data does.
func (w window) compare(a, b element) int {
	for _, k := range w.order {
		n := compareValues(k.term.get(a), k.term.get(b))
		if k.desc {
			n = -n
		}
		if n != 0 {
			return n
		}
	}
	return 0
}
