package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/fetchxml"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store/sqlgen"
)

func newExplain(db *database) *cobra.Command {
	return &cobra.Command{
		Use: "explain 'svc_gifts?$filter=…'", Short: "Show what becomes of a query: tree, SQL of both stores, plan of this one", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := db.open(cmd.Context(), opening{keepSchema: true})
			if err != nil {
				return err
			}
			defer o.store.Close()
			q, err := explained(cmd, o, args[0])
			if err != nil {
				return fmt.Errorf("%s", fault.As(err).Message)
			}
			return printExplained(cmd, o, q)
		},
	}
}

// explained binds and prepares the query of a URL for the administrator.
func explained(cmd *cobra.Command, o *opened, url string) (*query.Query, error) {
	set, options, _ := strings.Cut(url, "?")
	table := o.model.Set(set)
	if table == nil {
		return nil, fault.NoSegment(set)
	}
	parsed, err := odata.ParseOptions(options)
	if err != nil {
		return nil, err
	}
	q, err := bindExplained(o.model, table, parsed)
	if err != nil {
		return nil, err
	}
	eng, err := engine.New(cmd.Context(), engine.Options{Store: o.store, Model: o.model, Settings: o.settings, Logger: o.log})
	if err != nil {
		return nil, err
	}
	plan, err := eng.Session(auth.System(o.model, auth.RootUnit)).Prepare(q)
	if err != nil {
		return nil, err
	}
	return plan.Query, nil
}

// bindExplained binds a query in either language.
func bindExplained(m *schema.Model, t *schema.Table, o *odata.Options) (*query.Query, error) {
	if o.FetchXML == "" {
		bound, err := odata.Bind(m, t, o)
		if err != nil {
			return nil, err
		}
		bound.LimitExpands(0, engine.MaxPage)
		return bound.Query, nil
	}
	fetch, err := fetchxml.Parse(o.FetchXML)
	if err != nil {
		return nil, err
	}
	bound, err := fetchxml.Bind(m, fetch)
	if err != nil {
		return nil, err
	}
	return bound.Query, nil
}

func printExplained(cmd *cobra.Command, o *opened, q *query.Query) error {
	fmt.Printf("-- tree\n%s\n", q)
	calendar := query.Calendar{Zone: o.settings.Location(), StartMonth: o.settings.YearStartMonth}
	for _, d := range []struct {
		name    string
		dialect *sqlgen.Dialect
	}{{"sqlite", sqlgen.SQLite}, {"postgres", sqlgen.Postgres}} {
		if err := printStatements(d.name, d.dialect, calendar, q); err != nil {
			return err
		}
	}
	text, err := o.store.Explain(cmd.Context(), q)
	if err != nil {
		return err
	}
	fmt.Printf("\n-- plan on %s\n%s\n", o.store.Name(), text)
	return nil
}

// printStatements prints what a store is asked: the rows, then each expanded collection for all parents of a page.
func printStatements(name string, d *sqlgen.Dialect, calendar query.Calendar, q *query.Query) error {
	statements, err := sqlgen.Read(d, calendar, q)
	if err != nil {
		return err
	}
	for _, s := range statements {
		fmt.Printf("\n-- %s\n%s\n", name, s.SQL)
	}
	return printCollections(name, d, calendar, &q.Select)
}

func printCollections(name string, d *sqlgen.Dialect, calendar query.Calendar, n *query.Node) error {
	for _, e := range n.Expands {
		for _, one := range e.One {
			if err := printCollections(name, d, calendar, one); err != nil {
				return err
			}
		}
		if e.Many == nil {
			continue
		}
		s, err := sqlgen.Children(d, calendar, e, nil)
		if err != nil {
			return err
		}
		fmt.Printf("\n-- %s, %s\n%s\n", name, e.Nav.Name, s.SQL)
		if err := printCollections(name, d, calendar, &e.Many.Select); err != nil {
			return err
		}
	}
	return nil
}
