package ledger

import (
	"errors"
	"os"
	"time"
)

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
