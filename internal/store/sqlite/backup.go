package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
)

// Backup implements store.Store. The copy is written beside its final name, checked and synced, and only then named; a
// file that exists is never touched. The service goes on meanwhile.
func (s *Store) Backup(ctx context.Context, file string) error {
	if err := copyTo(ctx, s.path, file, nil); err != nil {
		return fmt.Errorf("backup to %s: %w", file, err)
	}
	return nil
}

// Restore makes a new database file of a backup. It refuses to overwrite anything. The copy gets an epoch of its own:
// what it will hold from now on is another history than the one the backup was taken from.
func Restore(ctx context.Context, backup, path string) error {
	err := absent(path + "-wal")
	if err == nil {
		err = copyTo(ctx, backup, path, renewEpoch)
	}
	if err != nil {
		return fmt.Errorf("restore %s to %s: %w", backup, path, err)
	}
	return nil
}

// copyTo makes a checked copy of a database under a name that must be free; finish is run on the copy before the check.
func copyTo(ctx context.Context, from, to string, finish func(*conn) error) error {
	if err := absent(to); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(to), ".almoner-copy-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	draft := filepath.Join(folder, "draft.db")
	if err := reserve(draft); err != nil {
		return err
	}
	if err := vacuumInto(ctx, from, draft); err != nil {
		return err
	}
	if err := finishCopy(ctx, draft, finish); err != nil {
		return err
	}
	return publish(draft, to)
}

// absent refuses a name that is taken.
func absent(path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
}

// vacuumInto writes a consistent copy of a database of this program's that others may be writing to.
func vacuumInto(ctx context.Context, from, draft string) (err error) {
	if _, err := os.Stat(from); err != nil {
		return err
	}
	c, err := connect(from, forCopying)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if _, err := c.metaNumber(metaFormat); err != nil {
		return fmt.Errorf("%s is not a database of this program's: %w", from, err)
	}
	c.db.SetInterrupt(ctx.Done())
	defer c.db.SetInterrupt(nil)
	p, err := c.prepare("VACUUM INTO ?1")
	if err != nil {
		return asCancelled(ctx, err)
	}
	defer p.release()
	p.BindText(1, draft)
	return asCancelled(ctx, p.run())
}

// asCancelled tells the end of the context where a statement was interrupted by it.
func asCancelled(ctx context.Context, err error) error {
	if err != nil && primary(err) == sqlite.ResultInterrupt && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// finishCopy runs finish on a copy and checks every page of it.
func finishCopy(ctx context.Context, draft string, finish func(*conn) error) (err error) {
	c, err := connect(draft, forCopying)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if finish != nil {
		if err := finish(c); err != nil {
			return err
		}
	}
	c.db.SetInterrupt(ctx.Done())
	defer c.db.SetInterrupt(nil)
	verdict, err := c.text("PRAGMA integrity_check(1)")
	if err != nil {
		return asCancelled(ctx, err)
	}
	if verdict != "ok" {
		return fmt.Errorf("the copy is damaged: %s", verdict)
	}
	return nil
}

// renewEpoch gives a database a new epoch.
func renewEpoch(c *conn) error { return c.setMeta(metaEpoch, rand.Text()) }

// publish syncs a finished file and gives it its name, which must still be free.
func publish(draft, to string) error {
	if err := syncPath(draft); err != nil {
		return err
	}
	if err := os.Link(draft, to); errors.Is(err, fs.ErrExist) {
		return err
	} else if err != nil { // a file system without links
		if err := errors.Join(absent(to), os.Rename(draft, to)); err != nil {
			return err
		}
	}
	return syncPath(filepath.Dir(to))
}

// syncPath syncs a file or a folder.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
