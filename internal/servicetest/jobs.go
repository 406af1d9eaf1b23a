package servicetest

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
)

// RunJobs lets the service's background jobs run until RestJobs or the end of the test.
func (s *Server) RunJobs(t testing.TB) {
	t.Helper()
	if s.stopJobs != nil {
		return // they run
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Service.Run(ctx) }()
	s.stopJobs = sync.OnceFunc(func() { stop(); <-ended })
	t.Cleanup(s.stopJobs)
}

// RestJobs stops the background jobs, if they run, as soon as they have followed the clock.
func (s *Server) RestJobs(t testing.TB) {
	t.Helper()
	if s.stopJobs == nil {
		return // they rest
	}
	s.AwaitJobs(t)
	s.stopJobs()
	s.stopJobs = nil
}

// AwaitJobs waits until the background jobs have followed the clock: the giving year it shows has been turned to, and the quarter that
// ended last has been kept.
func (s *Server) AwaitJobs(t testing.TB) {
	t.Helper()
	now, cfg := s.Service.Engine.Now(), s.Service.Engine.Settings()
	year, quarter := strconv.Itoa(rules.GivingYear(now, cfg)), rules.LastQuarter(now, cfg).String()
	Eventually(t, "the calendar is followed", func() bool {
		return s.Stored(t, "rollover.year") == year && s.Stored(t, "rollover.quarter") == quarter
	})
}

// Eventually waits for something the background jobs do.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Within(t, 30*time.Second, what, holds)
}

// Within waits for something and fails the test when it has not come in time.
func Within(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("%s: not after %v", what, limit)
		}
	}
}

// Stored reads a row of the table of settings, where the background jobs keep their marks too; "" when there is none.
func (s *Server) Stored(t testing.TB, name string) string {
	t.Helper()
	table := s.Service.Engine.Model().Table("setting")
	root := &query.Link{Table: table}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{table.MustColumn("name"), table.MustColumn("value")})}
	rows, err := s.Store.Read(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if string(rows.Bytes(0)) == name {
			return string(rows.Bytes(1))
		}
	}
	return ""
}
