package storefront

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

const (
	// heartbeatEvery is how often a mark is sent to check that the feed still delivers.
	heartbeatEvery = 500 * time.Millisecond
	// mostMissedHeartbeats is how many marks in a row may be missing before the feed is replaced.
	mostMissedHeartbeats = 3
	// retryEvery is the pause between attempts to listen.
	retryEvery = 250 * time.Millisecond
	// mostNotifications is how many notifications are buffered.
	mostNotifications = 1024
)

var errSilent = errors.New("the database's notifications stopped")

// run follows one feed after another until ctx ends.
func (f *Front) run(ctx context.Context, feed Feed) {
	defer close(f.ended)
	for {
		err := f.follow(ctx, feed)
		feed.Close()
		if ctx.Err() != nil {
			return
		}
		f.log.Warn("the storefront waits for notifications again; until then it may show old data", slog.Any("error", err))
		if feed = f.listenAgain(ctx); feed == nil {
			return
		}
	}
}

// listenAgain retries until there is a feed. It returns nil if ctx has ended.
func (f *Front) listenAgain(ctx context.Context) Feed {
	for {
		feed, err := f.listen(ctx)
		if err == nil {
			return feed
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryEvery):
		}
	}
}

// listen opens a feed and then reads everything, so that no change is missed between.
func (f *Front) listen(ctx context.Context) (Feed, error) {
	feed, err := f.store.Listen(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.refresh(ctx, Change{All: true, Marks: f.awaitedMarks()}); err != nil {
		feed.Close()
		return nil, err
	}
	return feed, nil
}

// follow applies the changes from a feed. It returns why the feed ended.
func (f *Front) follow(ctx context.Context, feed Feed) error {
	ctx, cancel := context.WithCancel(ctx)
	notifications, failed, done := make(chan Change, mostNotifications), make(chan error, 1), make(chan struct{})
	defer func() { <-done }() // the reader uses the feed until then
	defer cancel()
	go func() {
		defer close(done)
		failed <- readFeed(ctx, feed, notifications)
	}()
	heartbeat := time.NewTicker(heartbeatEvery)
	defer heartbeat.Stop()
	for silent := 0; ; {
		select {
		case received := <-notifications:
			silent = 0
			if err := f.refresh(ctx, withMore(received, notifications)); err != nil {
				return err
			}
		case <-heartbeat.C:
			if silent++; silent > mostMissedHeartbeats {
				return errSilent
			}
			f.heartbeat(ctx)
			if until := f.terms().Until; !until.IsZero() && f.now().After(until) {
				if err := f.refresh(ctx, Change{Terms: true}); err != nil {
					return err
				}
			}
		case err := <-failed:
			return err
		}
	}
}

// heartbeat sends a mark. A mark that cannot be sent counts as missing.
func (f *Front) heartbeat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, heartbeatEvery)
	defer cancel()
	_ = f.store.Announce(ctx, f.name)
}

func readFeed(ctx context.Context, feed Feed, into chan<- Change) error {
	for {
		received, err := feed.Next(ctx)
		if err != nil {
			return err
		}
		select {
		case into <- received:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// withMore adds other buffered changes, so that they are read together.
func withMore(received Change, notifications <-chan Change) Change {
	for {
		select {
		case more := <-notifications:
			received.add(more)
		default:
			return received
		}
	}
}

// refresh reads and applies changes, then wakes the callers that wait for the marks.
func (f *Front) refresh(ctx context.Context, n Change) error {
	after, changed, heard := &snapshot{}, n.All || n.Terms, time.Now()
	if before := f.current.Load(); before != nil {
		*after = *before
	}
	after.version++
	if n.All || n.Terms {
		terms, err := f.store.Terms(ctx, f.now())
		if err != nil {
			return err
		}
		after.book = newPriceBook(&terms)
	}
	if n.All || len(n.Activities) > 0 || len(n.Integrations) > 0 || len(n.Slots) > 0 {
		merged, err := f.read(ctx, after, n)
		if err != nil {
			return err
		}
		changed = changed || merged
	}
	if changed {
		after.changed = heard
		f.current.Store(after)
	}
	f.wakeWaiters(n.Marks)
	return nil
}

// read reads changed activities into a snapshot, and reports whether that changes it.
func (f *Front) read(ctx context.Context, into *snapshot, n Change) (changed bool, err error) {
	var rows []Row
	if n.All {
		rows, err = f.store.AllRows(ctx)
	} else {
		rows, err = f.store.Rows(ctx, slices.Concat(n.Activities, n.Slots), n.Integrations)
	}
	if err != nil {
		return false, err
	}
	sells, err := f.readOffers(ctx, rows)
	if err != nil {
		return false, err
	}
	if n.All {
		into.reset(rows, sells)
		return true, nil
	}
	return into.merge(rows, sells, n), nil
}

const (
	// offersPage is how many activities' offers one query reads, and offerQueries how many queries run
	// concurrently: a start reads those of all activities.
	offersPage   = 5000
	offerQueries = 4
)

// readOffers reads what activities sell.
func (f *Front) readOffers(ctx context.Context, rows []Row) (map[uuid.UUID]*offers, error) {
	all, now := make(map[uuid.UUID]*offers, len(rows)), f.now()
	var mu sync.Mutex
	queries, ctx := errgroup.WithContext(ctx)
	queries.SetLimit(offerQueries)
	for page := range slices.Chunk(rows, offersPage) {
		queries.Go(func() error {
			ids := make([]uuid.UUID, len(page))
			for i, row := range page {
				ids[i] = row.ID
			}
			reader := newOfferReader()
			if err := f.store.EachOffer(ctx, ids, now, reader.add); err != nil {
				return err
			}
			reader.finish()
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(all, reader.read)
			return nil
		})
	}
	return all, queries.Wait()
}
