package sqlite

import "testing"

// TestStatisticsFollowLoads looks for statistics of a table after a large load and after the start of a service.
func TestStatisticsFollowLoads(t *testing.T) {
	known := func(file string) string {
		c, err := connect(file, forReading)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		n, err := c.text("SELECT count(*) FROM sqlite_stat1 WHERE tbl='svc_department'")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	file := emptyFile(t)
	loaded, err := openFile(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	loaded.fill(t, 500)
	if err := loaded.Close(); err != nil {
		t.Fatal(err)
	}
	if known(file) == "0" {
		t.Error("a large load leaves no statistics")
	}
	served := reopen(t, file, Options{Serve: true})
	if known(served.path) == "0" {
		t.Error("a service begins without statistics")
	}
}

// TestReplacedReadersAreNotLentAgain replaces connections while one of them is lent.
func TestReplacedReadersAreNotLentAgain(t *testing.T) {
	p := fresh(t, Options{}).readers
	take := func() *conn {
		c, err := p.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	lent, idle := take(), take()
	p.give(idle, true)
	p.replace()
	p.give(lent, true)
	if next := take(); next == lent || next == idle {
		t.Error("a connection from before is lent again")
	} else {
		p.give(next, true)
	}
}
