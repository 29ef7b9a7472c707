package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/certification"
	"partnerkit.dev/marketplace/internal/console"
	"partnerkit.dev/marketplace/internal/event"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

const (
	// The service stops in less than 20 s, whatever the database and the partners do: within
	// endTime, and a second for a private PostgreSQL that must be killed. Requests and jobs in
	// progress have stopTime. Then the bookings' calls and the connections have closeTime each.
	endTime   = 18 * time.Second
	stopTime  = 14 * time.Second
	closeTime = 1500 * time.Millisecond
	// requestConnections is the number of database connections for requests, and workConnections
	// that for background work.
	requestConnections = 20
	workConnections    = 12
	// partnerCalls limits the concurrent calls to one partner. At most eight of them pull
	// slots; the others are for callers that wait for an answer.
	partnerCalls = 12
	// requestPatience is how long a request waits for a connection and for each statement, so that
	// callers get an answer within 5 s whatever the database does.
	requestPatience = 2 * time.Second
	// observeTime limits recording the result of a call. The caller waits for it.
	observeTime = time.Second
)

// localTime is the machine's clock. Tests use replicas with different clocks.
var localTime = time.Now

// scaleLimits scales the time limits of partners; nil leaves them as they are. Tests give partners on
// a slow machine more time.
var scaleLimits func(time.Duration) time.Duration

func newServe() *cobra.Command {
	var s settings
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long: `Runs the service until SIGINT or SIGTERM. It finishes requests in progress before it
exits. At the start it migrates the database.

Several replicas can share a database and a secret.`,
		Example: `  marketplace serve
  marketplace serve --addr 127.0.0.1:0 --data-dir ./data
  MARKETPLACE_OPERATOR_EMAIL=ana@example.com MARKETPLACE_OPERATOR_PASSWORD=… marketplace serve
  MARKETPLACE_DATABASE_URL=postgres://… MARKETPLACE_SECRET_KEY=… marketplace serve --addr 0.0.0.0:8080`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) (err error) {
			log, flush := s.logged.open(command.OutOrStdout())
			defer func() { err = errors.Join(err, flush()) }() // even after a panic
			return serve(command.Context(), s, log)
		},
	}
	s.register(command)
	return command
}

// serve runs the service until ctx ends.
func serve(ctx context.Context, s settings, log *slog.Logger) (err error) {
	listener, err := listen("--addr", s.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	key, origin, err := loadSecret(s)
	if err != nil {
		return err
	}
	db, err := openDatabase(ctx, s.storage, log)
	if err != nil {
		return err
	}
	var ends time.Time // the deadline of the shutdown
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(time.Until(ends), closeTime))
		defer cancel()
		err = errors.Join(err, db.close(last))
	}()
	traces, err := openTraces(ctx, s.traces, log)
	if err != nil {
		return err
	}
	defer finish(func() { closeTraces(traces) })
	disk := &postgres.Disk{}
	store, err := postgres.OpenWith(ctx, db.address, postgres.Options{Connections: requestConnections, Patience: requestPatience, Tracers: append(traces.Queries(), disk), Jobs: traces.Jobs()})
	if err != nil {
		return err
	}
	work, err := postgres.OpenWith(ctx, db.address, postgres.Options{Connections: workConnections, Tracers: append(traces.Queries(), disk), Jobs: traces.Jobs()})
	if err != nil {
		finish(store.Close)
		return err
	}
	ready, err := postgres.NewReadiness(db.address, disk)
	if err != nil {
		finish(store.Close, work.Close)
		return err
	}
	defer finish(store.Close, work.Close, ready.Close)
	clock := postgres.NewClock(localTime)
	if err := clock.Set(ctx, store.Now); err != nil {
		log.Warn("could not read the database's clock", slog.Any("error", err)) // the schedules retry
	}
	if err := warnOfDatabaseLog(ctx, store, log); err != nil {
		return err
	}
	if err := makeOperator(ctx, store, s, clock.Now(), log); err != nil {
		return err
	}
	rates, err := prepareRates(ctx, store, clock.Now(), log)
	if err != nil {
		return err
	}
	measured := telemetry.NewMetrics(cli.Version())
	guard := partner.NewGuard(s.allowPrivatePartners)
	integrations := partner.NewRegistry(store.Partners, guard, key, clock.Now)
	if err := integrations.CheckSecret(ctx); err != nil {
		return fmt.Errorf("--secret-key: %w", err)
	}
	calls, webhooks := partner.NewCallJournal(work.Partners, log), partner.NewJournal(work.Partners.AddWebhooks, log)
	defer func() { finish(calls.Close, webhooks.Close) }()
	suite := findSuite(s.conformance, log)
	watcher, unwatch := startJudge(s.judgeTraffic, suite, work, measured, clock, log)
	defer func() { finish(unwatch) }()
	client := partner.NewClient(partner.Config{
		Guard: guard, UserAgent: userAgent(), AtOnce: partnerCalls, Now: clock.Now, Scale: scaleLimits, Observe: observer(work, measured, calls, log), Watcher: watcher,
	})
	deliveries := partner.NewRegistry(work.Partners, guard, key, clock.Now)
	bookings, owed := newBookings(store, client, integrations, s.share, measured, clock, log), newBookings(work, client, deliveries, s.share, measured, clock, log)
	defer func() { client.Close(); finish(bookings.Close, owed.Close) }()
	sender := event.NewSender(work.Events, guard, key, userAgent(), clock.Now)
	defer sender.Close()
	sender.OnAttempt(measured.EventSent)
	if err := store.Runs.Govern(ctx, certification.Rules{Default: certification.Policy(s.certification), Approval: s.goLive == approve}); err != nil {
		return fmt.Errorf("--certification: %w", err)
	}
	signer, err := certification.NewSigner(key)
	if err != nil {
		return err
	}
	runner := certification.NewRunner(certification.Config{
		Store: work.Runs, Integrations: deliveries, Command: suite, Signer: signer, Now: clock.Now, AllowPrivate: s.allowPrivatePartners, OnRunEnded: measured.Ran, Log: log,
	})
	background, err := newWorker(work, client, deliveries, owed, sender, runner, newFeed(s.ratesURL, work, log), s.schedule, measured, traces, clock, log)
	if err != nil {
		return err
	}
	front, err := storefront.Open(ctx, storefront.Config{Store: store.Storefront, PageCache: int64(s.pageCache) << 20, AffiliateURL: s.affiliateURL, Now: clock.Now, Log: log})
	if err != nil {
		return err
	}
	defer front.Close()
	syncer := catalog.NewSyncer(store.Catalog, client, clock.Now)
	syncer.OnSync(synced(measured, log))
	measured.PageCache(front.PageCache)
	measured.Ready(db.ready(ready.Check))
	measured.Database(store.MetricsState, clock.Now, map[string]*pgxpool.Pool{"requests": store.Pool(), "work": work.Pool()})
	signIn := auth.NewService(store.Accounts, key, s.loginLimit, clock.Now)
	signIn.OnFailedSignIn(measured.SignInFailed)
	stopping := make(chan struct{})
	config := api.Config{
		Store:  api.Store{Database: store, Accounts: store.Accounts, Partners: store.Partners, Catalog: store.Catalog, Storefront: store.Storefront, Bookings: store.Bookings},
		SignIn: signIn, Integrations: integrations, Bookings: bookings, Events: event.NewService(store.Events, guard, key),
		Syncer: syncer, Trials: client, Notifier: catalog.NewNotifier(store.Catalog), Journals: api.Journals{Calls: calls, Webhooks: webhooks}, Front: front, RateLimit: s.rateLimit,
		Runs:  api.Runs{Store: store.Runs, Service: certification.NewService(store.Runs, suite != ""), Links: certification.NewLinks(key, clock.Now), Keys: signer.Keys(), Stopping: stopping},
		Ready: db.ready(ready.Check), Metrics: measured, Traces: traces, Scrapers: s.scrapers, MetricsApart: s.metricsAddr != "", Proxies: s.proxies, Secure: s.behindTLS, Now: clock.Now, Log: log,
		Pages: func(a http.Handler) []api.Page {
			return console.Pages(console.Config{SignIn: signIn, Secret: key, Secure: s.behindTLS, Now: clock.Now, Log: log}, a)
		},
	}
	apart, err := serveMetrics(s.metricsAddr, config)
	if err != nil {
		return err
	}
	defer apart()
	server := &http.Server{
		Handler:           api.New(config),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(func() { close(stopping) })
	if err := background.Start(ctx); err != nil {
		return err
	}
	if s.ratesURL != "" && clock.Now().Sub(rates.RatesOf) > ratesFresh {
		if err := work.InsertJobs(ctx, job.Rates{Scheduled: job.Scheduled{Due: clock.Now().UTC().Truncate(time.Minute)}}); err != nil {
			return err
		}
	}
	log.Info("serving", slog.String("address", "http://"+listener.Addr().String()), slog.String("version", cli.Version()),
		slog.Bool("private_database", db.private != nil), slog.String("secret", origin))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		log.Info("stopping")
	}
	ends = time.Now().Add(endTime)
	stop(ctx, server, background, client, log)
	return err
}

// userAgent includes this process, so that a partner's log distinguishes replicas.
func userAgent() string {
	return fmt.Sprintf("partnerkit-marketplace/%s (instance %s)", cli.Version(), rand.Text()[:8])
}

// stop finishes requests in progress and hands jobs back. What takes longer is cut off and logged;
// it does not fail the shutdown.
func stop(ctx context.Context, server *http.Server, background *worker.Worker, client *partner.Client, log *slog.Logger) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	handedBack := make(chan error, 1)
	go func() { handedBack <- background.Stop(last) }()
	if err := server.Shutdown(last); err != nil {
		log.Warn("requests were cut off because they took too long", slog.Any("error", err))
		client.Close()
		_ = server.Close() // its listener is already closed
	}
	select {
	case err := <-handedBack:
		if err == nil {
			return
		}
		log.Warn("some jobs were not returned to the queue; other replicas take them over within a minute", slog.Any("error", err))
	case <-last.Done():
		log.Warn("some jobs were not returned to the queue; other replicas take them over within a minute")
	}
}

// finish runs functions concurrently and waits for at most closeTime. What waits for an unavailable
// database ends with the process.
func finish(all ...func()) {
	var done sync.WaitGroup
	for _, f := range all {
		done.Go(f)
	}
	finished := make(chan struct{})
	go func() { done.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(closeTime):
	}
}

func makeOperator(ctx context.Context, store *postgres.Store, s settings, now time.Time, log *slog.Logger) error {
	if s.operatorEmail == "" {
		return nil
	}
	made, err := auth.NewAccount(s.firstOperator(), now)
	if err != nil {
		return err
	}
	switch err := store.Accounts.CreateAccount(ctx, made); {
	case err == nil:
		log.Info("created the first operator", slog.String("email", made.Email))
		return nil
	case marketplace.CodeOf(err) == marketplace.Conflict:
		return nil
	default:
		return fmt.Errorf("create the first operator: %w", err)
	}
}

func newWorker(store *postgres.Store, client *partner.Client, integrations *partner.Registry, bookings *booking.Service, events *event.Sender, runs worker.Runs, rates worker.RatesFeed, schedule worker.Schedule, measured *telemetry.Metrics, traces *telemetry.Traces, clock *postgres.Clock, log *slog.Logger) (*worker.Worker, error) {
	syncer := catalog.NewSyncer(store.Catalog, client, clock.Now)
	syncer.OnSync(synced(measured, log))
	slots := catalog.NewSlotPuller(store.Catalog, client, clock.Now)
	slots.OnPull(measured.PulledSlots)
	return worker.New(worker.Config{
		Store: store, Integrations: integrations, Syncer: syncer,
		Slots: slots, Prober: client, Bookings: bookings, Events: events, Runs: runs, Rates: rates, Schedule: schedule, Time: clock, Log: log, Jobs: traces.Jobs(),
	})
}

// openTraces returns nil if traces are not configured.
func openTraces(ctx context.Context, wanted bool, log *slog.Logger) (*telemetry.Traces, error) {
	if !wanted {
		return nil, nil
	}
	return telemetry.NewTraces(ctx, cli.Version(), log)
}

// closeTraces sends the last traces. It logs what could not be sent.
func closeTraces(traces *telemetry.Traces) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := traces.Close(ctx); err != nil {
		otel.Handle(err)
	}
}

func newBookings(store *postgres.Store, client *partner.Client, integrations *partner.Registry, share decimal.Decimal, measured *telemetry.Metrics, clock *postgres.Clock, log *slog.Logger) *booking.Service {
	return booking.NewService(booking.Config{
		Store: store.Bookings, Keys: store.Bookings, Partner: client, Target: integrations.Target, AffiliatesShare: share, Now: clock.Now, Log: log, OnTransition: measured.Moved,
	})
}

// observer counts calls to partners and stores their results. An error does not fail the call.
func observer(store *postgres.Store, measured *telemetry.Metrics, calls *partner.CallJournal, log *slog.Logger) func(uuid.UUID, partner.Observation) {
	return func(id uuid.UUID, call partner.Observation) {
		measured.Called(id, call)
		calls.Add(id, call)
		ctx, cancel := context.WithTimeout(context.Background(), observeTime)
		defer cancel()
		changed, err := store.Partners.Observe(ctx, id, call)
		if err != nil {
			log.Error("a partner's health was not stored", slog.String("integration_id", id.String()), slog.Any("error", err))
		}
		logHealth(log, id, changed, call)
	}
}
