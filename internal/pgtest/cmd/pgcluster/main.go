// Command pgcluster starts a private PostgreSQL cluster, runs a command with ALMONER_TEST_PG naming it, stops the cluster and
// exits with the command's status:
//
//	go run ./internal/pgtest/cmd/pgcluster -- go test ./...
//
// Where PostgreSQL is missing the command runs without the variable, and its tests say so themselves.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"almoner/internal/pgtest"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: pgcluster [--] COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	status, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pgcluster:", err)
	}
	os.Exit(status)
}

func run(args []string) (status int, err error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cluster, err := pgtest.Start()
	switch {
	case errors.Is(err, pgtest.ErrMissing):
		fmt.Fprintln(os.Stderr, err)
	case err != nil:
		return 1, err
	default:
		defer func() { err = errors.Join(err, cluster.Stop()) }()
		cmd.Env = append(os.Environ(), pgtest.Variable+"="+cluster.DSN())
	}
	return supervise(cmd)
}

// supervise runs the command to its end. Signals end the command, not this process, which still has the cluster to stop.
func supervise(cmd *exec.Cmd) (int, error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // fails only when the command has ended already
		case err := <-done:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return max(exit.ExitCode(), 1), nil
			}
			if err != nil {
				return 1, err
			}
			return 0, nil
		}
	}
}
