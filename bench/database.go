package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/jackc/pgx/v5"

	"almoner/tables"
)

// database is one store under measurement: a sample for the scenarios, and a small one beside a large one for the growth lines.
type database struct {
	name         string
	dsn          string
	small, large string
	postmaster   int // of a PostgreSQL cluster; 0 for the embedded store
}

// stores lists the embedded store and, where a test cluster was given, PostgreSQL.
func (b *bench) stores() ([]database, error) {
	file := func(name string) string { return filepath.Join(b.dir, name) }
	out := []database{{name: "SQLite", dsn: file("bench.db"), small: file("small.db"), large: file("large.db")}}
	dsn := os.Getenv("ALMONER_TEST_PG")
	if dsn == "" {
		return out, nil
	}
	postmaster, err := findPostmaster(dsn)
	if err != nil {
		return nil, err
	}
	pg := database{name: "PostgreSQL", postmaster: postmaster}
	for name, into := range map[string]*string{"bench_main": &pg.dsn, "bench_small": &pg.small, "bench_large": &pg.large} {
		if *into, err = sibling(dsn, name); err != nil {
			return nil, err
		}
	}
	return append(out, pg), b.administer(dsn, "CREATE DATABASE bench_main", "CREATE DATABASE bench_small")
}

// sibling is the address of another database of the same cluster.
func sibling(dsn, name string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// administer runs statements on a cluster's own database, and remembers its address.
func (b *bench) administer(dsn string, statements ...string) error {
	b.cluster = dsn
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// prepare fills the databases of all stores at the same time.
func (b *bench) prepare(stores []database) error {
	errs := make([]error, len(stores))
	var wg sync.WaitGroup
	for i, store := range stores {
		wg.Go(func() { errs[i] = b.fill(store) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// fill makes the sample of a store and, if they are asked for, its small and its large database.
func (b *bench) fill(store database) error {
	if err := b.seed(store.dsn, b.size); err != nil || !b.wants(growthLines) {
		return err
	}
	if err := b.seed(store.small, "small"); err != nil {
		return err
	}
	return b.enlarge(store)
}

func (b *bench) seed(dsn, size string) error {
	return b.command("seed", "--db", dsn, "--size", size, "--seed", "1", "--as-of", "2026-06-30")
}

// enlarge makes the large database out of a copy of the small one.
func (b *bench) enlarge(store database) error {
	m, err := tables.Model()
	if err != nil {
		return err
	}
	code := m.Table("svc_gift").TypeCode
	if store.postmaster == 0 {
		if err := copyFile(store.large, store.small); err != nil {
			return err
		}
		s, err := openSQLiteScript(store.large)
		if err != nil {
			return err
		}
		return errors.Join(grow(s, code), s.Close())
	}
	if err := b.administer(b.cluster, "CREATE DATABASE bench_large TEMPLATE bench_small"); err != nil {
		return err
	}
	s, err := openPostgresScript(store.large)
	if err != nil {
		return err
	}
	return errors.Join(grow(s, code), s.Close(context.Background()))
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
