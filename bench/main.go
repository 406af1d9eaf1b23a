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
	profiles := flag.String("profiles", "", "folder for CPU profiles of the service, one for each scenario")
	keep := flag.String("keep", "", "folder to make the databases in and leave them, to look at afterwards")
	limitDB := flag.String("limit", "", "internal: serve the hand-written handlers on this database")
	flag.Parse()
	if *limitDB != "" {
		log.Fatal(serveLimit(*limitDB))
	}
	if err := run(&bench{dir: *keep, binary: absolute(*binary), size: *size, rounds: *rounds, only: *only, profiles: *profiles}); err != nil {
		log.Fatal(err)
	}
}

// run makes a folder for the databases, unless one was given, and removes it at the end.
func run(b *bench) error {
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "almoner-bench-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		b.dir = dir
	}
	return b.run()
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

	profiles string // folder for CPU profiles; "" for none
	cluster  string // address of the PostgreSQL cluster; "" without one
}

func (b *bench) run() error {
	stores, err := b.stores()
	if err != nil {
		return err
	}
	if err := b.prepare(stores); err != nil {
		return err
	}
	for _, store := range stores {
		fmt.Printf("\n## %s, %s sample\n\n", store.name, b.size)
		if err := b.measureStore(store); err != nil {
			return fmt.Errorf("%s: %w", store.name, err)
		}
		if err := b.growth(store); err != nil {
			return fmt.Errorf("%s: %w", store.name, err)
		}
	}
	return nil
}

// wants tells whether a part of the run was asked for.
func (b *bench) wants(name string) bool { return strings.Contains(name, b.only) }

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
