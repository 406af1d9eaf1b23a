package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"almoner/internal/progress"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/value"
)

func newRecalc(db *database) *cobra.Command {
	r := &recalcCommand{db: db}
	cmd := &cobra.Command{
		Use: "recalc", Short: "Recompute every derived value from base rows", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	cmd.Flags().BoolVar(&r.check, "check", false, "only compare; print each drift and exit 1 if there is any")
	cmd.Flags().StringVar(&r.table, "table", "", "only rows of this table: "+strings.Join(derivedTables(), ", "))
	cmd.Flags().StringVar(&r.id, "id", "", "only the row with this GUID")
	return cmd
}

// sumsOf names, for parents whose sums per giving year are kept in a table of their own, that table.
var sumsOf = map[string]string{"svc_donor": "donoryear", "svc_fund": "fundyear"}

// derivedTables lists the tables with derived values.
func derivedTables() []string {
	return []string{
		"svc_gift", "svc_giftpayment", "svc_giftfee", "svc_request", "svc_requestpayment", "svc_donor", "svc_fund", "svc_fundgroup",
		"svc_event", "svc_proposal", "svc_donoropportunities", "svc_interfundgrants", "svc_portaldonatetransaction", "list",
	}
}

// recalcCommand compares or mends derived values.
type recalcCommand struct {
	db        *database
	check     bool
	table, id string
}

func (r *recalcCommand) run(ctx context.Context, stdout io.Writer) error {
	only, err := r.narrowed()
	if err != nil {
		return usageError{err}
	}
	db, err := r.db.open(ctx, opening{})
	if err != nil {
		return err
	}
	defer db.store.Close()
	eng, err := db.engine(ctx)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(stdout)
	defer out.Flush()
	bar := progress.New(os.Stderr, "recalculating")
	drifts := 0
	err = eng.Recalc(ctx, rules.Recalculation{
		Check: r.check, Only: only, Progress: func(rows int64) { bar.Show(rows, 0) },
		Drift: func(d rules.Drift) error {
			drifts++
			if !r.check {
				return nil
			}
			_, err := fmt.Fprintln(out, d)
			return err
		},
	}, false)
	bar.Done()
	if err != nil {
		return fmt.Errorf("recalc: %w", err)
	}
	return r.report(drifts)
}

// report ends the command by what was found.
func (r *recalcCommand) report(drifts int) error {
	switch {
	case !r.check:
		fmt.Fprintf(os.Stderr, "%d values changed\n", drifts)
	case drifts > 0:
		fmt.Fprintf(os.Stderr, "%d values drifted\n", drifts)
		return errSilent
	default:
		fmt.Fprintln(os.Stderr, "no drift")
	}
	return nil
}

// narrowed reads --table and --id: which rows are compared; nil for all.
func (r *recalcCommand) narrowed() (func(*schema.Table, value.GUID) bool, error) {
	if r.table != "" && !slices.Contains(derivedTables(), r.table) {
		return nil, fmt.Errorf("--table %q is none of the tables with derived values: %s", r.table, strings.Join(derivedTables(), ", "))
	}
	var id value.GUID
	if r.id != "" {
		var err error
		if id, err = value.ParseGUID(r.id); err != nil {
			return nil, fmt.Errorf("--id %q is not a GUID", r.id)
		}
	}
	if r.table == "" && r.id == "" {
		return nil, nil
	}
	return func(t *schema.Table, row value.GUID) bool {
		return (r.table == "" || t.Name == r.table || t.Name == sumsOf[r.table]) && (r.id == "" || row == id)
	}, nil
}
