package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/console"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

const (
	// stopTime bounds the end: requests under way are finished in it.
	stopTime = 15 * time.Second
	// requestConnections is how many of the database's connections requests use,
	// workConnections how many are for what happens by itself.
	requestConnections = 20
	workConnections    = 12
	// partnerCalls is how many calls to one partner are under way at once: eight of
	// them pull slots at the most, the others are for who waits.
	partnerCalls = 12
	// observeTime bounds the writing down of what came of a call.
	observeTime = 5 * time.Second
)

func newServe() *cobra.Command {
	var s settings
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long: `Runs the service until it is told to stop (SIGINT or SIGTERM): requests under way
are finished first. The database's tables are brought up to date at the start.

Several replicas may share a database and a secret.`,
		Example: `  marketplace serve
  marketplace serve --addr 127.0.0.1:0 --data-dir ./data
  MARKETPLACE_OPERATOR_EMAIL=ana@example.com MARKETPLACE_OPERATOR_PASSWORD=… marketplace serve
  MARKETPLACE_DATABASE_URL=postgres://… MARKETPLACE_SECRET_KEY=… marketplace serve --addr 0.0.0.0:8080`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) (err error) {
			log, flush := s.logged.open(command.OutOrStdout())
			defer func() { err = errors.Join(err, flush()) }() // also where it panics
			return serve(command.Context(), s, log)
		},
	}
	s.register(command)
	return command
}

// serve runs the service until ctx ends, or its database does.
func serve(ctx context.Context, s settings, log *slog.Logger) (err error) {
	listener, err := listen(s.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	key, origin, err := loadSecret(s)
	if err != nil {
		return err
	}
	db, err := openDatabase(ctx, s.storage)
	if err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		err = errors.Join(err, db.close(last))
	}()
	store, err := postgres.Open(ctx, db.address, requestConnections)
	if err != nil {
		return err
	}
	defer closeStore(store)
	work, err := postgres.Open(ctx, db.address, workConnections)
	if err != nil {
		return err
	}
	defer closeStore(work)
	if err := makeOperator(ctx, store, s, log); err != nil {
		return err
	}
	if err := seedRates(ctx, store, log); err != nil {
		return err
	}
	measured := telemetry.NewMetrics(cli.Version())
	guard := partner.NewGuard(s.allowPrivatePartners)
	integrations := partner.NewRegistry(store.Partners, guard, key, time.Now)
	if err := integrations.CheckSecret(ctx); err != nil {
		return fmt.Errorf("--secret-key: %w", err)
	}
	client := partner.NewClient(partner.Config{
		Guard: guard, UserAgent: userAgent(), AtOnce: partnerCalls, Now: time.Now, Observe: observer(work, measured, log),
	})
	deliveries := partner.NewRegistry(work.Partners, guard, key, time.Now)
	bookings, owed := newBookings(store, client, integrations, s.share, log), newBookings(work, client, deliveries, s.share, log)
	defer func() { client.Close(); bookings.Close(); owed.Close() }()
	background, err := newWorker(work, client, deliveries, owed, s.schedule, measured, log)
	if err != nil {
		return err
	}
	front, err := storefront.Open(ctx, storefront.Config{Store: store.Storefront, PageCache: int64(s.pageCache) << 20, AffiliateURL: s.affiliateURL, Log: log})
	if err != nil {
		return err
	}
	defer front.Close()
	syncer := catalog.NewSyncer(store.Catalog, client, time.Now)
	syncer.Tell(measured.Synced)
	measured.PageCache(front.PageCache)
	measured.Database(store.MetricsState, time.Now, map[string]*pgxpool.Pool{"requests": store.Pool(), "work": work.Pool()})
	signIn := auth.NewService(store.Accounts, key, s.loginLimit, time.Now)
	server := &http.Server{
		Handler: api.New(api.Config{
			Store:  api.Store{Database: store, Accounts: store.Accounts, Partners: store.Partners, Catalog: store.Catalog, Storefront: store.Storefront, Bookings: store.Bookings},
			SignIn: signIn, Integrations: integrations, Bookings: bookings,
			Syncer: syncer, Notifier: catalog.NewNotifier(store.Catalog), Front: front, RateLimit: s.rateLimit,
			Metrics: measured, Scrapers: s.scrapers, Now: time.Now, Log: log,
			Pages: func(a http.Handler) []api.Page {
				return console.Pages(console.Config{SignIn: signIn, Secret: key, Secure: s.behindTLS, Now: time.Now, Log: log}, a)
			},
		}),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	if err := background.Start(ctx); err != nil {
		return err
	}
	log.Info("serving", slog.String("address", "http://"+listener.Addr().String()), slog.String("version", cli.Version()),
		slog.Bool("private_database", db.private != nil), slog.String("secret", origin))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	case <-db.gone():
		err = errors.New("the private PostgreSQL has ended: see postgresql.log in its folder")
	case <-ctx.Done():
		log.Info("stopping")
	}
	return errors.Join(err, stop(ctx, server, background, client, log))
}

// userAgent names this process too, so that a partner's log tells the calls of one replica
// from those of another.
func userAgent() string {
	return fmt.Sprintf("partnerkit-marketplace/%s (instance %s)", cli.Version(), rand.Text()[:8])
}

func listen(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("--addr %s: another program listens there; name another port, 0 takes a free one", address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("--addr %s: this user may not listen there; name a port from 1024 on", address)
	case err != nil:
		var inside *net.OpError
		if errors.As(err, &inside) {
			err = inside.Err
		}
		return nil, fmt.Errorf("--addr %s: %w; name an address of this machine, such as 127.0.0.1:8080", address, err)
	}
	return listener, nil
}

// stop finishes the requests that are under way, and meanwhile hands the jobs back. What
// waits for a partner longer than that is cut off.
func stop(ctx context.Context, server *http.Server, background *worker.Worker, client *partner.Client, log *slog.Logger) error {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	handedBack := make(chan error, 1)
	go func() { handedBack <- background.Stop(last) }()
	err := server.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("requests were cut off: they took too long")
		client.Close()
		err = server.Close()
	}
	return errors.Join(err, <-handedBack)
}

func makeOperator(ctx context.Context, store *postgres.Store, s settings, log *slog.Logger) error {
	if s.operatorEmail == "" {
		return nil
	}
	made, err := auth.NewAccount(s.firstOperator(), time.Now())
	if err != nil {
		return err
	}
	switch err := store.Accounts.CreateAccount(ctx, made); {
	case err == nil:
		log.Info("made the first operator", slog.String("email", made.Email))
		return nil
	case marketplace.CodeOf(err) == marketplace.Conflict:
		return nil
	default:
		return fmt.Errorf("make the first operator: %w", err)
	}
}

// closeTime bounds the closing of a store, whose connections may be in use.
const closeTime = 2 * time.Second

func newWorker(store *postgres.Store, client *partner.Client, integrations *partner.Registry, bookings *booking.Service, schedule worker.Schedule, measured *telemetry.Metrics, log *slog.Logger) (*worker.Worker, error) {
	syncer := catalog.NewSyncer(store.Catalog, client, time.Now)
	syncer.Tell(measured.Synced)
	slots := catalog.NewSlotPuller(store.Catalog, client, time.Now)
	slots.Tell(measured.PulledSlots)
	return worker.New(worker.Config{
		Store: store, Integrations: integrations, Syncer: syncer,
		Slots: slots, Prober: client, Bookings: bookings, Schedule: schedule, Log: log,
	})
}

// closeStore closes a store, and waits for its connections no longer than closeTime.
func closeStore(store *postgres.Store) {
	closed := make(chan struct{})
	go func() { defer close(closed); store.Close() }()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
}

func newBookings(store *postgres.Store, client *partner.Client, integrations *partner.Registry, share decimal.Decimal, log *slog.Logger) *booking.Service {
	return booking.NewService(booking.Config{
		Store: store.Bookings, Keys: store.Bookings, Partner: client, Target: integrations.Target, AffiliatesShare: share, Now: time.Now, Log: log,
	})
}

// observer counts calls to partners, and writes down how they fare. A call is not failed by that.
func observer(store *postgres.Store, measured *telemetry.Metrics, log *slog.Logger) func(uuid.UUID, partner.Observation) {
	return func(id uuid.UUID, call partner.Observation) {
		measured.Called(id, call)
		ctx, cancel := context.WithTimeout(context.Background(), observeTime)
		defer cancel()
		if err := store.Partners.Observe(ctx, id, call); err != nil {
			log.Error("a partner's health was not written down", slog.String("integration_id", id.String()), slog.Any("error", err))
		}
	}
}
