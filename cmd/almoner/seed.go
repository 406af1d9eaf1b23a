package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"almoner/internal/engine"
	"almoner/internal/progress"
	"almoner/internal/seed"
	"almoner/internal/value"
)

func newSeed(db *database) *cobra.Command {
	s := &seedCommand{db: db}
	cmd := &cobra.Command{
		Use: "seed", Short: "Fill an empty database with a sample foundation", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	cmd.Flags().StringVar(&s.size, "size", "small", "how large: "+strings.Join(seed.SizeNames(), ", "))
	cmd.Flags().Uint64Var(&s.seed, "seed", 1, "number the sample is drawn from; the same number gives the same rows")
	cmd.Flags().StringVar(&s.asOf, "as-of", "", "day all dates hang on, as 2026-06-30 (default today)")
	return cmd
}

// seedCommand makes a sample.
type seedCommand struct {
	db         *database
	size, asOf string
	seed       uint64
}

func (s *seedCommand) run(ctx context.Context) error {
	o, err := s.options()
	if err != nil {
		return usageError{err}
	}
	db, err := s.db.open(ctx, opening{load: true})
	if err != nil {
		return err
	}
	defer db.store.Close()
	eng, err := db.engine(ctx)
	if err != nil {
		return err
	}
	bar := progress.New(os.Stderr, "seeding "+o.Size.Name)
	o.Progress = bar.Show
	err = seed.Fill(ctx, eng, o)
	bar.Done()
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	fmt.Fprintf(os.Stderr, "seeded %s: %d donors, %d funds, %d gifts, %d gift payments, %d request payments\n",
		o.Size.Name, o.Size.Donors, o.Size.Funds, o.Size.Gifts, o.Size.GiftPayments, o.Size.RequestPayments)
	return nil
}

// options reads the command line.
func (s *seedCommand) options() (seed.Options, error) {
	size, err := seed.SizeOf(s.size)
	if err != nil {
		return seed.Options{}, fmt.Errorf("--size: %w", err)
	}
	day := value.DateOf(time.Now().Unix(), time.UTC)
	if s.asOf != "" {
		day, err = value.ParseDate(s.asOf)
		if err != nil || day < earliest || day > latest {
			return seed.Options{}, fmt.Errorf("--as-of %q is not a day like 2026-06-30 between 1990 and 2199", s.asOf)
		}
	}
	return seed.Options{Size: size, Seed: s.seed, AsOf: day}, nil
}

// The days a sample can hang on.
var (
	earliest = value.CivilDays(1990, 1, 1)
	latest   = value.CivilDays(2199, 12, 31)
)

// engine opens the rules over the database, for commands that write rows.
func (db *opened) engine(ctx context.Context) (*engine.Engine, error) {
	return engine.New(ctx, engine.Options{Store: db.store, Model: db.model, Settings: db.settings, Logger: db.log})
}
