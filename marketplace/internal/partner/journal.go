package partner

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// CallEntry is the journal's record of a call to a partner. It contains no customer data.
type CallEntry struct {
	ID          uuid.UUID
	Integration uuid.UUID
	At          time.Time
	Endpoint    partnerapi.Endpoint
	Status      *int // nil: no answer
	Duration    int64
	Outcome     CallOutcome
	Error       *string // nil: the call succeeded
}

// CallOutcome distinguishes lawful refusals from failures.
type CallOutcome string

// The outcomes.
const (
	CallOK      CallOutcome = "ok"
	CallRefused CallOutcome = "refused" // as the contract allows
	CallFailed  CallOutcome = "failed"
)

// Entry returns the journal's record of the call.
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

// WebhookEntry is the journal's record of a received webhook.
type WebhookEntry struct {
	ID          uuid.UUID
	Integration uuid.UUID
	At          time.Time
	Webhook     Webhook
	Status      int // of the answer
	Duration    int64
	Reason      *string // why it was refused; nil: accepted
}

// Webhook is the name of a partner's webhook.
type Webhook string

// The webhooks.
const (
	SyncTrigger        Webhook = "sync_trigger"
	AvailabilityNotify Webhook = "availability_notify"
)

// NewWebhookEntry returns the entry for an answered webhook.
func NewWebhookEntry(integration uuid.UUID, webhook Webhook, at time.Time, took time.Duration, status int, reason string) WebhookEntry {
	return WebhookEntry{
		ID: newEntryID(), Integration: integration, At: at, Webhook: webhook, Status: status, Duration: took.Milliseconds(),
		Reason: orNil(oneLine(reason)),
	}
}

// orNil returns nil for "".
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func newEntryID() uuid.UUID { return uuid.Must(uuid.NewV7()) } // an error only without randomness, which Go does not survive

// problem says what was wrong with a call, without data of guests: values from an answer about a
// booking are left out.
func (asked call) problem(o Outcome) string {
	if o.Err == nil {
		return ""
	}
	message := domain.MessageOf(ForOwner(o.Err))
	if asked.endpoint != partnerapi.Products && asked.endpoint != partnerapi.Availability {
		message, _, _ = strings.Cut(message, ", received ")
	}
	return oneLine(message)
}

// isLawful reports whether the contract allows this answer: an unavailable slot, a hold that cannot
// be confirmed, or an unsupported cancellation.
func (asked call) isLawful(o Outcome) bool {
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
	// writeEvery is how long entries wait in memory. A crash loses them.
	writeEvery = time.Second
	writeTime  = 5 * time.Second
	// mostPending limits the waiting entries of an integration, for each kind. More than
	// KeptEntries would be deleted at the next write.
	mostPending = 20
	// mostKeys limits the integrations with waiting entries.
	mostKeys = 10_000
)

// KeptEntries is how many failed entries of an integration are kept, and how many others.
const KeptEntries = 100

// Journal accepts entries without blocking and writes them soon. It drops the oldest entries that
// it cannot hold or write, so that calls never wait for it. It is safe for concurrent use.
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

// NewJournal returns a journal that stores entries with write. It must be closed.
func NewJournal[E any](write func(context.Context, []E) error, log *slog.Logger) *Journal[E] {
	j := &Journal[E]{write: write, log: log, pending: map[journalKey][]E{}, stop: make(chan struct{})}
	j.done.Go(j.run)
	return j
}

// Add adds an entry of an integration.
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

// Flush writes the waiting entries, so that a later read on this replica finds them.
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

// Close writes the waiting entries and stops the journal.
func (j *Journal[E]) Close() {
	close(j.stop)
	j.done.Wait()
}
