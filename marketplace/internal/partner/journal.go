package partner

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// CallEntry is what is kept of a call to a partner, for people. It has no customer's data.
type CallEntry struct {
	ID          uuid.UUID           `json:"-"`
	Integration uuid.UUID           `json:"-"`
	At          time.Time           `json:"at"`
	Endpoint    partnerapi.Endpoint `json:"endpoint"`
	Status      *int                `json:"status"` // nil: no answer was read
	Duration    int64               `json:"duration_ms"`
	Outcome     CallOutcome         `json:"outcome"`
	Error       *string             `json:"error"` // nil: the call did what it should
}

// CallOutcome tells refusals that the contract allows from failures.
type CallOutcome string

// The outcomes.
const (
	CallOK      CallOutcome = "ok"
	CallRefused CallOutcome = "refused" // as the contract allows
	CallFailed  CallOutcome = "failed"
)

// Entry is what is kept of the call.
func (c Observation) Entry(integration uuid.UUID) CallEntry {
	entry := CallEntry{
		ID: newEntryID(), Integration: integration, At: c.At, Endpoint: c.Endpoint,
		Duration: c.Took.Milliseconds(), Outcome: c.outcome(), Error: orNil(c.Wrong),
	}
	if c.Status != 0 {
		entry.Status = &c.Status
	}
	return entry
}

func (c Observation) outcome() CallOutcome {
	switch {
	case c.Result == ResultOK:
		return CallOK
	case c.Lawful:
		return CallRefused
	default:
		return CallFailed
	}
}

// WebhookEntry is what is kept of a webhook that was received, for people.
type WebhookEntry struct {
	ID          uuid.UUID `json:"-"`
	Integration uuid.UUID `json:"-"`
	At          time.Time `json:"at"`
	Webhook     Webhook   `json:"webhook"`
	Status      int       `json:"status"` // that it was answered with
	Duration    int64     `json:"duration_ms"`
	Reason      *string   `json:"reason"` // why it was refused; nil: it was not
}

// Webhook names one that partners send.
type Webhook string

// The webhooks.
const (
	SyncTrigger        Webhook = "sync_trigger"
	AvailabilityNotify Webhook = "availability_notify"
)

// NewWebhookEntry returns the entry of a webhook that was answered.
func NewWebhookEntry(integration uuid.UUID, webhook Webhook, at time.Time, took time.Duration, status int, reason string) WebhookEntry {
	return WebhookEntry{
		ID: newEntryID(), Integration: integration, At: at, Webhook: webhook, Status: status, Duration: took.Milliseconds(),
		Reason: orNil(oneLine(reason)),
	}
}

// orNil is nil for no text.
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func newEntryID() uuid.UUID { return uuid.Must(uuid.NewV7()) } // fails only without randomness, which Go does not survive either

// wrong says what was wrong with a call, without what a guest or a partner has said: the
// values of an answer about a booking are left out.
func (asked call) wrong(o Outcome) string {
	if o.Err == nil {
		return ""
	}
	said := marketplace.MessageOf(o.Err)
	if asked.endpoint != partnerapi.Products && asked.endpoint != partnerapi.Availability {
		said, _, _ = strings.Cut(said, ", received ")
	}
	return oneLine(said)
}

// lawful reports whether the contract lets a partner answer so: a slot that cannot be
// booked, a hold that cannot be confirmed, a cancellation that it does not have.
func (asked call) lawful(o Outcome) bool {
	switch o.Kind {
	case SlotRefused:
		return o.Message != ""
	case Unsupported:
		return true
	default:
		return asked.endpoint == partnerapi.Confirm && o.Status == http.StatusBadRequest && o.Message != ""
	}
}

const (
	// writeEvery is how long entries wait in memory, which a crash loses.
	writeEvery = time.Second
	writeTime  = 5 * time.Second
	// mostPending bounds the entries that wait, of an integration and of either kind. More
	// than KeptEntries would be deleted with the next write anyway.
	mostPending = 20
	// mostKeys bounds the integrations whose entries wait.
	mostKeys = 10_000
)

// KeptEntries is how many entries of an integration are kept: of those that failed, and as
// many of the others.
const KeptEntries = 100

// Journal takes entries without a wait, and writes them soon. What it cannot hold, or
// write, is dropped, the oldest first: the work that entries tell of never waits for them.
// It is safe for concurrent use.
type Journal[E any] struct {
	write   func(context.Context, []E) error
	log     *slog.Logger
	writing sync.Mutex // one write at a time

	mu      sync.Mutex
	pending map[journalKey][]E

	stop chan struct{}
	done sync.WaitGroup
}

type journalKey struct {
	integration uuid.UUID
	failed      bool
}

// NewJournal returns a journal whose entries are stored with write. Close it.
func NewJournal[E any](write func(context.Context, []E) error, log *slog.Logger) *Journal[E] {
	j := &Journal[E]{write: write, log: log, pending: map[journalKey][]E{}, stop: make(chan struct{})}
	j.done.Go(j.run)
	return j
}

// Add takes an entry of an integration.
func (j *Journal[E]) Add(integration uuid.UUID, failed bool, entry E) {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := journalKey{integration, failed}
	waiting := j.pending[key]
	if len(waiting) == 0 && len(j.pending) >= mostKeys {
		return
	}
	if len(waiting) == mostPending {
		copy(waiting, waiting[1:])
		waiting = waiting[:mostPending-1]
	}
	j.pending[key] = append(waiting, entry)
}

// Flush writes what waits, so that a later read of this replica finds it.
func (j *Journal[E]) Flush(ctx context.Context) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.mu.Lock()
	pending := j.pending
	j.pending = map[journalKey][]E{}
	j.mu.Unlock()
	var entries []E
	for _, waiting := range pending {
		entries = append(entries, waiting...)
	}
	if len(entries) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if err := j.write(ctx, entries); err != nil {
		j.log.Warn("recent calls or webhooks were not stored for display", slog.Int("entries", len(entries)), slog.Any("error", err))
	}
}

func (j *Journal[E]) run() {
	ticks := time.NewTicker(writeEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			j.Flush(context.Background())
		case <-j.stop:
			j.Flush(context.Background())
			return
		}
	}
}

// Close writes what waits, and ends the journal.
func (j *Journal[E]) Close() {
	close(j.stop)
	j.done.Wait()
}
