package sqlite

import (
	"crypto/rand"
	"fmt"
	"strconv"

	"almoner/internal/value"
)

// formatVersion names the way tables are laid out. A database with a higher one was written by a newer program.
const formatVersion = 1

// The private table in which the store keeps what it knows of the file itself, and the names of its rows.
const (
	metaTable  = "almoner_meta"
	metaFormat = "format" // formatVersion it was written with
	metaFold   = "fold"   // value.FoldVersion of its shadow columns
	metaEpoch  = "epoch"  // names this history of the data
	metaTouch  = "touch"  // counts commits made for the sake of a commit

	metaDDL  = "CREATE TABLE almoner_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
	touchSQL = "UPDATE almoner_meta SET value = value + 1 WHERE name = 'touch'"
)

// createMeta makes the private table of a new database.
func (c *conn) createMeta() error {
	if err := c.exec(metaDDL); err != nil {
		return err
	}
	for name, v := range map[string]string{
		metaFormat: strconv.Itoa(formatVersion),
		metaFold:   strconv.Itoa(value.FoldVersion),
		metaEpoch:  rand.Text(),
		metaTouch:  "0",
	} {
		if err := c.setMeta(name, v); err != nil {
			return err
		}
	}
	return nil
}

// meta returns a value of the private table; "" when it is not there.
func (c *conn) meta(name string) (string, error) {
	p, err := c.prepare("SELECT value FROM almoner_meta WHERE name = ?1")
	if err != nil {
		return "", err
	}
	defer p.release()
	p.BindText(1, name)
	if more, err := p.Step(); err != nil || !more {
		return "", err
	}
	return p.ColumnText(0), nil
}

// metaNumber returns a value of the private table that must be a number.
func (c *conn) metaNumber(name string) (int, error) {
	text, err := c.meta(name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("the database says %q where its %s version should be", text, name)
	}
	return n, nil
}

// setMeta stores a value in the private table.
func (c *conn) setMeta(name, v string) error {
	p, err := c.prepare("INSERT INTO almoner_meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
	if err != nil {
		return err
	}
	defer p.release()
	p.BindText(1, name)
	p.BindText(2, v)
	return p.run()
}
