package webapi

import (
	"container/list"
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Reads of the same shape are bound, secured and rendered once: a shape is the text of the options with the ids in it left out. What
// depends on the moment beyond the giving year, or needs several statements, has no shape.

// shape is a read ready to run: template, encoder and envelope.
type shape struct {
	template *engine.Template
	root     *nodeEncoder
	context  string
	envelope atomic.Pointer[envelope]
}

// envelope is the beginning of an answer for clients that came by one address.
type envelope struct {
	base   string
	prefix []byte
}

// prefix returns the @odata.context member of an answer; it is made anew when clients come by another address.
func (sh *shape) prefix(r *Request) []byte {
	e := sh.envelope.Load()
	if e == nil || e.base != r.Base {
		e = &envelope{r.Base, r.contextPrefix(sh.context)}
		sh.envelope.Store(e)
	}
	return e.prefix
}

// shapeKey identifies a shape.
type shapeKey struct {
	caller *auth.Caller
	table  *schema.Table
	text   string // options with ids replaced, annotations, metadata level, page size
}

// shapeCache keeps the shapes used last.
type shapeCache struct {
	mu     sync.Mutex
	shapes map[shapeKey]*list.Element
	order  *list.List // of *cachedShape, the latest in front
}

type cachedShape struct {
	key   shapeKey
	shape *shape
}

// maxShapes bounds the cache.
const maxShapes = 1000

func newShapeCache() *shapeCache {
	return &shapeCache{shapes: map[shapeKey]*list.Element{}, order: list.New()}
}

func (c *shapeCache) get(k shapeKey) *shape {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.shapes[k]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedShape).shape
}

func (c *shapeCache) put(k shapeKey, s *shape) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.shapes[k]; e != nil {
		e.Value.(*cachedShape).shape = s
		return
	}
	c.shapes[k] = c.order.PushFront(&cachedShape{k, s})
	for c.order.Len() > maxShapes {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.shapes, last.Value.(*cachedShape).key)
	}
}

// rowShape returns the shape of a read of one row by its key; its one slot is the key. nil when the read has none.
func (s *Service) rowShape(ctx context.Context, r *Request, t *schema.Table) (*shape, error) {
	o := r.Options
	if o.Filter != "" || o.OrderBy != "" || o.Apply != "" || o.Top != nil || o.Count || len(o.Aliases) > 0 {
		return nil, nil
	}
	return s.shapeOf(ctx, r, t, "row\x00"+o.Select+"\x00"+o.Expand, singleRow, 1, 1, func() (*odata.Bound, string, error) {
		bound, err := odata.Bind(s.engine.Model(), t, o)
		if err != nil {
			return nil, "", err
		}
		bound.Query.Where = query.AllOf(bound.Query.Where, query.Equal(bound.Query.Root, t.Key, value.ID(engine.Slot(0))))
		return bound, "#" + t.Set + bound.Context + "/$entity", nil
	})
}

// shapeOf looks a shape up, or makes it by bind and keeps it.
func (s *Service) shapeOf(ctx context.Context, r *Request, t *schema.Table, text string, style rowStyle, slots, limit int, bind func() (*odata.Bound, string, error)) (*shape, error) {
	if r.Session.Caller().Impersonating() {
		return nil, nil // such a caller is made for each request anew: nothing would ever be found again
	}
	key := shapeKey{r.Session.Caller(), t, text + "\x00" + r.level().String() + "\x00" + strings.Join(r.Prefer.annotations, ",")}
	if found := s.shapes.get(key); found != nil && found.template.Fits(r.Session) {
		return found, nil
	}
	bound, fragment, err := bind()
	if err != nil {
		return nil, err
	}
	r.addLabels(bound.Query)
	template, err := r.Session.NewTemplate(bound.Query, slots, limit)
	if err != nil || template == nil {
		return nil, err
	}
	made := &shape{template: template, root: r.newEncoder(ctx, template.Plan, style, nil).root, context: fragment}
	s.shapes.put(key, made)
	return made, nil
}

// readShape reads one row by its shape: nil when the caller can see no such row.
func (s *Service) readShape(ctx context.Context, r *Request, sh *shape, id value.GUID) (*encodedRow, error) {
	var out *encodedRow
	err := r.Session.ReadTemplate(ctx, sh.template, []value.GUID{id}, func(p *engine.Page) error {
		if !p.Rows.Next() {
			return p.Rows.Err()
		}
		enc := r.encoderWith(ctx, sh.root)
		room := takeBuffer()
		*room = enc.object((*room)[:0], sh.root, p.Rows, nil, sh.prefix(r))
		out = &encodedRow{body: *room, pooled: room}
		if v := sh.root.plan.Version; v >= 0 {
			out.version = p.Rows.Int(v)
		}
		return nil
	})
	return out, err
}

// listShape returns the shape of the first page of a list, and the ids for its slots; nil when the list has none.
func (s *Service) listShape(ctx context.Context, r *Request, t *target, l *listing) (*shape, []value.GUID, error) {
	o := r.Options
	if t.nav != nil || o.SkipToken != "" || o.Apply != "" || o.Count || len(o.Aliases) > 0 || l.limit == 0 || r.Prefer.wants(totalCount) ||
		strings.Contains(o.Filter+o.Expand, "now(") || strings.Contains(o.Filter, namespace) || strings.Contains(o.Expand, namespace) {
		return nil, nil, nil
	}
	plain := *o
	var ids []value.GUID
	plain.Filter, ids = withoutIDs(o.Filter)
	text := strings.Join([]string{"list", plain.Select, plain.Filter, plain.OrderBy, plain.Expand, itoa(l.limit)}, "\x00")
	sh, err := s.shapeOf(ctx, r, t.table, text, listedRows, len(ids), l.limit, func() (*odata.Bound, string, error) {
		bound, err := odata.Bind(s.engine.Model(), t.table, &plain)
		if err != nil {
			return nil, "", err
		}
		return bound, "#" + t.table.Set + bound.Context, nil
	})
	return sh, ids, err
}

// withoutIDs replaces the ids of a filter that stand outside quotes by slots and returns them in order.
func withoutIDs(filter string) (string, []value.GUID) {
	const size = 36
	var ids []value.GUID
	var b strings.Builder
	quoted, from := false, 0
	for i := 0; i < len(filter); i++ {
		if filter[i] == '\'' {
			quoted = !quoted
		}
		if quoted || i+size > len(filter) || filter[i+8:i+9] != "-" || i > 0 && filter[i-1] != ' ' && filter[i-1] != '(' && filter[i-1] != ',' {
			continue
		}
		id, err := value.ParseGUID(filter[i : i+size])
		if err != nil {
			continue
		}
		b.WriteString(filter[from:i])
		b.WriteString(engine.Slot(len(ids)).String())
		ids = append(ids, id)
		i += size - 1
		from = i + 1
	}
	if ids == nil {
		return filter, nil
	}
	b.WriteString(filter[from:])
	return b.String(), ids
}
