package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a declaration file. The zero Position belongs to what compilation adds by itself.
type Position struct {
	File string
	Line int
}

// String prints file:line.
func (p Position) String() string {
	if p.File == "" {
		return "(built in)"
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Problem is one mistake in the declarations.
type Problem struct {
	At      Position
	Message string
}

// Problems is every mistake found in one go, in order of file and line. It is the error of Load, Overlay and Compile.
type Problems []Problem

// Error prints one problem a line: file:line: message.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.At.String() + ": " + problem.Message
	}
	return strings.Join(lines, "\n")
}

func (p *Problems) add(at Position, format string, args ...any) {
	*p = append(*p, Problem{At: at, Message: fmt.Sprintf(format, args...)})
}

// err returns the problems in order of place, or nil when there are none.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.Message, b.Message))
	})
	return p
}
