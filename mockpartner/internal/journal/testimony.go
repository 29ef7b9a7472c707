package journal

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"
	"unicode/utf8"
)

const (
	// unwritten is how long a process takes at most, unless a testimony says
	// otherwise, to write an answer down.
	unwritten = time.Second
	// maxTestified bounds the connections and codes that a journal is told of.
	maxTestified = 50_000
	// maxTestifiedCode bounds one such code, in bytes.
	maxTestifiedCode = 1 << 10
)

// ErrTooMuch says that a journal has been told as much as it keeps.
var ErrTooMuch = errors.New("the journal keeps no more testimony")

// Testify enters a testimony, and returns it with the times that it left out. The
// error wraps ErrTooMuch, or says what is wrong with it.
func (j *Journal) Testify(t Testimony) (Testimony, error) {
	if err := t.complete(time.Now()); err != nil {
		return t, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	told := 0
	for _, earlier := range j.testimony {
		told += earlier.size()
	}
	if told+t.size() > maxTestified {
		return t, fmt.Errorf("%w: it is about %d connections and codes", ErrTooMuch, told)
	}
	j.testimony = append(j.testimony, t)
	return t, nil
}

// Testimony lists what the journal was told since it was last emptied.
func (j *Journal) Testimony() []Testimony {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Testimony{}, j.testimony...)
}

func (t Testimony) size() int { return max(len(t.Died), 1) }

// complete checks a testimony, and fills in the times that it leaves out.
func (t *Testimony) complete(now time.Time) error {
	switch {
	case (len(t.Died) == 0) == (t.ByHand == ""):
		return errors.New("want either died, the connections of a process, or byHand, the code of a hold")
	case t.ByHand != "" && !(t.At.IsZero() && t.Since.IsZero()):
		return errors.New("at and since go with died")
	case len(t.ByHand) > maxTestifiedCode || !utf8.ValidString(t.ByHand):
		return fmt.Errorf("byHand: want a code of at most %d bytes", maxTestifiedCode)
	case t.ByHand != "":
		return nil
	}
	t.Died = slices.Clone(t.Died)
	for i, connection := range t.Died {
		known, err := caller(connection)
		if err != nil {
			return fmt.Errorf("died: want addresses, with or without a port, such as 127.0.0.1:40112, got %.60q", connection)
		}
		t.Died[i] = known
	}
	if t.At.IsZero() {
		t.At = now
	}
	if t.Since.IsZero() {
		t.Since = t.At.Add(-unwritten)
	}
	if t.Since.After(t.At) {
		return fmt.Errorf("since: want a time that is not after at, got %s and %s", t.Since.Format(time.RFC3339Nano), t.At.Format(time.RFC3339Nano))
	}
	return nil
}

// caller is an address, with or without a port, as connections have it.
func caller(address string) (string, error) {
	if connection, err := netip.ParseAddrPort(address); err == nil {
		return netip.AddrPortFrom(connection.Addr().Unmap(), connection.Port()).String(), nil
	}
	host, err := netip.ParseAddr(address)
	return host.Unmap().String(), err
}
