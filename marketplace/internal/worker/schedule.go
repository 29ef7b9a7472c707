package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/riverqueue/river"

	"partnerkit.dev/marketplace/internal/job"
)

// Schedule configures recurring work.
type Schedule struct {
	NightlyAt     time.Duration // time of day, UTC, of a full sync of every integration with its slots
	NightlyWithin time.Duration // the last of these syncs begins within this time
	Probes        time.Duration // interval of partners' health probes; 0: never
	Incremental   time.Duration // interval of incremental syncs; 0: never
	Sweeps        time.Duration // interval of releasing expired holds; 0: never
	EraseAfter    time.Duration // how long after a slot's end its guests are erased; 0: never
}

const (
	day      = 24 * time.Hour
	cleanUps = time.Hour
	// salesCounts is how often the bookings of today and yesterday are counted. All kept days are
	// counted every hour, because the state of a booking may change later.
	salesCounts = time.Minute
	// nightEnds is how often it is checked whether the nightly syncs have ended.
	nightEnds = time.Minute
	// seatCounts is how often partners' vacancies are compared with own bookings.
	seatCounts = 5 * time.Minute
	// ratesAt is half an hour after the European Central Bank publishes its rates at 16:00 in
	// Frankfurt in winter.
	ratesAt    = 15*time.Hour + 30*time.Minute
	insertTime = 10 * time.Second
)

// schedule is a job that is due at an interval, with an offset.
type schedule struct {
	every, offset time.Duration
	job           func(due time.Time) river.JobArgs
}

// nextTime returns when the schedule is due after a time.
func (s schedule) nextTime(after time.Time) time.Time {
	return after.Add(-s.offset).Truncate(s.every).Add(s.every + s.offset)
}

// dueTime returns the scheduled time for a tick, on which clocks with a small difference agree.
func (s schedule) dueTime(tick time.Time) time.Time {
	return tick.Add(-s.offset).Round(s.every).Add(s.offset).UTC()
}

func (w *Worker) newSchedules() (gocron.Scheduler, error) {
	all := []schedule{
		{day, w.Schedule.NightlyAt, func(due time.Time) river.JobArgs { return job.Nightly{Scheduled: job.Scheduled{Due: due}} }},
		{nightEnds, 0, func(due time.Time) river.JobArgs { return job.Night{Scheduled: job.Scheduled{Due: due}} }},
		{w.Schedule.Probes, 0, func(due time.Time) river.JobArgs { return job.Probes{Scheduled: job.Scheduled{Due: due}} }},
		{w.Schedule.Incremental, 0, func(due time.Time) river.JobArgs { return job.Incremental{Scheduled: job.Scheduled{Due: due}} }},
		{w.Schedule.Sweeps, 0, func(due time.Time) river.JobArgs { return job.Sweep{Scheduled: job.Scheduled{Due: due}} }},
		{w.everyRates(), ratesAt, func(due time.Time) river.JobArgs { return job.Rates{Scheduled: job.Scheduled{Due: due}} }},
		{salesCounts, 0, func(due time.Time) river.JobArgs { return job.Sales{Scheduled: job.Scheduled{Due: due}} }},
		{seatCounts, 0, func(due time.Time) river.JobArgs { return job.Seats{Scheduled: job.Scheduled{Due: due}} }},
		{cleanUps, cleanUps / 2, func(due time.Time) river.JobArgs { return job.CleanUp{Scheduled: job.Scheduled{Due: due}} }},
	}
	made, err := gocron.NewScheduler(gocron.WithLocation(time.UTC), gocron.WithClock(w.Clock))
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.every == 0 {
			continue
		}
		_, err := made.NewJob(gocron.DurationJob(s.every), gocron.NewTask(w.tick, s), gocron.WithStartAt(gocron.WithStartDateTime(s.nextTime(w.Clock.Now()))))
		if err != nil {
			return nil, fmt.Errorf("every %s: %w", s.every, err)
		}
	}
	return made, nil
}

// everyRates returns the interval of pulling exchange rates; 0: never.
func (w *Worker) everyRates() time.Duration {
	if w.Rates == nil {
		return 0
	}
	return day
}

// tick inserts a schedule's job.
func (w *Worker) tick(ctx context.Context, s schedule) {
	ctx, cancel := context.WithTimeout(ctx, insertTime)
	defer cancel()
	w.setTime(ctx)
	due := s.job(s.dueTime(w.Clock.Now()))
	if err := w.Store.InsertJobs(ctx, due); err != nil {
		w.Log.Error("a scheduled job was not inserted", slog.String("job", due.Kind()), slog.Any("error", err))
	}
}
