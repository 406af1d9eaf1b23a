package metadata

import (
	"strconv"

	"almoner/internal/odata"
)

// Query answers a GET of the metadata API: path begins with one of Roots, base is the address of the service without a
// trailing slash. The body is JSON with its context, except that a path ending in $count answers bare digits. An empty
// body means that the path leads to nothing: no content. Nothing is paged. Faults are 404 for a path that names nothing
// and 400 for options that make no sense.
func (s *Service) Query(base string, path *odata.Path, o *odata.Options) ([]byte, error) {
	segments := path.Segments
	count := segments[len(segments)-1].Name == "$count"
	if count {
		segments = segments[:len(segments)-1]
	}
	p, err := s.resolve(segments)
	if err != nil {
		return nil, err
	}
	if err := p.checkOptions(o); err != nil {
		return nil, err
	}
	switch {
	case count:
		return p.count(o)
	case p.leaf != nil:
		return p.property(base), nil
	case p.many:
		return p.collection(base, o)
	default:
		return p.single(base, o)
	}
}

// checkOptions refuses the query options that do not go with the place.
func (p *place) checkOptions(o *odata.Options) error {
	for _, name := range []string{"$apply", "$skiptoken", "$deltatoken", "$id", "fetchXml", "savedQuery", "userQuery"} {
		if o.Has(name) {
			return refused("The query parameter '%s' is not supported on definitions.", name)
		}
	}
	if p.many && !(p.path == rootOptionSets && o.Has("$filter")) {
		return nil
	}
	for _, name := range []string{"$filter", "$orderby", "$top", "$count"} {
		if o.Has(name) {
			return refused("The query parameter '%s' is not supported on '%s'.", name, p.path)
		}
	}
	return nil
}

// selected binds the request's $select and $expand.
func (p *place) selected(o *odata.Options) (*selection, error) {
	var names []string
	var expand []odata.ExpandItem
	var err error
	if o.Select != "" {
		if names, err = odata.ParseSelect(o.Select); err != nil {
			return nil, err
		}
	}
	if o.Expand != "" {
		if expand, err = odata.ParseExpand(o.Expand); err != nil {
			return nil, err
		}
	}
	return bindSelection(p.shape, names, expand)
}

// windowed binds the request's $filter, $orderby and $top.
func (p *place) windowed(o *odata.Options) (window, error) {
	var filter odata.Node
	var order []odata.OrderItem
	var err error
	if o.Filter != "" {
		if filter, err = odata.ParseFilter(o.Filter, o.Aliases); err != nil {
			return window{}, err
		}
	}
	if o.OrderBy != "" {
		if order, err = odata.ParseOrderBy(o.OrderBy, o.Aliases); err != nil {
			return window{}, err
		}
	}
	return bindWindow(p.shape, filter, order, o.Top)
}

// count answers the number of elements the filter keeps.
func (p *place) count(o *odata.Options) ([]byte, error) {
	if !p.many {
		return nil, refused("The segment '$count' must follow a collection.")
	}
	w, err := p.windowed(o)
	if err != nil {
		return nil, err
	}
	return strconv.AppendInt(nil, int64(len(w.match(p.items))), 10), nil
}

func (p *place) collection(base string, o *odata.Options) ([]byte, error) {
	sel, err := p.selected(o)
	if err != nil {
		return nil, err
	}
	w, err := p.windowed(o)
	if err != nil {
		return nil, err
	}
	b := p.begin(base, p.cast+sel.context())
	if o.Count {
		b = strconv.AppendInt(appendKey(b, "@odata.count"), int64(len(w.match(p.items))), 10)
	}
	return append(appendElements(appendKey(b, "value"), p.shape, w.apply(p.items), sel), '}'), nil
}

func (p *place) single(base string, o *odata.Options) ([]byte, error) {
	sel, err := p.selected(o)
	if err != nil || len(p.items) == 0 {
		return nil, err
	}
	fragment := p.cast + sel.context()
	if p.shape.entity {
		fragment += "/$entity"
	}
	return append(appendMembers(p.begin(base, fragment), p.shape, p.items[0], sel), '}'), nil
}

// property answers a primitive property.
func (p *place) property(base string) []byte {
	return append(appendValue(appendKey(p.begin(base, ""), "value"), p.leaf, p.leafValue), '}')
}

// begin opens an answer with its context.
func (p *place) begin(base, fragment string) []byte {
	b := make([]byte, 0, 4096)
	return appendString(appendKey(append(b, '{'), "@odata.context"), base+"/$metadata#"+p.path+fragment)
}
