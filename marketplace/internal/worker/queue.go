package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"partnerkit.dev/marketplace/internal/certification"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/postgres"
)

// How many jobs of each queue a replica runs concurrently. Most of the time they wait for
// partners: a few that never answer must not fill a queue. A conformance run has a process.
var workers = map[string]int{job.QueueSyncs: 100, job.QueueSlots: 100, job.QueueProbes: 20, job.QueueBookings: 50, job.QueueEvents: 50, job.QueueChores: 4, job.QueueRuns: 2}

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
)

// New returns a worker that has not started yet.
func New(c Config) (*Worker, error) {
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
	river.AddWorker(kinds, river.WorkFunc(w.nightly))
	river.AddWorker(kinds, river.WorkFunc(w.incremental))
	river.AddWorker(kinds, river.WorkFunc(w.cleanUp))
	river.AddWorker(kinds, river.WorkFunc(w.sales))
	river.AddWorker(kinds, river.WorkFunc(w.recheck))
	river.AddWorker(kinds, river.WorkFunc(w.confirm))
	river.AddWorker(kinds, river.WorkFunc(w.release))
	river.AddWorker(kinds, river.WorkFunc(w.cancel))
	river.AddWorker(kinds, river.WorkFunc(w.sweep))
	river.AddWorker(kinds, river.WorkFunc(w.events))
	river.AddWorker(kinds, river.WorkFunc(w.rates))
	river.AddWorker(kinds, &pulling[job.ConformanceRun]{work: w.run, limit: certification.LongestRun})
	river.AddWorker(kinds, &pulling[job.ConformanceCleanup]{work: w.cleanUpRun, limit: certification.LongestRun})
	queues := map[string]river.QueueConfig{}
	for name, most := range workers {
		queues[name] = river.QueueConfig{MaxWorkers: most}
	}
	var err error
	w.queue, err = river.NewClient(riverpgxv5.New(c.Store.Pool()), &river.Config{
		Queues: queues, Workers: kinds, FetchCooldown: fetchPause, JobTimeout: min(c.JobTime, shortTime), RescueStuckJobsAfter: c.RescueTime,
		CompletedJobRetentionPeriod: keptDone, ErrorHandler: &failures{c.Log}, Middleware: c.Jobs,
		Logger: slog.New(quiet{c.Log.Handler()}),
		Test:   river.TestConfig{Time: w.Time}, // the only way to give it a clock
	})
	if err != nil {
		return nil, fmt.Errorf("create the job queue: %w", err)
	}
	if w.schedules, err = w.newSchedules(); err != nil {
		return nil, fmt.Errorf("create the schedules: %w", err)
	}
	return w, nil
}

// Start begins to do jobs. Nothing is due because of it.
func (w *Worker) Start(ctx context.Context) error {
	w.setTime(ctx)
	if err := w.queue.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	w.schedules.Start()
	w.publisher.start(w)
	return nil
}

// Stop ends the schedules and the jobs. Those under way return their context's error,
// for which the queue hands them back: another replica continues them immediately, and
// it does not count as an attempt. It waits for that until ctx ends.
func (w *Worker) Stop(ctx context.Context) error {
	w.publisher.stop()
	return errors.Join(w.schedules.ShutdownWithContext(ctx), w.queue.StopAndCancel(ctx))
}

// databaseTime is a clock whose time is the database's; its timers are the machine's.
type databaseTime struct {
	clockwork.Clock
	of *postgres.Clock
}

// Now is the database's time.
func (d databaseTime) Now() time.Time { return d.of.Now() }

// setTime sets the clock by the database's. If it cannot be read, the clock stays unchanged.
func (w *Worker) setTime(ctx context.Context) {
	if err := w.Time.Set(ctx, w.Store.Now); err != nil {
		w.Log.Warn("could not read the database's clock", slog.Any("error", err))
	}
}

// pulling does a kind of jobs that pull from partners, or call them for long.
type pulling[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	work  func(context.Context, *river.Job[T]) error
	limit time.Duration
}

// Work is the queue's.
func (p *pulling[T]) Work(ctx context.Context, j *river.Job[T]) error { return p.work(ctx, j) }

// Timeout is the queue's.
func (p *pulling[T]) Timeout(*river.Job[T]) time.Duration { return p.limit }

// failures logs what went wrong in jobs. They hold ids, and no secret.
type failures struct{ log *slog.Logger }

// HandleError is told of an error; the job is tried again.
func (f *failures) HandleError(ctx context.Context, failed *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.log.ErrorContext(ctx, "job failed", append(described(failed), slog.Any("error", err))...)
	return nil
}

// HandlePanic is told of a panic; the job is tried again.
func (f *failures) HandlePanic(ctx context.Context, failed *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.log.ErrorContext(ctx, "job panicked", append(described(failed), slog.Any("panic", value), slog.String("trace", trace))...)
	return nil
}

func described(j *rivertype.JobRow) []any {
	return []any{slog.String("job", j.Kind), slog.Int64("job_id", j.ID), slog.String("args", string(j.EncodedArgs)), slog.Int("attempt", j.Attempt)}
}

// quiet lets only warnings of the queue's own through: of each job that fails it says
// what failures says.
type quiet struct{ slog.Handler }

// Enabled reports whether a record of that level is let through.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}
