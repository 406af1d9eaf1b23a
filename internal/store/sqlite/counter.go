package sqlite

import (
	"fmt"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// The hidden table of counters, and the counter row versions are drawn from.
const (
	counterTable   = "counter"
	counterName    = "name"
	counterValue   = "value"
	versionCounter = "version"
)

// counterSQL reads a counter by its exact name.
const counterSQL = `SELECT "` + counterValue + `" FROM "` + counterTable + `" WHERE "` + counterName + `"=?1`

// counters are the counters one transaction has drawn from: read inside it, written back before its commit, forgotten
// with it. Other processes draw from the same rows, so no value outlives a transaction.
type counters map[string]*counted

type counted struct {
	value int64
	drawn bool // it has moved since it was read
}

// next draws the next number of a counter.
func (cs counters) next(s *Store, c *conn, name string) (int64, error) {
	if _, err := cs.read(s, c, name); err != nil {
		return 0, err
	}
	n := cs[name]
	n.value++
	n.drawn = true
	return n.value, nil
}

// read returns the last number drawn from a counter; 0 when none ever was.
func (cs counters) read(s *Store, c *conn, name string) (int64, error) {
	if n := cs[name]; n != nil {
		return n.value, nil
	}
	v, err := s.readCounter(c, name)
	if err != nil {
		return 0, err
	}
	cs[name] = &counted{value: v}
	return v, nil
}

// last returns the last number this transaction has drawn from a counter; 0 when it drew none.
func (cs counters) last(name string) int64 {
	if n := cs[name]; n != nil && n.drawn {
		return n.value
	}
	return 0
}

// flush writes back what was drawn and forgets everything.
func (cs counters) flush(s *Store, c *conn) error {
	for name, n := range cs {
		if n.drawn {
			if err := s.writeCounter(c, name, n.value); err != nil {
				return err
			}
			n.drawn = false
		}
	}
	return nil
}

// counterColumns is where counters are kept: a hidden table of the model.
type counterColumns struct {
	table *schema.Table
	name  *schema.Column
	value *schema.Column
}

// findCounter looks the table of counters up in a model.
func findCounter(m *schema.Model) (counterColumns, error) {
	t := m.Table(counterTable)
	if t == nil || t.Column(counterName) == nil || t.Column(counterValue) == nil {
		return counterColumns{}, fmt.Errorf("the model has no table %s with the columns %s and %s", counterTable, counterName, counterValue)
	}
	return counterColumns{t, t.Column(counterName), t.Column(counterValue)}, nil
}

// readCounter reads a counter's row.
func (s *Store) readCounter(c *conn, name string) (int64, error) {
	p, err := c.prepare(counterSQL)
	if err != nil {
		return 0, err
	}
	defer p.release()
	p.BindText(1, name)
	if more, err := p.Step(); err != nil || !more {
		return 0, err
	}
	return p.ColumnInt64(0), nil
}

// writeCounter writes a counter's row.
func (s *Store) writeCounter(c *conn, name string, n int64) error {
	st := s.statements.Put(nil, s.counter.table, []query.Assign{
		{Column: s.counter.name, Value: value.Text(name)},
		{Column: s.counter.value, Value: value.Int(n)},
	})
	p, err := c.prepare(st.SQL)
	if err != nil {
		return err
	}
	defer p.release()
	p.bind(st.Args)
	return p.run()
}
