package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// call makes the n-th request of a scenario against a server.
type call func(origin string, n int) (*http.Request, error)

// load is one turn: as many requests as fit into a time, from a few connections.
type load struct {
	clients int
	time    time.Duration
}

// sample is what turns have shown of one side.
type sample struct {
	requests  int
	cpu       time.Duration
	latencies []time.Duration
}

// perRequest is the CPU time one request took on average.
func (s *sample) perRequest() time.Duration {
	if s.requests == 0 {
		return 0
	}
	return s.cpu / time.Duration(s.requests)
}

// percentile returns the latency that p percent of requests stayed below.
func (s *sample) percentile(p int) time.Duration {
	if len(s.latencies) == 0 {
		return 0
	}
	slices.Sort(s.latencies)
	return s.latencies[min(len(s.latencies)-1, len(s.latencies)*p/100)]
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

// turn loads a server and adds to its sample.
func (s *sample) turn(p *process, l load, make call) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	before := p.cpu()
	end := time.Now().Add(l.time)
	next := s.requests
	for range l.clients {
		wg.Go(func() {
			for time.Now().Before(end) {
				mu.Lock()
				n := next
				next++
				mu.Unlock()
				took, err := once(p.origin, n, make)
				mu.Lock()
				if err != nil {
					failed = err
					mu.Unlock()
					return
				}
				s.latencies = append(s.latencies, took)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	s.cpu += p.cpu() - before
	s.requests = len(s.latencies)
	return failed
}

func once(origin string, n int, make call) (time.Duration, error) {
	req, err := make(origin, n)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var head [300]byte
	size, _ := io.ReadFull(resp.Body, head[:])
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err
	}
	if resp.StatusCode >= 300 {
		return 0, fmt.Errorf("%s %s: %s %s", req.Method, req.URL, resp.Status, head[:size])
	}
	return time.Since(began), nil
}

// fetch returns the body of one request with the server's own address taken out.
func fetch(origin string, make call) ([]byte, error) {
	req, err := make(origin, 0)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return bytes.ReplaceAll(body, []byte(origin), []byte("ORIGIN")), err
}
