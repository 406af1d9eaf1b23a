package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"almoner/internal/store/sqlite"
)

func newBackup(db *database) *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Write a consistent copy of the embedded database, also while it is served", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := db.open(cmd.Context(), opening{keepSchema: true})
			if err != nil {
				return err
			}
			defer o.store.Close()
			if err := o.store.Backup(cmd.Context(), args[0]); err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, "backed up to", args[0])
			return nil
		},
	}
}

func newRestore(db *database) *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Make the database from a backup; an existing one is never overwritten", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isPostgres(db.dsn) {
				return fmt.Errorf("restore is for the embedded store; use pg_restore for PostgreSQL")
			}
			if err := sqlite.Restore(cmd.Context(), args[0], db.file()); err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, "restored to", db.file())
			return nil
		},
	}
}
