// Package wiretest runs golden conversations with the service: readable text files of requests and the answers they must get, the
// same to the byte on every store.
//
//	# a comment
//	@ data/foundation.txt
//	> POST /svc_gifts
//	> Prefer: return=representation
//	> {"svc_giftnum": "G-1"}
//	< 201
//	< OData-EntityId: ${base}/svc_gifts(${gift:guid})
//	< {"@odata.context":…}
//
// ${name} stands for a value seen before, ${name:guid}, ${name:num} and ${name:token} for one seen here first. Only the headers
// written are compared; a body is compared whole. A line that begins with @ names a conversation to hold first, such as one that
// creates rows. A line that begins with ! is an order to whoever runs the service:
//
//	! set year.start_month 7          before the first request: start the service with this setting
//	! clock 2026-07-01T00:00:00Z      move its clock; the background jobs rest from then on
//	! jobs                            let the background jobs do what the clock asks for
package wiretest

import (
	"fmt"
	"strings"
	"time"
)

// Conversation is what a file holds.
type Conversation struct {
	Before    []string    // conversations to hold first
	Settings  [][2]string // settings the service is started with, by name and text
	Exchanges []*Exchange
}

// Exchange is one request and its expected answer.
type Exchange struct {
	Line     int
	Comments []string  // lines before it, written back as they are
	Clock    time.Time // what the service's clock is moved to before it; zero where it stands
	Jobs     bool      // the background jobs run before it, after the clock has moved
	Method   string
	Target   string // path and query, relative to the service's base unless it begins with ${origin}
	Header   [][2]string
	Body     string
	Want     Answer
}

// Answer is what a request gets back.
type Answer struct {
	Status string
	Header [][2]string
	Body   string
}

// Parse reads a conversation.
func Parse(text string) (*Conversation, error) {
	c, next := &Conversation{}, &Exchange{}
	var x *Exchange
	answering := false
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, ">") && (x == nil || answering):
			method, target, ok := strings.Cut(content(line), " ")
			if !ok {
				return nil, fmt.Errorf("line %d: a request is METHOD and target", i+1)
			}
			x, next, answering = next, &Exchange{}, false
			x.Line, x.Method, x.Target = i+1, method, target
			c.Exchanges = append(c.Exchanges, x)
		case strings.HasPrefix(line, ">"):
			addLine(&x.Header, &x.Body, content(line))
		case strings.HasPrefix(line, "<") && x == nil:
			return nil, fmt.Errorf("line %d: an answer without a request", i+1)
		case strings.HasPrefix(line, "<") && !answering:
			x.Want.Status, answering = content(line), true
		case strings.HasPrefix(line, "<"):
			addLine(&x.Want.Header, &x.Want.Body, content(line))
		default:
			if err := c.prepare(next, line); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
	}
	return c, nil
}

// prepare takes up a line before a request: a comment, or what is to be done before it.
func (c *Conversation) prepare(x *Exchange, line string) (err error) {
	x.Comments = append(x.Comments, line)
	words, first := strings.Fields(line), len(c.Exchanges) == 0
	n := len(words)
	order := strings.Join(words[:min(n, 2)], " ")
	switch {
	case n == 0 || strings.HasPrefix(line, "#"):
	case n == 2 && words[0] == "@" && first:
		c.Before = append(c.Before, words[1])
	case n == 4 && order == "! set" && first:
		c.Settings = append(c.Settings, [2]string{words[2], words[3]})
	case n == 3 && order == "! clock":
		x.Clock, err = time.Parse(time.RFC3339, words[2])
	case n == 2 && order == "! jobs":
		x.Jobs = true
	default:
		err = fmt.Errorf("%q is no order that can be followed here", line)
	}
	return err
}

func content(line string) string { return strings.TrimPrefix(line[1:], " ") }

// addLine adds a header line, or from the first line that is none on, a line of the body.
func addLine(header *[][2]string, body *string, line string) {
	name, val, ok := strings.Cut(line, ": ")
	if *body == "" && ok && !strings.ContainsAny(name, " {[\"<") {
		*header = append(*header, [2]string{name, val})
		return
	}
	if *body != "" {
		*body += "\n"
	}
	*body += line
}

// Print writes a conversation back.
func Print(c *Conversation) string {
	var b strings.Builder
	for _, x := range c.Exchanges {
		for _, line := range x.Comments {
			b.WriteString(line + "\n")
		}
		fmt.Fprintf(&b, "> %s %s\n", x.Method, x.Target)
		printPart(&b, ">", x.Header, x.Body)
		fmt.Fprintf(&b, "< %s\n", x.Want.Status)
		printPart(&b, "<", x.Want.Header, x.Want.Body)
	}
	return b.String()
}

func printPart(b *strings.Builder, mark string, header [][2]string, body string) {
	for _, h := range header {
		fmt.Fprintf(b, "%s %s: %s\n", mark, h[0], h[1])
	}
	if body == "" {
		return
	}
	for _, line := range strings.Split(body, "\n") {
		b.WriteString(strings.TrimRight(mark+" "+line, " ") + "\n")
	}
}
