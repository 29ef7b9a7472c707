// Package journal keeps the exchanges between a mock partner and its callers:
// what was asked, what was answered, byte for byte, in the order of arrival, and
// what was in the platform before and after.
//
// A Journal is a ring, bounded in exchanges and in bytes; the oldest go first.
// Credentials never enter it. It can be queried (Exchanges), waited for (Wait),
// watched (Subscribe) and written as an HTTP archive (WriteHAR).
package journal

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Limits bound a journal.
type Limits struct {
	Exchanges int   // how many exchanges are kept
	Bytes     int64 // how many bytes of bodies and headers are kept, beside the largest shared body
}

// DefaultLimits are the limits of a journal that names none.
var DefaultLimits = Limits{Exchanges: 10_000, Bytes: 16 << 20}

// MaxCopiedBody bounds what is kept of one body that had to be copied, in
// bytes. Bodies that the journal may share are kept whole.
const MaxCopiedBody = 1 << 20

// Message is one half of an exchange.
type Message struct {
	Header    http.Header `json:"headers"`
	Body      Body        `json:"body"`
	Truncated bool        `json:"truncated,omitempty"` // only the body's beginning was kept
}

// Exchange is a request and its answer.
type Exchange struct {
	Number   uint64              `json:"number"`           // from 1, in the order of arrival
	At       time.Time           `json:"at"`               // by the sandbox's clock
	Arrived  time.Time           `json:"arrivedAt"`        // in real time
	Caller   string              `json:"caller,omitempty"` // address and port: the connection
	Endpoint partnerapi.Endpoint `json:"endpoint,omitempty"`
	Faults   []string            `json:"faults,omitempty"` // those that fired, by name
	// Considered are the faults that were held against the request, in that order,
	// up to the one that fired; of very many the first ones.
	Considered []Considered `json:"considered,omitempty"`
	Method     string       `json:"method"`
	Target     string       `json:"target"` // path, as it was escaped, and query
	// Authorized: the key was presented, in the form it should have (AUTH-1).
	Authorized bool    `json:"authorized"`
	Request    Message `json:"request"`
	Status     int     `json:"status,omitempty"` // 0 until the answer began
	Answer     Message `json:"answer"`
	// Before and After are what the exchange touched in the platform; nil where
	// it touched nothing.
	Before   *platform.Facts `json:"before,omitempty"`
	After    *platform.Facts `json:"after,omitempty"`
	Done     bool            `json:"done"`       // the answer is complete, or given up
	Duration Milliseconds    `json:"durationMs"` // in real time, of a done exchange
	// Delivered: the whole answer went out to a caller who, as far as the mock
	// can tell, was still there.
	Delivered bool `json:"delivered"`
	// LeftAfter is when the caller went away without having the whole answer, in
	// real time after the arrival; nil where it did not.
	LeftAfter *Milliseconds `json:"leftAfterMs,omitempty"`
}

// Considered is what a fault made of a request.
type Considered struct {
	Fault   string `json:"fault"`
	Matched bool   `json:"matched"` // it applies to the request
	Fired   bool   `json:"fired"`   // and broke it
}

// Journal is the ring of exchanges. It is safe for concurrent use; use New.
type Journal struct {
	limits  Limits
	secrets []string

	mu      sync.Mutex
	later   [][]string // the forms of secrets that came to be known later
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

// entry is an exchange in the ring.
type entry struct {
	Exchange
	shares bool // the answer's body is shared
	gone   bool // it is no longer in the ring
}

// New returns an empty journal. Limits of 0 are those of DefaultLimits. Secrets
// are blanked wherever a request holds them.
func New(l Limits, secrets ...string) *Journal {
	if l.Exchanges <= 0 {
		l.Exchanges = DefaultLimits.Exchanges
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultLimits.Bytes
	}
	return &Journal{limits: l, secrets: tellable(secrets), shared: map[*byte]int{}}
}

// Observer is told of each exchange that has ended, and how many faults broke it.
type Observer func(endpoint partnerapi.Endpoint, status, faults int, took time.Duration)

// Observe has every end of an exchange told; it is called before the first one.
func (j *Journal) Observe(o Observer) { j.onEnd = o }

// Entry is an exchange that is under way.
type Entry struct {
	journal *Journal
	entry   *entry
}

// Begin enters a request as it arrives: Caller, Endpoint, Method, Target, Request and
// At. The journal keeps the body's slice, which must not change any more.
func (j *Journal) Begin(e Exchange) Entry {
	e = redact(e, j.blanked())
	e.Arrived = time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.arrived++
	e.Number = j.arrived
	kept := &entry{Exchange: e}
	j.entries = append(j.entries, kept)
	j.bytes += weight(kept)
	j.trim()
	j.notify(Arrived, kept)
	return Entry{journal: j, entry: kept}
}

// Consider tells what the faults made of the exchange; the list must not change
// any more.
func (e Entry) Consider(faults []Considered) {
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.entry.gone {
		return
	}
	j.bytes -= weight(e.entry)
	e.entry.Considered = faults
	for _, f := range faults {
		if f.Fired {
			e.entry.Faults = append(slices.Clone(e.entry.Faults), f.Fault)
		}
	}
	j.bytes += weight(e.entry)
}

// Touched tells what the exchange touched in the platform.
func (e Entry) Touched(before, after platform.Facts) {
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.entry.gone {
		return
	}
	j.bytes -= weight(e.entry)
	e.entry.Before, e.entry.After = &before, &after
	j.bytes += weight(e.entry)
}

// Left tells that the caller has gone away. Of an exchange that is done it tells
// nothing.
func (e Entry) Left() {
	took := Milliseconds(time.Since(e.entry.Arrived))
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	if !e.entry.Done && e.entry.LeftAfter == nil {
		e.entry.LeftAfter = &took
	}
}

// Delivered tells that the last of the answer goes out; it comes before End. To
// a caller who has left nothing is delivered.
func (e Entry) Delivered() {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	e.entry.Delivered = e.entry.LeftAfter == nil
}

// Lost tells that the last of the answer could not be sent after all.
func (e Entry) Lost() {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	e.entry.Delivered = false
}

// End enters the answer. A shared body is one that many answers hold, and that
// never changes: it is counted once.
func (e Entry) End(status int, answer Message, shared bool) {
	took := time.Since(e.entry.Arrived)
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.onEnd != nil {
		j.onEnd(e.entry.Endpoint, status, len(e.entry.Faults), took)
	}
	if e.entry.gone {
		return
	}
	j.bytes -= weight(e.entry)
	e.entry.Status, e.entry.Answer, e.entry.Done = status, answer, true
	e.entry.Duration = Milliseconds(took)
	e.entry.shares = shared && len(answer.Body) > 0
	j.bytes += weight(e.entry)
	j.share(e.entry)
	j.trim()
	j.notify(Ended, e.entry)
}

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

// entryWeight is what an exchange without headers and bodies takes, in bytes.
const entryWeight = 512

// factsWeight is what the state before and after takes, in bytes: holds and
// bookings are the platform's own, and small.
const factsWeight = 4 << 10

// consideredWeight is what a fault that was considered takes beside its name, in
// bytes.
const consideredWeight = 24

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

// Clear empties the journal, of testimony too; numbers go on from where they were.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		j.drop(e)
	}
	j.entries, j.testimony = nil, nil
	j.cleared = j.arrived
	for _, w := range j.watchers {
		w.left = w.want
	}
}

// Record is everything that a journal holds, and how much it does not hold any
// more.
type Record struct {
	Exchanges []Exchange // in the order of arrival
	Cleared   uint64     // how many came before the journal was emptied
	Dropped   uint64     // how many since then had to make room for others
	Testimony []Testimony
}

// Record returns what the journal holds. Bodies and headers are the journal's
// own: they must not be changed.
func (j *Journal) Record() Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	record := Record{Exchanges: make([]Exchange, 0, len(j.entries)), Cleared: j.cleared, Testimony: slices.Clone(j.testimony)}
	for _, e := range j.entries {
		record.Exchanges = append(record.Exchanges, e.Exchange)
	}
	record.Dropped = j.arrived - j.cleared - uint64(len(j.entries))
	return record
}

// Count is how many exchanges a journal has seen and still has.
type Count struct {
	Arrived uint64 `json:"arrived"`
	Kept    int    `json:"kept"`
	Bytes   int64  `json:"bytes"`
}

// Count counts the exchanges.
func (j *Journal) Count() Count {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Count{Arrived: j.arrived, Kept: len(j.entries), Bytes: j.bytes}
}
