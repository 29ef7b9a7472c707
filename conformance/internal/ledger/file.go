package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrInUse says that a run, or a clean-up, has the file.
var ErrInUse = errors.New("it is in use by a run, or a clean-up, that is still under way")

// file is where a ledger is kept. Nobody else has it as long as it is open.
type file struct {
	lock   *flock.Flock
	handle *os.File
}

// errLink refuses a name that may lead anywhere, as in a repository that was cloned.
var errLink = errors.New("the file is a symbolic link")

// take opens a file for one process alone.
func take(name string, flag int) (*file, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, inFile(name, errLink)
	}
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
	if inPath, ok := errors.AsType[*fs.PathError](err); ok {
		return inPath.Err
	}
	return err
}

// ErrPending says that a file has entries that have still to be undone.
var ErrPending = errors.New("holds or bookings of an earlier run are still open in it")

// Create begins a ledger in a file of that name, about what head says; the run's
// name, the time and the version of the format are added. A file that is there is
// overwritten where it is the ledger of a run that is over and left nothing to be
// undone; else the error is ErrPending, or ErrInUse, or says what is in the file.
// Nothing in which redact finds the key is written.
func Create(name string, head Head, redact func(string) string) (*Ledger, error) {
	taken, err := take(name, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := taken.mayBeOverwritten(name); err != nil {
		return nil, errors.Join(err, taken.close())
	}
	head.Version, head.Run, head.StartedAt = version, newRun(), time.Now().UTC()
	if redact(head.BaseURL) != head.BaseURL {
		head.BaseURL = "" // who cleans up names it again
	}
	if err = taken.cut(0); err == nil {
		err = taken.write(head, true)
	}
	if err != nil {
		return nil, errors.Join(inFile(name, err), taken.close())
	}
	return &Ledger{head: head, now: time.Now, redact: redact, file: taken}, nil
}

// Open reads the ledger in a file of that name, and goes on writing it. The error
// is ErrInUse, or says what is wrong with the file, and in which line.
func Open(name string, redact func(string) string) (*Ledger, error) {
	taken, err := take(name, 0)
	if err != nil {
		return nil, err
	}
	l, whole, err := read(name, taken.handle)
	if err == nil {
		err = inFile(name, taken.cut(whole))
	}
	if err != nil {
		return nil, errors.Join(err, taken.close())
	}
	l.redact, l.file = redact, taken
	return l, nil
}

func (f *file) mayBeOverwritten(name string) error {
	l, _, err := read(name, f.handle)
	switch {
	case errors.Is(err, errNoHead):
		return nil
	case err != nil:
		return err
	case l.pending() > 0:
		return inFile(name, ErrPending)
	default:
		return nil
	}
}
