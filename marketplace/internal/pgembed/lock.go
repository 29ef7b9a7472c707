//go:build unix

package pgembed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock takes the folder for this process. It ends with the process, however that
// ends: the file is closed in every child (Go opens files close-on-exec).
func lock(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w %s: stop it, or choose another data folder with MARKETPLACE_DATA_DIR", ErrInUse, dir)
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return file, nil
}

// unlock gives the folder free. Closing the file alone would leave it taken while a
// child of this process that is being started has a copy of it, until that runs.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	_ = file.Close()
}
