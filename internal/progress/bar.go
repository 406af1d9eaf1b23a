// Package progress shows on a terminal how far a long task is, and nothing anywhere else.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
)

// The look of the bar, and how often it is drawn anew.
const (
	width   = 30
	pace    = 100 * time.Millisecond
	patient = 300 * time.Millisecond // a task that ends sooner shows nothing
)

// Bar is the progress of one task on one line. Its methods may be called from any goroutine.
type Bar struct {
	mu    sync.Mutex
	out   io.Writer // nil: nobody watches
	label string
	begun time.Time
	drawn time.Time
}

// New begins a task. The bar stays invisible unless file is a terminal.
func New(file *os.File, label string) *Bar {
	b := &Bar{label: label, begun: time.Now()}
	if isatty.IsTerminal(file.Fd()) {
		b.out = file
	}
	return b
}

// Show says how much of the total is done; a total of 0 means that it is not known.
func (b *Bar) Show(done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.out == nil || now.Sub(b.begun) < patient || now.Sub(b.drawn) < pace {
		return
	}
	b.drawn = now
	fmt.Fprint(b.out, "\r\x1b[K", line(b.label, done, total, now.Sub(b.begun)))
}

// Done ends the task and takes the bar away.
func (b *Bar) Done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.out != nil && !b.drawn.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
	b.out = nil
}

// line prints a bar: label, blocks, percentage, count and time left.
func line(label string, done, total int64, elapsed time.Duration) string {
	if total <= 0 {
		return fmt.Sprintf("%s  %d  %s", label, done, elapsed.Round(time.Second))
	}
	part := min(float64(done)/float64(total), 1)
	full := int(part * width)
	text := fmt.Sprintf("%s  %s%s %3.0f%%", label, strings.Repeat("█", full), strings.Repeat("░", width-full), part*100)
	if part > 0.02 {
		left := time.Duration(float64(elapsed) * (1 - part) / part)
		text += fmt.Sprintf("  about %s left", left.Round(time.Second))
	}
	return text
}
