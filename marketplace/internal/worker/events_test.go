package worker_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/event"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

// receiver is a reseller's endpoint. It records the events that it accepts. The receivers' library
// verifies their signatures.
type receiver struct {
	*httptest.Server
	verify *standardwebhooks.Webhook
	mu     sync.Mutex
	taken  []event.Event
	answer func(event.Event) int // the status, or slow; nil: 200
	asked  int
}

// slow is an event that is accepted after the service has stopped waiting.
const slow = 0

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		var reported event.Event
		if err := json.Unmarshal(body, &reported); err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		verify, answer := r.verify, r.answer
		r.asked++
		r.mu.Unlock()
		if err := verify.Verify(body, request.Header); err != nil || request.Header.Get(standardwebhooks.HeaderWebhookID) != reported.ID.String() {
			t.Errorf("want a signature that the library verifies, and the event's id, got %v", err)
		}
		status := http.StatusOK
		if answer != nil {
			status = answer(reported)
		}
		if status == slow {
			<-request.Context().Done()
		}
		if status == http.StatusOK || status == slow {
			r.mu.Lock()
			r.taken = append(r.taken, reported)
			r.mu.Unlock()
		}
		if status != slow {
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(r.Close)
	t.Cleanup(r.CloseClientConnections)
	return r
}

func (r *receiver) set(answer func(event.Event) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// restart starts the receiver again at its address, after it was closed.
func (r *receiver) restart(t testing.TB) {
	t.Helper()
	listener, err := net.Listen("tcp", r.Listener.Addr().String())
	check(t, err)
	again := &httptest.Server{Listener: listener, Config: &http.Server{Handler: r.Config.Handler}}
	again.Start()
	t.Cleanup(again.Close)
	t.Cleanup(again.CloseClientConnections)
}

// receivedEvents returns the numbers of the accepted events by subject.
func (r *receiver) receivedEvents(t testing.TB) map[string][]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	by := map[string][]int{}
	for _, e := range r.taken {
		data := numbered{}
		check(t, json.Unmarshal(e.Data, &data))
		by[data.Subject] = append(by[data.Subject], data.Number)
	}
	return by
}

// numbered is the data of a test's event.
type numbered struct {
	Subject string `json:"subject"`
	Number  int    `json:"number"`
}

// secret returns the service's secret.
func secret(t testing.TB) *auth.Secret {
	t.Helper()
	key, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	check(t, err)
	return key
}

// reseller creates an account.
func (b *bench) reseller(t testing.TB) uuid.UUID {
	t.Helper()
	a := domain.Account{ID: uuid.New(), Role: domain.Reseller, PasswordHash: "x", CreatedAt: b.clock.Now()}
	a.Email = a.ID.String() + "@example.com"
	check(t, b.store.Accounts.CreateAccount(t.Context(), a))
	return a.ID
}

// subscribe subscribes a receiver to events.
func (b *bench) subscribe(t testing.TB, account uuid.UUID, r *receiver, kinds ...domain.EventType) uuid.UUID {
	t.Helper()
	service := event.NewService(b.store.Events, partner.NewGuard(true), secret(t))
	made, key, err := service.Subscribe(t.Context(), domain.Scope{Account: account, Mode: domain.Live}, event.Request{URL: r.URL, Events: kinds})
	check(t, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verify, err = standardwebhooks.NewWebhook(key)
	check(t, err)
	return made.ID
}

// insert stores events of each subject in order, as their transactions do, with the numbers from
// (inclusive) to (exclusive).
func (b *bench) insert(t testing.TB, account uuid.UUID, kind domain.EventType, subjects []uuid.UUID, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		pgtest.Exec(t, b.store, `INSERT INTO event_outbox (type, account_id, subject_id, data) SELECT $1, nullif($2::uuid, '00000000-0000-0000-0000-000000000000'), id, jsonb_build_object('subject', id, 'number', $4::int) FROM unnest($3::uuid[]) AS id`,
			kind, account, subjects, n)
	}
}

func subjects(n int) (list []uuid.UUID) {
	for range n {
		list = append(list, uuid.New())
	}
	return list
}

// makeDue makes every pending delivery due now.
func (b *bench) makeDue(t testing.TB) {
	t.Helper()
	pgtest.Exec(t, b.store, `UPDATE event_deliveries SET due_at = now() WHERE state = 'pending'`)
	pgtest.Exec(t, b.store, `UPDATE event_subscriptions SET paused_until = NULL`)
	check(t, b.store.Events.WakeAll(t.Context()))
}

// numbers returns 0 to n-1.
func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func TestEveryEventIsDeliveredInOrderOfItsBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.sendsEvents(t)
	mine, other := b.reseller(t), b.reseller(t)
	r, theirs := newReceiver(t), newReceiver(t)
	b.subscribe(t, mine, r, domain.BookingConfirmed)
	b.subscribe(t, other, theirs, domain.BookingConfirmed, domain.SlotChanged)
	b.replica(t)
	b.replica(t)
	const each = 6
	bookings := subjects(20)
	// The receiver fails at random, is too slow once, refuses everything, dies, and comes back.
	var mu sync.Mutex
	calls := 0
	r.set(func(event.Event) int {
		mu.Lock()
		defer mu.Unlock()
		switch calls++; {
		case calls == 2:
			return slow
		case calls%3 == 0:
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	b.insert(t, mine, domain.BookingConfirmed, bookings, 0, each/2)
	waittest.Until(t, "some taken, and one of them slowly", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return calls >= 2
	})
	r.set(func(event.Event) int { return http.StatusInternalServerError })
	b.insert(t, mine, domain.BookingConfirmed, bookings, each/2, each)
	waittest.Until(t, "some refused", func() bool {
		return b.count(t, `SELECT count(*) FROM event_deliveries WHERE last_status = 500`) > 0
	})
	r.CloseClientConnections()
	r.Close()
	waittest.Until(t, "some that nothing listens for", func() bool {
		b.makeDue(t)
		return b.count(t, `SELECT count(*) FROM event_deliveries WHERE last_status IS NULL AND last_error IS NOT NULL AND state = 'pending'`) > 1
	})
	r.set(nil)
	r.restart(t)
	waittest.Until(t, "all delivered", func() bool {
		b.makeDue(t)
		return b.count(t, `SELECT count(*) FROM event_deliveries WHERE state = 'delivered'`) == each*len(bookings)
	})
	if delivered, failed := made.delivered.Load(), made.failed.Load(); delivered < each*int64(len(bookings)) || failed == 0 {
		t.Errorf("Expected %d delivered attempts and some that failed, received %d and %d", each*len(bookings), delivered, failed)
	}
	by := r.receivedEvents(t)
	if taken := len(r.taken); taken <= each*len(bookings) {
		t.Errorf("want the slow one sent again, got %d events", taken)
	}
	for _, booking := range bookings {
		if got := slices.Compact(by[booking.String()]); !slices.Equal(got, numbers(each)) {
			t.Errorf("want the events of a booking in order, each at least once, got %v", by[booking.String()])
		}
	}
	if got := theirs.receivedEvents(t); len(got) > 0 {
		t.Errorf("Expected none of them for another reseller, received %v", got)
	}
}

// sendsEvents lets the replicas send to addresses of this machine.
func (b *bench) sendsEvents(t testing.TB) *attempts {
	t.Helper()
	made := &attempts{}
	sender := event.NewSender(b.store.Events, partner.NewGuard(true), secret(t), "test", time.Now)
	sender.OnAttempt(made.count)
	t.Cleanup(sender.Close)
	b.events = sender
	return made
}

// attempts counts delivery attempts.
type attempts struct{ delivered, failed atomic.Int64 }

func (a *attempts) count(delivered bool) {
	if delivered {
		a.delivered.Add(1)
	} else {
		a.failed.Add(1)
	}
}

func TestResellersReceiveTheCatalogEventsThatTheySubscribeTo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sendsEvents(t)
	asked, not := newReceiver(t), newReceiver(t)
	b.subscribe(t, b.reseller(t), asked, domain.SlotChanged)
	b.subscribe(t, b.reseller(t), not, domain.BookingReleased)
	b.replica(t)
	variations := subjects(3)
	b.insert(t, uuid.UUID{}, domain.SlotChanged, variations, 0, 2)
	b.notifyAll(t)
	waittest.Until(t, "all taken", func() bool { return len(asked.receivedEvents(t)) == 3 })
	if got := not.receivedEvents(t); len(got) > 0 {
		t.Errorf("Expected only the subscribed events, received %v", got)
	}
}

// notifyAll publishes the stored events.
func (b *bench) notifyAll(t testing.TB) {
	t.Helper()
	waittest.Until(t, "all published", func() bool { return b.count(t, `SELECT count(*) FROM event_outbox`) == 0 })
}

func TestAReceiverThatIsGoneIsDisabledAndSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		failing string // the time of the first failure
		want    string
	}{
		"it answers 410":      {http.StatusGone, "", "the receiver answered 410 Gone"},
		"it fails for days":   {http.StatusInternalServerError, "6 days", "every attempt failed for 5 days"},
		"a redirect is no go": {http.StatusFound, "6 days", "every attempt failed for 5 days"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.sendsEvents(t)
			r, account := newReceiver(t), b.reseller(t)
			r.set(func(event.Event) int { return c.status })
			id := b.subscribe(t, account, r, domain.BookingReleased)
			if c.failing != "" {
				pgtest.Exec(t, b.store, `UPDATE event_subscriptions SET failing_since = now() - $1::text::interval`, c.failing)
			}
			b.replica(t)
			b.insert(t, account, domain.BookingReleased, subjects(2), 0, 1)
			var found event.Subscription
			waittest.Until(t, "it disabled", func() bool {
				var err error
				found, err = b.store.Events.Subscription(t.Context(), domain.Scope{Account: account}, id)
				check(t, err)
				return found.DisabledAt != nil
			})
			if *found.DisabledReason != c.want {
				t.Errorf("want %q, got %q", c.want, *found.DisabledReason)
			}
			waittest.Until(t, "nothing pending", func() bool {
				return b.count(t, `SELECT count(*) FROM event_deliveries WHERE state = 'pending'`) == 0
			})
		})
	}
}

func TestAnEventIsGivenUpAfterThreeDaysAndTheNextOfItsBookingFollows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sendsEvents(t)
	r, account := newReceiver(t), b.reseller(t)
	r.set(func(e event.Event) int {
		if strings.Contains(string(e.Data), `"number": 0`) || strings.Contains(string(e.Data), `"number":0`) {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	id := b.subscribe(t, account, r, domain.BookingReleased)
	b.replica(t)
	booking := subjects(1)
	b.insert(t, account, domain.BookingReleased, booking, 0, 2)
	waittest.Until(t, "the first refused", func() bool { return b.count(t, `SELECT count(*) FROM event_deliveries WHERE attempts > 0`) == 1 })
	if got := r.receivedEvents(t); len(got) > 0 {
		t.Errorf("want the second to wait for the first, got %v", got)
	}
	pgtest.Exec(t, b.store, `UPDATE event_deliveries SET owed_at = now() - interval '73 hours'`)
	b.makeDue(t)
	waittest.Until(t, "the second taken", func() bool { return slices.Equal(r.receivedEvents(t)[booking[0].String()], []int{1}) })
	r.set(nil)
	list, err := b.store.Events.Deliveries(t.Context(), id, event.Failed, 10)
	check(t, err)
	if len(list) != 1 || *list[0].LastError != "expected a 2xx status, received 500" {
		t.Fatalf("want the first given up, got %+v", list)
	}
	_, err = b.store.Events.Retry(t.Context(), id, list[0].Event)
	check(t, err)
	waittest.Until(t, "the first sent again", func() bool { return slices.Equal(r.receivedEvents(t)[booking[0].String()], []int{1, 0}) })
}

func TestAnAddressThatIsNotPublicIsNotCalled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sender := event.NewSender(b.store.Events, partner.NewGuard(false), secret(t), "test", time.Now)
	t.Cleanup(sender.Close)
	b.events = sender
	r, account := newReceiver(t), b.reseller(t)
	id := b.subscribe(t, account, r, domain.BookingReleased)
	unknown, _, err := event.NewService(b.store.Events, partner.NewGuard(true), secret(t)).Subscribe(t.Context(), domain.Scope{Account: account, Mode: domain.Live},
		event.Request{URL: "http://nowhere.invalid", Events: []domain.EventType{domain.BookingReleased}})
	check(t, err)
	b.replica(t)
	b.insert(t, account, domain.BookingReleased, subjects(1), 0, 1)
	for _, subscription := range []uuid.UUID{id, unknown.ID} { // a reseller must not learn which of the two it is
		waittest.Until(t, "it refused", func() bool {
			list, err := b.store.Events.Deliveries(t.Context(), subscription, event.Pending, 10)
			check(t, err)
			return len(list) == 1 && list[0].LastError != nil && *list[0].LastError == "address (the host name is unknown, or its address is not public)"
		})
	}
	if r.asked > 0 {
		t.Error("want it not called")
	}
}

// eventService returns what a reseller calls.
func (b *bench) eventService(t testing.TB) *event.Service {
	return event.NewService(b.store.Events, partner.NewGuard(true), secret(t))
}

func TestAWebhookThatItsResellerDisablesReceivesNothingUntilItIsEnabled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sendsEvents(t)
	r, account := newReceiver(t), b.reseller(t)
	r.set(func(event.Event) int { return http.StatusInternalServerError })
	id, of, service := b.subscribe(t, account, r, domain.BookingReleased), domain.Scope{Account: account, Mode: domain.Live}, b.eventService(t)
	b.replica(t)
	booking := subjects(1)
	b.insert(t, account, domain.BookingReleased, booking, 0, 1)
	waittest.Until(t, "the first refused", func() bool { return b.count(t, `SELECT count(*) FROM event_deliveries WHERE attempts > 0`) == 1 })
	disabled, err := service.Change(t.Context(), of, id, event.Change{Enabled: new(false)})
	check(t, err)
	if disabled.DisabledAt == nil || *disabled.DisabledReason != "the reseller disabled it" {
		t.Errorf("Expected it to say that it is disabled, received %+v", disabled)
	}
	r.set(nil)
	b.insert(t, account, domain.BookingReleased, booking, 1, 2)
	b.notifyAll(t)
	b.makeDue(t)
	b.waitIdle(t)
	if got := r.receivedEvents(t); len(got) > 0 || b.count(t, `SELECT count(*) FROM event_deliveries WHERE state <> 'failed'`) > 0 {
		t.Errorf("Expected nothing sent and nothing waiting, received %v", got)
	}
	enabled, err := service.Change(t.Context(), of, id, event.Change{Enabled: new(true)})
	check(t, err)
	if enabled.DisabledAt != nil || enabled.FailingSince != nil {
		t.Errorf("Expected it to start without its failures, received %+v", enabled)
	}
	b.insert(t, account, domain.BookingReleased, booking, 2, 3)
	waittest.Until(t, "the next one taken", func() bool { return slices.Equal(r.receivedEvents(t)[booking[0].String()], []int{2}) })
	found, err := b.store.Events.Feed(t.Context(), of, 0, 10)
	check(t, err)
	if len(found.Events) != 3 {
		t.Errorf("Expected every event in the feed, received %+v", found.Events)
	}
}

func TestWhatWaitsIsSentToTheNewAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sendsEvents(t)
	old, moved, account := newReceiver(t), newReceiver(t), b.reseller(t)
	old.set(func(event.Event) int { return http.StatusInternalServerError })
	id := b.subscribe(t, account, old, domain.BookingReleased)
	moved.verify = old.verify
	b.replica(t)
	booking := subjects(1)
	b.insert(t, account, domain.BookingReleased, booking, 0, 1)
	waittest.Until(t, "it refused", func() bool { return b.count(t, `SELECT count(*) FROM event_deliveries WHERE attempts > 0`) == 1 })
	_, err := b.eventService(t).Change(t.Context(), domain.Scope{Account: account, Mode: domain.Live}, id, event.Change{URL: &moved.URL})
	check(t, err)
	waittest.Until(t, "it taken elsewhere", func() bool { return slices.Equal(moved.receivedEvents(t)[booking[0].String()], []int{0}) })
}

func TestAfterARotationTheLastTwoSecretsSignForADay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sendsEvents(t)
	account := b.reseller(t)
	of, service := domain.Scope{Account: account, Mode: domain.Live}, b.eventService(t)
	var mu sync.Mutex
	var requests []*http.Request
	var bodies [][]byte
	at := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		requests, bodies = append(requests, r), append(bodies, body)
	}))
	t.Cleanup(at.Close)
	made, first, err := service.Subscribe(t.Context(), of, event.Request{URL: at.URL, Events: []domain.EventType{domain.BookingReleased}})
	check(t, err)
	keys := []string{first}
	rotate := func() {
		t.Helper()
		rotated, key, err := service.RotateSecret(t.Context(), of, made.ID)
		check(t, err)
		if left := time.Until(*rotated.PreviousUntil); left < 23*time.Hour || left > 25*time.Hour {
			t.Errorf("Expected the secret before to sign for a day, received %s", left)
		}
		keys = append(keys, key)
	}
	b.replica(t)
	signs := func(want ...bool) { // by each secret
		t.Helper()
		mu.Lock()
		before := len(requests)
		mu.Unlock()
		b.insert(t, account, domain.BookingReleased, subjects(1), 0, 1)
		waittest.Until(t, "it sent", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(requests) > before
		})
		mu.Lock()
		defer mu.Unlock()
		for i, key := range keys {
			verify, err := standardwebhooks.NewWebhook(key)
			check(t, err)
			if got := verify.Verify(bodies[before], requests[before].Header) == nil; got != want[i] {
				t.Errorf("Expected secret %d to sign: %t, received %t", i+1, want[i], got)
			}
		}
	}
	signs(true)
	rotate()
	signs(true, true)
	rotate()
	signs(false, true, true)
	pgtest.Exec(t, b.store, `UPDATE event_subscriptions SET previous_secret_until = now()`)
	signs(false, false, true)
}

func TestADisabledAccountReceivesNoEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sendsEvents(t)
	r, account := newReceiver(t), b.reseller(t)
	b.subscribe(t, account, r, domain.BookingReleased)
	pgtest.Exec(t, b.store, `UPDATE accounts SET disabled_at = now() WHERE id = $1`, account)
	b.replica(t)
	b.insert(t, account, domain.BookingReleased, subjects(1), 0, 1)
	b.notifyAll(t)
	b.waitIdle(t)
	if r.asked > 0 || b.count(t, `SELECT count(*) FROM event_deliveries`) > 0 {
		t.Error("want nothing sent")
	}
}

func TestTheFeedMissesNothingWhileEventsAreStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine := b.reseller(t)
	b.replica(t)
	b.replica(t)
	bookings := subjects(8)
	var all sync.WaitGroup
	for _, one := range bookings {
		all.Go(func() { b.insert(t, mine, domain.BookingConfirmed, []uuid.UUID{one}, 0, 10) })
	}
	r, after := &receiver{}, int64(0)
	waittest.Until(t, "all read", func() bool {
		f, err := b.store.Events.Feed(t.Context(), domain.Scope{Account: mine, Mode: domain.Live}, after, 7)
		check(t, err)
		r.taken, after = append(r.taken, f.Events...), f.Next
		return len(r.taken) >= 80
	})
	all.Wait()
	for _, got := range r.receivedEvents(t) {
		if !slices.Equal(got, numbers(10)) {
			t.Errorf("want each event of a booking once, in order, got %v", got)
		}
	}
	_, err := b.store.Events.DropOldEvents(t.Context(), time.Now().Add(time.Hour), 1000)
	check(t, err)
	for place, expired := range map[int64]bool{0: false, 5: true, after: false} {
		if f, err := b.store.Events.Feed(context.Background(), domain.Scope{Account: mine, Mode: domain.Live}, place, 7); err != nil || f.Expired != expired {
			t.Errorf("after %d: want expired %t, got %t and %v", place, expired, f.Expired, err)
		}
	}
}
