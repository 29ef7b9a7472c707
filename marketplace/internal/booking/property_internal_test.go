package booking

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// world is one booking, a partner that may fail in every way that the contract knows, and
// everything else that acts on the booking. The service's own code changes it.
type world struct {
	*rapid.T
	now    time.Time
	b      domain.Booking
	jobs   []Job
	flying []*pendingCall // calls whose replica is alive

	// The state at the partner.
	hold      string // "", held, confirmed, released
	cancelled bool
	booked    int

	// Observations for the invariants.
	payments, reserves int
	releaseSent        bool
	answered, byItself bool // the answer to a confirm was read; the next confirm is not an operator's
	accepted           bool // a confirm was answered with success
}

// pendingCall is a call that is in progress.
type pendingCall struct {
	id       uuid.UUID
	endpoint partnerapi.Endpoint
	status   int  // of the partner's answer; 0 without one
	lost     bool // the answer is lost
	late     bool // the caller has disconnected, but the answer is still read
	frozen   bool // its replica is paused for so long that it counts as dead
}

const life = 20 * time.Minute

func newWorld(t *rapid.T) *world {
	w := &world{T: t, now: time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC), byItself: true}
	w.b.ID = uuid.New()
	w.move(checkOut, uuid.Nil)
	w.send(partnerapi.Reserve, w.b.ID)
	return w
}

// move makes a transition as the service does, stored with its jobs in one transaction.
func (w *world) move(on event, call uuid.UUID) bool {
	before := w.b
	c, err := move(w.b, on, w.now, string(on), "", call)
	if err != nil {
		return false
	}
	w.b = c.Booking
	w.jobs = append(w.jobs, c.Jobs...)
	if c.Begins != nil {
		w.send(partnerapi.Confirm, call)
	}
	if before.PaymentReference != "" && w.b.PaymentReference == "" {
		w.Fatalf("%s: the payment is gone", domain.PaymentKept.ID)
	}
	return true
}

func (w *world) send(endpoint partnerapi.Endpoint, id uuid.UUID) {
	switch endpoint {
	case partnerapi.Reserve:
		if w.reserves++; w.reserves > 1 {
			w.Fatalf("%s: sent %d times", domain.ReservedOnce.ID, w.reserves)
		}
	case partnerapi.Confirm:
		if w.byItself && w.answered {
			w.Fatalf("%s: sent again by itself after an answer", domain.ConfirmedOnce.ID)
		}
		if slices.ContainsFunc(w.flying, func(f *pendingCall) bool { return f.endpoint == partnerapi.Confirm && !f.frozen }) {
			w.Fatalf("%s: sent while one is under way", domain.ConfirmedOnce.ID)
		}
		if w.releaseSent {
			w.Fatalf("%s", domain.NoConfirmAfter.ID)
		}
	case partnerapi.Release:
		w.releaseSent = true
	}
	w.flying = append(w.flying, &pendingCall{id: id, endpoint: endpoint})
}

// serve lets the partner act on a call. A broken call has its effect, and is answered with 500.
func (w *world) serve(f *pendingCall, willing, broken bool) {
	f.status = 200
	defer func() {
		if broken && f.status == 200 {
			f.status = 500
		}
	}()
	if !willing {
		f.status = 503
		return
	}
	switch f.endpoint {
	case partnerapi.Reserve:
		w.hold = "held"
	case partnerapi.Confirm:
		switch w.hold {
		case "held":
			w.hold = "confirmed"
			w.booked++
		case "confirmed": // the same booking
		default:
			f.status = 400
		}
	case partnerapi.Release:
		if w.hold == "held" {
			w.hold = "released"
		}
	case partnerapi.Cancel:
		w.cancelled = true
	}
}

// read lets the service read an answer, or notice that none comes.
func (w *world) read(f *pendingCall) {
	w.flying = slices.DeleteFunc(w.flying, func(other *pendingCall) bool { return other == f })
	answered := f.status != 0 && !f.lost
	good := answered && f.status == 200
	switch f.endpoint {
	case partnerapi.Reserve:
		switch {
		case good && w.b.Status == domain.Reserving:
			w.b.Code, w.b.ExpiresAt = "code", w.now.Add(life)
			w.move(reserveHold, uuid.Nil)
		case good:
			w.b.Code = "code"
			w.move(reserveUnwanted, uuid.Nil)
		case answered:
			w.move(reserveRefuse, uuid.Nil)
		default:
			w.move(reserveUnanswered, uuid.Nil)
			if f.status == 0 && !f.late {
				f.late = true
				w.flying = append(w.flying, f)
			}
		}
	case partnerapi.Confirm:
		w.answered, w.accepted = w.answered || answered, w.accepted || good
		switch {
		case good:
			if w.move(confirmAccept, f.id) {
				w.b.ExternalBookingID = "booked"
			}
		case answered && f.status >= 500:
			w.move(confirmFail, f.id)
		case answered:
			w.move(confirmRefuse, f.id)
		case w.b.ConfirmCall == f.id:
			w.move(silence(w.b, w.now), f.id)
		}
	case partnerapi.Release:
		w.b.ReleaseTries++
		w.deliver(good, ReleaseJob, releaseTaken, releaseGiveUp, w.b.ReleaseSince)
	case partnerapi.Cancel:
		w.b.CancelTries++
		w.deliver(good, CancelJob, cancelTaken, cancelGiveUp, w.b.CancelSince)
	}
}

func (w *world) deliver(good bool, kind JobKind, taken, giveUp event, since time.Time) {
	switch {
	case good:
		w.move(taken, uuid.Nil)
	case isParked(since, w.now):
		w.move(giveUp, uuid.Nil)
	default:
		w.jobs = append(w.jobs, Job{Kind: kind, Booking: w.b.ID})
	}
}

// run does the oldest job.
func (w *world) run() {
	job := w.jobs[0]
	w.jobs = w.jobs[1:]
	switch {
	case job.Kind == ConfirmJob:
		w.move(confirmAgain, uuid.New())
	case job.Kind == ReleaseJob && w.b.Release == domain.Pending:
		w.send(partnerapi.Release, uuid.New())
	case job.Kind == CancelJob && w.b.Cancellation == domain.Pending:
		w.send(partnerapi.Cancel, uuid.New())
	}
}

// sweep is the service's sweep: it finds expired holds, and calls of dead replicas.
func (w *world) sweep() {
	switch alive := func(id uuid.UUID) bool {
		return slices.ContainsFunc(w.flying, func(f *pendingCall) bool { return f.id == id && !f.frozen })
	}; {
	case w.b.Status == domain.Reserving && !alive(w.b.ID):
		w.move(reserveUnanswered, uuid.Nil)
	case w.b.ConfirmCall != uuid.Nil && !alive(w.b.ConfirmCall):
		w.move(silence(w.b, w.now), w.b.ConfirmCall)
	case w.b.Status == domain.Held && !w.now.Before(w.b.ExpiresAt):
		w.move(holdExpire, uuid.Nil)
	}
}

// crash ends every replica: requests that were sent may still arrive, but their answers are
// not read. Jobs that were started return to the queue.
func (w *world) crash() {
	for _, f := range w.flying {
		if f.status == 0 && rapid.Bool().Draw(w.T, "arrives") {
			w.serve(f, true, false)
		}
		switch f.endpoint {
		case partnerapi.Release:
			w.jobs = append(w.jobs, Job{Kind: ReleaseJob})
		case partnerapi.Cancel:
			w.jobs = append(w.jobs, Job{Kind: CancelJob})
		}
	}
	w.flying = nil
}

func (w *world) pay(reference string) {
	if w.b.Status == domain.Reserving || w.b.Status == domain.Refused || w.b.Status == domain.Lost {
		return // resellers do not see it
	}
	w.payments++
	if w.b.PaymentReference == reference {
		return
	}
	if w.b.PaymentReference == "" {
		w.b.PaymentReference = reference
	}
	if !w.move(paymentSucceed, uuid.New()) {
		w.Fatalf("%s: refused in %s", domain.PaymentKept.ID, w.b.Status)
	}
}

// check checks the invariants that hold at every moment.
func (w *world) check() {
	paid := w.b.Status == domain.Paid || w.b.Status == domain.Confirmed || w.b.Status == domain.Cancelled
	if (w.payments > 0) != paid {
		w.Fatalf("%s: %d payments, and it is %s", domain.PaymentKept.ID, w.payments, w.b.Status)
	}
	if w.b.Status == domain.Confirmed && (w.b.ExternalBookingID == "" || w.b.PaymentReference == "") {
		w.Fatalf("%s: %+v", domain.ConfirmedIsPaid.ID, w.b)
	}
	if w.booked > 1 {
		w.Fatalf("%s: booked %d times", domain.ConfirmedOnce.ID, w.booked)
	}
}

// settle lets time pass while the partner and the replicas work correctly, and then checks
// the invariants of the final state.
func (w *world) settle() {
	for range 100 {
		if len(w.flying) == 0 && len(w.jobs) == 0 {
			w.now = w.now.Add(time.Hour)
			before := w.b.Status
			w.sweep()
			if w.b.Status == before && len(w.flying) == 0 && len(w.jobs) == 0 {
				break
			}
		}
		for _, f := range slices.Clone(w.flying) {
			if f.status == 0 {
				w.serve(f, true, false)
			}
			w.read(f)
		}
		if len(w.jobs) > 0 {
			w.run()
		}
		w.check()
	}
	switch w.b.Status {
	case domain.Reserving, domain.Held:
		w.Fatalf("%s: it is %s", domain.NothingStuck.ID, w.b.Status)
	case domain.Paid:
		if !slices.ContainsFunc(unpaidFor, w.needsAttention) {
			w.Fatalf("%s: it is PAID, and no operator is notified", domain.NothingStuck.ID)
		}
	}
	if w.b.ConfirmCall != uuid.Nil {
		w.Fatalf("%s: a confirm is never over", domain.NothingStuck.ID)
	}
	if w.b.Code != "" && w.hold == "held" && w.b.Status != domain.Paid && w.b.Release != domain.GivenUp {
		w.Fatalf("%s: it is %s", domain.HoldsEnd.ID, w.b.Status)
	}
	if reported := w.b.Cancellation == domain.GivenUp || w.needsAttention(domain.ConfirmUnknown); w.b.Status == domain.Cancelled && (w.accepted || w.hold == "confirmed") && !w.cancelled && !reported {
		w.Fatalf("%s", domain.CancelPropagates.ID)
	}
}

func (w *world) needsAttention(reason domain.AttentionReason) bool {
	return slices.ContainsFunc(w.b.Attention, func(a domain.Attention) bool { return a.Reason == reason })
}

// hundreds is how many hundred lifecycles are played.
const hundreds = 40

func TestTheInvariantsHoldInRandomLifecycles(t *testing.T) {
	t.Parallel()
	for range hundreds {
		rapid.Check(t, play)
	}
}

// play plays one lifecycle. Most begin with a hold, because little follows a checkout without one.
func play(t *rapid.T) {
	w := newWorld(t)
	if rapid.IntRange(0, 4).Draw(t, "held") > 0 {
		w.serve(w.flying[0], true, false)
		w.read(w.flying[0])
	}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		w.step()
		w.check()
	}
	w.settle()
}

func (w *world) step() {
	switch rapid.IntRange(0, 13).Draw(w.T, "what") {
	case 0, 1, 2, 3, 4: // a call continues
		if len(w.flying) == 0 {
			return
		}
		f := w.flying[rapid.IntRange(0, len(w.flying)-1).Draw(w.T, "which")]
		if f.status == 0 && rapid.IntRange(0, 4).Draw(w.T, "served") > 0 {
			w.serve(f, rapid.IntRange(0, 3).Draw(w.T, "willing") > 0, f.endpoint == partnerapi.Confirm && rapid.IntRange(0, 3).Draw(w.T, "broken") == 0)
			f.lost = rapid.IntRange(0, 2).Draw(w.T, "lost") == 0
			return
		}
		w.read(f)
	case 5, 6:
		w.pay(rapid.SampledFrom([]string{"one", "two"}).Draw(w.T, "reference"))
	case 7:
		w.move(rapid.SampledFrom([]event{paymentFail, abandon, partnerLeave, customerCancel}).Draw(w.T, "event"), uuid.Nil)
	case 8:
		w.byItself = false
		w.move(operatorConfirm, uuid.New())
		w.byItself = true
	case 9:
		on := rapid.SampledFrom([]event{operatorCancel, operatorDeliver, operatorResolve}).Draw(w.T, "operator")
		if on == operatorResolve && w.b.Status == domain.Cancelled && w.needsAttention(domain.ConfirmUnknown) {
			w.cancelled = true // it has called the partner
		}
		w.move(on, uuid.Nil)
	case 10:
		if len(w.jobs) > 0 {
			w.run()
		}
	case 11:
		w.sweep()
	case 12:
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Second, life, 2 * deliverFor}).Draw(w.T, "passes"))
	case 13:
		switch rapid.IntRange(0, 3).Draw(w.T, "machine") {
		case 0:
			w.crash()
		case 1:
			for _, f := range w.flying {
				f.frozen = true
			}
		}
	}
}

func TestPausesGrowToAQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]time.Duration{
		0: time.Second, 1: 5 * time.Second, 2: 15 * time.Second, 3: time.Minute, 4: 2 * time.Minute, 7: longestPause, 1 << 40: longestPause,
	} {
		if got := pause(tries); got < want*8/10 || got > want*12/10 {
			t.Errorf("after %d tries: want about %s, got %s", tries, want, got)
		}
	}
}
