package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// ErrMissing says that the machine has no PostgreSQL binaries.
var ErrMissing = errors.New("pgtest: no PostgreSQL binaries in /usr/lib/postgresql/*/bin or PATH; install the package postgresql")

// findBinaries returns the folder of initdb and postgres: that of the newest version installed the Debian way, else the one
// PATH leads to.
func findBinaries() (string, error) {
	best, newest := "", 0
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	for _, dir := range folders {
		version, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		if err == nil && version > newest && holdsServer(dir) {
			best, newest = dir, version
		}
	}
	if best != "" {
		return best, nil
	}
	for _, name := range []string{"postgres", "initdb"} {
		if path, err := exec.LookPath(name); err == nil {
			if path, err = filepath.EvalSymlinks(path); err == nil && holdsServer(filepath.Dir(path)) {
				return filepath.Dir(path), nil
			}
		}
	}
	return "", ErrMissing
}

func holdsServer(dir string) bool {
	for _, name := range []string{"postgres", "initdb"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

// serverUser returns whom to run the server as: PostgreSQL refuses to run as root. Nil means the user of this process.
func serverUser() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			return nil, fmt.Errorf("pgtest: user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("pgtest: PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
}
