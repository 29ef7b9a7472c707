package ledger

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/probe"
)

// ErrPending is returned when a file has entries that still need to be undone.
var ErrPending = errors.New("holds or bookings of an earlier run are still open in it")

// Proof is what a ledger is checked against.
type Proof struct {
	AuthKey string // of the run
	BaseURL string // of the partner; "": the address in the ledger
	Waived  bool   // the user vouches for the ledger
}

// Reasons why a ledger is not what a run wrote.
var (
	ErrOtherAddress = errors.New("it is about another address")
	ErrNoMACs       = errors.New("it has no MACs: an older version of this command wrote it, or they were removed")
	ErrAltered      = errors.New("the file was altered, or the key was replaced")
)

// Create starts a ledger in the named file. It adds the run's name, the time and the format version
// to head. An existing file is overwritten if it is the ledger of a finished run with nothing left
// to undo. Otherwise Create returns ErrPending, ErrInUse, or an error about the content of the
// file. It never writes text that contains the auth key.
func Create(name string, head Head, authKey string) (*Ledger, error) {
	taken, err := take(name, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := taken.mayBeOverwritten(name); err != nil {
		return nil, errors.Join(err, taken.close())
	}
	head.Version, head.Run, head.StartedAt = version, newRun(), time.Now().UTC()
	taken.macs = newChain(authKey, head.BaseURL, head.Run)
	redact := probe.NewRedactor(authKey).Redact
	if redact(head.BaseURL) != head.BaseURL {
		head.BaseURL = "" // the user must give the address for a clean-up
	}
	if err = taken.cut(0); err == nil {
		err = taken.write(head, true)
	}
	if err != nil {
		return nil, errors.Join(inFile(name, err), taken.close())
	}
	return &Ledger{head: head, now: time.Now, redact: redact, file: taken}, nil
}

// Open reads the ledger in the named file and continues it. It returns ErrInUse, ErrOtherAddress,
// ErrNoMACs, ErrAltered, or an error that names what is wrong with the file, and the line.
func Open(name string, proof Proof) (*Ledger, error) {
	taken, err := take(name, 0)
	if err != nil {
		return nil, err
	}
	l, macs, whole, err := read(name, taken.handle, proof)
	if err == nil {
		err = inFile(name, proof.check(l))
	}
	if err == nil {
		err = inFile(name, taken.cut(whole))
	}
	if err != nil {
		return nil, errors.Join(err, taken.close())
	}
	if l.wrongMAC == 0 { // otherwise further lines prove nothing either
		taken.macs = macs
	}
	l.redact, l.file = probe.NewRedactor(proof.AuthKey).Redact, taken
	return l, nil
}

func (f *file) mayBeOverwritten(name string) error {
	l, _, _, err := read(name, f.handle, Proof{})
	switch {
	case errors.Is(err, errNoHead):
		return nil
	case err != nil:
		return err
	case l.countPending() > 0:
		return inFile(name, ErrPending)
	default:
		return nil
	}
}

// check returns why the ledger must not be cleaned up, or nil.
func (p Proof) check(l *Ledger) error {
	switch head := l.head; {
	case p.Waived:
		return nil
	case p.BaseURL != "" && head.BaseURL != "" && p.BaseURL != head.BaseURL:
		return fmt.Errorf("%w, %.200q", ErrOtherAddress, head.BaseURL)
	case p.BaseURL == "" && head.BaseURL == "":
		return errors.New("it has no address, because the address contains the key: give --base-url")
	case head.Version == withoutMACs:
		return ErrNoMACs
	case l.wrongMAC > 0:
		return fmt.Errorf("line %d was not written by a run with this key at this address: %w", l.wrongMAC, ErrAltered)
	}
	return nil
}

const (
	// longestLine is the longest line, in bytes. The longest line written has two codes, and each
	// byte of a code may take six in JSON.
	longestLine = 256 << 10
	// mostEntries is the maximum number of attempts in a ledger.
	mostEntries = 100_000
)

// errNoHead means that a file has no complete line: its run sent nothing.
var errNoHead = errors.New("the file is empty: no run has written to it")

// read reads a ledger and checks its MACs. whole is the size of its complete lines in bytes. The
// last line is incomplete if the run was killed while writing it; the call that it announces was
// never sent. Errors name the place as name:line.
func read(name string, from io.Reader, proof Proof) (l *Ledger, macs *chain, whole int64, err error) {
	l = &Ledger{now: time.Now}
	lines := bufio.NewReaderSize(from, longestLine)
	for number := 1; ; number++ {
		text, err := lines.ReadSlice('\n')
		object, mac := cutMAC(text)
		switch {
		case err == io.EOF && number == 1 && !bytes.HasPrefix([]byte(headPrefix), text[:min(len(text), len(headPrefix))]):
			return nil, nil, 0, fmt.Errorf("%s:1: %w", name, errNoLedger)
		case err == io.EOF && number == 1:
			return nil, nil, 0, fmt.Errorf("%s: %w", name, errNoHead)
		case err == io.EOF:
			return l, macs, whole, nil
		case errors.Is(err, bufio.ErrBufferFull):
			err = fmt.Errorf("expected at most %d KiB, received more", longestLine>>10)
		case err == nil && number == 1:
			err = l.readHead(object)
			macs = newChain(proof.AuthKey, cmp.Or(proof.BaseURL, l.head.BaseURL), l.head.Run)
		case err == nil && len(l.entries) == mostEntries:
			err = fmt.Errorf("expected at most %d entries, received more", mostEntries)
		case err == nil:
			err = l.readLine(object)
		}
		if err != nil {
			return nil, nil, 0, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if !hmac.Equal(macs.nextMAC(object), mac) && l.wrongMAC == 0 {
			l.wrongMAC = number
		}
		whole += int64(len(text))
	}
}

// headPrefix is the beginning of every ledger.
const headPrefix = `{"ledger":`

var errNoLedger = errors.New("expected a ledger, which begins with " + headPrefix + ", received another file")

func (l *Ledger) readHead(text []byte) error {
	if !bytes.HasPrefix(text, []byte(headPrefix)) {
		return errNoLedger
	}
	if err := decode(text, &l.head); err != nil {
		return fmt.Errorf("expected the ledger's header: %w", err)
	}
	if l.head.Version != version && l.head.Version != withoutMACs {
		return fmt.Errorf("expected a ledger of version %d, received %d: use the conformance command that wrote it", version, l.head.Version)
	}
	return nil
}

func (l *Ledger) readLine(text []byte) error {
	var next line
	if err := decode(text, &next); err != nil {
		return fmt.Errorf("expected a change to an entry: %w", err)
	}
	return l.apply(next)
}

// apply applies the change in a line to the entries.
func (l *Ledger) apply(next line) error {
	switch {
	case !slices.Contains(states(), next.State):
		return fmt.Errorf("expected a state, received %q", next.State)
	case next.At.IsZero():
		return errors.New(`expected its time in "at"`)
	case next.Entry == len(l.entries)+1 && next.Slot != nil:
		l.entries = append(l.entries, &Entry{
			Slot: *next.Slot, Units: next.Units, Reference: next.Reference, At: next.At, State: next.State, number: next.Entry,
		})
		return nil
	case next.Entry < 1 || next.Entry > len(l.entries):
		return fmt.Errorf("expected the attempt of entry %d, or a change of one before it, received entry %d", len(l.entries)+1, next.Entry)
	case next.Slot != nil:
		return fmt.Errorf("expected entry %d attempted once, received it again", next.Entry)
	}
	e := l.entries[next.Entry-1]
	e.State, e.Code, e.ExpiresAt, e.BookingID, e.Problem = next.State, next.Code, next.ExpiresAt, next.BookingID, next.Problem
	return nil
}
