package postgres

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"almoner/internal/pgtest"
	"almoner/internal/store"
)

func draw(t *testing.T, s *Store, counter string) (n int64) {
	t.Helper()
	mustWrite(t, s, func(tx store.Tx) (err error) {
		n, err = tx.NextNumber(t.Context(), counter)
		return err
	})
	return n
}

func TestCountersCountApart(t *testing.T) {
	dsn := pgtest.DSN(t)
	one, two := openDSN(t, dsn, Options{}), openDSN(t, dsn, Options{})
	odd := strings.Repeat("Long name; ", 20)
	for _, counter := range []string{"gift", "gift2", odd, odd + "x"} {
		if a, b, c := draw(t, one, counter), draw(t, two, counter), draw(t, one, counter); a != 1 || b != 2 || c != 3 {
			t.Errorf("%q counts %d, %d, %d", counter, a, b, c)
		}
	}
}

func TestCounterOutlivesAFailedTransaction(t *testing.T) {
	s := openTest(t, Options{})
	failure := errors.New("failure")
	err := s.Write(t.Context(), func(tx store.Tx) error {
		if _, err := tx.NextNumber(t.Context(), "gift"); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	if n := draw(t, s, "gift"); n < 1 {
		t.Errorf("drew %d", n)
	}
}

func TestNumbersAreGivenOnce(t *testing.T) {
	s := openTest(t, Options{MaxConns: 4})
	var mu sync.Mutex
	var all []int64
	var busy sync.WaitGroup
	for i := range 8 {
		busy.Go(func() {
			var mine []int64
			run := s.Write
			if i%2 == 0 {
				run = s.Bulk
			}
			err := run(t.Context(), func(tx store.Tx) error {
				mine = nil
				for range 100 {
					n, err := tx.NextNumber(t.Context(), "gift")
					if err != nil {
						return err
					}
					mine = append(mine, n)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	busy.Wait()
	slices.Sort(all)
	if len(all) != 800 || len(slices.Compact(all)) != 800 {
		t.Errorf("%d numbers, %d of them different", len(all), len(slices.Compact(all)))
	}
}

func TestSequenceNames(t *testing.T) {
	seen := map[string]string{}
	for _, counter := range []string{"gift", "Gift", "gift ", "", "x_gift", "almoner_numberx_", strings.Repeat("a", 40), strings.Repeat("a", 41), "é"} {
		name := sequenceName(counter)
		if other, taken := seen[name]; taken || len(name) > 63 {
			t.Errorf("%q: name %q, also that of %q", counter, name, other)
		}
		seen[name] = counter
	}
}
