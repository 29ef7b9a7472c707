// Package replica assembles a replica of the service from its parts. The command and the tests build
// it here, so that no test runs with other parts than a replica in production.
package replica

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/console"
	"partnerkit.dev/marketplace/internal/event"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/parts"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

// partnerCalls limits the concurrent calls to one partner. At most eight of them pull slots; the
// others are for callers that wait for an answer.
const partnerCalls = 12

// Config configures a Replica.
type Config struct {
	Requests, Work       *postgres.Store   // for requests, and for background work
	Storefront           storefront.Store  `part:"optional"` // nil: that of Requests
	Standby              *postgres.Standby `part:"optional"` // that of Requests; nil: it has none
	Secret               *auth.Secret
	Clock                *postgres.Clock
	Log                  *slog.Logger
	Metrics              *telemetry.Metrics
	Traces               *telemetry.Traces           `part:"optional"` // nil: nothing is traced
	Ready                func(context.Context) error // nil if the service is ready, otherwise an Unavailable error
	UserAgent            string
	AllowPrivatePartners bool                              // accepts partners with private addresses
	Watcher              partner.Watcher                   `part:"optional"` // sees every call to a partner
	Scale                func(time.Duration) time.Duration `part:"optional"` // scales the limits of calls to partners; nil: the contract's limits apply
	ObserveTime          time.Duration                     // limits recording the result of a call; the caller waits for it
	Conformance          string                            // the path of the conformance command; "": no runs
	Certification        conformance.Rules
	Rates                worker.RatesFeed `part:"optional"` // nil: exchange rates are not pulled
	Schedule             worker.Schedule
	AffiliatesShare      decimal.Decimal // percent of a booking's total
	AffiliateURL         storefront.AffiliateURL
	PageCache            int64           // bytes
	LoginLimit           int             // failed sign-ins a minute for each account; 0: no limit
	RateLimit            int             // requests a minute for each credential; 0: no limit
	Scrapers, Proxies    []netip.Prefix  // networks that may read the metrics, and those of trusted proxies
	MetricsApart         bool            // the metrics are served only by Replica.Metrics
	Secure               bool            // browsers use HTTPS
	Stopping             <-chan struct{} `part:"optional"` // closed when progress streams must end; nil: never
	Stream               time.Duration   // the duration of a progress stream; 0: the default
}

// Replica is one process's part of the service. Its caller starts and stops the worker.
type Replica struct {
	Handler      http.Handler // the API and the pages
	Metrics      http.Handler // only the metrics, for a separate address
	Worker       *worker.Worker
	Partners     *partner.Client
	Integrations *partner.Registry
	SignIn       *auth.Service
	closers      []func()
}

// New returns a replica. It must be closed.
func New(ctx context.Context, c Config) (_ *Replica, err error) {
	if err := parts.Check("replica", c); err != nil {
		return nil, err
	}
	r := &Replica{}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	now, store := c.Clock.Now, c.Requests
	guard := partner.NewGuard(c.AllowPrivatePartners)
	r.Integrations = partner.NewRegistry(store.Partners, guard, c.Secret, now)
	if err := r.Integrations.CheckSecret(ctx); err != nil {
		return nil, fmt.Errorf("--secret-key: %w", err)
	}
	if err := store.Runs.Govern(ctx, c.Certification); err != nil {
		return nil, fmt.Errorf("--certification: %w", err)
	}
	calls, webhooks := partner.NewCallJournal(c.Work.Partners, c.Log), partner.NewJournal(c.Work.Partners.AddWebhooks, c.Log)
	r.closeLater(calls.Close, webhooks.Close)
	r.Partners, err = partner.NewClient(partner.Config{
		Guard: guard, UserAgent: c.UserAgent, AtOnce: partnerCalls, Now: now, Observe: c.observer(calls), Watcher: c.Watcher, Scale: c.Scale,
	})
	if err != nil {
		return nil, err
	}
	deliveries := partner.NewRegistry(c.Work.Partners, guard, c.Secret, now)
	bookings, err := r.newBookings(c, store, r.Integrations)
	if err != nil {
		return nil, err
	}
	owed, err := r.newBookings(c, c.Work, deliveries)
	if err != nil {
		return nil, err
	}
	r.closeLater(bookings.Close, owed.Close)
	r.closeLater(r.Partners.Close)
	sender := event.NewSender(c.Work.Events, guard, c.Secret, c.UserAgent, now)
	r.closeLater(sender.Close)
	sender.OnAttempt(c.Metrics.EventSent)
	signer, err := conformance.NewSigner(c.Secret)
	if err != nil {
		return nil, err
	}
	runner, err := conformance.NewRunner(conformance.Config{
		Store: c.Work.Runs, Integrations: deliveries, Command: c.Conformance, Signer: signer, Now: now, AllowPrivate: c.AllowPrivatePartners, OnRunEnded: c.Metrics.CountRun, Log: c.Log,
	})
	if err != nil {
		return nil, err
	}
	slots := catalog.NewSlotPuller(c.Work.Catalog, r.Partners, now)
	slots.OnPull(c.Metrics.PulledSlots)
	r.Worker, err = worker.New(worker.Config{
		Store: c.Work, Integrations: deliveries, Syncer: r.newSyncer(c, c.Work), Slots: slots, Prober: r.Partners, Bookings: owed, Events: sender, Runs: runner,
		Rates: c.Rates, Schedule: c.Schedule, Time: c.Clock, Log: c.Log, Jobs: c.Traces.Jobs(),
	})
	if err != nil {
		return nil, err
	}
	if c.Storefront == nil {
		c.Storefront = store.Storefront
	}
	front, err := storefront.Open(ctx, storefront.Config{Store: c.Storefront, PageCache: c.PageCache, AffiliateURL: c.AffiliateURL, Now: now, Log: c.Log})
	if err != nil {
		return nil, err
	}
	r.closeLater(front.Close)
	c.Metrics.PageCache(front.PageCache)
	c.Metrics.AddReadiness(c.Ready)
	pools := map[string]*pgxpool.Pool{"requests": store.Pool(), "work": c.Work.Pool()}
	if c.Standby != nil {
		pools["standby"] = c.Standby.Pool()
	}
	c.Metrics.Database(store.MetricsState, now, pools)
	c.Metrics.Standby(c.Standby.Reads)
	r.SignIn = auth.NewService(store.Accounts, c.Secret, c.LoginLimit, now)
	r.SignIn.OnFailedSignIn(c.Metrics.SignInFailed)
	pages, err := console.New(console.Config{SignIn: r.SignIn, Secret: c.Secret, Secure: c.Secure, Suite: c.Conformance != "", Now: now, Log: c.Log, Stopping: c.Stopping, Stream: c.Stream})
	if err != nil {
		return nil, err
	}
	config := api.Config{
		Store:  api.Store{Database: store, Accounts: store.Accounts, Partners: store.Partners, Catalog: store.Catalog, Storefront: store.Storefront, Bookings: store.Bookings},
		SignIn: r.SignIn, Integrations: r.Integrations, Bookings: bookings, Events: event.NewService(store.Events, guard, c.Secret),
		Syncer: r.newSyncer(c, store), Trials: r.Partners, Notifier: catalog.NewNotifier(store.Catalog), Journals: api.Journals{Calls: calls, Webhooks: webhooks}, Front: front, StaleReads: c.Standby != nil, RateLimit: c.RateLimit,
		Runs:  api.Runs{Store: store.Runs, Service: conformance.NewService(store.Runs, c.Conformance != ""), Links: conformance.NewLinks(c.Secret, now), Signer: signer, Stopping: c.Stopping, Stream: c.Stream},
		Ready: c.Ready, Metrics: c.Metrics, Traces: c.Traces, Scrapers: c.Scrapers, MetricsApart: c.MetricsApart, Proxies: c.Proxies, Now: now, Log: c.Log,
		Secure: c.Secure, Pages: pages,
	}
	if r.Handler, err = api.New(config); err != nil {
		return nil, err
	}
	r.Metrics = api.MetricsHandler(config)
	return r, nil
}

// closeLater adds parts to be closed at the same time, before those that were added earlier.
func (r *Replica) closeLater(all ...func()) {
	r.closers = append(r.closers, func() {
		var closing sync.WaitGroup
		for _, f := range all {
			closing.Go(f)
		}
		closing.Wait()
	})
}

// Close closes the parts. It waits for what they must still store.
func (r *Replica) Close() {
	for i := range r.closers {
		r.closers[len(r.closers)-1-i]()
	}
}

func (r *Replica) newBookings(c Config, store *postgres.Store, integrations *partner.Registry) (*booking.Service, error) {
	return booking.NewService(booking.Config{
		Store: store.Bookings, Keys: store.Bookings, Partner: r.Partners, Target: integrations.Target, AffiliatesShare: c.AffiliatesShare, Now: c.Clock.Now, Log: c.Log, OnTransition: c.Metrics.CountMove,
	})
}

func (r *Replica) newSyncer(c Config, store *postgres.Store) *catalog.Syncer {
	syncer := catalog.NewSyncer(store.Catalog, r.Partners, c.Clock.Now)
	syncer.OnSync(synced(c.Metrics, c.Log))
	return syncer
}

// observer counts calls to partners and stores their results. An error does not fail the call.
func (c Config) observer(calls *partner.CallJournal) func(uuid.UUID, partner.Observation) {
	return func(id uuid.UUID, call partner.Observation) {
		c.Metrics.CountCall(id, call)
		calls.Add(id, call)
		ctx, cancel := context.WithTimeout(context.Background(), c.ObserveTime)
		defer cancel()
		changed, err := c.Work.Partners.Observe(ctx, id, call)
		if err != nil {
			c.Log.Error("a partner's health was not stored", slog.String("integration_id", id.String()), slog.Any("error", err))
		}
		logHealth(c.Log, id, changed, call)
	}
}
