package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
)

// How many jobs of each queue a replica does at once. Most of the time they wait for
// partners: a few that never answer must not fill a queue.
var workers = map[string]int{job.QueueSyncs: 100, job.QueueSlots: 100, job.QueueProbes: 20, job.QueueBookings: 50, job.QueueChores: 4}

const (
	// jobTime bounds a job that pulls from partners. One of slots takes the longest: it
	// begins new pulls for a while, and the last of them may take the partner's whole
	// 20 s.
	jobTime = 28 * time.Second
	// shortTime bounds every other job. What is owed for a booking takes the longest: 10 s
	// for its turn with the partner, and 10 s for the answer.
	shortTime = 21 * time.Second
	// rescueTime is when a job that is still running was its replica's last, or its own
	// time, where that is longer. Such jobs are looked for every 30 s: together they keep
	// within the minute.
	rescueTime = 22 * time.Second
	// fetchPause is the least time between two looks into a queue, and so how long a
	// job waits for its start where there are few.
	fetchPause = 10 * time.Millisecond
	// keptDone is how long jobs that are done are kept; that of a schedule has to
	// outlast the clocks' differences.
	keptDone = time.Hour
	// settleTime bounds what a job still writes when it is told to end.
	settleTime = 5 * time.Second
)

// Prober asks a partner whether it is there.
type Prober interface {
	Probe(ctx context.Context, t partner.Target) error
}

// Config is what a Worker is made of.
type Config struct {
	Store        *postgres.Store // with connections of its own: requests do not wait for them
	Integrations *partner.Registry
	Syncer       *catalog.Syncer
	Slots        *catalog.SlotPuller
	Prober       Prober
	Bookings     Bookings
	Schedule     Schedule
	Log          *slog.Logger

	Clock      clockwork.Clock // nil: the machine's
	JobTime    time.Duration   // 0: jobTime
	RescueTime time.Duration   // 0: rescueTime; more than the shorter of JobTime and shortTime
}

// Worker does jobs, and keeps the schedules.
type Worker struct {
	Config
	queue     *river.Client[pgx.Tx]
	schedules gocron.Scheduler
}

// New returns a worker that has not started yet.
func New(c Config) (*Worker, error) {
	if c.Clock == nil {
		c.Clock = clockwork.NewRealClock()
	}
	if c.JobTime == 0 {
		c.JobTime = jobTime
	}
	if c.RescueTime == 0 {
		c.RescueTime = rescueTime
	}
	w := &Worker{Config: c}
	kinds := river.NewWorkers()
	river.AddWorker(kinds, &pulling[job.Sync]{work: w.sync, limit: c.JobTime})
	river.AddWorker(kinds, &pulling[job.Slots]{work: w.slots, limit: c.JobTime})
	river.AddWorker(kinds, &pulling[job.Probe]{work: w.probe, limit: c.JobTime})
	river.AddWorker(kinds, river.WorkFunc(w.probes))
	river.AddWorker(kinds, river.WorkFunc(w.nightly))
	river.AddWorker(kinds, river.WorkFunc(w.incremental))
	river.AddWorker(kinds, river.WorkFunc(w.cleanUp))
	river.AddWorker(kinds, river.WorkFunc(w.confirm))
	river.AddWorker(kinds, river.WorkFunc(w.release))
	river.AddWorker(kinds, river.WorkFunc(w.cancel))
	river.AddWorker(kinds, river.WorkFunc(w.sweep))
	queues := map[string]river.QueueConfig{}
	for name, most := range workers {
		queues[name] = river.QueueConfig{MaxWorkers: most}
	}
	var err error
	w.queue, err = river.NewClient(riverpgxv5.New(c.Store.Pool()), &river.Config{
		Queues: queues, Workers: kinds, FetchCooldown: fetchPause, JobTimeout: min(c.JobTime, shortTime), RescueStuckJobsAfter: c.RescueTime,
		CompletedJobRetentionPeriod: keptDone, ErrorHandler: &failures{c.Log},
		Logger: slog.New(quiet{c.Log.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("make the job queue: %w", err)
	}
	if w.schedules, err = w.newSchedules(); err != nil {
		return nil, fmt.Errorf("make the schedules: %w", err)
	}
	return w, nil
}

// pulling does a kind of jobs that pull from partners.
type pulling[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	work  func(context.Context, *river.Job[T]) error
	limit time.Duration
}

// Work is the queue's.
func (p *pulling[T]) Work(ctx context.Context, j *river.Job[T]) error { return p.work(ctx, j) }

// Timeout is the queue's.
func (p *pulling[T]) Timeout(*river.Job[T]) time.Duration { return p.limit }

// Start begins to do jobs. Nothing is due because of it.
func (w *Worker) Start(ctx context.Context) error {
	if err := w.queue.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	w.schedules.Start()
	return nil
}

// Stop ends the schedules and the jobs. Those under way return their context's error,
// for which the queue hands them back: another replica goes on with them at once, and
// it does not count as a try. It waits for that until ctx ends.
func (w *Worker) Stop(ctx context.Context) error {
	return errors.Join(w.schedules.ShutdownWithContext(ctx), w.queue.StopAndCancel(ctx))
}

// target returns how the partner of a live integration is called; the error is NotFound
// where there is none any more.
func (w *Worker) target(ctx context.Context, id uuid.UUID) (partner.Target, error) {
	i, err := w.Integrations.Find(ctx, uuid.Nil, id)
	if err != nil {
		return partner.Target{}, err
	}
	return w.Integrations.Target(i)
}

// settling returns a context for what a job writes at its end, even when it is told to
// end.
func settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}

// finish marks a job done in the transaction of what it has changed, and inserts the
// next one where due is not zero. What is not due later is due at once: the queue looks
// for what it has to wait for every few seconds only.
func finish[T river.JobArgs](ctx context.Context, tx pgx.Tx, done *river.Job[T], now, due time.Time) error {
	if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, done); err != nil {
		return fmt.Errorf("end the job: %w", err)
	}
	if due.IsZero() {
		return nil
	}
	if !due.After(now) {
		due = time.Time{}
	}
	if _, err := river.ClientFromContext[pgx.Tx](ctx).InsertTx(ctx, tx, done.Args, &river.InsertOpts{ScheduledAt: due}); err != nil {
		return fmt.Errorf("insert the next job: %w", err)
	}
	return nil
}
