package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"golang.org/x/sync/semaphore"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/partner"
)

const (
	// pullsAtOnce limits the concurrent pulls from one partner.
	pullsAtOnce = 8
	// sliceShare is the fraction (1/sliceShare) of a job's time in which it starts pulls. The rest
	// is for the last answers.
	sliceShare = 6
	// slowShare is how many times longer than that a job takes whose last answers were slow.
	slowShare = 2
	// optionsPage is how many options one query reads.
	optionsPage = 100
)

// slots pulls a slice of an integration's options and leaves the next slice to the next job. Jobs
// are short, so that partners take turns.
func (w *Worker) slots(ctx context.Context, j *river.Job[job.Slots]) error {
	id := j.Args.Integration
	target, err := w.target(ctx, id)
	if domain.CodeOf(err) == domain.NotFound {
		return nil // the integration was deleted
	}
	if err != nil {
		return err
	}
	round, err := w.Store.Catalog.BeginRound(ctx, id, w.Clock.Now())
	if err != nil {
		return err
	}
	slice, err := w.pullSlice(ctx, target, round)
	if err != nil {
		return err // stored pulls are not repeated
	}
	ending, cancel := settleContext(ctx)
	defer cancel()
	return w.Store.Catalog.MoveRound(ending, id, func(tx pgx.Tx, stored catalog.Round) (catalog.Round, error) {
		round.AskedAt = stored.AskedAt // another request may have arrived
		now := w.Clock.Now()
		next, due := round.Next(now, slice)
		j.Args.Slow = next.Slow
		return next, finish(ending, tx, j, now, due)
	})
}

// pullSlice pulls options for a while, starting at the round's position.
func (w *Worker) pullSlice(ctx context.Context, target partner.Target, round catalog.Round) (slice catalog.Slice, err error) {
	start := time.Now()
	began, cancel := context.WithTimeout(ctx, w.JobTime/sliceShare)
	defer cancel()
	// A pull that waits for a permit must not outlast the job.
	pulling, cancel := context.WithTimeout(ctx, w.JobTime-w.JobTime/(3*sliceShare))
	defer cancel()
	failed := &tally{}
	turns := semaphore.NewWeighted(pullsAtOnce)
	for after := round.After; !slice.Ended && began.Err() == nil; after = slice.Last {
		options, err := w.Store.Catalog.OptionsToPull(ctx, target.ID, round.Serves, after, optionsPage)
		if err != nil {
			cancel()
			_ = turns.Acquire(context.WithoutCancel(ctx), pullsAtOnce) // cannot fail: its context does not end
			return slice, err
		}
		for _, option := range options {
			if turns.Acquire(began, 1) != nil {
				break
			}
			slice.Last, slice.Tried = option.VariationID, slice.Tried+1
			go func() {
				defer turns.Release(1)
				if _, err := w.Slots.Pull(pulling, target, option); err != nil {
					failed.add(err)
				}
			}()
		}
		slice.Ended = len(options) == 0 || len(options) < optionsPage && slice.Last == options[len(options)-1].VariationID
	}
	_ = turns.Acquire(context.WithoutCancel(ctx), pullsAtOnce) // all pulls have ended
	if ctx.Err() != nil {
		return slice, ctx.Err()
	}
	slice.Slow = time.Since(start) > slowShare*w.JobTime/sliceShare
	if slice.Failed = failed.count; slice.Failed > 0 {
		w.Log.WarnContext(ctx, "slots were not pulled", slog.String("integration_id", target.ID.String()),
			slog.Int("tried", slice.Tried), slog.Int("failed", slice.Failed), slog.Any("error", failed.last))
	}
	left, err := w.Store.Catalog.OptionsToPull(ctx, target.ID, round.Serves, uuid.Nil, 1)
	slice.Left = len(left) > 0
	return slice, err
}

// tally counts failures.
type tally struct {
	mu    sync.Mutex
	count int
	last  error
}

func (t *tally) add(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	t.last = err
}
