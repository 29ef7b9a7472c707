// Package worker is what happens by itself: durable jobs, and the schedules that ask
// for them.
//
// Jobs lie in the database, and any replica does them: syncs of catalogs, pulls of
// slots, probes of partners' health, and chores. A job is short, may be done twice
// without harm, and goes on where the last one has ended; so what a killed replica was
// doing is taken over within a minute. One job at a time is about a partner's catalog,
// and one about its slots: a partner that hangs delays no other partner.
//
// Every replica keeps the schedules, and inserts a job when it is due. The time, rounded
// to the schedule, is one of the job's arguments: it runs once.
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
	Events       EventSender
	Runs         Runs
	Rates        RatesFeed // nil: exchange rates are not pulled
	Schedule     Schedule
	Log          *slog.Logger
	Jobs         []rivertype.Middleware // what jobs and their insertion pass through; may be nil

	Time       *postgres.Clock // the database's; Start and every schedule set it
	Clock      clockwork.Clock // nil: one that goes by Time
	JobTime    time.Duration   // 0: jobTime
	RescueTime time.Duration   // 0: rescueTime; more than the shorter of JobTime and shortTime
}

// Worker does jobs, and keeps the schedules.
type Worker struct {
	Config
	queue     *river.Client[pgx.Tx]
	schedules gocron.Scheduler
	publisher publisher
}

// Bookings does what is owed to partners for bookings: a booking.Service. A delivery
// returns how long to wait before it is tried again; 0 is that it is over.
type Bookings interface {
	DeliverConfirm(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	DeliverRelease(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	DeliverCancel(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	Sweep(ctx context.Context) error
}

// EventSender sends what is due to a subscription's address, for a while: an event.Sender.
type EventSender interface {
	Send(ctx context.Context, subscription uuid.UUID) error
}

// Runs does runs of the conformance command: a certification.Runner. One whose run another
// replica does returns nil.
type Runs interface {
	Run(ctx context.Context, run uuid.UUID) error
	CleanUp(ctx context.Context, run uuid.UUID) error
	Recover(ctx context.Context) error
	Recheck(ctx context.Context, integration uuid.UUID) error
}

// RatesFeed keeps the exchange rates up to date: a storefront.RatesFeed.
type RatesFeed interface {
	Pull(ctx context.Context) error
}

// live returns the ids of all live integrations.
func (w *Worker) live(ctx context.Context) ([]uuid.UUID, error) {
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

// target returns how the partner of a live integration is called; the error is NotFound
// if it was deleted.
func (w *Worker) target(ctx context.Context, id uuid.UUID) (partner.Target, error) {
	i, err := w.Integrations.Find(ctx, uuid.Nil, id)
	if err != nil {
		return partner.Target{}, err
	}
	return w.Integrations.Target(i)
}

// settleTime bounds what a job still writes when it is told to end.
const settleTime = 5 * time.Second

// settling returns a context for what a job writes at its end, even when it is told to
// end.
func settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}

// finish marks a job done in the transaction of what it has changed, and inserts the
// next one where due is not zero. A job that is not due later is due immediately: the
// queue looks for scheduled jobs only every few seconds.
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
