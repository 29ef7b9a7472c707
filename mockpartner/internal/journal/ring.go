package journal

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"partnerkit.dev/internal/redact"
	"partnerkit.dev/schemas/partnerapi"
)

// Limits bound a journal.
type Limits struct {
	Exchanges int   // how many exchanges are kept
	Bytes     int64 // how many bytes of bodies and headers are kept, beside the largest shared body
}

// DefaultLimits are the limits of a journal that names none.
var DefaultLimits = Limits{Exchanges: 10_000, Bytes: 16 << 20}

// Journal is the ring of exchanges. It is safe for concurrent use; use New.
type Journal struct {
	limits  Limits
	secrets []*redact.Redactor

	mu      sync.Mutex
	later   []*redact.Redactor // of secrets that came to be known later
	entries []*entry
	arrived uint64
	cleared uint64 // the number up to which exchanges were cleared away
	bytes   int64
	shared  map[*byte]int // how many entries hold the body that begins there
	largest *byte         // where the largest of them begins, see trim
	spared  int64         // its length

	testimony []Testimony

	onEnd    Observer // may be nil
	watchers []*watcher
	closed   bool // no more watchers
}

// Observer is told of each exchange that has ended, and how many faults broke it.
type Observer func(endpoint partnerapi.Endpoint, status, faults int, took time.Duration)

// notice is an event in a queue. It holds no exchange: queues must not keep
// alive what the journal has dropped.
type notice struct {
	kind   EventKind
	number uint64
}

type watcher struct {
	filter Filter
	queue  chan notice // of a subscriber; closed when it is dropped
	left   int         // of a waiter: how many exchanges are missing
	want   int
	met    chan struct{} // of a waiter: closed when none is missing
	reason error         // why it was dropped
}

// EventKind says what has become of an exchange.
type EventKind string

const (
	// Arrived: its request is in. What can be known of it only later, such as
	// endpoint and status, is not there yet.
	Arrived EventKind = "arrived"
	// Ended: its answer is complete, or given up.
	Ended EventKind = "ended"
)

// share counts a shared body's bytes when its first holder comes.
func (j *Journal) share(e *entry) {
	if !e.shares {
		return
	}
	start := &e.Answer.Body[0]
	if j.shared[start]++; j.shared[start] == 1 {
		j.bytes += int64(len(e.Answer.Body))
	}
	if size := int64(len(e.Answer.Body)); size > j.spared {
		j.largest, j.spared = start, size
	}
}

// unshare gives a shared body's bytes up when its last holder goes.
func (j *Journal) unshare(e *entry) {
	if !e.shares {
		return
	}
	start := &e.Answer.Body[0]
	if j.shared[start]--; j.shared[start] == 0 {
		delete(j.shared, start)
		j.bytes -= int64(len(e.Answer.Body))
		if start == j.largest {
			j.largest, j.spared = nil, 0
		}
	}
}

// trim drops the oldest exchanges until the limits hold; the newest stays. The
// largest of the shared bodies is free. That is the catalog, which is there
// anyhow: a large one would leave no room for anything else.
func (j *Journal) trim() {
	for len(j.entries) > j.limits.Exchanges || len(j.entries) > 1 && j.bytes-j.spared > j.limits.Bytes {
		oldest := j.entries[0]
		j.entries[0] = nil
		j.entries = j.entries[1:]
		j.drop(oldest)
	}
}

func (j *Journal) drop(e *entry) {
	e.gone = true
	j.bytes -= weight(e)
	j.unshare(e)
}

// weight is what the exchange takes by itself, in bytes.
func weight(e *entry) int64 {
	bytes := entryWeight + len(e.Caller) + len(e.Target) + len(e.Request.Body)
	if !e.shares {
		bytes += len(e.Answer.Body)
	}
	if e.Before != nil {
		bytes += factsWeight
	}
	for _, f := range e.Considered {
		bytes += consideredWeight + len(f.Fault)
	}
	for _, header := range []http.Header{e.Request.Header, e.Answer.Header} {
		for name, values := range header {
			for _, value := range values {
				bytes += len(name) + len(value)
			}
		}
	}
	return int64(bytes)
}

// entryWeight is what an exchange without headers and bodies takes, in bytes.
const entryWeight = 512

// factsWeight is what the state before and after takes, in bytes: holds and
// bookings are the platform's own, and small.
const factsWeight = 4 << 10

// consideredWeight is what a fault that was considered takes beside its name, in
// bytes.
const consideredWeight = 24

// New returns an empty journal. Limits of 0 are those of DefaultLimits. Secrets
// are blanked wherever a request holds them.
func New(l Limits, secrets ...string) *Journal {
	if l.Exchanges <= 0 {
		l.Exchanges = DefaultLimits.Exchanges
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultLimits.Bytes
	}
	return &Journal{limits: l, secrets: redactors(secrets), shared: map[*byte]int{}}
}

// redactors are those of the secrets that are looked for.
func redactors(secrets []string) (list []*redact.Redactor) {
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			list = append(list, redact.New(secret))
		}
	}
	return list
}

// shortestSecret is how long a secret must be, in bytes, to be blanked wherever
// it is met: blanking a shorter one would garble innocent text. Headers that
// are made for credentials are blanked in any case.
const shortestSecret = 8

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
		return errors.New("expected either died, the connections of a process, or byHand, the code of a hold")
	case t.ByHand != "" && !(t.At.IsZero() && t.Since.IsZero()):
		return errors.New("at and since go with died")
	case len(t.ByHand) > maxTestifiedCode || !utf8.ValidString(t.ByHand):
		return fmt.Errorf("byHand: expected a code of at most %d bytes", maxTestifiedCode)
	case t.ByHand != "":
		return nil
	}
	t.Died = slices.Clone(t.Died)
	for i, connection := range t.Died {
		known, err := caller(connection)
		if err != nil {
			return fmt.Errorf("died: expected addresses, with or without a port, such as 127.0.0.1:40112, received %.60q", connection)
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
		return fmt.Errorf("since: expected a time that is not after at, received %s and %s", t.Since.Format(time.RFC3339Nano), t.At.Format(time.RFC3339Nano))
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
