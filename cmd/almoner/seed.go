package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newSeed(db *database) *cobra.Command {
	return &cobra.Command{Use: "seed", Short: "Fill an empty database with a sample foundation", RunE: func(*cobra.Command, []string) error { return errors.New("seed: no sample yet") }}
}
