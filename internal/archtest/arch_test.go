// Package archtest keeps the map of docs/architecture.md true: who may import whom, and that every package says what it is.
package archtest

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// goPackage is what go list tells of a package.
type goPackage struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string // without tests
}

// forbidden lists, for a package and all below it, imports it must not have.
var forbidden = map[string][]string{
	"almoner/internal/value":        {"almoner/"},
	"almoner/internal/fault":        {"almoner/"},
	"almoner/internal/schema":       {"almoner/internal/query", "almoner/internal/store", "almoner/internal/odata"},
	"almoner/internal/query":        {"almoner/internal/store", "almoner/internal/odata", "almoner/internal/fetchxml", "net/http"},
	"almoner/internal/odata":        {"almoner/internal/store", "almoner/internal/fetchxml", "almoner/internal/engine", "net/http"},
	"almoner/internal/fetchxml":     {"almoner/internal/store", "almoner/internal/odata", "almoner/internal/engine", "net/http"},
	"almoner/internal/rules":        {"almoner/internal/store", "almoner/internal/engine", "almoner/internal/auth", "net/http"},
	"almoner/internal/engine":       {"net/http", "almoner/internal/webapi", "almoner/internal/odata", "almoner/internal/store/sqlite", "almoner/internal/store/postgres", "almoner/internal/store/sqlgen"},
	"almoner/internal/messages":     {"net/http", "almoner/internal/webapi", "almoner/internal/store"},
	"almoner/internal/metadata":     {"net/http", "almoner/internal/store", "almoner/internal/webapi"},
	"almoner/internal/webapi":       {"almoner/internal/store", "almoner/internal/rules"},
	"almoner/internal/store/sqlgen": {"net/http", "almoner/internal/auth", "almoner/internal/rules", "almoner/internal/odata"},
	"almoner/internal/limits":       {"almoner/internal/webapi", "almoner/internal/engine", "net/http"},
	"almoner/internal/console":      {"almoner/"},
	"almoner/internal/settings":     {"almoner/internal/store", "almoner/internal/engine", "net/http"},
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		for prefix, banned := range forbidden {
			if p.ImportPath != prefix && !strings.HasPrefix(p.ImportPath, prefix+"/") {
				continue
			}
			for _, i := range p.Imports {
				for _, b := range banned {
					if i == b || strings.HasPrefix(i, strings.TrimSuffix(b, "/")+"/") {
						t.Errorf("%s must not import %s", p.ImportPath, i)
					}
				}
			}
		}
	}
}

func TestNobodyUsesDatabaseSQL(t *testing.T) {
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			if i == "database/sql" || strings.HasPrefix(i, "database/sql/") {
				t.Errorf("%s imports %s; both drivers are used through their own statement APIs", p.ImportPath, i)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "almoner/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 15 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}
