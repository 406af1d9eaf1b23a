package sqlite

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// takeLock takes the lock of the process that serves the file. The kernel drops it when the process ends, however it does.
func (s *Store) takeLock() error {
	f, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("another process is serving this database (it holds %s.lock)", s.path)
		}
		return errors.Join(err, f.Close())
	}
	s.lock = f
	return nil
}

// unlock lets the next process serve the file.
func (s *Store) unlock() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}
