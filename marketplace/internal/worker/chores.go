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
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/job"
)

const (
	// apart is the pause between two partners' syncs. It is shorter if they would not all start
	// within Schedule.NightlyWithin, or within incrementalTime.
	apart           = time.Second
	incrementalTime = time.Hour
	// Rechecks follow a night's syncs with this pause. It is shorter if they would not all start
	// within recheckTime, so that all have ended after half an hour. A read-only run takes some
	// seconds.
	recheckApart = 10 * time.Second
	recheckTime  = 28 * time.Minute
	// probedTogether is how many partners one job probes concurrently. A partner that hangs does
	// not delay the others.
	probedTogether = 50
	// probesOfHost limits the probes of one host in a round, so that many addresses registered for
	// a third party's host do not flood it.
	probesOfHost = 60
)

// runNightly requests a full sync of every integration, one after the other, and then a recheck of the
// certified ones.
func (w *Worker) runNightly(ctx context.Context, j *river.Job[job.Nightly]) error {
	requests, err := w.takeTurns(ctx, j.Args.Due, catalog.Full, w.Schedule.NightlyWithin)
	if err == nil {
		err = w.Store.Catalog.BeginNight(ctx, j.Args.Due, requests...)
	}
	return errors.Join(err, w.Store.Runs.AskForRechecks(ctx, j.Args.Due.Add(w.Schedule.NightlyWithin), recheckApart, recheckTime))
}

// runIncremental requests an incremental sync of every integration, one after the other.
func (w *Worker) runIncremental(ctx context.Context, j *river.Job[job.Incremental]) error {
	requests, err := w.takeTurns(ctx, j.Args.Due, catalog.Incremental, incrementalTime)
	if err != nil {
		return err
	}
	return w.Store.Catalog.AskForSyncs(ctx, requests...)
}

// takeTurns requests a sync of every integration, the last one within that time.
func (w *Worker) takeTurns(ctx context.Context, due time.Time, mode catalog.Mode, within time.Duration) ([]catalog.SyncRequest, error) {
	ids, err := w.liveIntegrations(ctx)
	if err != nil {
		return nil, err
	}
	pause := min(apart, within/time.Duration(max(len(ids), 1)))
	requests := make([]catalog.SyncRequest, len(ids))
	for i, id := range ids {
		requests[i] = catalog.SyncRequest{Integration: id, Mode: mode, Cause: catalog.BySchedule}
		if i > 0 {
			requests[i].At = due.Add(time.Duration(i) * pause)
		}
	}
	return requests, nil
}

// night logs a night when it has ended.
func (w *Worker) night(ctx context.Context, _ *river.Job[job.Night]) error {
	n, err := w.Store.Catalog.EndNight(ctx, w.Clock.Now())
	if err != nil || n == nil {
		return err
	}
	w.Log.InfoContext(ctx, "the nightly syncs have ended", slog.Time("began_at", n.BeganAt), slog.Duration("took", n.EndedAt.Sub(n.BeganAt)),
		slog.Int("partners", n.Partners), slog.Int("failed", n.Failed))
	return nil
}

// probes requests a probe of every integration. At a host with many, they take turns.
func (w *Worker) probes(ctx context.Context, j *river.Job[job.Probes]) error {
	all, err := w.Store.Partners.Integrations(ctx)
	if err != nil {
		return err
	}
	var jobs []river.JobArgs
	for some := range slices.Chunk(toProbe(all, int(j.Args.Due.Unix()/int64(max(w.Schedule.Probes/time.Second, 1)))), probedTogether) {
		jobs = append(jobs, job.Probe{Due: j.Args.Due, Integrations: some})
	}
	return w.Store.InsertJobs(ctx, jobs...)
}

// toProbe lists the integrations that a round probes. Rounds are numbered consecutively.
func toProbe(all []domain.Integration, round int) (ids []uuid.UUID) {
	ofHost := map[string][]uuid.UUID{}
	for _, one := range all {
		host := one.BaseURL.Hostname()
		ofHost[host] = append(ofHost[host], one.ID)
	}
	for _, one := range all {
		host := one.BaseURL.Hostname()
		list := ofHost[host]
		delete(ofHost, host)
		for i := range min(len(list), probesOfHost) {
			ids = append(ids, list[(round*probesOfHost+i)%len(list)])
		}
	}
	return ids
}

// probe checks whether some partners can be reached. The client updates their health.
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
		_ = w.Prober.Probe(ctx, target) // the client records the result
	case domain.CodeOf(err) != domain.NotFound && ctx.Err() == nil:
		w.Log.ErrorContext(ctx, "a partner was not probed", slog.String("integration_id", id.String()), slog.Any("error", err))
	}
}

const (
	// The number of entries of each integration's history that are stored.
	keptSyncs         = 200
	keptHealthChanges = 200
	keptBreaches      = 200
	// keptJudged is how long a rule is stored after it was last broken.
	keptJudged            = 90 * 24 * time.Hour
	keptIntegrationEvents = 200
	keptRuns              = 30 // with their reports
	// keptAnswers is how long the answer to a request with an idempotency key is stored.
	keptAnswers = 24 * time.Hour
	// keptEdits is how long it is stored which days of an option's slots the next pull reads.
	keptEdits = 3 * 24 * time.Hour
	// keptEvents is how long events and their deliveries are stored.
	keptEvents = 30 * 24 * time.Hour
	// Past slots are deleted in a limited number of batches; the next hour deletes more.
	slotsDropped = 10_000
	mostDrops    = 50
	guestsErased = 500
	rowsDropped  = 5_000
)

// cleanUp deletes expired rows.
func (w *Worker) cleanUp(ctx context.Context, _ *river.Job[job.CleanUp]) error {
	now, total := w.Clock.Now(), int64(0)
	var failed []error
	var dropped []any
	for _, of := range []struct {
		name string
		drop func() (int64, error)
	}{
		{"keys", func() (int64, error) { return w.Store.Partners.ForgetKeys(ctx, now) }},
		{"sign_ins", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Accounts.DropExpiredRefreshTokens(ctx, now, rowsDropped) })
		}},
		{"invitations", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Accounts.DropExpiredInvitations(ctx, now, rowsDropped) })
		}},
		{"syncs", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Catalog.DropOldSyncs(ctx, keptSyncs, rowsDropped) })
		}},
		{"health_changes", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) {
				return w.Store.Partners.DropOldHealthChanges(ctx, keptHealthChanges, rowsDropped)
			})
		}},
		{"breaches", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Partners.DropOldBreaches(ctx, keptBreaches, rowsDropped) })
		}},
		{"judged_breaches", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) {
				return w.Store.Partners.DropJudgedBreaches(ctx, now.Add(-keptJudged), rowsDropped)
			})
		}},
		{"conformance_runs", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Runs.DropOldRuns(ctx, keptRuns, rowsDropped) })
		}},
		{"conformance_shares", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Runs.DropExpiredShares(ctx, now, rowsDropped) })
		}},
		{"certificate_revocations", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) {
				return w.Store.Runs.DropOldRevocations(ctx, now.Add(-conformance.ValidFor), rowsDropped)
			})
		}},
		{"integration_events", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Runs.DropOldEvents(ctx, keptIntegrationEvents, rowsDropped) })
		}},
		{"slots", func() (int64, error) { return w.dropPastSlots(ctx) }},
		{"slot_edits", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Catalog.ForgetSlotEdits(ctx, now.Add(-keptEdits), rowsDropped) })
		}},
		{"guests", func() (int64, error) { return w.eraseGuests(ctx) }},
		{"answers", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Bookings.DropOldAnswers(ctx, now.Add(-keptAnswers), rowsDropped) })
		}},
		{"events", func() (int64, error) {
			return dropBatches(rowsDropped, func() (int64, error) { return w.Store.Events.DropOldEvents(ctx, now.Add(-keptEvents), rowsDropped) })
		}},
	} {
		n, err := of.drop()
		failed, total, dropped = append(failed, err), total+n, append(dropped, slog.Int64(of.name, n))
	}
	if total > 0 {
		w.Log.InfoContext(ctx, "cleaned up", dropped...)
	}
	return errors.Join(append(failed, w.Store.Events.WakeAll(ctx))...)
}

// sales counts the bookings of the last days.
func (w *Worker) sales(ctx context.Context, j *river.Job[job.Sales]) error {
	days := 2
	if j.Args.Due.Minute() == 0 {
		days = domain.SalesDays
	}
	return w.Store.CountSales(ctx, j.Args.Due, days)
}

// seats stores the breaches of partners that do not count the marketplace's holds and bookings.
func (w *Worker) seats(ctx context.Context, j *river.Job[job.Seats]) error {
	found, err := w.Store.Partners.UncountedSeats(ctx, j.Args.Due)
	if err != nil || len(found) == 0 {
		return err
	}
	return conformance.KeepBreaches(ctx, w.Store.Partners, found, w.Log)
}

// dropPastSlots deletes the slots of days that have ended in every time zone.
func (w *Worker) dropPastSlots(ctx context.Context) (int64, error) {
	yesterday := domain.DateIn(w.Clock.Now(), time.UTC).AddDate(0, 0, -1)
	return dropBatches(slotsDropped, func() (int64, error) { return w.Store.Catalog.DeletePastSlots(ctx, yesterday, slotsDropped) })
}

// eraseGuests erases guests whose slots ended long ago.
func (w *Worker) eraseGuests(ctx context.Context) (int64, error) {
	if w.Schedule.EraseAfter == 0 {
		return 0, nil
	}
	before := w.Clock.Now().Add(-w.Schedule.EraseAfter)
	return dropBatches(guestsErased, func() (int64, error) { return w.Store.Bookings.EraseGuests(ctx, before, guestsErased) })
}

// dropBatches deletes batches until few rows are left, and returns their number. The next hour deletes the
// rest of a large number.
func dropBatches(batch int64, drop func() (int64, error)) (dropped int64, err error) {
	for range mostDrops {
		n, err := drop()
		dropped += n
		if err != nil || n < batch {
			return dropped, err
		}
	}
	return dropped, nil
}

func (w *Worker) sweep(ctx context.Context, _ *river.Job[job.Sweep]) error {
	return errors.Join(w.Bookings.Sweep(ctx), w.Runs.Recover(ctx), w.Store.Catalog.RecordLostSyncs(ctx))
}

// snoozeJob repeats a delivery after a pause, as the same job.
func snoozeJob(pause time.Duration, err error) error {
	if err == nil && pause > 0 {
		return river.JobSnooze(pause)
	}
	return err
}
