package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// profile takes a CPU profile of the service while do runs, for the given number of seconds, and keeps it under the scenario's name.
func (b *bench) profile(f *facts, service *process, name string, seconds int, do func() error) error {
	if b.profiles == "" {
		return do()
	}
	if err := os.MkdirAll(b.profiles, 0o755); err != nil {
		return err
	}
	taken := make(chan error, 1)
	go func() {
		body, err := fetch(service.origin, func(origin string, _ int) (*http.Request, error) {
			return f.request(origin, http.MethodGet, fmt.Sprintf("/debug/pprof/profile?seconds=%d", seconds), "", nil)
		})
		if err == nil {
			file := strings.NewReplacer(" ", "-", ",", "").Replace(service.store.name+" "+name) + ".prof"
			err = os.WriteFile(filepath.Join(b.profiles, file), body, 0o644)
		}
		taken <- err
	}()
	return errors.Join(do(), <-taken)
}
