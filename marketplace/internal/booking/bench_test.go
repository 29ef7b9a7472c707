package booking_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/jackc/pgx/v5/pgxpool"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas/partnerapi"
)

const benchAtOnce = 8

// The least number of rounds for a median is five.
func benchRounds() int { return benchsize.Choose(7, 1) }
func benchCycles() int { return benchsize.Choose(400, 2*benchAtOnce) }

// BenchmarkBooking books, pays and confirms, eight customers at a time, at a partner on
// loopback with prepared answers. In turns, it runs the recorded SQL statements of one cycle
// with new ids through pgx alone, and compares. The time of the partner's calls over HTTP is
// measured separately and subtracted, because it is not the service's own share.
//
// It also measures checkouts with an Idempotency-Key.
//
//	go test -run '^$' -bench 'Booking$' -benchtime 1x ./booking
func BenchmarkBooking(b *testing.B) {
	b.Run("without-key", func(b *testing.B) { benchmarkBooking(b, false) })
	b.Run("with-key", func(b *testing.B) { benchmarkBooking(b, true) })
}

func benchmarkBooking(b *testing.B, keyed bool) {
	for b.Loop() {
		r := newRace(b, keyed)
		var own, whole, per []float64
		for range benchRounds() {
			cycles, calls, statements := r.measure(b, r.cycle), r.measure(b, r.callPartner), r.measure(b, r.replay)
			own = append(own, float64(cycles-calls)/float64(statements))
			whole = append(whole, float64(cycles)/float64(statements))
			per = append(per, float64(benchCycles())/cycles.Seconds())
		}
		var booked int
		check(b, r.pool.QueryRow(b.Context(), `SELECT count(*) FROM bookings WHERE status = 'CONFIRMED'`).Scan(&booked))
		if want := 2 + 2*benchRounds()*benchCycles(); booked != want { // the statements alone create as many
			b.Errorf("want %d bookings confirmed, got %d", want, booked)
		}
		b.ReportMetric(middle(own), "own-x-of-sql")
		b.ReportMetric(middle(whole), "with-partner-x-of-sql")
		b.ReportMetric(middle(per), "bookings/s")
		b.ReportMetric(float64(len(r.trips)), "round-trips")
		b.ReportMetric(float64(pgtest.Transactions(r.trips)), "transactions")
	}
}

// BenchmarkBookingGrowth runs the same cycles beside 1,000 stored bookings and beside
// 1,000,000, in turns.
//
//	go test -run '^$' -bench BookingGrowth -benchtime 1x ./booking
func BenchmarkBookingGrowth(b *testing.B) {
	for b.Loop() {
		few, many := newRace(b, false), newRace(b, false)
		few.fill(b, 1_000)
		many.fill(b, benchsize.Choose(1_000_000, 1_000))
		var ratios []float64
		for range benchRounds() {
			ratios = append(ratios, float64(many.measure(b, many.cycle))/float64(few.measure(b, few.cycle)))
		}
		b.ReportMetric(middle(ratios), "1m-of-1k")
	}
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// race holds the measurements.
type race struct {
	*bench
	keyed   bool             // checkouts have a key
	partner *httptest.Server // with prepared answers
	slots   string           // its answer to availability
	codes   atomic.Int64
	mu      sync.Mutex
	asked   map[string][]byte // the last body of each call, by path
	sent    map[string][]byte // the bodies of one cycle
	http    *http.Client      // for calling the partner alone
	trips   []pgtest.Trip     // of one cycle
	made    domain.Booking    // by that cycle
	key     string            // of that booking
	pool    *pgxpool.Pool     // for running the statements alone
}

func newRace(b *testing.B, keyed bool) *race {
	b.Helper()
	r := &race{bench: setup(b), keyed: keyed, asked: map[string][]byte{}, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchAtOnce}}}
	offer, _, _, err := r.store.Bookings.Claim(b.Context(), booking.Key{Mode: domain.Live}, r.order.Activity, r.order.Variation, r.order.Slot)
	check(b, err)
	zone, err := time.LoadLocation(offer.Activity.Product.TimeZone)
	check(b, err)
	start := offer.Start.In(zone)
	r.slots = fmt.Sprintf(`[{"id":%q,"localDateTimeStart":%q,"localDateTimeEnd":%q,"status":"AVAILABLE","vacancies":9,"capacity":10}]`,
		r.order.Slot, partnerapi.FormatDateTime(start), partnerapi.FormatDateTime(start.Add(time.Hour)))
	r.partner = httptest.NewServer(http.HandlerFunc(r.answer))
	b.Cleanup(func() { r.http.CloseIdleConnections(); r.partner.Close() })
	_, err = r.integrations.Change(b.Context(), uuid.Nil, offer.Integration.ID, partner.Change{BaseURL: &r.partner.URL, AuthKey: new("partner-key"), Force: true}, nil)
	check(b, err)
	check(b, r.cycle(b.Context()))
	r.trips = r.queries.Trips(func() { check(b, r.cycle(b.Context())) })
	r.sent = maps.Clone(r.asked)
	config := r.store.Pool().Config()
	config.ConnConfig.Tracer = nil
	r.pool, err = pgxpool.NewWithConfig(b.Context(), config)
	check(b, err)
	b.Cleanup(r.pool.Close)
	return r
}

// answer is the partner's handler.
func (r *race) answer(w http.ResponseWriter, asked *http.Request) {
	body, _ := io.ReadAll(asked.Body)
	r.mu.Lock()
	r.asked[asked.URL.Path] = body
	r.mu.Unlock()
	switch {
	case strings.HasSuffix(asked.URL.Path, "/reserve"):
		_, _ = fmt.Fprintf(w, `{"reservationConfirmationCode":"H-%d","expiresAt":%q}`, r.codes.Add(1), r.now().Add(20*time.Minute).Format(time.RFC3339))
	case strings.HasSuffix(asked.URL.Path, "/confirm"):
		_, _ = fmt.Fprintf(w, `{"externalBookingId":"B-%d","status":"CONFIRMED","tickets":[{"redemptionMethod":"DIGITAL","deliveryOptions":[{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"q"}]}]}`, r.codes.Add(1))
	default:
		_, _ = io.WriteString(w, r.slots)
	}
}

// cycle books, pays and confirms.
func (r *race) cycle(ctx context.Context) error {
	held, key, err := r.createHold(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	paid, err := r.Pay(ctx, domain.Scope{Account: r.reseller}, held.ID, domain.Payment{Reference: "p", Succeeded: true})
	if err == nil && paid.Status != domain.Confirmed {
		err = fmt.Errorf("want it confirmed, got %s, attention %+v after %s", paid.Status, paid.Attention, time.Since(began))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool == nil {
		r.made, r.key = paid, key
	}
	return err
}

// createHold creates a hold, with a key of its own if checkouts have keys.
func (r *race) createHold(ctx context.Context) (held booking.Held, key string, err error) {
	if r.keyed {
		key = uuid.NewString()
	}
	_, err = r.Checkout(ctx, r.wants(), booking.Key{Key: key}, func(made booking.Held, failed error) booking.Answer {
		held = made
		return respond(made, failed)
	})
	return held, key, err
}

// callPartner makes only a cycle's calls to the partner.
func (r *race) callPartner(ctx context.Context) error {
	for path, body := range r.sent {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.partner.URL+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		answer, err := r.http.Do(request)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// replay sends a cycle's statements with new ids and a new code.
func (r *race) replay(ctx context.Context) error {
	fresh := fresh{r: r, code: uuid.NewString(), ids: map[uuid.UUID]uuid.UUID{}}
	for _, same := range []uuid.UUID{r.reseller, r.integration, r.order.Activity, r.order.Variation} {
		fresh.ids[same] = same
	}
	for _, trip := range r.trips {
		if len(trip) == 1 {
			rows, err := r.pool.Query(ctx, trip[0].SQL, fresh.args(trip[0].Args)...)
			if err != nil {
				return err
			}
			if rows.Close(); rows.Err() != nil {
				return rows.Err()
			}
			continue
		}
		batch := &pgx.Batch{}
		for _, s := range trip {
			batch.Queue(s.SQL, fresh.args(s.Args)...)
		}
		if err := r.pool.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
	}
	return nil
}

// fresh contains the ids of a replay.
type fresh struct {
	r    *race
	code string // of the hold, and its key
	ids  map[uuid.UUID]uuid.UUID
}

func (f fresh) args(recorded []any) []any {
	args := slices.Clone(recorded)
	for i, arg := range args {
		switch arg := arg.(type) {
		case uuid.UUID:
			args[i] = f.id(arg)
		case zeronull.UUID:
			if arg != (zeronull.UUID{}) {
				args[i] = f.id(uuid.UUID(arg))
			}
		case string:
			if arg != "" && arg == f.r.key {
				args[i] = f.code
			} else { // the booking's id at the partner, and the lock for it
				args[i] = strings.ReplaceAll(arg, f.r.made.ExternalBookingID, "B-"+f.code)
			}
		case zeronull.Text:
			switch string(arg) {
			case "":
			case f.r.made.Code:
				args[i] = f.code
			case f.r.made.ExternalBookingID:
				args[i] = "B-" + f.code
			}
		}
	}
	return args
}

func (f fresh) id(id uuid.UUID) uuid.UUID {
	if _, known := f.ids[id]; !known {
		f.ids[id] = uuid.New()
	}
	return f.ids[id]
}

// measure returns how long that many runs take at a given concurrency.
func (r *race) measure(b *testing.B, do func(context.Context) error) time.Duration {
	b.Helper()
	var all sync.WaitGroup
	var next atomic.Int64
	began := time.Now()
	for range benchAtOnce {
		all.Go(func() {
			for next.Add(1) <= int64(benchCycles()) {
				if err := do(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
	return time.Since(began)
}

// fill stores that many bookings like the recorded one, with their payments and histories. Each has
// its own id at the partner: to the planner, a single id means that every look-up reads the table.
func (r *race) fill(b *testing.B, n int) {
	b.Helper()
	conn, err := r.pool.Acquire(b.Context())
	check(b, err)
	defer conn.Release()
	for _, statement := range []string{
		`SET session_replication_role = replica`, // the referenced rows exist, so a million checks are unnecessary
		fmt.Sprintf(`INSERT INTO bookings (id, version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at,
				status, guests, currency, total, contact, reseller_reference, code, expires_at, payment_reference, external_booking_id, tickets, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at)
			SELECT gen_random_uuid(), version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at,
				status, guests, currency, total, contact, reseller_reference, 'F-' || n, expires_at, payment_reference, external_booking_id || '-F-' || n, tickets, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at - n * interval '1 minute'
			FROM bookings, generate_series(1, %d) n WHERE id = '%s'`, n, r.made.ID),
		`INSERT INTO booking_payments SELECT id, payment_reference, true, created_at FROM bookings WHERE code LIKE 'F-%'`,
		`INSERT INTO booking_history (booking_id, at, kind, call_id, endpoint, status, duration_ms)
			SELECT id, created_at, 'call', gen_random_uuid(), endpoint, 200, 5 FROM bookings, unnest(ARRAY['reserve', 'confirm']) endpoint WHERE code LIKE 'F-%'`,
		`INSERT INTO booking_history (booking_id, at, kind, from_status, to_status)
			SELECT id, created_at, 'move', 'RESERVING', to_status FROM bookings, unnest(ARRAY['HELD', 'PAID', 'CONFIRMED']) to_status WHERE code LIKE 'F-%'`,
		`ANALYZE`, `SET session_replication_role = origin`, `CHECKPOINT`,
	} {
		_, err := conn.Exec(b.Context(), statement)
		check(b, err)
	}
}
