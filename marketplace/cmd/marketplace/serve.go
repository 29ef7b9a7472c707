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

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/telemetry"
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
	defer finish(closeTime, func() { closeTraces(traces) })
	if err := postgres.CheckListening(ctx, db.address, db.listen); errors.Is(err, postgres.ErrDeaf) {
		return aboutFlag("--database-listen-url", err) // also if it is missing, because that is the way out
	} else if err != nil {
		return err
	}
	disk := &postgres.Disk{}
	standby, err := openStandby(db.address, s.readURL, traces.Queries(), log)
	if err != nil {
		return err
	}
	if standby != nil {
		defer finish(closeTime, standby.Close)
	}
	store, err := postgres.OpenWith(ctx, db.address, postgres.Options{Connections: requestConnections, Listen: db.listen, Standby: standby, Patience: requestPatience, Tracers: append(traces.Queries(), disk), Jobs: traces.Jobs()})
	if err != nil {
		return err
	}
	work, err := postgres.OpenWith(ctx, db.address, postgres.Options{Connections: workConnections, Listen: db.listen, Tracers: append(traces.Queries(), disk), Jobs: traces.Jobs()})
	if err != nil {
		finish(closeTime, store.Close)
		return err
	}
	ready, err := postgres.NewReadiness(db.address, disk)
	if err != nil {
		finish(closeTime, store.Close, work.Close)
		return err
	}
	defer finish(closeTime, store.Close, work.Close, ready.Close)
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
	rates, err := prepareRates(ctx, store, time.Duration(s.ratesMaxAge), clock.Now(), log)
	if err != nil {
		return err
	}
	measured := telemetry.NewMetrics(cli.Version())
	suite := findSuite(s.conformance, log)
	watcher, unwatch, err := startJudge(s.judgeTraffic, suite, work, measured, clock, log)
	if err != nil {
		return err
	}
	defer finish(closeTime, unwatch)
	stopping, agent := make(chan struct{}), userAgent()
	built, err := replica.New(ctx, replica.Config{
		Requests: store, Work: work, Standby: standby, Secret: key, Clock: clock, Log: log, Metrics: measured, Traces: traces, Ready: db.readinessCheck(ready.Check),
		UserAgent: agent, AllowPrivatePartners: s.allowPrivatePartners, Watcher: watcher, Scale: scaleLimits, ObserveTime: observeTime,
		Conformance: suite, Certification: conformance.Rules{Default: conformance.Policy(s.certification), Approval: s.goLive == approve},
		Rates: newFeed(s.ratesURL, agent, work, clock.Now, log), Schedule: s.schedule, AffiliatesShare: s.share, AffiliateURL: s.affiliateURL, PageCache: int64(s.pageCache) << 20,
		LoginLimit: s.loginLimit, RateLimit: s.rateLimit, Scrapers: s.scrapers, Proxies: s.proxies, MetricsApart: s.metricsAddr != "", Secure: s.behindTLS, Stopping: stopping,
	})
	if err != nil {
		return err
	}
	defer finish(2*closeTime, built.Close)
	apart, err := serveMetrics(s.metricsAddr, built.Metrics, log)
	if err != nil {
		return err
	}
	defer apart()
	server := &http.Server{
		Handler:           built.Handler,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(func() { close(stopping) })
	if err := built.Worker.Start(ctx); err != nil {
		return err
	}
	if s.ratesURL != "" && clock.Now().Sub(rates.Of) > ratesFresh {
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
	stop(ctx, server, built, log)
	return err
}

// openStandby returns nil if there is no address of a standby.
func openStandby(address, read string, tracers []pgx.QueryTracer, log *slog.Logger) (*postgres.Standby, error) {
	if read == "" {
		return nil, nil
	}
	return postgres.OpenStandby(address, read, requestConnections, tracers, log)
}

// userAgent includes this process, so that a partner's log distinguishes replicas.
func userAgent() string {
	return fmt.Sprintf("partnerkit-marketplace/%s (instance %s)", cli.Version(), rand.Text()[:8])
}

// stop finishes requests in progress and hands jobs back. What takes longer is cut off and logged;
// it does not fail the shutdown.
func stop(ctx context.Context, server *http.Server, r *replica.Replica, log *slog.Logger) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	handedBack := make(chan error, 1)
	go func() { handedBack <- r.Worker.Stop(last) }()
	if err := server.Shutdown(last); err != nil {
		log.Warn("requests were cut off because they took too long", slog.Any("error", err))
		r.Partners.Close()
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

// finish runs functions concurrently and waits for at most that time. What waits for an unavailable
// database ends with the process.
func finish(limit time.Duration, all ...func()) {
	var done sync.WaitGroup
	for _, f := range all {
		done.Go(f)
	}
	finished := make(chan struct{})
	go func() { done.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(limit):
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
	case domain.CodeOf(err) == domain.Conflict:
		return nil
	default:
		return fmt.Errorf("create the first operator: %w", err)
	}
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
