package schedules

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// workload is what customers, payment providers and operators do. Each request goes to a
// replica of its own, and is repeated at another one if it gets no answer.
type workload struct {
	name string
	play func(w *world)
}

var workloads = []workload{
	{"a customer checks out, pays and cancels", func(w *world) {
		id := w.newID()
		_, _ = ask(w, "checkout", 0, func(ctx context.Context, r *replica) (booking.Answer, error) {
			return r.Checkout(ctx, order(id), booking.Key{}, answerOf)
		})
		time.Sleep(5 * time.Second)
		if !w.shows(id, domain.Held) { // the reseller finds it in its list, whatever the answer was
			return
		}
		w.pays(id, "p-1", 1)
		for range 6 {
			if w.shows(id, domain.Confirmed) {
				w.cancels(id, 0)
				return
			}
			time.Sleep(20 * time.Second)
		}
	}},
	{"a customer abandons while the payment succeeds", func(w *world) {
		id := w.addHeldBooking()
		runTogether(
			func() {
				_, _ = ask(w, "abandon", 0, func(ctx context.Context, r *replica) (domain.Booking, error) {
					return r.Abandon(ctx, domain.Scope{Account: reseller}, id)
				})
			},
			func() { w.pays(id, "p-1", 1) },
		)
	}},
	{"a payment succeeds as the hold expires", func(w *world) {
		id := w.addHeldBooking()
		time.Sleep(holdFor - 2*time.Second)
		w.pays(id, "p-1", 0)
	}},
	{"two replicas receive the same payment", func(w *world) {
		id := w.addHeldBooking()
		runTogether(func() { w.pays(id, "p-1", 0) }, func() { w.pays(id, "p-1", 1) })
	}},
	{"a payment succeeds shortly before a sweep", func(w *world) {
		id := w.addHeldBooking()
		time.Sleep(23 * time.Second)
		w.pays(id, "p-1", 0)
	}},
	{"a payment fails while another one succeeds", func(w *world) {
		id := w.addHeldBooking()
		runTogether(
			func() { w.pays(id, "p-1", 0) },
			func() {
				_, _ = ask(w, "failed payment", 1, func(ctx context.Context, r *replica) (domain.Booking, error) {
					return r.Pay(ctx, domain.Scope{Account: reseller}, id, domain.Payment{Reference: "p-0"})
				})
			},
		)
	}},
	{"operators confirm and cancel what the partner refuses", func(w *world) {
		w.platform.script = func(endpoint partnerapi.Endpoint, nth int) deviation {
			switch {
			case endpoint == partnerapi.Confirm && nth == 1:
				return breaks500
			case endpoint == partnerapi.Confirm:
				return refused
			}
			return well
		}
		w.operates()
	}},
	{"operators confirm and cancel what the partner takes late", func(w *world) {
		w.platform.script = func(endpoint partnerapi.Endpoint, nth int) deviation {
			if endpoint == partnerapi.Confirm && nth == 1 {
				return breaks500
			}
			return well
		}
		w.operates()
	}},
	{"a checkout is sent again with its key", func(w *world) {
		runTogether(
			func() { w.checkoutWithKey(0) },
			func() { time.Sleep(time.Second); w.checkoutWithKey(1) },
			func() { time.Sleep(65 * time.Second); w.checkoutWithKey(1) },
			func() { time.Sleep(140 * time.Second); w.checkoutWithKey(0) },
			func() { time.Sleep(10 * time.Minute); w.checkoutWithKey(1) },
		)
	}},
	{"a customer leaves while the hold is made", func(w *world) {
		id := w.newID()
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		time.AfterFunc(22*time.Millisecond, leave)
		_, _ = askFor(ctx, w, "checkout", 0, func(ctx context.Context, r *replica) (booking.Answer, error) {
			return r.Checkout(ctx, order(id), booking.Key{}, answerOf)
		})
	}},
	{"a customer reschedules, and cancels the new booking", func(w *world) {
		id, to := w.addConfirmedBooking(), w.newID()
		w.reschedules(id, to, "slot-2", booking.Key{}, 0)
		for range 6 {
			if w.shows(to, domain.Confirmed) {
				w.cancels(to, 1)
				return
			}
			time.Sleep(20 * time.Second)
		}
	}},
	{"two replicas reschedule one booking", func(w *world) {
		id := w.addConfirmedBooking()
		runTogether(
			func() { w.reschedules(id, w.newID(), "slot-2", booking.Key{}, 0) },
			func() { w.reschedules(id, w.newID(), "slot-3", booking.Key{}, 1) },
		)
	}},
	{"a customer cancels while the booking is rescheduled", func(w *world) {
		id := w.addConfirmedBooking()
		runTogether(func() { w.reschedules(id, w.newID(), "slot-2", booking.Key{}, 0) }, func() { time.Sleep(15 * time.Millisecond); w.cancels(id, 1) })
	}},
	{"a reschedule is sent again with its key", func(w *world) {
		id := w.addConfirmedBooking()
		again := func(at int) { w.reschedules(id, w.newID(), "slot-2", booking.Key{Key: "k-2"}, at) }
		runTogether(
			func() { again(0) },
			func() { time.Sleep(time.Second); again(1) },
			func() { time.Sleep(65 * time.Second); again(1) },
			func() { time.Sleep(10 * time.Minute); again(0) },
		)
	}},
	{"operators confirm and resolve a reschedule that the partner refuses late", func(w *world) {
		w.platform.script = func(endpoint partnerapi.Endpoint, nth int) deviation {
			switch {
			case endpoint == partnerapi.Confirm && nth == 1:
				return breaks500
			case endpoint == partnerapi.Confirm:
				return refused
			}
			return well
		}
		id, to := w.addConfirmedBooking(), w.newID()
		w.reschedules(id, to, "slot-2", booking.Key{}, 0)
		time.Sleep(5 * time.Second)
		runTogether(
			func() {
				_, _ = ask(w, "operator confirms", 0, func(ctx context.Context, r *replica) (domain.Booking, error) { return r.Retry(ctx, to) })
			},
			func() { time.Sleep(11 * time.Second); w.resolves(to, 1) },
		)
	}},
}

// operates has a payment that is not confirmed, and two operators who handle it.
func (w *world) operates() {
	id := w.addHeldBooking()
	w.pays(id, "p-1", 0)
	time.Sleep(5 * time.Second)
	runTogether(
		func() {
			_, _ = ask(w, "operator confirms", 0, func(ctx context.Context, r *replica) (domain.Booking, error) { return r.Retry(ctx, id) })
		},
		func() {
			for range 4 {
				time.Sleep(11 * time.Second)
				after, err := ask(w, "operator cancels", 1, func(ctx context.Context, r *replica) (domain.Booking, error) {
					return r.Settle(ctx, id, "asked for")
				})
				if err == nil && after.Status == domain.Cancelled {
					return
				}
			}
		},
	)
}

// newID returns the id of the next booking, the same in every run.
func (w *world) newID() (id uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen["booking"]++
	id[0], id[15] = 1, byte(w.seen["booking"])
	return id
}

// runTogether runs functions at the same time, as far as a repeatable run allows.
func runTogether(things ...func()) {
	finished := make(chan struct{})
	for i, thing := range things {
		go func() {
			time.Sleep(time.Duration(i) * time.Microsecond)
			thing()
			finished <- struct{}{}
		}()
	}
	for range things {
		<-finished
	}
}

// patience is how long a client waits for an answer.
const patience = time.Minute

type result[T any] struct {
	value T
	err   error
}

// ask sends a request to a replica, or to another one if that is paused.
func ask[T any](w *world, name string, at int, f func(context.Context, *replica) (T, error)) (T, error) {
	return askFor(context.Background(), w, name, at, f)
}

func askFor[T any](ctx context.Context, w *world, name string, at int, f func(context.Context, *replica) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r := w.replicas[at%len(w.replicas)]
	r.begin()
	w.mu.Lock()
	w.seen["request "+name]++
	nth := w.seen["request "+name]
	number := w.seen["request"]
	w.seen["request"]++
	w.mu.Unlock()
	t := task{name: name, number: number, operator: len(name) > 8 && name[:8] == "operator"}
	if nth > 1 {
		t.name = fmt.Sprintf("%s, again (%d)", name, nth)
	}
	answered := make(chan result[T], 1)
	go func() {
		defer r.end()
		value, err := f(withTask(ctx, t), r)
		if r.waitAwake() {
			answered <- result[T]{value, err}
		}
	}()
	select {
	case got := <-answered:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// shows reports whether a reseller sees a booking in that state.
func (w *world) shows(id uuid.UUID, status domain.BookingStatus) bool {
	r, err := w.database.read(id)
	return err == nil && r.Status == status
}

// addHeldBooking is a booking that was held before the workload begins.
func (w *world) addHeldBooking() uuid.UUID {
	id := w.newID()
	answer := w.platform.reserve(id)
	expires, _ := time.Parse(time.RFC3339Nano, answer.ExpiresAt)
	b := domain.Booking{
		ID: id, AccountID: reseller, Mode: domain.Live, IntegrationID: integration.ID, ActivityID: activity, VariationID: variation, Status: domain.Held,
		Code: answer.ReservationConfirmationCode, ExpiresAt: expires, Currency: "EUR", CreatedAt: time.Now().UTC(),
	}
	reserve := booking.Call{ID: uuid.New(), Endpoint: partnerapi.Reserve, At: b.CreatedAt}
	_ = w.database.create(b, reserve, booking.Key{}, booking.Fresh{})
	w.database.rows[id].calls[0].ended = &booking.CallEnd{ID: reserve.ID, Status: 201}
	w.platform.delivers(b.Code, "A")
	return id
}

// addConfirmedBooking is a booking that was paid and confirmed before the workload begins.
func (w *world) addConfirmedBooking() uuid.UUID {
	id := w.addHeldBooking()
	r := w.database.rows[id]
	answer, arrived, _ := w.platform.confirm(r.Code, well)
	w.platform.ends(arrived)
	paid := domain.Payment{Reference: "p-1", Succeeded: true, At: r.CreatedAt}
	o := order(id)
	r.Status, r.PaymentReference, r.ExternalBookingID, r.Payments = domain.Confirmed, paid.Reference, answer.ExternalBookingID, []domain.Payment{paid}
	r.AvailabilityID, r.Start, r.End, r.Zone = o.Slot, w.startOf(o.Slot), w.startOf(o.Slot).Add(time.Hour), "UTC"
	r.Contact, r.Guests = o.Contact, []domain.Guests{{Type: unit.Type, Quantity: 2, UnitID: unit.ID}}
	r.Total.Decimal = decimal.NewFromInt(50)
	w.payments = append(w.payments, acknowledged{id, paid.Reference})
	w.known++
	return id
}

// reschedules moves a booking to another slot, with one request.
func (w *world) reschedules(id, to uuid.UUID, slot string, k booking.Key, at int) {
	_, _ = ask(w, "reschedule", at, func(ctx context.Context, r *replica) (booking.Answer, error) {
		answer, err := r.Reschedule(ctx, booking.Reschedule{Scope: domain.Scope{Account: reseller}, ID: to, Booking: id, Slot: slot}, k, answerOf)
		if k.Key != "" {
			w.answered(k.Key, answer, err)
		}
		return answer, err
	})
}

// resolves ends a reschedule in doubt as an operator does whom the partner tells that it has not booked.
func (w *world) resolves(id uuid.UUID, at int) {
	for range 4 {
		after, err := ask(w, "operator resolves", at, func(ctx context.Context, r *replica) (domain.Booking, error) { return r.Resolve(ctx, id) })
		if err == nil && after.Status == domain.Cancelled {
			w.mu.Lock()
			w.resolved[id] = true
			w.mu.Unlock()
			return
		}
		time.Sleep(11 * time.Second)
	}
}

// pays reports a payment as a payment provider does: to one replica after the other, until it
// is acknowledged.
func (w *world) pays(id uuid.UUID, reference string, first int) {
	for try := range 5 {
		_, err := ask(w, "payment", first+try, func(ctx context.Context, r *replica) (domain.Booking, error) {
			return r.Pay(ctx, domain.Scope{Account: reseller}, id, domain.Payment{Reference: reference, Succeeded: true})
		})
		if err == nil {
			w.mu.Lock()
			w.payments = append(w.payments, acknowledged{id, reference})
			w.mu.Unlock()
			return
		}
		if code := domain.CodeOf(err); code == domain.NotFound {
			return
		}
		time.Sleep(5 * time.Second)
	}
}

func (w *world) cancels(id uuid.UUID, first int) {
	for try := range 3 {
		_, err := ask(w, "cancel", first+try, func(ctx context.Context, r *replica) (domain.Booking, error) {
			return r.Cancel(ctx, domain.Scope{Account: reseller}, id, "ill")
		})
		if err == nil {
			return
		}
		time.Sleep(5 * time.Second)
	}
}

// checkoutWithKey checks out with a key.
func (w *world) checkoutWithKey(at int) {
	answer, err := ask(w, "checkout with key", at, func(ctx context.Context, r *replica) (booking.Answer, error) {
		answer, err := r.Checkout(ctx, order(w.newID()), booking.Key{Key: "k-1"}, answerOf)
		w.answered("k-1", answer, err)
		return answer, err
	})
	_, _ = answer, err
}

// answered records the service's answer for a key. It counts even if the client has stopped waiting.
func (w *world) answered(key string, answer booking.Answer, err error) {
	if code := domain.CodeOf(err); err == nil && answer.Body != nil || code == domain.PartnerLate {
		if err != nil {
			answer = answerOf(booking.Held{}, err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answers[key] = append(w.answers[key], answer)
	}
}

// answerOf returns the API's answer to a checkout.
func answerOf(held booking.Held, failed error) booking.Answer {
	status := map[domain.Code]int{domain.Conflict: 409, domain.PartnerFailed: 502, domain.PartnerLate: 504}[domain.CodeOf(failed)]
	body := map[string]any{}
	switch {
	case failed == nil:
		status, body["booking"] = 201, held.ID
	case status == 0:
		return booking.Answer{}
	default:
		body["error"] = domain.CodeOf(failed)
	}
	text, _ := json.Marshal(body)
	return booking.Answer{Status: status, Body: text}
}
