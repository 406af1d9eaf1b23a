package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func newRecalc(db *database) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use: "recalc", Short: "Recompute every derived value from base rows", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(os.Stderr, "recalc", check, db.dsn)
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only compare; print each drift and exit 1 if there is any")
	return cmd
}
