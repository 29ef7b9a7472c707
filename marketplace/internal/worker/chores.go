package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/marketplace"
)

const (
	// apart is the time between two partners' syncs of a night, as long as all are
	// asked for within nightTime.
	apart     = time.Second
	nightTime = time.Hour
	// probedTogether is how many partners one job probes, all at the same time: one
	// that hangs holds up no other.
	probedTogether = 50
)

// nightly asks for a full sync of every integration, one after the other.
func (w *Worker) nightly(ctx context.Context, j *river.Job[job.Nightly]) error {
	return w.askAll(ctx, j.Args.Due, catalog.Full)
}

// incremental asks for an incremental sync of every integration, one after the other.
func (w *Worker) incremental(ctx context.Context, j *river.Job[job.Incremental]) error {
	return w.askAll(ctx, j.Args.Due, catalog.Incremental)
}

func (w *Worker) askAll(ctx context.Context, due time.Time, mode catalog.Mode) error {
	ids, err := w.live(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	pause := min(apart, nightTime/time.Duration(len(ids)))
	wishes := make([]catalog.SyncRequest, len(ids))
	for i, id := range ids {
		wishes[i] = catalog.SyncRequest{Integration: id, Mode: mode, Cause: catalog.BySchedule}
		if i > 0 {
			wishes[i].At = due.Add(time.Duration(i) * pause)
		}
	}
	return w.Store.Catalog.AskForSyncs(ctx, wishes...)
}

// probes asks for a probe of every integration.
func (w *Worker) probes(ctx context.Context, j *river.Job[job.Probes]) error {
	ids, err := w.live(ctx)
	if err != nil {
		return err
	}
	var jobs []river.JobArgs
	for some := range slices.Chunk(ids, probedTogether) {
		jobs = append(jobs, job.Probe{Due: j.Args.Due, Integrations: some})
	}
	return w.Store.InsertJobs(ctx, jobs...)
}

// probe asks some partners whether they are there. What comes of it moves their health,
// of which the client tells.
func (w *Worker) probe(ctx context.Context, j *river.Job[job.Probe]) error {
	var all sync.WaitGroup
	for _, id := range j.Args.Integrations {
		all.Go(func() { w.probeOne(ctx, id) })
	}
	all.Wait()
	return ctx.Err()
}

func (w *Worker) probeOne(ctx context.Context, id uuid.UUID) {
	target, err := w.target(ctx, id)
	switch {
	case err == nil:
		_ = w.Prober.Probe(ctx, target)
	case marketplace.CodeOf(err) != marketplace.NotFound && ctx.Err() == nil:
		w.Log.ErrorContext(ctx, "a partner was not probed", slog.String("integration_id", id.String()), slog.Any("error", err))
	}
}

const (
	// What is kept of each integration's history.
	keptSyncs         = 200
	keptHealthChanges = 200
	keptBreaches      = 200
	// keptAnswers is how long the answer to a request with an idempotency key is kept.
	keptAnswers = 24 * time.Hour
	// Past slots are deleted so many at once, so often; the next hour deletes more.
	slotsDropped = 10_000
	mostDrops    = 50
)

// cleanUp deletes what nobody needs any more.
func (w *Worker) cleanUp(ctx context.Context, _ *river.Job[job.CleanUp]) error {
	signIns, err := w.Store.Accounts.DropExpiredRefreshTokens(ctx, w.Clock.Now())
	syncs, failed := w.Store.Catalog.DropOldSyncs(ctx, keptSyncs)
	err = errors.Join(err, failed)
	changes, failed := w.Store.Partners.DropOldHealthChanges(ctx, keptHealthChanges)
	err = errors.Join(err, failed)
	breaches, failed := w.Store.Partners.DropOldBreaches(ctx, keptBreaches)
	err = errors.Join(err, failed)
	keys, failed := w.Store.Partners.ForgetKeys(ctx, w.Clock.Now())
	err = errors.Join(err, failed)
	answers, failed := w.Store.Bookings.DropOldAnswers(ctx, w.Clock.Now().Add(-keptAnswers))
	err = errors.Join(err, failed)
	slots, failed := w.dropPastSlots(ctx)
	err = errors.Join(err, failed)
	if signIns+syncs+changes+breaches+keys+answers+slots > 0 {
		w.Log.InfoContext(ctx, "cleaned up", slog.Int64("keys", keys), slog.Int64("sign_ins", signIns), slog.Int64("syncs", syncs), slog.Int64("health_changes", changes), slog.Int64("breaches", breaches), slog.Int64("slots", slots), slog.Int64("answers", answers))
	}
	return err
}

// dropPastSlots deletes the slots of days that are over in every zone, some at a time.
func (w *Worker) dropPastSlots(ctx context.Context) (dropped int64, err error) {
	yesterday := marketplace.DateIn(w.Clock.Now(), time.UTC).AddDate(0, 0, -1)
	for range mostDrops {
		some, err := w.Store.Catalog.DeletePastSlots(ctx, yesterday, slotsDropped)
		dropped += some
		if err != nil || some < slotsDropped {
			return dropped, err
		}
	}
	return dropped, nil
}
