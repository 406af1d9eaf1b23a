package sqlgen

import (
	"strings"
	"sync/atomic"
)

// MostRows is how many rows one statement writes at most.
const MostRows = 16

// rowCounts are the numbers of rows statements are printed for, the largest first. A database prepares each of them, so they are few.
var rowCounts = [...]int{MostRows, 8, 4, 3, 2, 1}

// Rows is a write that can be made for several rows of one shape at once. Opening a table with its indexes costs a server much more
// than one more row does.
type Rows struct {
	dialect    *Dialect
	one        string // the statement for a single row
	head, tail string // what stands before and after the rows where there are several
	types      []string
	many       [MostRows + 1]atomic.Pointer[string]
}

// NextRows tells how many of n rows the next statement writes.
func NextRows(n int) int {
	for _, count := range rowCounts {
		if count <= n {
			return count
		}
	}
	return 0
}

// Text is the statement for a number of rows that NextRows gave, printed at its first use.
func (r *Rows) Text(n int) string {
	if n == 1 {
		return r.one
	}
	if text := r.many[n].Load(); text != nil {
		return *text
	}
	text := r.print(n)
	r.many[n].Store(&text)
	return text
}

// print prints the statement for several rows. The types of the first row's parameters are those of all.
func (r *Rows) print(n int) string {
	var b strings.Builder
	b.WriteString(r.head)
	for row := range n {
		if row > 0 {
			b.WriteByte(',')
		}
		for i, as := range r.types {
			b.WriteByte("(,"[min(i, 1)])
			b.Write(r.dialect.setter(nil, row*len(r.types)+i+1))
			if row == 0 && as != "" {
				b.WriteString("::" + as)
			}
		}
		b.WriteByte(')')
	}
	b.WriteString(r.tail)
	return b.String()
}
