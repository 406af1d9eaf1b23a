package auth

import (
	"os"
	"sync"
	"testing"
	"time"

	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/store/postgres"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestNodesStartAtOnce has several processes find one empty database and prepare it at the same moment.
func TestNodesStartAtOnce(t *testing.T) {
	dsn := pgtest.DSN(t)
	m := testModel(t)
	stores := make([]*postgres.Store, 3)
	for i := range stores {
		s, err := postgres.Open(t.Context(), dsn, m, postgres.Options{MaxConns: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		stores[i] = s
	}
	var wg sync.WaitGroup
	for _, s := range stores {
		wg.Go(func() {
			if err := Bootstrap(t.Context(), s, m, time.Now(), settings.Default()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for table, want := range map[string]int64{"organization": 1, "role": 3, "systemuser": 2, "privilege": int64(len(CatalogOf(m).All())), "signingkey": 1} {
		root := &query.Link{Table: m.Table(table)}
		q := &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, root.Table.Columns[:1])}}
		if got, err := stores[0].Count(t.Context(), q); err != nil || got != want {
			t.Errorf("%d rows of %s (%v), want %d", got, table, err, want)
		}
	}
	disabledOnOneNode(t, NewRegistry(stores[0], m, nil), NewRegistry(stores[1], m, nil))
}

// disabledOnOneNode proves that an application made and disabled through one process works and stops working in another.
func disabledOnOneNode(t *testing.T, here, there *Registry) {
	t.Helper()
	ctx := t.Context()
	app, err := here.CreateApp(ctx, "Website", []string{RoleReader})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{Directory: there, Model: there.model, BaseURL: siteURL, TokenTTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	p := Principal{Client: app.ClientID}
	for _, change := range []struct {
		do      func() error
		refused bool
	}{
		{func() error { return nil }, false},
		{func() error { return here.DisableApp(ctx, "Website") }, true},
	} {
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		if err := a.Poll(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Caller(ctx, p, Impersonation{}); (err != nil) != change.refused {
			t.Errorf("caller: %v, refused should be %v", err, change.refused)
		}
	}
}
