package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
	"almoner/tables"
)

func newSchema(db *database) *cobra.Command {
	cmd := &cobra.Command{Use: "schema", Short: "The deployment's own tables and columns", Args: usageArgs(cobra.NoArgs), RunE: needSubcommand}
	check := &cobra.Command{
		Use: "check [DIR]", Short: "Check the overlay files of a folder", Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return checkSchema(overlayOf(db, args)) },
	}
	plan := &cobra.Command{
		Use: "plan [DIR]", Short: "Print the additive DDL the database still needs", Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return planSchema(cmd.Context(), db, overlayOf(db, args))
		},
	}
	apply := &cobra.Command{
		Use: "apply [DIR]", Short: "Run that DDL and keep the overlay in the database", Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return applySchema(cmd.Context(), db, overlayOf(db, args))
		},
	}
	cmd.AddCommand(check, plan, apply)
	return cmd
}

// overlayOf is the folder named as an argument, else by --overlay.
func overlayOf(db *database, args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return db.overlay
}

func checkSchema(dir string) error {
	if dir == "" {
		_, err := tables.Model()
		return err
	}
	if _, err := tables.ModelWith(dir); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, dir, "is sound")
	return nil
}

// planSchema prints what an overlay would change. A database that is not there yet is made first, without the overlay.
func planSchema(ctx context.Context, db *database, dir string) error {
	db.overlay = ""
	plain, err := db.open(ctx, opening{keepSchema: true})
	if err != nil {
		return err
	}
	if err := plain.store.Close(); err != nil {
		return err
	}
	db.overlay = dir
	o, err := db.open(ctx, opening{keepSchema: true})
	if err != nil {
		return err
	}
	defer o.store.Close()
	pending, err := o.store.Pending(ctx)
	if err != nil {
		return err
	}
	for _, statement := range pending {
		fmt.Println(strings.TrimSuffix(statement, ";") + ";")
	}
	if len(pending) == 0 {
		fmt.Fprintln(os.Stderr, "the database has everything the model asks for")
	}
	return nil
}

// applySchema migrates the database and keeps the overlay's files in it, so that every node finds them at its next start.
func applySchema(ctx context.Context, db *database, dir string) error {
	db.overlay = dir
	o, err := db.open(ctx, opening{})
	if err != nil {
		return err
	}
	defer o.store.Close()
	if err := o.store.Migrate(ctx); err != nil {
		return err
	}
	if dir == "" {
		return nil
	}
	files, err := overlayFiles(dir)
	if err != nil {
		return err
	}
	err = o.store.Write(ctx, func(tx store.Tx) error { return keepOverlay(ctx, tx, o, files) })
	if err == nil {
		fmt.Fprintf(os.Stderr, "applied %d overlay files\n", len(files))
	}
	return err
}

// keepOverlay replaces the overlay kept in the database.
func keepOverlay(ctx context.Context, tx store.Tx, o *opened, files map[string]string) error {
	stored, err := readSettings(ctx, tx, o.model)
	if err != nil {
		return err
	}
	t := o.model.Table("setting")
	for name := range stored {
		if strings.HasPrefix(name, overlayPrefix) {
			if err := tx.Remove(ctx, t, []query.Assign{{Column: t.MustColumn("name"), Value: value.Text(name)}}); err != nil {
				return err
			}
		}
	}
	for file, text := range files {
		if err := putSetting(ctx, tx, o.model, overlayPrefix+file, text); err != nil {
			return err
		}
	}
	return nil
}

// overlayFiles reads the YAML files of a folder by their path inside it.
func overlayFiles(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path) // #nosec G122 -- a folder of the operator's own
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	return files, err
}
