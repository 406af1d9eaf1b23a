// Command almoner is the data service for grant-making and fundraising foundations: it serves their records over HTTP as OData v4,
// and keeps the database behind it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"almoner/internal/auth"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:]))
}

// Exit statuses: done, failed, wrong usage.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError marks a mistake in the command line.
type usageError struct{ error }

// failed ends a command with status 1 without saying anything more.
var errSilent = errors.New("failed")

func run(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var usage usageError
	var refused *auth.UsageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errSilent):
		return exitFailed
	case errors.As(err, &usage), errors.As(err, &refused):
		fmt.Fprintln(os.Stderr, "almoner:", err)
		return exitUsage
	default:
		fmt.Fprintln(os.Stderr, "almoner:", err)
		return exitFailed
	}
}

func newRoot() *cobra.Command {
	db := &database{}
	root := &cobra.Command{
		Use:           "almoner",
		Short:         "A data service for grant-making and fundraising foundations",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          usageArgs(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	db.addFlags(root.PersistentFlags())
	root.AddCommand(
		newServe(db), newToken(db), newApp(db), newUser(db), newRole(db), newSeed(db), newRecalc(db),
		newBackup(db), newRestore(db), newSchema(db), newExplain(db), newVersion(),
	)
	return root
}

// usageArgs makes a check of arguments report wrong usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}
