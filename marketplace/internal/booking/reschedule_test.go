package booking_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// price is what an adult pays for each slot, in yen, unless a test changes it.
const price = 14500

// setupConfirmed returns a service with a confirmed booking for two, and slots to reschedule it to. jq changes the
// first of these in each answer of the partner.
func setupConfirmed(t *testing.T, jq string, change ...func(*booking.Order)) (b *bench, old domain.Booking, slots []string) {
	t.Helper()
	b = setup(t)
	slots = b.otherSlots(t)
	b.arm(t, fmt.Sprintf(`{match: {endpoint: availability}, answered: 200, jq: 'map(.unitPricing |= map(.original = %d) | if .id == %q then (%s) else . end)'}`, price, slots[0], cmp.Or(jq, ".")))
	if len(change) > 0 {
		change[0](&b.order)
	}
	return b, b.pays(t, b.checkout(t).ID, "p-1"), slots
}

// otherSlots returns the ids of slots other than the booked one that can be booked.
func (b *bench) otherSlots(t *testing.T) (ids []string) {
	t.Helper()
	from := domain.DateIn(b.now(), time.UTC).AddDate(0, 0, 9)
	slots, err := b.store.Storefront.Slots(t.Context(), []uuid.UUID{b.order.Variation}, from, from.AddDate(0, 0, 30))
	check(t, err)
	for _, slot := range slots {
		if slot.ID != b.order.Slot && slot.Status.IsBookable() && *slot.Vacancies > 5 {
			ids = append(ids, slot.ID)
		}
	}
	return ids
}

// reschedule sends a reschedule, and returns the new booking.
func (b *bench) reschedule(ctx context.Context, old uuid.UUID, slot, payment string, k booking.Key) (made domain.Booking, err error) {
	var refused error
	_, err = b.Reschedule(ctx, booking.Reschedule{Scope: domain.Scope{Account: b.reseller}, ID: uuid.New(), Booking: old, Slot: slot, Payment: payment}, k,
		func(held booking.Held, failed error) booking.Answer {
			made, refused = held.Booking, failed
			return booking.Answer{Status: 200, Body: []byte(held.ID.String())}
		})
	if err == nil {
		err = refused
	}
	return made, err
}

// requireAsBefore fails unless a booking is confirmed, here and at the partner, and can be cancelled.
func (b *bench) requireAsBefore(t *testing.T, id uuid.UUID) {
	t.Helper()
	b.work(t)
	if r := b.is(t, id, domain.Confirmed); r.RescheduledTo != uuid.Nil || r.Cancellation != "" {
		t.Errorf("want it as it was, got %+v", r.Booking)
	}
	if _, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, id, ""); err != nil {
		t.Errorf("want it cancellable, got %v", err)
	}
	b.work(t)
	if n := b.held(); n != 0 {
		t.Errorf("want no booking left at the partner, got %d", n)
	}
}

// held counts the holds and the bookings that the partner keeps.
func (b *bench) held() (n int) {
	state := b.partner.Default().Platform().State()
	for _, hold := range state.Holds {
		if hold.State == client.Held {
			n++
		}
	}
	for _, made := range state.Bookings {
		if made.State == client.Booked {
			n++
		}
	}
	return n
}

func TestARescheduleConfirmsTheNewBookingAndCancelsTheOldOne(t *testing.T) {
	t.Parallel()
	b, old, slots := setupConfirmed(t, "", func(o *booking.Order) { o.ResellerReference = "order-17" })
	made, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{})
	check(t, err)
	if made.Status != domain.Confirmed || made.RescheduledFrom != old.ID || made.ExternalBookingID == old.ExternalBookingID || len(made.Tickets) == 0 || !made.Total.Equal(old.Total.Decimal) ||
		made.RefundDue() != nil || made.Contact != old.Contact || made.ResellerReference != "order-17" || made.Guests[0].Quantity != 2 || made.AvailabilityID != slots[0] {
		t.Errorf("want the same guests in the new slot, got %+v", made)
	}
	before := b.is(t, old.ID, domain.Cancelled)
	if before.RescheduledTo != made.ID || before.Cancellation != domain.Pending {
		t.Errorf("want the old booking cancelled by a job, got %+v", before.Booking)
	}
	b.work(t)
	if r := b.is(t, old.ID, domain.Cancelled); r.Cancellation != domain.Done || b.held() != 1 {
		t.Errorf("want one booking at the partner, got %d", b.held())
	}
	var events []string
	rows, err := b.store.Pool().Query(t.Context(), `SELECT type || ' ' || (data ->> 'booking_id') || ' ' || coalesce(data ->> 'rescheduled_to', data ->> 'rescheduled_from', '') FROM event_outbox ORDER BY id`)
	check(t, err)
	for rows.Next() {
		var event string
		check(t, rows.Scan(&event))
		events = append(events, event)
	}
	want := []string{fmt.Sprintf("booking.confirmed %s ", old.ID), fmt.Sprintf("booking.confirmed %s %s", made.ID, old.ID), fmt.Sprintf("booking.cancelled %s %s", old.ID, made.ID)}
	if !slices.Equal(events, want) {
		t.Errorf("want the events %v, got %v", want, events)
	}

	again, err := b.reschedule(t.Context(), made.ID, slots[1], "", booking.Key{})
	check(t, err)
	b.work(t)
	b.is(t, made.ID, domain.Cancelled)
	b.is(t, again.ID, domain.Confirmed)
	b.requireKept(t)
}

func TestABookingThatCannotBeRescheduledStaysAsItWas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		slot    string // jq of the partner's answer
		prepare func(*testing.T, *bench, domain.Booking)
		to      func(*bench) string
		reason  domain.Reason
		words   string
		reserve int // calls
	}{
		"to the slot that it has": {"", nil, func(b *bench) string { return b.order.Slot }, domain.SameSlot, "already has this slot", 0},
		"to an unknown slot":      {"", nil, func(*bench) string { return "none" }, domain.Unknown, "slot not found", 0},
		"after its slot has begun": {"", func(t *testing.T, b *bench, _ domain.Booking) { b.pass(t, 45*24*time.Hour) }, nil,
			domain.SlotStarted, "the booking's slot has already started", 0},
		"once its guest is erased": {"", func(t *testing.T, b *bench, old domain.Booking) {
			_, err := b.store.Bookings.EraseGuest(t.Context(), old.ID)
			check(t, err)
		}, nil, domain.BookingState, "erased", 0},
		"to a slot that was sold out": {`.status = "SOLD_OUT" | .vacancies = 0`, nil, nil, domain.SlotSoldOut, "can no longer be booked", 0},
		"if the partner refuses to reserve": {"", func(t *testing.T, b *bench, _ domain.Booking) {
			b.arm(t, `{match: {endpoint: reserve}, status: 400, body: {message: "closed for repairs"}}`)
		}, nil, domain.ReserveRefused, "closed for repairs", 1},
		"if the partner fails to reserve": {"", func(t *testing.T, b *bench, _ domain.Booking) {
			b.arm(t, `{match: {endpoint: reserve}, status: 500}`)
		}, nil, domain.PartnerError, "500", 1},
		"if the partner refuses to confirm": {"", func(t *testing.T, b *bench, _ domain.Booking) {
			b.arm(t, `{match: {endpoint: confirm}, status: 400, body: {message: "the guide is ill"}}`)
		}, nil, domain.ReserveRefused, "the guide is ill", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, old, slots := setupConfirmed(t, c.slot)
			if c.prepare != nil {
				c.prepare(t, b, old)
			}
			to := slots[0]
			if c.to != nil {
				to = c.to(b)
			}
			_, err := b.reschedule(t.Context(), old.ID, to, "", booking.Key{})
			if domain.ReasonOf(err) != c.reason || !strings.Contains(fmt.Sprint(err), c.words) {
				t.Errorf("want %s with %q, got %v", c.reason, c.words, err)
			}
			b.requireCalls(t, partnerapi.Reserve, 1+c.reserve)
			b.requireCalls(t, partnerapi.Cancel, 0)
			b.work(t)
			if n := b.held(); n != 1 {
				t.Errorf("want the old booking alone at the partner, got %d", n)
			}
			b.requireAsBefore(t, old.ID)
		})
	}
}

func TestADearerSlotNeedsAPaymentAndACheaperOneARefund(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		price          int // of an adult
		payment, kept  string
		due, refundDue *domain.Number // for two
	}{
		"dearer, without a payment": {price + 500, "", "", number(1000), nil},
		"dearer, with a payment":    {price + 500, "p-2", "p-2", nil, nil},
		"cheaper":                   {price - 500, "", "p-1", nil, number(1000)},
		"at the same price":         {price, "", "p-1", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, old, slots := setupConfirmed(t, fmt.Sprintf(".unitPricing |= map(.original = %d)", c.price))
			made, err := b.reschedule(t.Context(), old.ID, slots[0], c.payment, booking.Key{})
			if c.due != nil {
				var refused *domain.Error
				if !errors.As(err, &refused) || refused.Reason != domain.PaymentRequired || refused.Due == nil || !refused.Due.Amount.Equal(c.due.Decimal) || refused.Due.Currency != "JPY" ||
					!strings.Contains(refused.Message, "1000 JPY") {
					t.Errorf("want the difference named, got %+v", err)
				}
				b.requireCalls(t, partnerapi.Reserve, 1)
				b.requireAsBefore(t, old.ID)
				return
			}
			check(t, err)
			r := b.is(t, made.ID, domain.Confirmed)
			if refund := r.RefundDue(); (refund == nil) != (c.refundDue == nil) || refund != nil && !refund.Equal(c.refundDue.Decimal) {
				t.Errorf("want a refund of %v due, got %v", c.refundDue, refund)
			}
			if r.PaymentReference != c.kept {
				t.Errorf("want the payment %s kept, got %s", c.kept, r.PaymentReference)
			}
		})
	}
}

func TestARescheduleInDoubtKeepsBothBookingsUntilItIsDecided(t *testing.T) {
	t.Parallel()
	const lost, failed = `{match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`, `{match: {endpoint: confirm}, times: 1, status: 500}`
	for name, c := range map[string]struct {
		fault  string
		decide func(*testing.T, *bench, uuid.UUID) error
		moved  bool // the new booking is the guest's
	}{
		"by the retry that finds it confirmed": {lost, func(t *testing.T, b *bench, _ uuid.UUID) error { b.work(t); return nil }, true},
		"by an operator who confirms":          {failed, func(t *testing.T, b *bench, id uuid.UUID) error { _, err := b.Retry(t.Context(), id); return err }, true},
		"by an operator who resolves what the partner refuses then": {failed, func(t *testing.T, b *bench, id uuid.UUID) error {
			b.arm(t, `{match: {endpoint: confirm}, status: 400}`)
			_, err := b.Retry(t.Context(), id)
			check(t, err)
			b.is(t, id, domain.Paid, domain.ConfirmRefused, domain.RescheduleUnknown)
			_, err = b.Resolve(t.Context(), id)
			return err
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, old, slots := setupConfirmed(t, "")
			b.arm(t, c.fault)
			made, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{})
			check(t, err)
			if made.Status != domain.Paid || !slices.ContainsFunc(made.Attention, func(a domain.Attention) bool { return a.Reason == domain.RescheduleUnknown }) {
				t.Fatalf("want it PAID and in doubt, got %s with %v", made.Status, made.Attention)
			}
			if actions := booking.Actions(made, domain.RescheduleUnknown); !slices.Equal(actions, []domain.Action{domain.TryConfirm, domain.Resolve}) {
				t.Errorf("want an operator to confirm or to resolve, got %v", actions)
			}
			b.is(t, old.ID, domain.Confirmed)
			for what, do := range map[string]func() error{
				"cancel the old one": func() error {
					_, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, old.ID, "")
					return err
				},
				"cancel the new one": func() error { _, err := b.Settle(t.Context(), made.ID, ""); return err },
				"reschedule the old one": func() error {
					_, err := b.reschedule(t.Context(), old.ID, slots[1], "", booking.Key{})
					return err
				},
			} {
				if err := do(); domain.ReasonOf(err) != domain.RescheduleInFlight {
					t.Errorf("%s: want %s, got %v", what, domain.RescheduleInFlight, err)
				}
			}

			check(t, c.decide(t, b, made.ID))
			b.work(t)
			if !c.moved {
				b.is(t, made.ID, domain.Cancelled)
				b.requireAsBefore(t, old.ID)
				return
			}
			b.is(t, made.ID, domain.Confirmed)
			b.is(t, old.ID, domain.Cancelled)
			if n := b.held(); n != 1 {
				t.Errorf("want one booking at the partner, got %d", n)
			}
			if _, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, old.ID, ""); !strings.Contains(fmt.Sprint(err), "rescheduled to "+made.ID.String()) {
				t.Errorf("want the cancel of the old booking to name the new one, got %v", err)
			}
		})
	}
}

func TestARescheduleIsNoSaleAndNoCancellation(t *testing.T) {
	t.Parallel()
	b, old, slots := setupConfirmed(t, `.unitPricing |= map(.original = 14000)`)
	made, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{})
	check(t, err)
	b.arm(t, `{match: {endpoint: confirm}, status: 400}`)
	if _, err := b.reschedule(t.Context(), made.ID, slots[1], "p-2", booking.Key{}); domain.ReasonOf(err) != domain.ReserveRefused {
		t.Errorf("want it refused, got %v", err)
	}
	check(t, b.store.CountSales(t.Context(), b.now(), domain.SalesDays))
	overview, err := b.store.Overview(t.Context(), b.now())
	check(t, err)
	if day := overview.Days[len(overview.Days)-1]; day.Bookings != 1 || day.Confirmed != 1 || day.Cancelled != 0 || day.Revenue["JPY"] != "28000" {
		t.Errorf("want one sale at the new price, got %+v", day)
	}
}

func TestARescheduleToABookingWithTheSameIDAtThePartnerWithholdsTheCancel(t *testing.T) {
	t.Parallel()
	b, old, slots := setupConfirmed(t, "")
	b.arm(t, fmt.Sprintf(`{match: {endpoint: confirm}, answered: 200, jq: '.externalBookingId = %q'}`, old.ExternalBookingID))
	made, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{})
	check(t, err)
	b.work(t)
	b.is(t, made.ID, domain.Confirmed, domain.DuplicateID)
	if r := b.is(t, old.ID, domain.Cancelled, domain.DuplicateID); r.Cancellation != domain.GivenUp {
		t.Errorf("want the cancel withheld, got %s", r.Cancellation)
	}
	b.requireCalls(t, partnerapi.Cancel, 0)
}

func TestARescheduleWhoseHoldHasTheCodeOfTheOldOneIsRefused(t *testing.T) {
	t.Parallel()
	b, old, slots := setupConfirmed(t, "")
	b.arm(t, fmt.Sprintf(`{match: {endpoint: reserve}, answered: 200, jq: '.reservationConfirmationCode = %q'}`, old.Code))
	if _, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{}); domain.ReasonOf(err) != domain.PartnerError {
		t.Errorf("want %s, got %v", domain.PartnerError, err)
	}
	b.requireCalls(t, partnerapi.Confirm, 1)
	b.work(t)
	if r := b.is(t, old.ID, domain.Confirmed); r.RescheduledTo != uuid.Nil || r.Release != "" {
		t.Errorf("want the old booking as it was, got %+v", r.Booking)
	}
}

func TestOfTwoReschedulesOfOneBookingOneIsDone(t *testing.T) {
	t.Parallel()
	b, old, slots := setupConfirmed(t, "")
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		all.Go(func() { _, errs[i] = b.reschedule(t.Context(), old.ID, slots[i], "", booking.Key{}) })
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("want one done, got %v", errs)
	}
	for _, err := range errs {
		if err != nil && domain.CodeOf(err) != domain.Conflict {
			t.Errorf("want the other refused, got %v", err)
		}
	}
	b.work(t)
	if n := b.held(); n != 1 {
		t.Errorf("want one booking at the partner, got %d", n)
	}
	b.requireKept(t)
}

func TestARescheduleWhoseReplicaDiedIsAnsweredByItsKey(t *testing.T) {
	t.Parallel()
	b, old, slots := setupConfirmed(t, "")
	made, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{Key: "k"})
	check(t, err)
	_, err = b.store.Pool().Exec(t.Context(), `UPDATE idempotency_keys SET status = NULL, answer = NULL`)
	check(t, err)
	if _, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{Key: "k"}); domain.ReasonOf(err) != domain.IdempotencyKeyInFlight {
		t.Errorf("want it in progress, got %v", err)
	}
	b.pass(t, 2*time.Minute)
	again, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{Key: "k"})
	check(t, err)
	if again.ID != made.ID || again.Status != domain.Confirmed {
		t.Errorf("want the booking that was made, got %+v", again)
	}
	b.requireCalls(t, partnerapi.Reserve, 2)
	b.work(t)
	b.requireKept(t)
}

func TestTheDatabaseRefusesTwoBookingsOfOneGuest(t *testing.T) {
	t.Parallel()
	b, old, slots := setupConfirmed(t, "")
	b.arm(t, `{match: {endpoint: confirm}, status: 500}`)
	made, err := b.reschedule(t.Context(), old.ID, slots[0], "", booking.Key{})
	check(t, err)
	for _, statement := range []string{
		`UPDATE bookings SET status = 'CANCELLED' WHERE id = '` + old.ID.String() + `'`,
		`UPDATE bookings SET status = 'CONFIRMED', external_booking_id = 'x' WHERE id = '` + made.ID.String() + `'`,
	} {
		if _, err := b.store.Pool().Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "bookings_one_of_two") {
			t.Errorf("want %s refused, got %v", statement, err)
		}
	}
}

func number(n int64) *domain.Number { return &domain.Number{Decimal: decimal.NewFromInt(n)} }
