package booking_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/schemas/partnerapi"
)

// reported is an answer in the form that the tests use.
type reported struct {
	Booking uuid.UUID
	Error   string
}

func respond(held booking.Held, failed error) booking.Answer {
	answer := reported{Booking: held.ID}
	switch domain.CodeOf(failed) {
	case domain.Conflict, domain.PartnerFailed, domain.PartnerLate:
		answer.Error = failed.Error()
	default:
		if failed != nil {
			return booking.Answer{}
		}
	}
	text, _ := json.Marshal(answer)
	return booking.Answer{Status: 200, Body: text}
}

// checkoutWithKey books with a key, each time as a new request.
func (b *bench) checkoutWithKey(t *testing.T, body byte, change ...func(*booking.Order)) (reported, error) {
	t.Helper()
	answer, err := b.Checkout(t.Context(), b.wants(change...), booking.Key{Key: "order-1", Body: [32]byte{body}}, respond)
	var got reported
	if err == nil {
		check(t, json.Unmarshal(answer.Body, &got))
	}
	return got, err
}

// dies lets the service die in the middle of a request.
func dies(f func()) {
	var all sync.WaitGroup
	all.Go(f)
	all.Wait()
}

func TestARequestThatIsWrongLeavesItsKeyFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, change := range map[string]func(*booking.Order){
		"an unknown slot":  func(o *booking.Order) { o.Slot = "nothing" },
		"an unknown guide": func(o *booking.Order) { o.Affiliate = b.reseller },
	} {
		if _, err := b.checkoutWithKey(t, 1, change); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	if _, err := b.checkoutWithKey(t, 2); err != nil {
		t.Errorf("want it done once it is right, got %v", err)
	}
	b.requireKept(t)
}

func TestARequestThatIsUnderWayIsNotDoneTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	under, over := make(chan struct{}), make(chan struct{})
	b.Config.Partner = slowAvailability{b.client, under, over}
	done := make(chan reported, 1)
	go func() {
		first, _ := b.checkoutWithKey(t, 1)
		done <- first
	}()
	<-under
	underWay := (*domain.Error)(nil)
	if _, err := b.checkoutWithKey(t, 1); !errors.As(err, &underWay) || underWay.Reason != domain.IdempotencyKeyInFlight {
		t.Errorf("Expected an error that says that it is in progress, and when to retry, received %v", err)
	}
	close(over)
	first := <-done
	if again, err := b.checkoutWithKey(t, 1); err != nil || again != first {
		t.Errorf("want %+v again, got %+v and %v", first, again, err)
	}
	b.requireKept(t)
}

// slowAvailability is a partner whose availability call lasts until the test ends it.
type slowAvailability struct {
	*partner.Client
	under, over chan struct{}
}

func (p slowAvailability) FreshAvailability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error {
	close(p.under)
	<-p.over
	return p.Client.FreshAvailability(ctx, t, asked, read)
}

func TestAnIdempotencyKeyIsFreeAgainIfThePartnerWasNotCalled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gone, leave := context.WithCancel(t.Context())
	b.Config.Partner = absentPartner{b.client, leave}
	if _, err := b.Checkout(gone, b.wants(), booking.Key{Key: "order-1", Body: [32]byte{1}}, respond); err == nil {
		t.Error("want who has left to have nothing")
	}
	b.Config.Partner = b.client
	if _, err := b.checkoutWithKey(t, 1); err != nil {
		t.Errorf("want it done, got %v", err)
	}
	b.requireKept(t)
}

// absentPartner is a partner whose customer disconnects before the partner is called.
type absentPartner struct {
	*partner.Client
	leave func()
}

func (a absentPartner) FreshAvailability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error {
	a.leave()
	return a.Client.FreshAvailability(ctx, t, asked, read)
}

// deadKeys is a store whose service dies before it can settle a key itself.
type deadKeys struct{ booking.KeyStore }

func (d deadKeys) SettleKey(context.Context, booking.Key) error {
	return errors.New("the service has died")
}

func TestTheAnswerIsStoredWithTheMoveThatMakesIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fault, words string }{
		"a hold":                   {"", ""},
		"a refusal":                {`{match: {endpoint: reserve}, times: 1, status: 400, body: '{"message":"Only for members."}'}`, "Only for members."},
		"an answer that was lost":  {`{match: {endpoint: reserve}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`, "the partner could not be reached for POST /bookings/reserve, or the connection was lost"},
		"a hold that has no limit": {`{match: {endpoint: reserve}, times: 1, status: 200, body: '{"reservationConfirmationCode":"R-1"}'}`, "the partner's answer to POST /bookings/reserve is invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if c.fault != "" {
				b.arm(t, c.fault)
			}
			b.Config.Keys = deadKeys{b.store.Bookings}
			first, err := b.checkoutWithKey(t, 1)
			check(t, err)
			b.Config.Keys = b.store.Bookings
			again, err := b.checkoutWithKey(t, 1)
			if err != nil || again != first || len(first.Error) < len(c.words) || first.Error[:len(c.words)] != c.words {
				t.Errorf("want %q answered twice, got %+v, %+v and %v", c.words, first, again, err)
			}
			if n := b.calls(t, partnerapi.Reserve); n != 1 {
				t.Errorf("want one reserve, got %d", n)
			}
		})
	}
}

// lostClaims is a store that stores a key, but whose answer is lost.
type lostClaims struct{ booking.KeyStore }

func (l lostClaims) Claim(ctx context.Context, k booking.Key, activity, variation uuid.UUID, slot string) (booking.Offer, booking.Key, bool, error) {
	_, _, _, _ = l.KeyStore.Claim(ctx, k, activity, variation, slot)
	return booking.Offer{}, booking.Key{}, false, context.DeadlineExceeded
}

func TestAKeyWhoseClaimWasLostIsFreeForTheRetry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Config.Keys = lostClaims{b.store.Bookings}
	if _, err := b.checkoutWithKey(t, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Expected the store's error, received %v", err)
	}
	b.Config.Keys = b.store.Bookings
	if made, err := b.checkoutWithKey(t, 1); err != nil || made.Error != "" {
		t.Errorf("Expected the retry to book, received %+v and %v", made, err)
	}
	b.requireKept(t)
}

// tiredKeys is a store that fails to settle a key once.
type tiredKeys struct {
	booking.KeyStore
	failed atomic.Bool
}

func (k *tiredKeys) SettleKey(ctx context.Context, of booking.Key) error {
	if k.failed.CompareAndSwap(false, true) {
		return context.DeadlineExceeded
	}
	return k.KeyStore.SettleKey(ctx, of)
}

func TestAnAnswerThatWasNotStoredIsStoredWithinSeconds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Config.Keys = &tiredKeys{KeyStore: b.store.Bookings}
	b.arm(t, `{match: {endpoint: availability}, times: 1, status: 404}`)
	if _, err := b.checkoutWithKey(t, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Expected the store's error, received %v", err)
	}
	waittest.Until(t, "the answer is stored", func() bool {
		again, err := b.checkoutWithKey(t, 1)
		return err == nil && strings.HasPrefix(again.Error, "the partner answered")
	})
	b.requireKept(t)
}

// lostCreates is a store that stores a booking, but whose answer is lost, as is the next one.
type lostCreates struct {
	booking.Store
	lost, asked bool
}

func (l *lostCreates) CreateBooking(ctx context.Context, b domain.Booking, c booking.Call, k booking.Key, f booking.Fresh) error {
	if err := l.Store.CreateBooking(ctx, b, c, k, f); err != nil || l.lost {
		return err
	}
	l.lost = true
	return context.DeadlineExceeded
}

func (l *lostCreates) HasCall(ctx context.Context, call uuid.UUID) (bool, error) {
	if !l.asked {
		l.asked = true
		return false, context.DeadlineExceeded
	}
	return l.Store.HasCall(ctx, call)
}

func TestABookingWhoseReserveWasNotSentIsWithdrawnAndItsKeyIsFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Config.Store = &lostCreates{Store: b.Config.Store}
	if _, err := b.checkoutWithKey(t, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Expected the store's error, received %v", err)
	}
	waittest.Until(t, "the key is free", func() bool {
		made, err := b.checkoutWithKey(t, 1)
		return err == nil && made.Error == ""
	})
	if n := b.calls(t, partnerapi.Reserve); n != 1 {
		t.Errorf("Expected one reserve, received %d", n)
	}
	b.requireKept(t)
}

func TestTheKeyOfAReplicaThatDiedIsNotStuckAndReservesOnce(t *testing.T) {
	t.Parallel()
	t.Run("before the partner was asked for a hold", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		o := b.wants()
		if _, stored, claimed, err := b.store.Bookings.Claim(t.Context(), booking.Key{Account: b.reseller, Mode: domain.Live, Key: "order-1", Body: [32]byte{1}, Booking: o.ID}, o.Activity, o.Variation, o.Slot); !claimed || err != nil {
			t.Fatalf("want the key, got %+v and %v", stored, err)
		}
		if _, err := b.checkoutWithKey(t, 1); domain.CodeOf(err) != domain.Conflict {
			t.Errorf("want it under way for a minute, got %v", err)
		}
		b.ahead.Add(int64(time.Minute))
		if made, err := b.checkoutWithKey(t, 1); err != nil || made.Booking != o.ID {
			t.Errorf("want the booking made that the key names, got %+v and %v", made, err)
		}
		b.requireKept(t)
	})
	t.Run("while the partner was asked for a hold", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.arm(t, `{match: {endpoint: reserve}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`)
		b.Config.Partner = dyingPartner{b.client, func() {}}
		dies(func() { _, _ = b.checkoutWithKey(t, 1) })
		b.Config.Partner = b.client
		b.ahead.Add(int64(time.Minute))
		for range 2 {
			if again, err := b.checkoutWithKey(t, 1); err != nil || !strings.Contains(again.Error, "it is unknown whether seats are held") {
				t.Errorf("Expected an error that says that the outcome is unknown, received %+v and %v", again, err)
			}
			check(t, b.Sweep(t.Context()))
		}
		if n := b.calls(t, partnerapi.Reserve); n != 1 {
			t.Errorf("want one reserve, got %d", n)
		}
		b.requireKept(t)
	})
}
