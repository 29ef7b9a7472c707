package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// ErrInUse says that a run, or a clean-up, has the file.
var ErrInUse = errors.New("it is in use by a run, or a clean-up, that is still under way")

// file is where a ledger is kept. Nobody else has it as long as it is open.
type file struct {
	lock   *flock.Flock
	handle *os.File
}

// take opens a file for one process alone.
func take(name string, flag int) (*file, error) {
	handle, err := os.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, inFile(name, reason(err))
	}
	taken := &file{lock: flock.New(name), handle: handle}
	locked, err := taken.lock.TryLock()
	if err == nil && !locked {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(inFile(name, reason(err)), taken.close())
	}
	return taken, nil
}

func (f *file) close() error { return errors.Join(f.handle.Close(), f.lock.Close()) }

// cut leaves so many bytes, behind which the next line goes.
func (f *file) cut(size int64) error {
	if err := f.handle.Truncate(size); err != nil {
		return reason(err)
	}
	_, err := f.handle.Seek(size, io.SeekStart)
	return reason(err)
}

// write writes one line in one piece. Safely: it is on the disk, not merely in
// the machine's memory, when write returns.
func (f *file) write(value any, safely bool) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := f.handle.Write(append(text, '\n')); err != nil {
		return reason(err)
	}
	if safely {
		return reason(f.handle.Sync())
	}
	return nil
}

// inFile says which file an error, if there is one, is about.
func inFile(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// reason leaves out the operation and the path of a file error, which the message
// around it names.
func reason(err error) error {
	if inPath := (*fs.PathError)(nil); errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}
