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
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// Limits are the limits of a journal.
type Limits struct {
	Exchanges int   // maximum number of exchanges
	Bytes     int64 // maximum bytes of bodies and headers, not counting the largest shared body
}

// DefaultLimits are the default limits of a journal.
var DefaultLimits = Limits{Exchanges: 10_000, Bytes: 16 << 20}

// Journal is the ring of exchanges. It is safe for concurrent use. Create it with New.
type Journal struct {
	limits  Limits
	secrets []*redact.Redactor

	mu          sync.Mutex
	later       []*redact.Redactor // of secrets that were added later
	entries     []*entry
	arrived     uint64
	cleared     uint64 // the highest number that was cleared
	bytes       int64
	shared      map[*byte]int // number of entries with the body that starts there
	largest     *byte         // start of the largest shared body, see trim
	largestSize int64         // its length

	testimony []client.Testimony

	onEnd    Observer // may be nil
	watchers []*watcher
	closed   bool // no more watchers
}

// Observer receives each exchange that has ended, with the number of faults that fired for it.
type Observer func(endpoint partnerapi.Endpoint, status, faults int, took time.Duration)

// queuedEvent is an event in a queue. It contains no exchange, because queues must not keep exchanges in
// memory that the journal has dropped.
type queuedEvent struct {
	kind   EventKind
	number uint64
}

type watcher struct {
	filter client.Filter
	queue  chan queuedEvent // of a subscriber; closed when it is removed
	left   int              // of a waiter: number of missing exchanges
	want   int
	met    chan struct{} // of a waiter: closed when no exchange is missing
	reason error         // why it was removed
}

// EventKind is what has happened to an exchange.
type EventKind string

const (
	// Arrived: the request was received. Properties that are known only later, such as the status,
	// are still empty.
	Arrived EventKind = "arrived"
	// Ended: the answer is complete or was aborted.
	Ended EventKind = "ended"
)

// share counts a shared body's bytes when its first entry is added.
func (j *Journal) share(e *entry) {
	if !e.shares {
		return
	}
	start := &e.Answer.Body[0]
	if j.shared[start]++; j.shared[start] == 1 {
		j.bytes += int64(len(e.Answer.Body))
	}
	if size := int64(len(e.Answer.Body)); size > j.largestSize {
		j.largest, j.largestSize = start, size
	}
}

// unshare subtracts a shared body's bytes when its last entry is dropped.
func (j *Journal) unshare(e *entry) {
	if !e.shares {
		return
	}
	start := &e.Answer.Body[0]
	if j.shared[start]--; j.shared[start] == 0 {
		delete(j.shared, start)
		j.bytes -= int64(len(e.Answer.Body))
		if start == j.largest {
			j.largest, j.largestSize = nil, 0
		}
	}
}

// trim drops the oldest exchanges until the limits are met; the newest stays. The largest shared
// body does not count. It is the catalog, which is in memory anyway, and a large one would leave no
// room for anything else.
func (j *Journal) trim() {
	for len(j.entries) > j.limits.Exchanges || len(j.entries) > 1 && j.bytes-j.largestSize > j.limits.Bytes {
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

// weight returns the size of an exchange without shared bodies, in bytes.
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

// entryWeight is the size of an exchange without headers and bodies, in bytes.
const entryWeight = 512

// factsWeight is the size of the state before and after, in bytes. Its holds and bookings belong to
// the platform, and are small.
const factsWeight = 4 << 10

// consideredWeight is the size of a considered fault without its name, in bytes.
const consideredWeight = 24

// New returns an empty journal. Limits of 0 mean DefaultLimits. Secrets are redacted wherever they
// occur in a request.
func New(l Limits, secrets ...string) *Journal {
	if l.Exchanges <= 0 {
		l.Exchanges = DefaultLimits.Exchanges
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultLimits.Bytes
	}
	return &Journal{limits: l, secrets: redactors(secrets), shared: map[*byte]int{}}
}

// redactors returns redactors for the secrets that are long enough.
func redactors(secrets []string) (list []*redact.Redactor) {
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			list = append(list, redact.New(secret))
		}
	}
	return list
}

// shortestSecret is the minimum length of a secret, in bytes, to be redacted wherever it occurs.
// Redacting shorter ones would garble other text. Headers for credentials are always redacted.
const shortestSecret = 8

const (
	// unwritten is the assumed maximum time that a process takes to write down an answer. A
	// testimony can set another time.
	unwritten = time.Second
	// maxTestified is the maximum number of connections and codes in all testimony.
	maxTestified = 50_000
	// maxTestifiedCode is the maximum length of one such code, in bytes.
	maxTestifiedCode = 1 << 10
)

// ErrTooMuch is returned when a journal has reached its maximum of testimony.
var ErrTooMuch = errors.New("the journal is full of reported facts")

// Testify records a testimony, and returns it with the omitted times filled in. The error wraps
// ErrTooMuch, or describes the invalid part.
func (j *Journal) Testify(t client.Testimony) (client.Testimony, error) {
	if err := checkTestimony(&t, time.Now()); err != nil {
		return t, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	total := 0
	for _, earlier := range j.testimony {
		total += max(len(earlier.Died), 1)
	}
	if total+max(len(t.Died), 1) > maxTestified {
		return t, fmt.Errorf("%w: it is about %d connections and codes", ErrTooMuch, total)
	}
	j.testimony = append(j.testimony, t)
	return t, nil
}

// Testimony lists the testimony since the journal was last emptied.
func (j *Journal) Testimony() []client.Testimony {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]client.Testimony{}, j.testimony...)
}

// checkTestimony validates a testimony, and fills in the omitted times.
func checkTestimony(t *client.Testimony, now time.Time) error {
	switch {
	case (len(t.Died) == 0) == (t.ByHand == ""):
		return errors.New("expected either died, the connections of a process, or byHand, the code of a hold")
	case t.ByHand != "" && !(t.At.IsZero() && t.Since.IsZero()):
		return errors.New("at and since are only for died")
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

// caller returns an address, with or without a port, in the form that connections have.
func caller(address string) (string, error) {
	if connection, err := netip.ParseAddrPort(address); err == nil {
		return netip.AddrPortFrom(connection.Addr().Unmap(), connection.Port()).String(), nil
	}
	host, err := netip.ParseAddr(address)
	return host.Unmap().String(), err
}
