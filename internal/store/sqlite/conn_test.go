package sqlite

import (
	"fmt"
	"strings"
	"testing"

	"almoner/tables"
)

func TestStatementsAreKeptWithinABound(t *testing.T) {
	c, err := connect(emptyFile(t), forReading)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	open, err := c.prepare("SELECT 0")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * readerStatements {
		if got, err := c.text(fmt.Sprintf("SELECT %d", i)); err != nil || got != fmt.Sprint(i) {
			t.Fatalf("statement %d: %q, %v", i, got, err)
		}
	}
	if len(c.byText) > readerStatements || c.order.Len() != len(c.byText) {
		t.Errorf("%d statements kept", len(c.byText))
	}
	if more, err := open.Step(); err != nil || !more || open.ColumnInt64(0) != 0 {
		t.Errorf("a statement in use was dropped: %v, %v", more, err)
	}
	open.release()
	if again, err := c.prepare("SELECT 0"); err != nil || again != open {
		t.Errorf("a kept statement was prepared again: %v", err)
	} else {
		again.release()
	}
	if _, err := c.prepare("SELECT 1; DROP TABLE svc_gift"); err == nil {
		t.Error("two statements in one text were taken")
	}
}

func TestReopenedFileMustHaveWhatWasCommitted(t *testing.T) {
	model, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStore(emptyFile(t), model, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(s.path, forWriting)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter(s, c) // its goroutine is not needed
	defer w.drop()
	if w.reopen(); w.broken != nil || w.conn == c {
		t.Fatalf("reopening a sound file: %v", w.broken)
	}
	w.version = 7
	if w.reopen(); w.broken == nil || !strings.Contains(w.broken.Error(), "version 7 was committed") {
		t.Errorf("reopening a file that lost a version: %v", w.broken)
	}
}
