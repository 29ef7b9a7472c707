package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"partnerkit.dev/mockpartner/client"
)

const (
	// MaxWatchers is the maximum number of concurrent watchers of a journal.
	MaxWatchers = 64
	// maxQueue is how many events a subscriber may lag behind.
	maxQueue = 1024
)

// A journal returns these errors to its watchers.
var (
	ErrBusy   = errors.New("too many clients are watching the journal")
	ErrSlow   = errors.New("the client is too slow: it missed exchanges")
	ErrClosed = errors.New("the journal is closed")
)

// Event is something that happened to an exchange.
type Event struct {
	Kind     EventKind
	Exchange client.Exchange // in its state when the event is read
}

// watch adds a watcher. The journal must be locked.
func (j *Journal) watch(w *watcher) error {
	switch {
	case j.closed:
		return ErrClosed
	case len(j.watchers) >= MaxWatchers:
		return fmt.Errorf("%w, %d: try again later", ErrBusy, MaxWatchers)
	}
	j.watchers = append(j.watchers, w)
	return nil
}

// unwatch removes a watcher; a nil reason means that it left by itself. The journal must be locked.
func (j *Journal) unwatch(w *watcher, reason error) {
	i := slices.Index(j.watchers, w)
	if i < 0 {
		return
	}
	j.watchers = slices.Delete(j.watchers, i, i+1)
	w.reason = reason
	if w.queue != nil {
		close(w.queue)
	} else {
		close(w.met)
	}
}

// notify sends an event to the watchers. The journal must be locked.
func (j *Journal) notify(kind EventKind, e *entry) {
	// Backwards, because watchers are removed meanwhile.
	for _, w := range slices.Backward(j.watchers) {
		if !e.matches(w.filter) {
			continue
		}
		if w.queue == nil {
			if kind != Ended {
				continue
			}
			if w.left--; w.left == 0 {
				j.unwatch(w, nil)
			}
			continue
		}
		select {
		case w.queue <- queuedEvent{kind, e.Number}:
		default:
			j.unwatch(w, ErrSlow)
		}
	}
}

// Close removes all watchers and accepts no more; exchanges are still recorded.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	for _, w := range slices.Backward(j.watchers) {
		j.unwatch(w, ErrClosed)
	}
}

// Wait waits until there have been n complete exchanges that match, including those already in the
// journal. It ignores the filter's Limit. Its error is the context's, ErrBusy or ErrClosed.
func (j *Journal) Wait(ctx context.Context, f client.Filter, n int) error {
	f.Done, f.Limit = true, 0
	w := &watcher{filter: f, want: n, met: make(chan struct{})}
	if waiting, err := j.wait(w); !waiting {
		return err
	}
	select {
	case <-w.met:
		return w.reason
	case <-ctx.Done():
		j.mu.Lock()
		defer j.mu.Unlock()
		j.unwatch(w, ctx.Err())
		return w.reason // nil if the last exchange ended just in time
	}
}

// wait adds a waiter unless it need not, or may not, wait.
func (j *Journal) wait(w *watcher) (waiting bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if w.left = w.want - j.count(w.filter); w.left <= 0 {
		return false, nil
	}
	err = j.watch(w)
	return err == nil, err
}

// Subscription delivers the events of a journal.
type Subscription struct {
	journal *Journal
	watcher *watcher
}

// Subscribe subscribes to future events of the matching exchanges. Its error is ErrBusy or
// ErrClosed.
func (j *Journal) Subscribe(f client.Filter) (*Subscription, error) {
	w := &watcher{filter: f, queue: make(chan queuedEvent, maxQueue)}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.watch(w); err != nil {
		return nil, err
	}
	return &Subscription{journal: j, watcher: w}, nil
}

// Next returns the next event. It omits an exchange that the journal has dropped meanwhile. Its
// error is the context's, ErrSlow or ErrClosed.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	for {
		select {
		case <-ctx.Done():
			return Event{}, ctx.Err()
		case next, open := <-s.watcher.queue:
			if !open {
				s.journal.mu.Lock()
				defer s.journal.mu.Unlock()
				return Event{}, s.watcher.reason
			}
			if e, ok := s.journal.Exchange(next.number); ok {
				return Event{Kind: next.kind, Exchange: e}, nil
			}
		}
	}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.unwatch(s.watcher, ErrClosed)
}

// Observe sets the observer of ended exchanges. It must be called before the first exchange.
func (j *Journal) Observe(o Observer) { j.onEnd = o }
