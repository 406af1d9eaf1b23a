package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// needPackages makes sure that node and the packages of package-lock.json are there. A machine without them skips the test
// loudly; under CI=true that is a failure.
func needPackages(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			lacking(t, "no %s on this machine: the published clients are NOT tested; install Node.js 20 or newer with npm", tool)
		}
	}
	if installed() {
		return
	}
	npm := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	if out, err := npm.CombinedOutput(); err != nil {
		lacking(t, "npm ci fails, the published clients are NOT tested: %v\n%s", err, out)
	}
}

// installed tells whether node_modules is at least as new as the lock.
func installed() bool {
	lock, err := os.Stat("package-lock.json")
	if err != nil {
		return false
	}
	there, err := os.Stat("node_modules/.package-lock.json")
	return err == nil && !there.ModTime().Before(lock.ModTime())
}

func lacking(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

var exact = regexp.MustCompile(`^(npm:[^@]+@)?[0-9]+\.[0-9]+\.[0-9]+$`)

// Every package is pinned to one version, and comes from whichever registry npm is set to.
func TestPackagesArePinned(t *testing.T) {
	var wanted struct{ DevDependencies map[string]string }
	read(t, "package.json", &wanted)
	if len(wanted.DevDependencies) == 0 {
		t.Fatal("package.json names no packages")
	}
	for name, version := range wanted.DevDependencies {
		if !exact.MatchString(version) {
			t.Errorf("package.json: %s has the version %q, not one exact version", name, version)
		}
	}
	var lock struct {
		Packages map[string]struct{ Version, Resolved, Integrity string }
	}
	read(t, "package-lock.json", &lock)
	for path, p := range lock.Packages {
		if path == "" {
			continue
		}
		if p.Version == "" || p.Integrity == "" {
			t.Errorf("package-lock.json: %s lacks version or integrity", path)
		}
		if p.Resolved != "" && !strings.HasPrefix(p.Resolved, "https://registry.npmjs.org/") {
			t.Errorf("package-lock.json: %s comes from %s", path, p.Resolved)
		}
	}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
