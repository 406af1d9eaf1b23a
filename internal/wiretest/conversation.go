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
// creates rows.
package wiretest

import (
	"fmt"
	"strings"
)

// Exchange is one request and its expected answer.
type Exchange struct {
	Line     int
	Comments []string // lines before it, written back as they are
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
func Parse(text string) ([]*Exchange, error) {
	var out []*Exchange
	var comments []string
	var x *Exchange
	answering := false
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, ">"):
			if x == nil || answering {
				method, target, ok := strings.Cut(content(line), " ")
				if !ok {
					return nil, fmt.Errorf("line %d: a request is METHOD and target", i+1)
				}
				x = &Exchange{Line: i + 1, Comments: comments, Method: method, Target: target}
				out, comments, answering = append(out, x), nil, false
				continue
			}
			addLine(&x.Header, &x.Body, content(line))
		case strings.HasPrefix(line, "<"):
			if x == nil {
				return nil, fmt.Errorf("line %d: an answer without a request", i+1)
			}
			if !answering {
				x.Want.Status, answering = content(line), true
				continue
			}
			addLine(&x.Want.Header, &x.Want.Body, content(line))
		default:
			comments = append(comments, line)
		}
	}
	return out, nil
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
func Print(exchanges []*Exchange) string {
	var b strings.Builder
	for _, x := range exchanges {
		for _, c := range x.Comments {
			b.WriteString(c + "\n")
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
