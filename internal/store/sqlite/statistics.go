package sqlite

import "time"

// Statistics tell SQLite's planner how many rows a value of an index has. Without them it begins a join of contacts, donors and gifts
// with the gifts, which took a hundred times as long. They are taken from a sample of each index, so that it costs little however large
// the database is, and taken again when a table has grown much.
const (
	statisticsRows  = "1000"    // of each index are looked at
	statisticsTasks = "0x10002" // of PRAGMA optimize: all tables that lack statistics or have outgrown them
	statisticsPause = time.Hour // between two looks
)

// takeStatistics takes the statistics that are missing or outdated.
func (c *conn) takeStatistics() error {
	if err := c.exec("PRAGMA analysis_limit=" + statisticsRows); err != nil {
		return err
	}
	if err := c.exec("PRAGMA optimize=" + statisticsTasks); err != nil {
		return err
	}
	return c.exec("PRAGMA shrink_memory") // what it has looked at need not stay in the cache
}

// takeStatistics is that of its connection; a failure is for the log alone.
func (w *writer) takeStatistics() {
	if w.broken != nil {
		return
	}
	if err := w.conn.takeStatistics(); err != nil {
		w.store.log.Warn("statistics of the database could not be taken", "error", err)
	}
}
