package booking_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// noon is the start time of the clocks.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// The objects that the tests book.
const (
	product = "tokyo-market"
	option  = "breakfast"
)

// bench is a service with one partner, whose catalog and slots it has pulled.
type bench struct {
	*booking.Service
	store        *postgres.Store
	queries      *pgtest.Recorder
	partner      *mocktest.Server
	client       *partner.Client
	integrations *partner.Registry
	integration  uuid.UUID
	reseller     uuid.UUID
	guide        uuid.UUID // an affiliate
	order        booking.Order
	ahead        atomic.Int64
}

func (b *bench) now() time.Time { return noon.Add(time.Duration(b.ahead.Load())) }

// pass moves the clocks of the service and the partner.
func (b *bench) pass(t *testing.T, by time.Duration) {
	t.Helper()
	b.ahead.Add(int64(by))
	_, err := b.partner.Control.Clock.Advance(t.Context(), by)
	check(t, err)
}

func (b *bench) arm(t *testing.T, fault string) {
	t.Helper()
	_, err := b.partner.Control.Faults.Arm(t.Context(), fault)
	check(t, err)
}

// check ends the test on an error.
var check = errtest.Check

func setup(t testing.TB, change ...func(*mockpartner.Options)) *bench {
	t.Helper()
	options := mockpartner.Options{Now: noon, Frozen: true, Seed: 1}
	for _, c := range change {
		c(&options)
	}
	b := &bench{queries: &pgtest.Recorder{}, partner: mocktest.Start(t, options)}
	b.store = pgtest.OpenRecorded(t, pgtest.URL(t), b.queries)
	b.store.Bookings.Clock = b.now
	account := func(role domain.Role) uuid.UUID {
		a := domain.Account{ID: uuid.New(), Email: string(role) + "@example.com", Role: role, PasswordHash: "-", CreatedAt: noon}
		check(t, b.store.Accounts.CreateAccount(t.Context(), a))
		return a.ID
	}
	b.reseller, b.guide = account(domain.Reseller), account(domain.Affiliate)
	guard := partner.NewGuard(true)
	var err error
	b.client, err = partner.NewClient(partner.Config{
		Guard: guard, AtOnce: 8, Now: b.now, Scale: partnertest.Unhurried, Observe: func(id uuid.UUID, call partner.Observation) {
			_, _ = b.store.Partners.Observe(context.Background(), id, call)
		},
	})
	check(t, err)
	key, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	check(t, err)
	b.integrations = partner.NewRegistry(b.store.Partners, guard, key, b.now)
	made, _, err := b.integrations.Register(t.Context(), account(domain.Partner), partner.Registration{
		Name: "Mock", BaseURL: b.partner.URL, AuthKey: b.partner.AuthKey, HandlesTicketDelivery: true,
	})
	check(t, err)
	b.integration = made.ID
	b.Service, err = booking.NewService(booking.Config{
		Store: b.store.Bookings, Keys: b.store.Bookings, Partner: b.client, Target: b.integrations.Target,
		AffiliatesShare: decimal.NewFromInt(10), Now: b.now, Log: slog.New(slog.DiscardHandler),
	})
	check(t, err)
	t.Cleanup(func() { b.client.Close(); b.Wait() })
	b.pull(t, made)
	return b
}

// pull pulls the catalog, and the slots that the tests book.
func (b *bench) pull(t testing.TB, i domain.Integration) {
	t.Helper()
	target, err := b.integrations.Target(i)
	check(t, err)
	_, err = catalog.NewSyncer(b.store.Catalog, b.client, b.now).Sync(t.Context(), catalog.Order{Target: target, Mode: catalog.Full, Cause: catalog.ByPartner})
	check(t, err)
	options, err := b.store.Catalog.OptionsToPull(t.Context(), i.ID, b.now().Add(time.Hour), uuid.Nil, 100)
	check(t, err)
	for _, o := range options {
		if o.ProductID != product || o.Option.ID != option {
			continue
		}
		_, err := catalog.NewSlotPuller(b.store.Catalog, b.client, b.now).Pull(t.Context(), target, o)
		check(t, err)
		b.order = booking.Order{
			Mode:    domain.Live,
			Account: b.reseller, Variation: o.VariationID, Guests: []booking.Party{{Type: partnerapi.Adult, Quantity: 2}},
			Contact: partnerapi.Contact{FullName: "Ana Sousa", EmailAddress: "ana@example.com"},
		}
		check(t, b.store.Pool().QueryRow(t.Context(), `SELECT activity_id FROM variations WHERE id = $1`, o.VariationID).Scan(&b.order.Activity))
	}
	from := domain.DateIn(b.now(), time.UTC).AddDate(0, 0, 9)
	slots, err := b.store.Storefront.Slots(t.Context(), []uuid.UUID{b.order.Variation}, from, from.AddDate(0, 0, 30))
	check(t, err)
	for _, slot := range slots {
		if slot.Status.IsBookable() && *slot.Vacancies > 5 {
			b.order.Slot = slot.ID
			return
		}
	}
	t.Fatal("no slot can be booked")
}

// hold creates a hold without a key.
func (b *bench) hold(ctx context.Context, o booking.Order) (held booking.Held, err error) {
	_, err = b.Checkout(ctx, o, booking.Key{}, func(made booking.Held, _ error) booking.Answer {
		held = made
		return booking.Answer{}
	})
	return held, err
}

// checkout creates a booking up to the hold.
func (b *bench) checkout(t *testing.T, change ...func(*booking.Order)) domain.Booking {
	t.Helper()
	held, err := b.hold(t.Context(), b.wants(change...))
	check(t, err)
	if held.Status != domain.Held {
		t.Fatalf("want it HELD, got %s", held.Status)
	}
	return held.Booking
}

func (b *bench) wants(change ...func(*booking.Order)) booking.Order {
	o := b.order
	o.ID = uuid.New()
	for _, c := range change {
		c(&o)
	}
	return o
}

// pays reports a successful payment.
func (b *bench) pays(t *testing.T, id uuid.UUID, reference string) domain.Booking {
	t.Helper()
	paid, err := b.Pay(t.Context(), domain.Scope{Account: b.reseller}, id, domain.Payment{Reference: reference, Succeeded: true})
	check(t, err)
	return paid
}

// work runs all waiting jobs, whenever they are due, until none is left.
func (b *bench) work(t *testing.T) {
	t.Helper()
	for range 20 {
		rows, err := b.store.Pool().Query(t.Context(), `DELETE FROM river_job WHERE queue = 'bookings' RETURNING kind, args`)
		check(t, err)
		var jobs []func(context.Context) (time.Duration, error)
		for rows.Next() {
			var kind string
			var text []byte
			check(t, rows.Scan(&kind, &text))
			var args struct {
				Booking uuid.UUID `json:"booking_id"`
			}
			check(t, json.Unmarshal(text, &args))
			deliver := map[string]func(context.Context, uuid.UUID) (time.Duration, error){
				"booking_confirm": b.DeliverConfirm, "booking_release": b.DeliverRelease, "booking_cancel": b.DeliverCancel,
			}[kind]
			jobs = append(jobs, func(ctx context.Context) (time.Duration, error) { return deliver(ctx, args.Booking) })
		}
		check(t, rows.Err())
		if len(jobs) == 0 {
			return
		}
		for _, job := range jobs {
			for again := time.Duration(1); again != 0; {
				again, err = job(t.Context())
				check(t, err)
				b.ahead.Add(int64(again))
			}
		}
	}
}

// is fails unless a booking is stored with this status.
func (b *bench) is(t *testing.T, id uuid.UUID, want domain.BookingStatus, attention ...domain.AttentionReason) booking.Record {
	t.Helper()
	r, err := b.store.Bookings.Booking(t.Context(), id)
	check(t, err)
	same := r.Status == want && len(r.Attention) == len(attention)
	for i := range min(len(r.Attention), len(attention)) {
		same = same && r.Attention[i].Reason == attention[i]
	}
	if !same {
		t.Errorf("want it %s with %v, got %s with %+v", want, attention, r.Status, r.Attention)
	}
	return r
}

// calls counts the calls to an endpoint that have arrived.
func (b *bench) calls(t *testing.T, endpoint partnerapi.Endpoint) int {
	t.Helper()
	n, err := b.partner.Control.Journal.Count(t.Context(), filter(endpoint))
	check(t, err)
	return n
}

// requireCalls fails unless exactly that many calls to an endpoint have arrived.
func (b *bench) requireCalls(t *testing.T, endpoint partnerapi.Endpoint, want int) {
	t.Helper()
	if n := b.calls(t, endpoint); n != want {
		t.Errorf("want %d calls of %s, got %d", want, endpoint, n)
	}
}

// requireKept fails if the partner's judge reports the caller, or if a seat was lost.
func (b *bench) requireKept(t *testing.T) {
	t.Helper()
	b.partner.AssertCallerKept(t)
	if broken := b.partner.Default().Invariants(); broken != nil {
		t.Errorf("%+v", broken)
	}
}
