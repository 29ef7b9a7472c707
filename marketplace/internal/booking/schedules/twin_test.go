package schedules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

// twin sends each call to the database in memory and to PostgreSQL, which must give the same
// answer.
type twin struct {
	t       *testing.T
	memory  *database
	sql     *postgres.Bookings
	catalog *postgres.Storefront
	day     time.Time // of the slots
	random  *rand.Rand
	done    []string
}

// requireSame fails if the two differ.
func (w *twin) requireSame(what string, memory, sql any) {
	w.t.Helper()
	first, _ := json.Marshal(memory)
	second, _ := json.Marshal(sql)
	w.done = append(w.done, fmt.Sprintf("%s: %s", what, second))
	if string(first) != string(second) {
		w.t.Fatalf("want the same of\n%s\ngot, in memory\n%s", strings.Join(w.done, "\n"), first)
	}
}

// kind classifies an error for comparison.
func kind(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, booking.ErrStale), errors.Is(err, booking.ErrNotOwner):
		return err.Error()
	default:
		return string(domain.CodeOf(err))
	}
}

// comparableBooking is the part of a booking that is compared.
func comparableBooking(r booking.Record) any {
	b := r.Booking
	var attention, payments []string
	for _, a := range b.Attention {
		attention = append(attention, fmt.Sprint(a.Reason, a.Since.UnixMicro(), a.Message))
	}
	for _, p := range r.Payments {
		payments = append(payments, fmt.Sprint(p.Reference, p.Succeeded, p.At.UnixMicro()))
	}
	slices.Sort(attention)
	slices.Sort(payments)
	return []any{
		r.Version, b.Status, b.Reason, b.Code, b.ExpiresAt.UnixMicro(), b.PaymentReference, b.ExternalBookingID, b.ConfirmCall, b.ConfirmTries, b.Doubted,
		b.Release, b.ReleaseTries, b.ReleaseSince.UnixMicro(), b.Cancellation, b.CancelTries, b.CancelSince.UnixMicro(), b.CancelReason, b.RescheduledFrom, b.RescheduledTo, b.ReplacedTotal, attention, payments,
	}
}

func shownKey(k booking.Key) any {
	return []any{k.Key, k.Body, k.Booking, k.AskedAt.UnixMicro(), k.Age, k.Answer, k.Made}
}

func (w *twin) IsAffiliate(context.Context, uuid.UUID) (bool, error) { return false, nil }

func (w *twin) Booking(ctx context.Context, id uuid.UUID) (booking.Record, error) {
	memory, first := w.memory.read(id)
	sql, second := w.sql.Booking(ctx, id)
	w.requireSame("read", []any{comparableBooking(memory), kind(first)}, []any{comparableBooking(sql), kind(second)})
	return memory, first
}

func (w *twin) Histories(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]domain.HistoryEntry, error) {
	return w.sql.Histories(ctx, ids)
}

func (w *twin) CreateBooking(ctx context.Context, b domain.Booking, reserve booking.Call, k booking.Key, f booking.Fresh) error {
	first := w.memory.create(b, reserve, k, f)
	second := w.sql.CreateBooking(ctx, b, reserve, k, f)
	w.requireSame("create", kind(first), kind(second))
	w.sameSlots(ctx)
	return first
}

func (w *twin) KeepFresh(ctx context.Context, f booking.Fresh) error {
	if w.random.IntN(4) == 0 { // older news
		old := f
		old.At, old.Gone = f.At.Add(-time.Hour), true
		w.requireSame("keep an old slot", kind(w.memory.keepFresh(old)), kind(w.sql.KeepFresh(ctx, old)))
	}
	first, second := w.memory.keepFresh(f), w.sql.KeepFresh(ctx, f)
	w.requireSame("keep the slot", kind(first), kind(second))
	w.sameSlots(ctx)
	return first
}

// sameSlots compares the slots as resellers read them.
func (w *twin) sameSlots(ctx context.Context) {
	w.t.Helper()
	slots, err := w.catalog.Slots(ctx, []uuid.UUID{variation}, w.day.AddDate(0, 0, -1), w.day.AddDate(0, 0, 1))
	check(w.t, err)
	sql := []any{}
	for _, s := range slots {
		sql = append(sql, shownSlot(s, s.SentAt))
	}
	w.requireSame("slots", w.memory.storedSlots(), sql)
}

func (w *twin) HasCall(ctx context.Context, call uuid.UUID) (bool, error) {
	memory := w.memory.has(call)
	sql, err := w.sql.HasCall(ctx, call)
	w.requireSame("recorded", memory, sql)
	return memory, err
}

func (w *twin) SaveBooking(ctx context.Context, c booking.Change, version int64) error {
	if w.random.IntN(4) == 0 { // another caller was first
		w.requireSame("save late", kind(w.memory.save(c, version-1)), kind(w.sql.SaveBooking(ctx, c, version-1)))
	}
	if c.Answers != nil && w.random.IntN(3) == 0 { // another request has taken over the key
		late := *c.Answers
		late.AskedAt = late.AskedAt.Add(-time.Second)
		without := c
		without.Answers = &late
		w.requireSame("save without the key", kind(w.memory.save(without, version)), kind(w.sql.SaveBooking(ctx, without, version)))
	}
	first := w.memory.save(c, version)
	second := w.sql.SaveBooking(ctx, c, version)
	w.requireSame("save "+string(c.Booking.Status), kind(first), kind(second))
	w.sameSlots(ctx)
	return first
}

func (w *twin) DueBookings(ctx context.Context, takeOver time.Duration, most int) (booking.Due, error) {
	memory := w.memory.dueBookings(takeOver)
	sql, err := w.sql.DueBookings(ctx, takeOver, most)
	for _, d := range []*booking.Due{&memory, &sql} {
		for _, ids := range [][]uuid.UUID{d.Expired, d.Withdrawn} {
			slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		}
		for _, calls := range []*[]booking.CallOf{&d.Reserves, &d.Confirms} {
			slices.SortFunc(*calls, func(a, b booking.CallOf) int { return strings.Compare(a.Call.String(), b.Call.String()) })
		}
	}
	w.requireSame("due", fmt.Sprint(memory), fmt.Sprint(sql))
	return memory, err
}

func (w *twin) Claim(ctx context.Context, k booking.Key, a, v uuid.UUID, slot string) (booking.Offer, booking.Key, bool, error) {
	if k.Key == "" {
		return w.memory.world.offer(slot), k, true, nil
	}
	memory, first := w.memory.claim(k)
	_, sql, second, err := w.sql.Claim(ctx, k, a, v, slot)
	if domain.CodeOf(err) == domain.NotFound { // of the slot: the twins share no catalog
		err = nil
	}
	w.requireSame("claim", []any{shownKey(memory), first}, []any{shownKey(sql), second})
	return w.memory.world.offer(slot), memory, first, err
}

func (w *twin) ReclaimKey(ctx context.Context, k, before booking.Key) (booking.Key, bool, error) {
	memory, first := w.memory.reclaim(k, before)
	sql, second, err := w.sql.ReclaimKey(ctx, k, before)
	w.requireSame("reclaim", []any{shownKey(memory), first}, []any{shownKey(sql), second})
	return memory, first, err
}

func (w *twin) SettleKey(ctx context.Context, k booking.Key) error {
	first, second := w.memory.settle(k), w.sql.SettleKey(ctx, k)
	w.requireSame("settle", kind(first), kind(second))
	return first
}

func (w *twin) FreeKey(ctx context.Context, k booking.Key) error {
	first, second := w.memory.free(k), w.sql.FreeKey(ctx, k)
	w.requireSame("free", kind(first), kind(second))
	return first
}

// randomPartner is a partner that answers at random.
type randomPartner struct {
	caller
	random *rand.Rand
	codes  *int
}

func (f randomPartner) outcome(good func()) partner.Outcome {
	switch f.random.IntN(6) {
	case 0:
		return refusal(http.StatusBadRequest, "no")
	case 1:
		return refusal(http.StatusInternalServerError, "")
	case 2:
		return unansweredOutcome(time.Second)
	default:
		good()
		return done()
	}
}

func (f randomPartner) FreshAvailability(ctx context.Context, _ partner.Target, _ partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error {
	start := f.world.slotStart()
	answer := []string{}
	for i, status := range []partnerapi.SlotStatus{partnerapi.StatusAvailable, partnerapi.StatusSoldOut} {
		if f.random.IntN(8) > 0 {
			if i == 0 && f.random.IntN(3) == 0 {
				status = partnerapi.StatusLimited
			}
			answer = append(answer, fmt.Sprintf(`{"id":"slot-%d","localDateTimeStart":%q,"localDateTimeEnd":%q,"status":%q,"vacancies":%s,"capacity":%s}`, i+1,
				start.Add(time.Duration(i)*time.Second).Format(time.RFC3339), start.Add(time.Hour).Format(time.RFC3339), status, f.seats(), f.seats()))
		}
	}
	return read(ctx, []byte("["+strings.Join(answer, ",")+"]"))
}

// seats returns a number of seats, or nil for an answer without one.
func (f randomPartner) seats() string {
	return []string{"null", "0", "1", "2", "5", "10"}[f.random.IntN(6)]
}

func (f randomPartner) Reserve(_ context.Context, _ partner.SendBy, _ partner.Target, _ partnerapi.Health, _ partnerapi.ReserveRequest, _ func(partnerapi.ReserveAnswer, partner.Outcome)) (answer partnerapi.ReserveAnswer, o partner.Outcome) {
	return answer, f.outcome(func() {
		if f.random.IntN(5) > 0 { // otherwise the code belongs to another booking
			*f.codes++
		}
		answer = partnerapi.ReserveAnswer{ReservationConfirmationCode: fmt.Sprintf("code-%d", *f.codes), ExpiresAt: f.world.database.now().Add(holdFor).UTC().Format(time.RFC3339)}
	})
}

func (f randomPartner) Confirm(_ context.Context, _ partner.SendBy, _ partner.Target, _ partnerapi.Health, asked partnerapi.ConfirmRequest, _ bool) (answer partnerapi.ConfirmAnswer, o partner.Outcome) {
	return answer, f.outcome(func() {
		answer = partnerapi.ConfirmAnswer{ExternalBookingID: "b-" + asked.ReservationConfirmationCode, Status: partnerapi.StatusConfirmed}
	})
}

func (f randomPartner) Release(context.Context, partner.SendBy, partner.Target, string) partner.Outcome {
	return f.outcome(func() {})
}

func (f randomPartner) Cancel(context.Context, partner.SendBy, partner.Target, string, string) partner.Outcome {
	return f.outcome(func() {})
}

// catalogOf stores the objects that the twins' bookings refer to.
func catalogOf(t *testing.T, store *postgres.Store) {
	t.Helper()
	_, err := store.Pool().Exec(t.Context(), fmt.Sprintf(`
		INSERT INTO accounts (id, email, name, role, password_hash, created_at) VALUES ('%[1]s', 'r@example.com', 'R', 'reseller', '-', now());
		INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at)
			VALUES ('%[2]s', '%[1]s', 'P', 'https://partner.example', 'bearer', '', sha256(''), false, now());
		INSERT INTO integration_health (integration_id, state, failure_count, consecutive_failures, consecutive_ok) VALUES ('%[2]s', 'HEALTHY', 0, 0, 0);
		INSERT INTO activities (id, integration_id, external_product_id, created_at, title, product, product_hash, partner_active, operator_active, details)
			VALUES ('%[3]s', '%[2]s', 'walk', now(), 'Walk', '{}', sha256(''), true, true, '{}');
		INSERT INTO variations (id, activity_id, external_option_id, sort, title, option, option_hash, partner_active, details)
			VALUES ('%[4]s', '%[3]s', 'morning', 0, 'Morning', '{}', sha256(''), true, '{}')`, reseller, integration.ID, activity, variation))
	check(t, err)
}

// TestTheDatabaseInMemoryIsPostgreSQL compares the database of the schedules with the SQL that
// it represents: the service plays random workloads on both concurrently.
func TestTheDatabaseInMemoryIsPostgreSQL(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	catalogOf(t, store)
	ids := 0
	for seed := range uint64(12) {
		w := newWorld(1, schedule{}.plan)
		random := rand.New(rand.NewPCG(seed, 0))
		ahead := time.Duration(seed) * 100 * time.Hour
		w.database.now = func() time.Time { return w.began.UTC().Truncate(time.Microsecond).Add(ahead) }
		store.Bookings.Clock = w.database.now
		codes := int(seed) * 1000
		both := &twin{t: t, memory: w.database, sql: store.Bookings, catalog: store.Storefront, day: domain.DateIn(w.slotStart(), time.UTC), random: random}
		s, err := booking.NewService(booking.Config{
			Store: both, Keys: both, Partner: randomPartner{caller{w.replicas[0]}, random, &codes},
			Target:          func(domain.Integration) (partner.Target, error) { return partner.Target{}, nil },
			AffiliatesShare: decimal.NewFromInt(10), Now: w.database.now, Log: slog.New(slog.DiscardHandler),
		})
		check(t, err)
		var known []uuid.UUID
		for range 60 {
			ctx := t.Context()
			if len(known) == 0 || random.IntN(5) == 0 {
				ids++
				id := uuid.UUID{1, 14: byte(ids >> 8), 15: byte(ids)}
				k := booking.Key{}
				if random.IntN(2) == 0 {
					k = booking.Key{Key: fmt.Sprintf("%d-%d", seed, random.IntN(3)), Body: [32]byte{byte(random.IntN(8) / 7)}}
				}
				if random.IntN(3) == 0 { // a replica that dies or is paused
					if _, stored, claimed, _ := both.Claim(ctx, booking.Key{Account: reseller, Mode: domain.Live, Key: k.Key + "x", Booking: id}, activity, variation, ""); claimed && random.IntN(2) == 0 {
						b := domain.Booking{ID: id, AccountID: reseller, Mode: domain.Live, IntegrationID: integration.ID, ActivityID: activity, VariationID: variation, Status: domain.Reserving, Currency: "EUR", Guests: []domain.Guests{}, Start: w.slotStart(), End: w.slotStart(), CreatedAt: w.database.now()}
						_ = both.CreateBooking(ctx, b, booking.Call{ID: uuid.New(), Endpoint: partnerapi.Reserve, At: b.CreatedAt}, stored, booking.Fresh{})
					}
					k.Key += "x"
				}
				_, _ = s.Checkout(ctx, order(id), k, answerOf)
				known = append(known, id)
				continue
			}
			id := known[random.IntN(len(known))]
			switch random.IntN(13) {
			case 0, 1, 2:
				_, _ = s.Pay(ctx, domain.Scope{Account: reseller}, id, domain.Payment{Reference: fmt.Sprint(random.IntN(2)), Succeeded: random.IntN(4) > 0})
			case 3:
				_, _ = s.Abandon(ctx, domain.Scope{Account: reseller}, id)
			case 4:
				_, _ = s.Cancel(ctx, domain.Scope{Account: reseller}, id, "ill")
			case 5:
				_, _ = s.Settle(ctx, id, "ill")
			case 6:
				_, _ = s.Retry(ctx, id)
			case 7:
				_, _ = s.DeliverConfirm(ctx, id)
				_, _ = s.DeliverRelease(ctx, id)
				_, _ = s.DeliverCancel(ctx, id)
			case 8:
				_ = s.Sweep(ctx)
			case 9:
				ahead += []time.Duration{time.Second, 40 * time.Second, 2 * time.Minute, holdFor, 25 * time.Hour}[random.IntN(5)]
			case 10:
				_, _ = s.Resolve(ctx, id)
			case 11, 12:
				ids++
				to := uuid.UUID{1, 14: byte(ids >> 8), 15: byte(ids)}
				k := booking.Key{Key: fmt.Sprintf("%d-r%d", seed, random.IntN(3))}
				_, _ = s.Reschedule(ctx, booking.Reschedule{Scope: domain.Scope{Account: reseller}, ID: to, Booking: id, Slot: slotIDs[random.IntN(3)], Payment: "d"}, k, answerOf)
				known = append(known, to)
			}
		}
		s.Wait()
		both.sameJobs(store)
		if _, err := store.Pool().Exec(t.Context(), `DELETE FROM river_job; TRUNCATE bookings, idempotency_keys, slots CASCADE`); err != nil {
			t.Fatal(err)
		}
	}
}

// sameJobs compares the inserted jobs.
func (w *twin) sameJobs(store *postgres.Store) {
	w.t.Helper()
	rows, err := store.Pool().Query(w.t.Context(), `SELECT kind, args->>'booking_id', state = 'scheduled' FROM river_job`)
	check(w.t, err)
	var memory, sql []string
	for rows.Next() {
		var kind, id string
		var later bool
		check(w.t, rows.Scan(&kind, &id, &later))
		sql = append(sql, fmt.Sprintf("%s %s %t", kind, id, later))
	}
	for _, j := range w.memory.queue {
		memory = append(memory, fmt.Sprintf("%s %s %t", j.kind, j.booking, j.later))
	}
	slices.Sort(memory)
	slices.Sort(sql)
	w.requireSame("jobs", memory, sql)
}
