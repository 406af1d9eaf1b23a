package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A plan only prints: the overlay's columns are still pending after it, in a database the plan itself has made too.
func TestPlanOfANewDatabaseAppliesNothing(t *testing.T) {
	dir := t.TempDir()
	overlay := filepath.Join(dir, "overlay")
	if err := os.Mkdir(overlay, 0o700); err != nil {
		t.Fatal(err)
	}
	declared := "table: svc_gift\ncolumns:\n  acme_appeal: {type: string, max: 20}\n"
	if err := os.WriteFile(filepath.Join(overlay, "gift.yaml"), []byte(declared), 0o600); err != nil {
		t.Fatal(err)
	}
	db := &database{dsn: filepath.Join(dir, "new.db")}
	if err := planSchema(t.Context(), db, overlay); err != nil {
		t.Fatal(err)
	}
	o, err := db.open(t.Context(), opening{keepSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	defer o.store.Close()
	pending, err := o.store.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(pending) == 0 {
		t.Error("the plan has applied the overlay")
	}
}
