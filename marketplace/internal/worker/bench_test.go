package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/marketplace/internal/worker"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(doomedReplica); address != "" {
		if err := runDoomed(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	pgtest.Main(m)
}

// patience limits every wait, for a busy machine.
const patience = 10 * time.Minute

// bench is a database, with workers as its replicas, and partners.
type bench struct {
	address      string
	store        *postgres.Store
	integrations *partner.Registry
	account      uuid.UUID
	clock        *clockwork.FakeClock
	schedule     worker.Schedule
	jobTime      time.Duration
	rescueTime   time.Duration
	bookings     worker.Bookings
	events       worker.EventSender
	runs         worker.Runs
	rates        worker.RatesFeed
}

// noRuns is a runner without runs. noBookings and noEvents have nothing to deliver either.
type (
	noRuns     struct{ worker.Runs }
	noBookings struct{ worker.Bookings }
	noEvents   struct{ worker.EventSender }
)

func (noRuns) Recover(context.Context) error { return nil }

// setup returns a bench whose clock stands still at the machine's time, which the job queue uses.
func setup(t testing.TB) *bench { return setupAt(t, time.Now()) }

func setupAt(t testing.TB, now time.Time) *bench {
	t.Helper()
	address := pgtest.URL(t)
	b := &bench{address: address, store: pgtest.OpenAt(t, address), account: uuid.New(), clock: clockwork.NewFakeClockAt(now), bookings: noBookings{}, events: noEvents{}, runs: noRuns{}}
	var err error
	if b.integrations, err = service(b.store, b.clock.Now); err != nil {
		t.Fatal(err)
	}
	a := domain.Account{ID: b.account, Email: "ana@example.com", Role: domain.Partner, PasswordHash: "x", CreatedAt: b.clock.Now()}
	check(t, b.store.Accounts.CreateAccount(t.Context(), a))
	return b
}

func service(store *postgres.Store, now func() time.Time) (*partner.Registry, error) {
	key, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	if err != nil {
		return nil, err
	}
	return partner.NewRegistry(store.Partners, partner.NewGuard(true), key, now), nil
}

// replica is a worker with its dependencies.
type replica struct {
	*worker.Worker
	store  *postgres.Store
	client *partner.Client
	syncer *catalog.Syncer
}

// open creates a replica without starting it.
func (b *bench) open(ctx context.Context, log io.Writer) (*replica, error) {
	store, err := postgres.Open(ctx, b.address, 8)
	if err != nil {
		return nil, err
	}
	r := &replica{store: store}
	if r.client, err = partner.NewClient(partner.Config{
		Guard: partner.NewGuard(true), AtOnce: 8, Now: b.clock.Now, Scale: partnertest.Unhurried, Observe: func(id uuid.UUID, call partner.Observation) {
			if _, err := r.store.Partners.Observe(context.Background(), id, call); err != nil {
				_, _ = fmt.Fprintln(log, err)
			}
		},
	}); err != nil {
		return nil, err
	}
	r.syncer = catalog.NewSyncer(r.store.Catalog, r.client, b.clock.Now)
	integrations, err := service(r.store, b.clock.Now)
	if err != nil {
		return nil, err
	}
	r.Worker, err = worker.New(worker.Config{
		Store: r.store, Integrations: integrations, Syncer: r.syncer, Slots: catalog.NewSlotPuller(r.store.Catalog, r.client, b.clock.Now), Prober: r.client, Bookings: b.bookings, Events: b.events, Runs: b.runs, Rates: b.rates,
		Schedule: b.schedule, Log: slog.New(slog.NewTextHandler(log, nil)), Time: postgres.NewClock(time.Now), Clock: b.clock, JobTime: b.jobTime, RescueTime: b.rescueTime,
	})
	return r, err
}

// replica starts a replica, which is stopped with the test.
func (b *bench) replica(t testing.TB) *replica {
	t.Helper()
	r, err := b.open(t.Context(), t.Output())
	check(t, err)
	check(t, r.Start(t.Context()))
	t.Cleanup(func() { r.end(t); r.store.Close() })
	return r
}

// end stops a replica like a signal.
func (r *replica) end(t testing.TB) {
	last, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Stop(last); err != nil {
		t.Error(err)
	}
	r.client.Close()
}

// platform is a partner that counts requests.
type platform struct {
	id      uuid.UUID
	mu      sync.Mutex
	catalog string
	pulls   int                 // of the catalog
	full    int                 // pulls of the complete catalog
	probes  int                 //
	asked   map[string]int      // requests for slots, by option
	before  func(*http.Request) // called before an answer; may be nil
	status  int                 // of its answers; 0: 200
}

// partner registers a partner with a number of options.
func (b *bench) partner(t testing.TB, options int) *platform {
	t.Helper()
	p := &platform{asked: map[string]int{}, catalog: product("a", options)}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	made, _, err := b.integrations.Register(t.Context(), b.account, partner.Registration{Name: "Old Town Walks", BaseURL: server.URL, AuthKey: "k"})
	check(t, err)
	p.id = made.ID
	return p
}

// ServeHTTP answers a partner's requests.
func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	before, status := p.before, p.status
	answer := "[]"
	switch {
	case r.Method == http.MethodPost:
		var body struct{ OptionID string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		p.asked[body.OptionID]++
	case r.URL.Query().Get("limit") == "1":
		p.probes++
	default:
		p.pulls++
		if !r.URL.Query().Has("updated_since") {
			p.full++
		}
		answer = p.catalog
	}
	p.mu.Unlock()
	if before != nil {
		before(r)
	}
	if status != 0 {
		w.WriteHeader(status)
	}
	_, _ = fmt.Fprint(w, answer)
}

// counts returns the counts of requests so far.
func (p *platform) counts() (pulls, probes, options, slots int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, times := range p.asked {
		slots += times
	}
	return p.pulls, p.probes, len(p.asked), slots
}

func (p *platform) set(change func(*platform)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// product returns a catalog of one product with a number of options.
func product(name string, options int) string {
	list := make([]string, options)
	for i := range list {
		list[i] = fmt.Sprintf(`{"id":"option-%d","internalName":"Morning","availabilityType":"START_TIME","units":[
			{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":2250,"currency":"EUR"}]}]}`, i)
	}
	return fmt.Sprintf(`[{"id":%q,"internalName":"Walk","locale":"en","timeZone":"Europe/Lisbon","instantConfirmation":true,"options":[%s]}]`, name, strings.Join(list, ","))
}

// ask requests a full sync of each partner.
func (b *bench) ask(t testing.TB, cause catalog.Cause, partners ...*platform) {
	t.Helper()
	requests := make([]catalog.SyncRequest, len(partners))
	for i, p := range partners {
		requests[i] = catalog.SyncRequest{Integration: p.id, Mode: catalog.Full, Cause: cause}
	}
	check(t, b.store.Catalog.AskForSyncs(t.Context(), requests...))
}

// count returns the result of a query that counts.
func (b *bench) count(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	check(t, b.store.Pool().QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// waitIdle waits until no job runs or is due.
func (b *bench) waitIdle(t testing.TB) {
	t.Helper()
	waittest.Until(t, "all jobs done", func() bool {
		return b.count(t, `SELECT count(*) FROM river_job WHERE state IN ('running', 'available') OR state IN ('scheduled', 'retryable') AND scheduled_at < now()`) == 0
	})
}

// check ends the test on an error.
var check = errtest.Check
