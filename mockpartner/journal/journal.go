// Package journal keeps the exchanges between a mock partner and its callers:
// what was asked, what was answered, byte for byte, in the order of arrival.
//
// A Journal is a ring, bounded in exchanges and in bytes; the oldest go first.
// Credentials never enter it.
package journal

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Limits bound a journal.
type Limits struct {
	Exchanges int   // how many exchanges are kept
	Bytes     int64 // how many bytes of bodies and headers are kept
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
	Number   uint64              `json:"number"` // from 1, in the order of arrival
	At       time.Time           `json:"at"`     // by the sandbox's clock
	Endpoint partnerapi.Endpoint `json:"endpoint,omitempty"`
	Method   string              `json:"method"`
	Target   string              `json:"target"` // path, as it was escaped, and query
	Request  Message             `json:"request"`
	Status   int                 `json:"status,omitempty"` // 0 until the answer began
	Answer   Message             `json:"answer"`
	Done     bool                `json:"done"`       // the answer is complete, or given up
	Duration Milliseconds        `json:"durationMs"` // in real time, of a done exchange
}

// Journal is the ring of exchanges. It is safe for concurrent use; use New.
type Journal struct {
	limits  Limits
	secrets []string

	mu      sync.Mutex
	entries []*entry
	arrived uint64
	bytes   int64
	shared  map[*byte]int // how many entries hold the body that begins there
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

// Entry is an exchange that is under way.
type Entry struct {
	journal *Journal
	entry   *entry
	began   time.Time
}

// Begin enters a request as it arrives: Method, Target, Request and At. The
// journal keeps the body's slice, which must not change any more.
func (j *Journal) Begin(e Exchange) Entry {
	e = redact(e, j.secrets)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.arrived++
	e.Number = j.arrived
	kept := &entry{Exchange: e}
	j.entries = append(j.entries, kept)
	j.bytes += weight(kept)
	j.trim()
	return Entry{journal: j, entry: kept, began: time.Now()}
}

// Name tells which endpoint the exchange has come to.
func (e Entry) Name(endpoint partnerapi.Endpoint) {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	e.entry.Endpoint = endpoint
}

// End enters the answer. A shared body is one that many answers hold, and that
// never changes: it is counted once.
func (e Entry) End(status int, answer Message, shared bool) {
	took := time.Since(e.began)
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
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
	}
}

// entryWeight is what an exchange without headers and bodies takes, in bytes.
const entryWeight = 512

// weight is what the exchange takes by itself, in bytes.
func weight(e *entry) int64 {
	bytes := entryWeight + len(e.Target) + len(e.Request.Body)
	if !e.shares {
		bytes += len(e.Answer.Body)
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

// trim drops the oldest exchanges until the limits hold; the newest stays.
func (j *Journal) trim() {
	for len(j.entries) > j.limits.Exchanges || len(j.entries) > 1 && j.bytes > j.limits.Bytes {
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

// Clear empties the journal; numbers go on from where they were.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		j.drop(e)
	}
	j.entries = nil
}

// Filter says which exchanges are wanted; zero values do not choose.
type Filter struct {
	Endpoint partnerapi.Endpoint
	Method   string
	Status   int
	Contains string // in the target
	After    uint64 // numbers above it
	Limit    int    // the newest so many
}

func (f Filter) keeps(e *entry) bool {
	return (f.Endpoint == "" || e.Endpoint == f.Endpoint) &&
		(f.Method == "" || strings.EqualFold(e.Method, f.Method)) &&
		(f.Status == 0 || e.Status == f.Status) &&
		strings.Contains(e.Target, f.Contains) &&
		e.Number > f.After
}

// Exchanges returns copies of the exchanges that the filter keeps, in the order
// of arrival. Bodies and headers are the journal's own: they must not be changed.
func (j *Journal) Exchanges(f Filter) []Exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := []Exchange{}
	for _, e := range slices.Backward(j.entries) {
		if f.Limit > 0 && len(found) == f.Limit {
			break
		}
		if f.keeps(e) {
			found = append(found, e.Exchange)
		}
	}
	slices.Reverse(found)
	return found
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
