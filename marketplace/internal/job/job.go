// Package job defines the kinds of jobs: their arguments, their queues, and which ones are unique.
// The store inserts a job in the transaction of the change that requires it, and package worker
// executes it.
package job

import (
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The queues. Each has its own workers, so that one does not delay another.
const (
	QueueSyncs    = "syncs"
	QueueSlots    = "slots"
	QueueProbes   = "probes"
	QueueBookings = "bookings" // calls that are due to partners
	QueueEvents   = "events"   // deliveries of events
	QueueRuns     = "runs"     // conformance runs
	QueueRates    = "rates"    // imports of exchange rates, by replicas that have their address
	QueueChores   = "chores"   // short jobs, and those that only insert others
)

// The jobs of an integration. At most one of each kind waits or runs for an integration.
type (
	// Sync serves the pending request for its catalog. Requests that arrive meanwhile are stored
	// separately.
	Sync struct {
		Integration uuid.UUID `json:"integration_id"`
	}
	// Slots pulls some of its options' slots, for a few seconds.
	Slots struct {
		Integration uuid.UUID `json:"integration_id"`
		Slow        bool      `json:"-"` // jobs of other partners come first; set when the job is inserted
	}
)

// Probe checks whether some partners can be reached. It is unique for the time and the partners. It
// is not retried, because the next one is due soon.
type Probe struct {
	Due          time.Time   `json:"due"`
	Integrations []uuid.UUID `json:"integration_ids"`
}

// The jobs of a booking. Such a job may fail, or lose its replica, this often before it is dropped:
// about half a day with growing pauses. An answer of the partner is not a failure of the job. A
// sweep raises attention for a dropped job.
type (
	// Confirm repeats a confirm that had no answer. One waits or runs for each booking, until no
	// confirm is due.
	Confirm struct {
		Booking uuid.UUID `json:"booking_id"`
	}
	// Release sends a release until the partner accepts it. There may be two: if an operator sends
	// a failed release again, the job that gave it up may still be running.
	Release struct {
		Booking uuid.UUID `json:"booking_id"`
	}
	// Cancel sends a cancellation until the partner accepts it. There may be two, as for a release.
	Cancel struct {
		Booking uuid.UUID `json:"booking_id"`
	}
)

const failures = 12

// Events sends a subscription's events to its address for a few seconds. One waits or runs for each
// address, which keeps the order.
type Events struct {
	Subscription uuid.UUID `json:"subscription_id"`
}

// The jobs of a conformance run. Cleanups is the number of the run's cleanups so far. It distinguishes a job
// from that of a crashed replica, which counts as running until the queue rescues it minutes later.
type (
	// ConformanceRun executes the run.
	ConformanceRun struct {
		Run      uuid.UUID `json:"run_id"`
		Cleanups int       `json:"cleanups,omitempty"`
	}
	// ConformanceCleanup undoes the holds and bookings of a crashed replica's run.
	ConformanceCleanup struct {
		Run      uuid.UUID `json:"run_id"`
		Cleanups int       `json:"cleanups,omitempty"`
	}
)

// ConformanceRecheck requests a read-only run. It is unique for an integration and a night.
type ConformanceRecheck struct {
	Due         time.Time `json:"due"`
	Integration uuid.UUID `json:"integration_id"`
}

// The schedules' jobs. Every replica inserts one when it is due, and the time, rounded to the
// schedule, makes it unique.
type (
	// Nightly requests a full sync of every integration with its slots, and then a recheck of the
	// certified ones.
	Nightly struct{ Scheduled }
	// Night records that a night's syncs have ended.
	Night struct{ Scheduled }
	// Incremental requests an incremental sync of every integration.
	Incremental struct{ Scheduled }
	// Probes requests a probe of every integration.
	Probes struct{ Scheduled }
	// Sweep releases expired holds, takes over the calls and conformance runs of crashed replicas,
	// records their syncs as failed, and resolves dropped jobs.
	Sweep struct{ Scheduled }
	// Rates pulls the published exchange rates. It is also due at the start.
	Rates struct{ Scheduled }
	// CleanUp deletes expired rows.
	CleanUp struct{ Scheduled }
	// Sales counts the bookings of the last days.
	Sales struct{ Scheduled }
	// Seats compares partners' vacancies with the marketplace's own holds and bookings.
	Seats struct{ Scheduled }
)

// Scheduled is the scheduled time of a job.
type Scheduled struct {
	Due time.Time `json:"due"`
}

// Kind returns the job's name in the queue. It must never change, because jobs outlive releases.

func (Sync) Kind() string               { return "catalog_sync" }
func (Slots) Kind() string              { return "slots_pull" }
func (Probe) Kind() string              { return "health_probe" }
func (Confirm) Kind() string            { return "booking_confirm" }
func (Release) Kind() string            { return "booking_release" }
func (Cancel) Kind() string             { return "booking_cancel" }
func (Events) Kind() string             { return "reseller_events" }
func (ConformanceRun) Kind() string     { return "conformance_run" }
func (ConformanceCleanup) Kind() string { return "conformance_cleanup" }
func (ConformanceRecheck) Kind() string { return "conformance_recheck" }
func (Nightly) Kind() string            { return "nightly" }
func (Night) Kind() string              { return "night_end" }
func (Incremental) Kind() string        { return "incremental" }
func (Probes) Kind() string             { return "health_probes" }
func (Sweep) Kind() string              { return "booking_sweep" }
func (Rates) Kind() string              { return "exchange_rates" }
func (CleanUp) Kind() string            { return "clean_up" }
func (Sales) Kind() string              { return "sales" }
func (Seats) Kind() string              { return "seats" }

// InsertOpts returns a job's queue and uniqueness.

func (Sync) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueSyncs, UniqueOpts: oneAtATime}
}

// InsertOpts gives the jobs of slow partners, however many they are, the time that others leave.
func (s Slots) InsertOpts() river.InsertOpts {
	opts := river.InsertOpts{Queue: QueueSlots, UniqueOpts: oneAtATime}
	if s.Slow {
		opts.Priority = 2
	}
	return opts
}

func (Probe) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueProbes, UniqueOpts: once, MaxAttempts: 1}
}

func (Confirm) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueBookings, MaxAttempts: failures, UniqueOpts: oneAtATime}
}

func (Release) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueBookings, MaxAttempts: failures}
}

func (Cancel) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueBookings, MaxAttempts: failures}
}

func (Events) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueEvents, UniqueOpts: oneAtATime}
}

func (ConformanceRun) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueRuns, Priority: 2, UniqueOpts: oneAtATime}
}

func (ConformanceCleanup) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueRuns, Priority: 1, UniqueOpts: oneAtATime}
}

func (ConformanceRecheck) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueChores, UniqueOpts: once}
}

// InsertOpts lets a day's pull be retried for half a day before the next one is due.
func (Rates) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueRates, MaxAttempts: failures, UniqueOpts: once}
}

func (Scheduled) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueChores, UniqueOpts: once}
}

var (
	// once: only one job with the same arguments, including finished ones.
	once = river.UniqueOpts{ByArgs: true}
	// oneAtATime: only one job with the same arguments waits or runs.
	oneAtATime = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}
)
