package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set at build time by -ldflags "-X main.version=…".
var version = "dev"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, commit, Go version and store drivers", Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			commit, drivers := buildFacts()
			fmt.Printf("almoner %s\ncommit %s\n%s %s/%s\n%s", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, drivers)
			return nil
		},
	}
}

// commit is set at build time, for builds outside a checkout's own.
var commit = ""

// buildFacts reads commit and driver versions from what the linker left in the program.
func buildFacts() (rev, drivers string) {
	rev = commit
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return rev, ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && rev == "" {
			rev = s.Value
		}
	}
	for _, d := range info.Deps {
		switch d.Path {
		case "modernc.org/sqlite", "zombiezen.com/go/sqlite", "github.com/jackc/pgx/v5":
			drivers += fmt.Sprintf("%s %s\n", d.Path, d.Version)
		}
	}
	return rev, drivers
}
