package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"partnerkit.dev/conformance/internal/fileerror"
)

// ErrInUse is returned when a run or a clean-up uses the file.
var ErrInUse = errors.New("a run or cleanup that is in progress uses it")

type file struct {
	lock   *flock.Flock
	handle *os.File
	macs   *chain // nil: the lines have none
}

// errLink is returned for a symbolic link, which may lead anywhere, as in a cloned repository.
var errLink = errors.New("the file is a symbolic link")

// take opens a file for exclusive use by this process.
func take(name string, flag int) (*file, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, inFile(name, errLink)
	}
	handle, err := os.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, inFile(name, fileerror.Reason(err))
	}
	taken := &file{lock: flock.New(name), handle: handle}
	locked, err := taken.lock.TryLock()
	if err == nil && !locked {
		err = ErrInUse
	}
	if err == nil {
		err = handle.Chmod(0o600) // an existing file may be readable by others
	}
	if err != nil {
		return nil, errors.Join(inFile(name, fileerror.Reason(err)), taken.close())
	}
	return taken, nil
}

func (f *file) close() error { return errors.Join(f.handle.Close(), f.lock.Close()) }

func (f *file) cut(size int64) error {
	if err := f.handle.Truncate(size); err != nil {
		return fileerror.Reason(err)
	}
	_, err := f.handle.Seek(size, io.SeekStart)
	return fileerror.Reason(err)
}

// write writes one line in a single write. If safely is set, the line is on the disk when write
// returns.
func (f *file) write(value any, safely bool) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := f.handle.Write(f.macs.line(text)); err != nil {
		return fileerror.Reason(err)
	}
	if safely {
		return fileerror.Reason(f.handle.Sync())
	}
	return nil
}

func inFile(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
