// Package programtest builds the program once for a test run and runs it as users do: subcommands on a database, and processes that serve
// one and can be killed.
package programtest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"almoner/internal/pgtest"
)

// Main runs the tests of a package and removes the program they have built. A package's TestMain is: os.Exit(programtest.Main(m)).
func Main(m *testing.M) int {
	defer func() {
		if binary.path != "" {
			os.RemoveAll(filepath.Dir(binary.path))
		}
	}()
	return pgtest.Main(m)
}

// binary is the program, built once for all tests.
var binary struct {
	once sync.Once
	path string
	err  error
}

// program returns the path of the program.
func program(t testing.TB) string {
	t.Helper()
	binary.once.Do(func() { binary.path, binary.err = build() })
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

func build() (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	if err := watch(strings.TrimSpace(string(root)), "cmd", "internal", "tables"); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "almoner-program-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "almoner")
	if out, err := exec.Command("go", "build", "-o", path, "almoner/cmd/almoner").CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// watch looks at every file below some folders: go test keeps a result only while the files the test looked at stay as they were, and
// knows nothing of what the compiler reads.
func watch(root string, folders ...string) error {
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
