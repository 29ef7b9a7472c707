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
	QueueChores   = "chores"   // short jobs, and those that only insert others
)

// The jobs of an integration. Of each kind one waits or runs.
type (
	// Sync serves the pending request for its catalog. Requests that arrive meanwhile are stored
	// separately.
	Sync struct {
		Integration uuid.UUID `json:"integration_id"`
	}
	// Slots pulls some of its options' slots, for a few seconds.
	Slots struct {
		Integration uuid.UUID `json:"integration_id"`
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
	// Confirm sends a confirm again that had no answer. One waits or runs for a booking:
	// it stays until confirm is not due any more.
	Confirm struct {
		Booking uuid.UUID `json:"booking_id"`
	}
	// Release sends a release until it is taken. There may be another: where an operator
	// has what was given up sent again, the job that gave it up may not have ended yet.
	Release struct {
		Booking uuid.UUID `json:"booking_id"`
	}
	// Cancel sends a cancellation until it is taken. There may be another, as for a release.
	Cancel struct {
		Booking uuid.UUID `json:"booking_id"`
	}
)

const failures = 12

// Events sends what a reseller has asked to be told at one address, a few seconds' worth
// of it. One waits or runs for an address: it keeps the order.
type Events struct {
	Subscription uuid.UUID `json:"subscription_id"`
}

// The jobs of a run of the conformance command.
type (
	// ConformanceRun runs it.
	ConformanceRun struct {
		Run uuid.UUID `json:"run_id"`
	}
	// ConformanceCleanup undoes what it held and booked where its replica has died. It is
	// apart from the run's own job, which counts as running until the queue gives it up.
	ConformanceCleanup struct {
		Run uuid.UUID `json:"run_id"`
	}
)

// ConformanceRecheck asks for a run that only reads. There is one for an integration and a
// night.
type ConformanceRecheck struct {
	Due         time.Time `json:"due"`
	Integration uuid.UUID `json:"integration_id"`
}

// The schedules' jobs. Every replica inserts one when it is due; the time, rounded to
// the schedule, makes them one.
type (
	// Nightly asks for a full sync of every integration, and for its slots, and then for a
	// recheck of those that are certified.
	Nightly struct{ Scheduled }
	// Incremental asks for an incremental sync of every integration.
	Incremental struct{ Scheduled }
	// Probes asks for a probe of every integration.
	Probes struct{ Scheduled }
	// Sweep releases what has expired, and sees to the calls and conformance runs of replicas
	// that died and to what dropped jobs were for.
	Sweep struct{ Scheduled }
	// Rates reads the published exchange rates. One is due at the start too.
	Rates struct{ Scheduled }
	// CleanUp deletes expired rows.
	CleanUp struct{ Scheduled }
	// Sales counts the bookings of the last days.
	Sales struct{ Scheduled }
)

// Scheduled is the time that a schedule's job stands for.
type Scheduled struct {
	Due time.Time `json:"due"`
}

// Kind is the job's name in the queue, and stays what it is: jobs outlive releases.

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
func (Incremental) Kind() string        { return "incremental" }
func (Probes) Kind() string             { return "health_probes" }
func (Sweep) Kind() string              { return "booking_sweep" }
func (Rates) Kind() string              { return "exchange_rates" }
func (CleanUp) Kind() string            { return "clean_up" }
func (Sales) Kind() string              { return "sales" }

// InsertOpts say where a job waits, and how many of it there may be.

func (Sync) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueSyncs, UniqueOpts: oneAtATime}
}

func (Slots) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueSlots, UniqueOpts: oneAtATime}
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

// InsertOpts of Rates has a day's pull fail for half a day before the next one is due.
func (Rates) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueChores, MaxAttempts: failures, UniqueOpts: once}
}

func (Scheduled) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueChores, UniqueOpts: once}
}

var (
	// once: of the same arguments there is one job, the one that is done included.
	once = river.UniqueOpts{ByArgs: true}
	// oneAtATime: of the same arguments one job waits or runs.
	oneAtATime = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}
)
