package progress

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name        string
		done, total int64
		want        []string
		absent      string
	}{
		{"half", 50, 100, []string{"task", "50%", "about 10s left", strings.Repeat("█", 15) + "░"}, ""},
		{"begun", 1, 100, []string{"1%"}, "left"},
		{"beyond", 300, 100, []string{"100%"}, "░"},
		{"unknown", 42, 0, []string{"task", "42", "10s"}, "%"},
	} {
		got := line("task", c.done, c.total, 10*time.Second)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q has no %q", c.name, got, want)
			}
		}
		if c.absent != "" && strings.Contains(got, c.absent) {
			t.Errorf("%s: %q has %q", c.name, got, c.absent)
		}
	}
}

func TestBarIsQuietInAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	b := New(w, "task")
	b.begun = time.Now().Add(-time.Minute)
	b.Show(1, 2)
	b.Done()
	w.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(r); err != nil || got.Len() > 0 {
		t.Errorf("a pipe was told %q (%v)", got.String(), err)
	}
}

func TestBarIsTakenAway(t *testing.T) {
	var out bytes.Buffer
	b := &Bar{out: &out, label: "task", begun: time.Now().Add(-time.Minute)}
	b.Show(1, 2)
	b.Show(2, 2) // too soon to be drawn again
	b.Done()
	b.Show(2, 2)
	if n := strings.Count(out.String(), "task"); n != 1 {
		t.Errorf("the bar was drawn %d times, want once", n)
	}
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("the bar was left on the screen: %q", out.String())
	}
}
