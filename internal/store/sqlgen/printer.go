package sqlgen

import (
	"fmt"
	"strconv"
	"sync"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// printer builds one statement. The first error stays; what is printed after it does not matter.
type printer struct {
	d     *Dialect
	cal   query.Calendar
	page  *page // where the text begins; a longer one moves away
	sql   []byte
	args  []Arg
	bound []binding // the sources in reach, innermost last
	next  int       // number of the next alias
	err   error
}

// binding is the alias of a source: t and a number.
type binding struct {
	link  *query.Link
	alias int
}

// page is room for the text of most statements.
type page [8192]byte

// pages holds pages whose statements are done; rendering stands in the path of every request.
var pages = sync.Pool{New: func() any { return new(page) }}

func newPrinter(d *Dialect, cal query.Calendar) *printer {
	blank := pages.Get().(*page)
	return &printer{d: d, cal: cal, page: blank, sql: blank[:0]}
}

// statement is what has been printed.
func (p *printer) statement() (Statement, error) {
	if len(p.args) > maxArgs {
		p.refuse(fault.New(fault.TooManyConditions, "The query has %d values; at most %d are allowed.", len(p.args), maxArgs))
	}
	if p.err != nil {
		return Statement{}, p.err
	}
	st := Statement{SQL: string(p.sql), Args: p.args}
	pages.Put(p.page)
	p.page, p.sql = nil, nil
	return st, nil
}

// maxArgs is the most parameters both stores take in one statement.
const maxArgs = 32766

// maxText is the longest statement, in bytes. Some functions name an operand twice, so that a short expression can make a very long one.
const maxText = 1 << 20

// full tells whether no more need be printed: an error was met, or the statement has become too long.
func (p *printer) full() bool {
	if len(p.sql) > maxText {
		p.refuse(fault.New(fault.BadRequest, "The query is too complex: its functions and operations nest too deep."))
	}
	return p.err != nil
}

// fail keeps an error that is the program's fault, not the client's: the binder and the passes let no such tree through.
func (p *printer) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("sqlgen: "+format, args...)
	}
}

// refuse keeps an error the client may see.
func (p *printer) refuse(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *printer) put(s string) { p.sql = append(p.sql, s...) }

func (p *printer) int(n int64) { p.sql = strconv.AppendInt(p.sql, n, 10) }

func (p *printer) name(s string) { p.sql = appendName(p.sql, s) }

// alias prints the alias with a number.
func (p *printer) alias(n int) { p.sql = appendNumbered(p.sql, 't', n) }

// arg adds a parameter and prints it with the type of its kind.
func (p *printer) arg(v value.Value) {
	p.args = append(p.args, Arg{Value: v})
	p.sql = p.d.param(p.sql, len(p.args), v.Kind())
}

// bind gives a source an alias of its own and brings it into reach.
func (p *printer) bind(l *query.Link) int {
	n := p.next
	p.next++
	p.bound = append(p.bound, binding{l, n})
	return n
}

// aliasOf finds the alias of a source in reach.
func (p *printer) aliasOf(l *query.Link) int {
	for i := len(p.bound) - 1; i >= 0; i-- {
		if p.bound[i].link == l {
			return p.bound[i].alias
		}
	}
	p.fail("a source out of reach is referred to")
	return 0
}

// column prints a stored column of a source.
func (p *printer) column(l *query.Link, c *schema.Column) {
	if !c.Stored() {
		p.fail("virtual column %s.%s has not been resolved", c.Table.Name, c.Name)
	}
	p.sqlColumn(l, c.Name)
}

// sqlColumn prints a column of a source by its name in the database.
func (p *printer) sqlColumn(l *query.Link, name string) {
	p.alias(p.aliasOf(l))
	p.put(".")
	p.name(name)
}
