package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"almoner/internal/store"
)

func TestBackupWhileWriting(t *testing.T) {
	db := fresh(t, Options{})
	db.fill(t, 500)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 1000; ; n += 2 {
			select {
			case <-stop:
				return
			default:
			}
			if err := db.Write(context.Background(), func(tx store.Tx) error {
				return errors.Join(db.add(tx, n, "pair"), db.add(tx, n+1, "pair"))
			}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	file := filepath.Join(t.TempDir(), "copy.db")
	if err := db.Backup(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	close(stop)
	wg.Wait()

	restored := filepath.Join(t.TempDir(), "restored.db")
	if err := Restore(context.Background(), file, restored); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(restored); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy is open to others: %v, %v", info.Mode(), err)
	}
	copied := reopen(t, restored, Options{})
	if n := copied.count(t, copied); n < 500 || n%2 != 0 {
		t.Errorf("%d rows in the copy: a pair was cut in two", n)
	}
	if copied.Epoch() == db.Epoch() || copied.Epoch() == "" {
		t.Errorf("epoch %q of a restored copy of %q", copied.Epoch(), db.Epoch())
	}
	copied.mustWrite(t, func(tx store.Tx) error { return copied.add(tx, 1<<20, "goes on") })
	for _, folder := range []string{filepath.Dir(file), filepath.Dir(restored)} {
		if left, _ := filepath.Glob(filepath.Join(folder, ".almoner-copy-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestBackupAndRestoreOverwriteNothing(t *testing.T) {
	db := fresh(t, Options{})
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(folder, "copy.db")
	if err := db.Backup(context.Background(), copied); err != nil {
		t.Fatal(err)
	}
	orphan := filepath.Join(folder, "orphan.db")
	if err := os.WriteFile(orphan+"-wal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"backup":                db.Backup(context.Background(), taken),
		"restore":               Restore(context.Background(), copied, taken),
		"restore beside a log":  Restore(context.Background(), copied, orphan),
		"restore over the live": Restore(context.Background(), copied, db.file),
	} {
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(taken); err != nil || string(text) != "precious" {
		t.Errorf("the file that was there: %q, %v", text, err)
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	folder := t.TempDir()
	foreign := filepath.Join(folder, "foreign.db")
	raw(t, foreign, "CREATE TABLE recipes (name TEXT)")
	for _, backup := range []string{foreign, filepath.Join(folder, "missing.db")} {
		target := filepath.Join(folder, "target.db")
		if err := Restore(context.Background(), backup, target); err == nil {
			t.Errorf("%s was restored", backup)
		}
		if _, err := os.Stat(target); err == nil {
			t.Errorf("a refused restore of %s left a file", backup)
		}
	}
}

func TestCancelledBackupLeavesNothing(t *testing.T) {
	db := fresh(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	file := filepath.Join(t.TempDir(), "copy.db")
	if err := db.Backup(ctx, file); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled backup: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a cancelled backup left a file")
	}
}
