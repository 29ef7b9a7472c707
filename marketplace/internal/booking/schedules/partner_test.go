package schedules

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// holdFor is how long the partner keeps seats for a hold.
const holdFor = 20 * time.Minute

// platform is a partner that keeps the contract, unless the schedule or the workload makes it
// fail.
type platform struct {
	world   *world
	palette palette
	script  func(endpoint partnerapi.Endpoint, nth int) deviation // of the workload; nil: all calls succeed

	mu    sync.Mutex
	holds map[string]*hold // by code
	nth   map[partnerapi.Endpoint]int
}

// hold is the partner's record of one booking, and the calls about it.
type hold struct {
	code      string
	booking   uuid.UUID
	expires   time.Time
	confirms  []*confirm
	releases  int
	refuses   bool   // the partner does not confirm it
	delivered string // the replica that has read the code; "" without one
	external  string // the booking's id at the partner; "" without one
	released  bool
	cancelled bool
}

// confirm is a confirm that has arrived.
type confirm struct {
	at   time.Time
	over bool
}

func newPlatform(w *world) *platform {
	return &platform{world: w, palette: short, holds: map[string]*hold{}, nth: map[partnerapi.Endpoint]int{}}
}

// scriptedDeviation returns the workload's deviation for a call that the schedule does not change.
func (p *platform) scriptedDeviation(endpoint partnerapi.Endpoint, did deviation) deviation {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nth[endpoint]++
	if did == well && p.script != nil {
		return p.script(endpoint, p.nth[endpoint])
	}
	return did
}

// caller is a replica's connection to the partner. Each call is a step.
type caller struct{ *replica }

// The outcomes of calls, in the form of partner.Client.
func notSentOutcome(err error) partner.Outcome {
	return partner.Outcome{Kind: partner.NotSent, Err: err}
}

func unansweredOutcome(took time.Duration) partner.Outcome {
	return partner.Outcome{Kind: partner.Unanswered, Took: took, Err: &domain.Error{Code: domain.PartnerLate, Message: "the partner did not answer in time"}}
}

func refusal(status int, message string) partner.Outcome {
	kind := partner.Refused
	if status >= http.StatusInternalServerError {
		kind = partner.Failed
	}
	return partner.Outcome{Kind: kind, Status: status, Message: message, Err: domain.Errorf(domain.PartnerFailed, "the partner answered %d", status)}
}

func done() partner.Outcome { return partner.Outcome{Kind: partner.Done, Status: http.StatusOK} }

var errOverdue = &domain.Error{Code: domain.PartnerLate, Message: "the call was not sent: its time to be sent was over"}

var errUnreachable = &domain.Error{Code: domain.PartnerFailed, Message: "the partner could not be reached"}

func (c caller) FreshAvailability(ctx context.Context, _ partner.Target, _ partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error {
	c.begin()
	defer c.end()
	did, err := c.step(ctx, "call availability", c.world.platform.palette.asks)
	switch {
	case err != nil:
		return err
	case did == notSent:
		return errUnreachable
	case did == slow:
		sleep(ctx, partnerapi.Availability.Timeout(partnerapi.Healthy))
		c.waitAwake()
		return &domain.Error{Code: domain.PartnerLate, Message: "the partner did not answer in time"}
	}
	return read(ctx, c.world.vacancies())
}

// vacancies returns the answer to availability.
func (w *world) vacancies() []byte {
	answer := []string{}
	for _, slot := range slotIDs {
		start := w.startOf(slot)
		answer = append(answer, fmt.Sprintf(`{"id":%q,"localDateTimeStart":%q,"localDateTimeEnd":%q,"status":"AVAILABLE","vacancies":5,"capacity":10}`,
			slot, start.Format(time.RFC3339), start.Add(time.Hour).Format(time.RFC3339)))
	}
	return []byte("[" + strings.Join(answer, ",") + "]")
}

func (c caller) Reserve(ctx context.Context, by partner.SendBy, _ partner.Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, partner.Outcome)) (partnerapi.ReserveAnswer, partner.Outcome) {
	c.begin()
	defer c.end()
	p, w := c.world.platform, c.world
	did, err := c.step(ctx, "call reserve", p.palette.books)
	if err != nil {
		return partnerapi.ReserveAnswer{}, notSentOutcome(err)
	}
	if by.HasPassed() { // otherwise it is sent even if ctx has ended
		return partnerapi.ReserveAnswer{}, notSentOutcome(errOverdue)
	}
	did = p.scriptedDeviation(partnerapi.Reserve, did)
	if did == notSent {
		return partnerapi.ReserveAnswer{}, notSentOutcome(errUnreachable)
	}
	id := uuid.MustParse(asked.ResellerReference)
	w.checkReserve(partnerapi.Reserve, id, taskOf(ctx), c.lastCall(ctx, partnerapi.Reserve))
	switch did {
	case refused:
		o := refusal(http.StatusBadRequest, "sold out")
		o.Kind = partner.SlotRefused
		return partnerapi.ReserveAnswer{}, o
	case breaks500:
		return partnerapi.ReserveAnswer{}, refusal(http.StatusInternalServerError, "")
	}
	answer := p.reserve(id)
	switch did {
	case breaksAfter:
		return partnerapi.ReserveAnswer{}, refusal(http.StatusInternalServerError, "")
	case loses:
		return partnerapi.ReserveAnswer{}, unansweredOutcome(0)
	case slow:
		limit := partnerapi.Reserve.Timeout(h)
		c.begin()
		go func() {
			defer c.end()
			time.Sleep(limit + 20*time.Second)
			c.waitAwake()
			p.delivers(answer.ReservationConfirmationCode, c.name)
			late(answer, done())
		}()
		time.Sleep(limit)
		c.waitAwake()
		return partnerapi.ReserveAnswer{}, unansweredOutcome(limit)
	}
	p.delivers(answer.ReservationConfirmationCode, c.name)
	return answer, done()
}

func (p *platform) delivers(code, to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds[code].delivered = to
}

func (p *platform) reserve(id uuid.UUID) partnerapi.ReserveAnswer {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := &hold{code: fmt.Sprintf("hold-%d", len(p.holds)+1), booking: id, expires: time.Now().Add(holdFor)}
	p.holds[h.code] = h
	return partnerapi.ReserveAnswer{ReservationConfirmationCode: h.code, ExpiresAt: h.expires.UTC().Format(time.RFC3339Nano)}
}

func (c caller) Confirm(ctx context.Context, by partner.SendBy, _ partner.Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, _ bool) (partnerapi.ConfirmAnswer, partner.Outcome) {
	c.begin()
	defer c.end()
	p := c.world.platform
	did, err := c.step(ctx, "call confirm", p.palette.books)
	if err != nil {
		return partnerapi.ConfirmAnswer{}, notSentOutcome(err)
	}
	if ctx.Err() != nil || by.HasPassed() {
		return partnerapi.ConfirmAnswer{}, notSentOutcome(cmp.Or(ctx.Err(), error(errOverdue)))
	}
	did = p.scriptedDeviation(partnerapi.Confirm, did)
	if did == notSent {
		return partnerapi.ConfirmAnswer{}, notSentOutcome(errUnreachable)
	}
	c.world.arrivedConfirm(asked.ReservationConfirmationCode, c.replica, taskOf(ctx), c.lastCall(ctx, partnerapi.Confirm))
	answer, arrived, booked := p.confirm(asked.ReservationConfirmationCode, did)
	switch did {
	case loses:
		p.ends(arrived)
		return partnerapi.ConfirmAnswer{}, unansweredOutcome(0)
	case slow:
		limit := partnerapi.Confirm.Timeout(h)
		sleep(ctx, limit)
		p.ends(arrived)
		c.waitAwake()
		return partnerapi.ConfirmAnswer{}, unansweredOutcome(limit)
	}
	p.ends(arrived)
	switch {
	case did == breaks500 || did == breaksAfter:
		return partnerapi.ConfirmAnswer{}, refusal(http.StatusInternalServerError, "")
	case !booked:
		return partnerapi.ConfirmAnswer{}, refusal(http.StatusBadRequest, "there is no such hold")
	}
	return answer, done()
}

func (p *platform) confirm(code string, did deviation) (partnerapi.ConfirmAnswer, *confirm, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, arrived := p.holds[code], &confirm{at: time.Now()}
	h.confirms = append(h.confirms, arrived)
	h.refuses = h.refuses || did == refused
	if did == breaks500 || h.external == "" && (h.refuses || h.released || time.Now().After(h.expires)) {
		return partnerapi.ConfirmAnswer{}, arrived, false
	}
	h.external = "booked-" + h.code
	return partnerapi.ConfirmAnswer{ExternalBookingID: h.external, Status: partnerapi.StatusConfirmed}, arrived, true
}

func (p *platform) ends(c *confirm) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.over = true
}

// deliver handles a release or a cancellation.
func (c caller) deliver(ctx context.Context, by partner.SendBy, op string, endpoint partnerapi.Endpoint, arrive func()) partner.Outcome {
	c.begin()
	defer c.end()
	p := c.world.platform
	did, err := c.step(ctx, op, p.palette.releases)
	if err != nil {
		return notSentOutcome(err)
	}
	if ctx.Err() != nil || by.HasPassed() {
		return notSentOutcome(cmp.Or(ctx.Err(), error(errOverdue)))
	}
	did = p.scriptedDeviation(endpoint, did)
	switch did {
	case notSent:
		return notSentOutcome(errUnreachable)
	case breaks500:
		return refusal(http.StatusInternalServerError, "")
	}
	arrive()
	switch did {
	case breaksAfter:
		return refusal(http.StatusInternalServerError, "")
	case loses:
		return unansweredOutcome(0)
	case slow:
		sleep(ctx, endpoint.Timeout(partnerapi.Healthy))
		c.waitAwake()
		return unansweredOutcome(endpoint.Timeout(partnerapi.Healthy))
	}
	return done()
}

func (c caller) Release(ctx context.Context, by partner.SendBy, _ partner.Target, code string) partner.Outcome {
	return c.deliver(ctx, by, "call release", partnerapi.Release, func() {
		c.world.arrivedRelease(code)
		p := c.world.platform
		p.mu.Lock()
		defer p.mu.Unlock()
		h := p.holds[code]
		h.releases++
		h.released = h.released || h.external == ""
	})
}

func (c caller) Cancel(ctx context.Context, by partner.SendBy, _ partner.Target, externalID, _ string) partner.Outcome {
	return c.deliver(ctx, by, "call cancel", partnerapi.Cancel, func() {
		c.world.arrivedCancel(externalID)
		p := c.world.platform
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, h := range p.holds {
			if h.external == externalID {
				h.cancelled = true
			}
		}
	})
}

var _ booking.Partner = caller{}
