// Package worker runs durable jobs and the schedules that insert them.
//
// Jobs are stored in the database, and any replica may execute them: catalog syncs, slot pulls,
// health probes and chores. A job is short, may safely run twice, and continues where the last one
// ended, so a crashed replica's work is taken over within a minute. At most one job at a time
// handles a partner's catalog, and one its slots. A partner that hangs does not delay others.
//
// Every replica runs the schedules and inserts a job when it is due. The time, rounded to the
// schedule, is an argument of the job, so that the job runs once.
package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
)

// Prober checks whether a partner can be reached.
type Prober interface {
	Probe(ctx context.Context, t partner.Target) error
}

// Config configures a Worker.
type Config struct {
	Store        *postgres.Store // separate from the requests' store, so that requests do not wait for its connections
	Integrations *partner.Registry
	Syncer       *catalog.Syncer
	Slots        *catalog.SlotPuller
	Prober       Prober
	Bookings     Bookings
	Events       EventSender
	Runs         Runs
	Rates        RatesFeed `part:"optional"` // nil: exchange rates are not pulled
	Schedule     Schedule
	Log          *slog.Logger
	Jobs         []rivertype.Middleware // middleware of jobs and their insertion; may be nil

	Time       *postgres.Clock // the database's; set at the start and by every schedule
	Clock      clockwork.Clock `part:"optional"` // nil: a clock with the time of Time
	JobTime    time.Duration   // 0: jobTime
	RescueTime time.Duration   // 0: rescueTime; longer than the shorter of JobTime and shortTime
}

// Worker executes jobs and runs the schedules.
type Worker struct {
	Config
	queue     *river.Client[pgx.Tx]
	schedules gocron.Scheduler
	publisher publisher
}

// Bookings sends what is due to partners for bookings. It is a booking.Service. A delivery returns
// the pause before the next try; 0 means that it has ended.
type Bookings interface {
	DeliverConfirm(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	DeliverRelease(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	DeliverCancel(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	Sweep(ctx context.Context) error
}

// EventSender sends events to a subscription's address for a while. It is an event.Sender.
type EventSender interface {
	Send(ctx context.Context, subscription uuid.UUID) error
}

// Runs executes conformance runs. It is a certification.Runner. It returns nil for a run that
// another replica has claimed.
type Runs interface {
	Run(ctx context.Context, run uuid.UUID) error
	CleanUp(ctx context.Context, run uuid.UUID) error
	Recover(ctx context.Context) error
	Recheck(ctx context.Context, integration uuid.UUID) (wait time.Duration, err error)
}

// RatesFeed updates the exchange rates. It is a storefront.RatesFeed.
type RatesFeed interface {
	Pull(ctx context.Context) error
}

// liveIntegrations returns the ids of all live integrations.
func (w *Worker) liveIntegrations(ctx context.Context) ([]uuid.UUID, error) {
	all, err := w.Store.Partners.Integrations(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(all))
	for i, one := range all {
		ids[i] = one.ID
	}
	return ids, nil
}

// target returns how a live integration's partner is called, or NotFound.
func (w *Worker) target(ctx context.Context, id uuid.UUID) (partner.Target, error) {
	i, err := w.Integrations.Find(ctx, uuid.Nil, id)
	if err != nil {
		return partner.Target{}, err
	}
	return w.Integrations.Target(i)
}

// settleTime limits what a job writes after it was stopped.
const settleTime = 5 * time.Second

// settleContext returns a context for a job's last writes, which also works after the job was stopped.
func settleContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}

// finish completes a job in the transaction of its changes, and inserts the next one unless due is
// zero. A due time that is not in the future means immediately: the queue looks for scheduled jobs
// only every few seconds.
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
