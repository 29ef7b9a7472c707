// Package job names what the service does by itself, later or again: each kind of job
// with its arguments, the queue where it waits, and how many of it there may be. The
// store inserts a job in the transaction of the change that demands it; worker does it.
package job

import (
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The queues. Each has workers of its own: what waits in one holds up no other.
const (
	QueueSyncs  = "syncs"
	QueueSlots  = "slots"
	QueueProbes = "probes"
	QueueChores = "chores" // short ones, and those that only ask for others
)

// Sync does what has been asked for of an integration's catalog.
type Sync struct {
	Integration uuid.UUID `json:"integration_id"`
}

// Kind names it in the queue.
func (Sync) Kind() string { return "catalog_sync" }

// InsertOpts let one wait or run for an integration. What is asked for meanwhile is
// kept beside it.
func (Sync) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueSyncs, UniqueOpts: oneAtATime}
}

// Slots pulls slots of an integration's options, a few seconds' worth of them.
type Slots struct {
	Integration uuid.UUID `json:"integration_id"`
}

// Kind names it in the queue.
func (Slots) Kind() string { return "slots_pull" }

// InsertOpts let one wait or run for an integration.
func (Slots) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueSlots, UniqueOpts: oneAtATime}
}

// Probe asks some partners whether they are there.
type Probe struct {
	Due          time.Time   `json:"due"`
	Integrations []uuid.UUID `json:"integration_ids"`
}

// Kind names it in the queue.
func (Probe) Kind() string { return "health_probe" }

// InsertOpts let there be one for the time and the partners. It is not tried again: the
// next one is due soon.
func (Probe) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueProbes, UniqueOpts: once, MaxAttempts: 1}
}

// The schedules' jobs. Every replica inserts one when it is due; the time, rounded to
// the schedule, makes them one.
type (
	// Nightly asks for a full sync of every integration, and for its slots.
	Nightly struct {
		Due time.Time `json:"due"`
	}
	// Incremental asks for an incremental sync of every integration.
	Incremental struct {
		Due time.Time `json:"due"`
	}
	// Probes asks for a probe of every integration.
	Probes struct {
		Due time.Time `json:"due"`
	}
	// CleanUp deletes what nobody needs any more.
	CleanUp struct {
		Due time.Time `json:"due"`
	}
)

// Kind names it in the queue.
func (Nightly) Kind() string { return "nightly" }

// Kind names it in the queue.
func (Incremental) Kind() string { return "incremental" }

// Kind names it in the queue.
func (Probes) Kind() string { return "health_probes" }

// Kind names it in the queue.
func (CleanUp) Kind() string { return "clean_up" }

// InsertOpts let there be one for each time.
func (Nightly) InsertOpts() river.InsertOpts { return chore }

// InsertOpts let there be one for each time.
func (Incremental) InsertOpts() river.InsertOpts { return chore }

// InsertOpts let there be one for each time.
func (Probes) InsertOpts() river.InsertOpts { return chore }

// InsertOpts let there be one for each time.
func (CleanUp) InsertOpts() river.InsertOpts { return chore }

var (
	// once: of the same arguments there is one job, the one that is done included.
	once = river.UniqueOpts{ByArgs: true}
	// oneAtATime: of the same arguments one job waits or runs.
	oneAtATime = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}
	chore = river.InsertOpts{Queue: QueueChores, UniqueOpts: once}
)
