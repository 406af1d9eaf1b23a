package fetchxml

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
)

// PageCap is the most rows one page holds.
const PageCap = 5000

// maxDepthWithoutCookie is how many rows may be passed over by page number alone.
const maxDepthWithoutCookie = 50_000

// Bound is a query that FetchXML asked for. Query.Page is filled: its size from top or count (0 when neither is given), its
// start from the cookie where it fits, else from the page number.
type Bound struct {
	Query          *query.Query
	Page           int // number of the page from 1
	Count          int // rows of a page; 0: not given
	Top            int // most rows; 0: not given
	ReturnTotal    bool
	Aggregate      bool
	AggregateLimit int // most rows to aggregate; 0: not given
	// Attributes holds, for each of Query.Select.Outputs as bound, the logical name of the column behind an output that has
	// another name: aliased ones and columns of linked tables. "" for the rest.
	Attributes []string

	sortKeys []sortKey
}

// Bind gives a syntax tree its meaning: names become tables and columns of the model, texts become values.
func Bind(m *schema.Model, f *Fetch) (*Bound, error) {
	b := &binder{model: m, fetch: f, bound: &Bound{}, names: map[string]bool{}}
	for _, step := range []func() error{b.sources, b.outputs, b.filters, b.orders, b.size, b.page} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.bound, nil
}

// Members binds the query of a dynamic list: it must select rows of the member table. Order, page and columns are checked and fall
// away; what is left has one output, the member's key, for use in a query.InQuery.
func Members(m *schema.Model, text string, member *schema.Table) (*query.Query, error) {
	f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Entity.Name != member.Name:
		return nil, fault.New(fault.FetchEntityMismatch, "The query of the list selects '%s', but its members are of '%s'.", f.Entity.Name, member.Name).
			At("list", "column query")
	case f.Aggregate:
		return nil, malformed("the query of a list selects members and cannot aggregate.").At("list", "column query")
	}
	if _, err := Bind(m, f); err != nil {
		return nil, err
	}
	q, err := Sources(m, f)
	if err == nil {
		q.Order = nil
	}
	return q, err
}

// Sources binds the rows a fetch reads, whatever it makes of them: order, page, columns, groups and distinctness fall away. What is
// left has one output, the key of the entity, and its order.
func Sources(m *schema.Model, f *Fetch) (*query.Query, error) {
	plain := *f
	plain.Top, plain.Count, plain.Page, plain.Cookie, plain.Aggregate, plain.Distinct = 0, 0, 0, "", false, false
	plain.Entity = f.Entity.rowsOnly()
	b, err := Bind(m, &plain)
	if err != nil {
		return nil, err
	}
	q := b.Query
	key := query.Ref{Link: q.Root, Column: q.Root.Table.Key}
	q.Order = []query.Order{{Expr: key}}
	q.Select = query.Node{Link: q.Root, Outputs: query.Refs(q.Root, []*schema.Column{q.Root.Table.Key})}
	return q, nil
}

// rowsOnly is a source without columns and order, here and in what is linked to it.
func (s *Source) rowsOnly() *Source {
	out := &Source{Name: s.Name, NoAttributes: true, Filters: s.Filters}
	for _, l := range s.Links {
		link := *l
		link.Source = *l.Source.rowsOnly()
		out.Links = append(out.Links, &link)
	}
	return out
}

// binder is one Bind in progress.
type binder struct {
	model  *schema.Model
	fetch  *Fetch
	bound  *Bound
	joined []joined        // root first, then links in document order
	root   *scope          // names visible from the filter of the entity
	names  map[string]bool // output names taken
}

// joined is a source of the query beside its syntax.
type joined struct {
	link   *query.Link
	syntax *Source
}

// size refuses what is beyond the platform's caps.
func (b *binder) size() error { return query.CheckSize(b.bound.Query) }

// page fills in which rows are wanted.
func (b *binder) page() error {
	f, q := b.fetch, b.bound.Query
	b.bound.Top, b.bound.Count, b.bound.Page = f.Top, min(f.Count, PageCap), max(f.Page, 1)
	b.bound.ReturnTotal, b.bound.Aggregate, b.bound.AggregateLimit = f.ReturnTotal, f.Aggregate, f.AggregateLimit
	q.Page.Size = max(b.bound.Top, b.bound.Count)
	size := b.bound.Count
	if size == 0 {
		size = PageCap
	}
	if f.Cookie != "" {
		return b.pageAfterCookie(size)
	}
	if b.bound.Page-1 > maxDepthWithoutCookie/size {
		return fault.New(fault.BadPagingCookie, "Page %d lies more than %d rows deep; a paging cookie is needed to reach it.",
			b.bound.Page, maxDepthWithoutCookie)
	}
	q.Page.Offset = (b.bound.Page - 1) * size
	return nil
}

// pageAfterCookie starts behind the cookie's last row. A cookie without values, one of any page but the one before, and one for rows
// that are put together say no more than the number of the page.
func (b *binder) pageAfterCookie(size int) error {
	c, err := ParseCookie(b.fetch.Cookie)
	if err != nil {
		return err
	}
	if b.fetch.Page == 0 {
		b.bound.Page = c.Page + 1
	}
	q := b.bound.Query
	if len(c.Columns) == 0 || c.Page != b.bound.Page-1 || q.Grouped || q.Distinct {
		q.Page.Offset = (b.bound.Page - 1) * size
		return nil
	}
	q.Page.After, err = b.bound.position(c)
	return err
}
