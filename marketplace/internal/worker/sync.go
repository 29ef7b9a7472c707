package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/job"
)

// syncRetries are the pauses after failed syncs. After the last retry the request is given up, and
// the next night syncs again.
var syncRetries = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// sync serves the pending request for an integration's catalog.
func (w *Worker) sync(ctx context.Context, j *river.Job[job.Sync]) error {
	taken, err := w.Store.Catalog.PendingSync(ctx, j.Args.Integration)
	if domain.CodeOf(err) == domain.NotFound {
		return nil // another job has served it
	}
	if err != nil {
		return err
	}
	err = w.fulfil(ctx, taken)
	switch code := domain.CodeOf(err); {
	case err == nil || code == domain.NotFound: // done, or the integration was deleted
		return w.settle(ctx, j, taken, time.Time{})
	case code == domain.PartnerFailed || code == domain.PartnerLate:
		return w.retrySync(ctx, j, taken, err)
	default:
		return err
	}
}

func (w *Worker) fulfil(ctx context.Context, taken catalog.PendingSync) error {
	target, err := w.target(ctx, taken.Integration)
	if err != nil {
		return err
	}
	_, err = w.Syncer.Sync(ctx, catalog.Order{Target: target, Mode: taken.Mode, Cause: taken.Cause})
	return err
}

// retrySync schedules a retry, up to a limit. A failed nightly sync pulls the slots anyway, because
// their window has moved.
func (w *Worker) retrySync(ctx context.Context, j *river.Job[job.Sync], taken catalog.PendingSync, why error) error {
	now := w.Clock.Now()
	log := w.Log.With(slog.String("integration_id", taken.Integration.String()), slog.String("mode", string(taken.Mode)), slog.String("cause", string(taken.Cause)), slog.Any("error", why))
	var slots error
	if taken.Cause == catalog.BySchedule && taken.Mode == catalog.Full {
		slots = w.Store.Catalog.AskForSlots(ctx, taken.Integration, now, false)
	}
	if taken.Failures >= len(syncRetries) {
		log.Warn("a sync failed for the last time")
		return errors.Join(slots, w.settle(ctx, j, taken, time.Time{}))
	}
	due := now.Add(syncRetries[taken.Failures])
	log.Warn("a sync failed", slog.Time("again_at", due))
	return errors.Join(slots, w.settle(ctx, j, taken, due))
}

// settle ends the job: its request is served, given up, or due again at a time that is not zero. A
// request that arrived meanwhile is next.
func (w *Worker) settle(ctx context.Context, j *river.Job[job.Sync], taken catalog.PendingSync, again time.Time) error {
	ctx, cancel := settleContext(ctx)
	defer cancel()
	return w.Store.Catalog.SettleSync(ctx, taken, !again.IsZero(), func(tx pgx.Tx, another bool) error {
		now, due := w.Clock.Now(), again
		if another && again.IsZero() {
			due = now
		}
		return finish(ctx, tx, j, now, due)
	})
}
