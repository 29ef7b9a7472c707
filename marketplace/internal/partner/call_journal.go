package partner

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
)

// HourCount counts the calls to a partner in one hour, by outcome.
type HourCount struct {
	Integration uuid.UUID
	Hour        time.Time // its beginning, in UTC
	OK          int
	Refused     int // as the contract allows
	Failed      int
}

// CallStore stores calls to partners.
type CallStore interface {
	AddCalls(ctx context.Context, entries []CallEntry) error
	// AddCounts adds to the counts of these hours.
	AddCounts(ctx context.Context, counts []HourCount) error
}

// CallJournal is the journal of calls to partners. It counts all calls, including those whose
// entries the journal drops. It is safe for concurrent use.
type CallJournal struct {
	*Journal[CallEntry]

	mu     sync.Mutex
	counts map[hourKey]HourCount
}

type hourKey struct {
	integration uuid.UUID
	hour        int64 // Unix time
}

// NewCallJournal returns a journal of calls. It must be closed.
func NewCallJournal(store CallStore, log *slog.Logger) *CallJournal {
	j := &CallJournal{counts: map[hourKey]HourCount{}}
	j.Journal = NewJournal(func(ctx context.Context, entries []CallEntry) error {
		taken := j.take()
		err := store.AddCounts(ctx, taken)
		if err != nil {
			j.add(taken...)
		}
		return errors.Join(store.AddCalls(ctx, entries), err)
	}, log)
	return j
}

// Add adds a call to an integration's partner.
func (j *CallJournal) Add(integration uuid.UUID, call Observation) {
	entry := call.Entry(integration)
	count := HourCount{Integration: integration, Hour: entry.At.UTC().Truncate(time.Hour)}
	switch entry.Outcome {
	case CallOK:
		count.OK = 1
	case CallRefused:
		count.Refused = 1
	case CallFailed:
		count.Failed = 1
	}
	j.add(count)
	j.Journal.Add(integration, entry.Outcome == CallFailed, entry)
}

func (j *CallJournal) add(counts ...HourCount) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range counts {
		key := hourKey{c.Integration, c.Hour.Unix()}
		sum, known := j.counts[key]
		if !known && len(j.counts) >= mostKeys {
			continue
		}
		c.OK, c.Refused, c.Failed = c.OK+sum.OK, c.Refused+sum.Refused, c.Failed+sum.Failed
		j.counts[key] = c
	}
}

// take removes and returns the waiting counts.
func (j *CallJournal) take() (list []HourCount) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.counts {
		list = append(list, c)
	}
	clear(j.counts)
	return list
}
