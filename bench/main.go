// Command bench compares the service with hand-written handlers on the same databases and drivers, in turns, over loopback, and prints
// ratios: CPU time per request, and latencies. It makes its own data, starts everything itself and cleans up.
//
//	go run ./internal/pgtest/cmd/pgcluster -- go run ./bench
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	binary := flag.String("bin", "bin/almoner", "the service to measure")
	size := flag.String("size", "medium", "sample to measure on")
	rounds := flag.Int("rounds", 4, "turns each side gets per scenario")
	only := flag.String("only", "", "run only scenarios whose name contains this")
	limitDB := flag.String("limit", "", "internal: serve the hand-written handlers on this database")
	flag.Parse()
	if *limitDB != "" {
		log.Fatal(serveLimit(*limitDB))
	}
	dir, err := os.MkdirTemp("", "almoner-bench-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, binary: absolute(*binary), size: *size, rounds: *rounds, only: *only}
	if err := b.run(); err != nil {
		os.RemoveAll(dir)
		log.Fatal(err)
	}
}

func absolute(path string) string {
	out, err := filepath.Abs(path)
	if err != nil {
		log.Fatal(err)
	}
	return out
}

// bench is one run of everything.
type bench struct {
	dir    string
	binary string
	size   string
	rounds int
	only   string
}

func (b *bench) run() error {
	stores, err := b.stores()
	if err != nil {
		return err
	}
	for _, store := range stores {
		fmt.Printf("\n## %s, %s sample\n\n", store.name, b.size)
		if err := b.seed(store.dsn); err != nil {
			return err
		}
		if err := b.measureStore(store); err != nil {
			return fmt.Errorf("%s: %w", store.name, err)
		}
	}
	return nil
}

// database is one store under measurement.
type database struct {
	name, dsn  string
	postmaster int // of a PostgreSQL cluster; 0 for the embedded store
}

// stores lists the embedded store and, where a test cluster was given, PostgreSQL.
func (b *bench) stores() ([]database, error) {
	out := []database{{name: "SQLite", dsn: filepath.Join(b.dir, "bench.db")}}
	if dsn := os.Getenv("ALMONER_TEST_PG"); dsn != "" {
		postmaster, err := findPostmaster(dsn)
		if err != nil {
			return nil, err
		}
		out = append(out, database{name: "PostgreSQL", dsn: dsn, postmaster: postmaster})
	}
	return out, nil
}

func (b *bench) seed(dsn string) error {
	return b.command("seed", "--db", dsn, "--size", b.size, "--seed", "1", "--as-of", "2026-06-30")
}

// command runs the service's binary and shows what it says on failure.
func (b *bench) command(args ...string) error {
	out, err := exec.Command(b.binary, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("almoner %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (b *bench) token(dsn string) (string, error) {
	out, err := exec.Command(b.binary, "token", "--db", dsn, "--ttl", "8h").Output()
	return strings.TrimSpace(string(out)), err
}
