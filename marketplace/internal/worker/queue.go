package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/parts"
	"partnerkit.dev/marketplace/internal/postgres"
)

// workers limits the concurrent jobs of each queue in a replica. Most jobs wait for partners, and a
// few unresponsive partners must not fill a queue. A conformance run uses a process.
var workers = map[string]int{job.QueueSyncs: 100, job.QueueSlots: 100, job.QueueProbes: 20, job.QueueBookings: 50, job.QueueEvents: 50, job.QueueChores: 4, job.QueueRuns: 2}

const (
	// jobTime limits a job that pulls from partners. A job for slots takes longest: it starts pulls
	// for a while, and the last pull may take the partner's 20 s.
	jobTime = 28 * time.Second
	// shortTime limits all other jobs. A delivery for a booking takes longest: 10 s for a permit
	// and 10 s for the answer.
	shortTime = 21 * time.Second
	// rescueTime is how long a job may run before it counts as abandoned, unless its own limit is
	// longer. Abandoned jobs are looked for every 30 s, so they are taken over within a minute.
	rescueTime = 22 * time.Second
	// fetchPause is the minimum pause between two fetches from a queue, which is how long a job
	// waits when there are few.
	fetchPause = 10 * time.Millisecond
	// keptDone is how long finished jobs are kept. A schedule's job must outlast the difference
	// between clocks.
	keptDone = time.Hour
)

// New returns a worker that has not been started.
func New(c Config) (*Worker, error) {
	if err := parts.Check("worker", c); err != nil {
		return nil, err
	}
	if c.Clock == nil {
		c.Clock = databaseTime{clockwork.NewRealClock(), c.Time}
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
	river.AddWorker(kinds, river.WorkFunc(w.runNightly))
	river.AddWorker(kinds, river.WorkFunc(w.night))
	river.AddWorker(kinds, river.WorkFunc(w.runIncremental))
	river.AddWorker(kinds, river.WorkFunc(w.cleanUp))
	river.AddWorker(kinds, river.WorkFunc(w.sales))
	river.AddWorker(kinds, river.WorkFunc(w.seats))
	river.AddWorker(kinds, river.WorkFunc(w.sweep))
	river.AddWorker(kinds, river.WorkFunc(w.events))
	river.AddWorker(kinds, river.WorkFunc(func(ctx context.Context, j *river.Job[job.Confirm]) error {
		return snoozeJob(c.Bookings.DeliverConfirm(ctx, j.Args.Booking))
	}))
	river.AddWorker(kinds, river.WorkFunc(func(ctx context.Context, j *river.Job[job.Release]) error {
		return snoozeJob(c.Bookings.DeliverRelease(ctx, j.Args.Booking))
	}))
	river.AddWorker(kinds, river.WorkFunc(func(ctx context.Context, j *river.Job[job.Cancel]) error {
		return snoozeJob(c.Bookings.DeliverCancel(ctx, j.Args.Booking))
	}))
	river.AddWorker(kinds, river.WorkFunc(func(ctx context.Context, j *river.Job[job.ConformanceRecheck]) error {
		return snoozeJob(c.Runs.Recheck(ctx, j.Args.Integration))
	}))
	river.AddWorker(kinds, &pulling[job.ConformanceRun]{limit: conformance.LongestRun, work: func(ctx context.Context, j *river.Job[job.ConformanceRun]) error {
		return c.Runs.Run(ctx, j.Args.Run)
	}})
	river.AddWorker(kinds, &pulling[job.ConformanceCleanup]{limit: conformance.LongestRun, work: func(ctx context.Context, j *river.Job[job.ConformanceCleanup]) error {
		return c.Runs.CleanUp(ctx, j.Args.Run)
	}})
	queues := map[string]river.QueueConfig{}
	for name, most := range workers {
		queues[name] = river.QueueConfig{MaxWorkers: most}
	}
	if c.Rates != nil { // other replicas leave these jobs alone
		river.AddWorker(kinds, river.WorkFunc(func(ctx context.Context, _ *river.Job[job.Rates]) error { return c.Rates.Pull(ctx) }))
		queues[job.QueueRates] = river.QueueConfig{MaxWorkers: 1}
	}
	var err error
	w.queue, err = river.NewClient(c.Store.QueueDriver(), &river.Config{
		Queues: queues, Workers: kinds, FetchCooldown: fetchPause, JobTimeout: min(c.JobTime, shortTime), RescueStuckJobsAfter: c.RescueTime,
		CompletedJobRetentionPeriod: keptDone, ErrorHandler: &failures{c.Log}, Middleware: c.Jobs,
		Logger: slog.New(quiet{c.Log.Handler()}),
		Test:   river.TestConfig{Time: w.Time}, // its only way to set a clock
	})
	if err != nil {
		return nil, fmt.Errorf("create the job queue: %w", err)
	}
	if w.schedules, err = w.newSchedules(); err != nil {
		return nil, fmt.Errorf("create the schedules: %w", err)
	}
	return w, nil
}

// Start starts the worker. No job becomes due because of it.
func (w *Worker) Start(ctx context.Context) error {
	w.setTime(ctx)
	if err := w.queue.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	w.schedules.Start()
	w.publisher.start(w)
	return nil
}

// Stop stops the schedules and the jobs. Running jobs return their context's error, and the queue
// hands them back: another replica continues them immediately, and it does not count as an attempt.
// Stop waits for this until ctx ends.
func (w *Worker) Stop(ctx context.Context) error {
	w.publisher.stop()
	return errors.Join(w.schedules.ShutdownWithContext(ctx), w.queue.StopAndCancel(ctx))
}

// databaseTime is a clock with the database's time and the machine's timers.
type databaseTime struct {
	clockwork.Clock
	of *postgres.Clock
}

// Now returns the database's time.
func (d databaseTime) Now() time.Time { return d.of.Now() }

// setTime sets the clock from the database. If that fails, the clock is unchanged.
func (w *Worker) setTime(ctx context.Context) {
	if err := w.Time.Set(ctx, w.Store.Now); err != nil {
		w.Log.Warn("could not read the database's clock", slog.Any("error", err))
	}
}

// pulling executes jobs that pull from partners or call them for a long time.
type pulling[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	work  func(context.Context, *river.Job[T]) error
	limit time.Duration
}

// Work implements river.Worker.
func (p *pulling[T]) Work(ctx context.Context, j *river.Job[T]) error { return p.work(ctx, j) }

// Timeout implements river.Worker.
func (p *pulling[T]) Timeout(*river.Job[T]) time.Duration { return p.limit }

// failures logs errors of jobs. They contain ids and no secrets.
type failures struct{ log *slog.Logger }

// HandleError logs an error. The job is retried.
func (f *failures) HandleError(ctx context.Context, failed *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.log.ErrorContext(ctx, "job failed", append(jobAttributes(failed), slog.Any("error", err))...)
	return nil
}

// HandlePanic logs a panic. The job is retried.
func (f *failures) HandlePanic(ctx context.Context, failed *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.log.ErrorContext(ctx, "job panicked", append(jobAttributes(failed), slog.Any("panic", value), slog.String("trace", trace))...)
	return nil
}

func jobAttributes(j *rivertype.JobRow) []any {
	return []any{slog.String("job", j.Kind), slog.Int64("job_id", j.ID), slog.String("args", string(j.EncodedArgs)), slog.Int("attempt", j.Attempt)}
}

// quiet passes only warnings of the queue. failures logs each failed job.
type quiet struct{ slog.Handler }

// Enabled reports whether records of that level are passed.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}
