package judge

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/duty"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// bookings tracks the holds and bookings of a recording, by code and by id.
type bookings struct {
	byCode map[string]*lifecycle
	byID   map[string]*lifecycle
	order  []*lifecycle // in the order in which they were made
	lives  holdTimes

	uncancelled Finding // an answer that shows that cancel is not supported
	cancels     bool    // a cancellation was accepted
}

// mostLifecycles is the maximum number of holds and bookings that are tracked. The oldest are
// forgotten.
const mostLifecycles = 20_000

func newBookings() bookings {
	return bookings{byCode: map[string]*lifecycle{}, byID: map[string]*lifecycle{}}
}

// stage is the known state of a hold.
type stage int

const (
	live stage = iota
	open       // its state is unknown: an answer was lost, or calls overlapped
	released
	confirmedStage
	cancelledStage
)

// lifecycle is a hold and its booking.
type lifecycle struct {
	code, id string
	asked    partnerapi.ReserveRequest
	expires  time.Time // zero if it cannot be read
	stage    stage
	until    time.Time // the end of the last call about it
	reserve  *probe.Exchange
	confirm  *probe.Answer // the first one answered with a booking
	ended    *probe.Exchange
}

// unsure is the time around a hold's expiry in which its state is unknown: partners remove expired
// holds periodically, and clocks may have full seconds only.
const unsure = time.Minute

// at returns the stage by the partner's clock, and whether a live hold has expired. A hold that may
// just have expired is open.
func (l *lifecycle) at(now time.Time) (s stage, over bool) {
	if l.stage != live {
		return l.stage, false
	}
	switch {
	case l.expires.IsZero() || now.After(l.expires.Add(-unsure)) && !now.After(l.expires.Add(unsure)):
		return open, false
	case now.After(l.expires):
		return live, true
	}
	return live, false
}

// enter starts to track a hold.
func (b *bookings) enter(l *lifecycle) {
	if len(b.order) == mostLifecycles {
		b.forget(b.order[0])
		b.order = slices.Delete(b.order, 0, 1)
	}
	b.byCode[l.code] = l
	b.order = append(b.order, l)
}

func (b *bookings) forget(l *lifecycle) {
	if b.byCode[l.code] == l {
		delete(b.byCode, l.code)
	}
	if b.byID[l.id] == l {
		delete(b.byID, l.id)
	}
}

// about returns the lifecycle that a call is about; nil if the recording has not shown it.
func (b *bookings) about(c *Call) *lifecycle {
	switch c.Endpoint {
	case partnerapi.Confirm, partnerapi.Release:
		return b.byCode[c.subject()]
	case partnerapi.Cancel:
		return b.byID[c.subject()]
	default:
		return nil
	}
}

// subject returns the code or booking id that a call names.
func (c *Call) subject() string {
	switch c.Endpoint {
	case partnerapi.Confirm:
		return confirmedCode(c)
	case partnerapi.Release, partnerapi.Cancel:
		return c.Named
	default:
		return ""
	}
}

func confirmedCode(c *Call) string {
	code, _ := discover.Object(c.Body)["reservationConfirmationCode"].(string)
	return code
}

// lost records a call without a usable answer: its effect is unknown.
func (b *bookings) lost(c *Call) {
	if l := b.about(c); l != nil && !c.OK(http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests) {
		l.stage, l.until = open, c.ended()
	}
}

func (t *Traffic) takeBooking(c *Call) {
	l := t.bookings.about(c)
	if l != nil && (c.raced || c.StartedAt.Before(l.until)) {
		l.stage = open
	}
	switch c.Endpoint {
	case partnerapi.Reserve:
		t.takeReserve(c)
	case partnerapi.Confirm:
		t.takeConfirm(c, l)
	case partnerapi.Release:
		t.takeRelease(c, l)
	case partnerapi.Cancel:
		t.takeCancel(c, l)
	}
	if l != nil && c.ended().After(l.until) {
		l.until = c.ended()
	}
}

// takeReserve judges the answer to a reserve that conforms to the contract.
func (t *Traffic) takeReserve(c *Call) {
	asked := partnerapi.ReserveRequest{}
	if !t.asks(c, schemas.ReserveRequest, &asked) {
		return
	}
	t.reservedOnce(c, asked.ResellerReference)
	if _, known := t.question(partnerapi.AvailabilityRequest{ProductID: asked.ProductID, OptionID: asked.OptionID}); !known && !c.OK(200, 201) || !t.current(c) && c.unsold() {
		return // it is unknown whether this option is sold
	}
	answered := rule.ReserveStatus
	switch slot, known := t.windows.slot(asked); {
	case !known:
	case !slot.Status.Bookable() || slot.Vacancies != nil && *slot.Vacancies == 0:
		answered = rule.ReserveSoldOut
	}
	if !t.check(t.unusual(c, answered), c, status([]int{http.StatusOK, http.StatusCreated, http.StatusBadRequest})) || !c.Whole {
		return
	}
	if c.OK(http.StatusBadRequest) {
		t.check(rule.ReserveRefusalMessage, c, fit(schemas.Refusal))
		return
	}
	if !t.check(rule.ReserveJSON, c, scenario.NoObject) {
		return
	}
	t.takeFields(c, schemas.ReserveAnswer, rule.ReserveCode, rule.ReserveExpiresAt)
	l := &lifecycle{code: partner.Text(c.Answer, "reservationConfirmationCode"), asked: asked, until: c.ended(), reserve: c.Exchange}
	if expires, err := partnerapi.ParseDateTime(partner.Text(c.Answer, "expiresAt")); err == nil {
		l.expires = expires
		t.bookings.lives.take(t, c, expires.Sub(c.at()))
	}
	if l.code == "" {
		return
	}
	unique := Finding{}
	if before := t.bookings.byCode[l.code]; before != nil {
		unique = broken("Expected a reservationConfirmationCode of its own for each, received %q twice", l.code).showing(before.reserve, c.Exchange)
	}
	t.find(rule.ReserveCodeUnique, unique)
	t.bookings.enter(l)
}

// unsold reports whether the answer may be one about an option that is not sold.
func (c *Call) unsold() bool {
	return c.Response.Status/100 == 4 && (c.Endpoint == partnerapi.Availability || !c.OK(http.StatusBadRequest))
}

// takeFields judges the fields of an answer.
func (t *Traffic) takeFields(c *Call, schema string, rules ...rule.Rule) {
	for _, problem := range schemas.Validate(schema, c.Raw) {
		t.fields.Answer(c.Answer, problem)
	}
	for _, r := range rules {
		t.judged[r.ID] = true
	}
}

// holdTimes is how long holds last (RSV-7). A partner whose clock was moved seems to hold for longer,
// so only what every hold shows counts against it.
type holdTimes struct {
	longest, shortest time.Duration
	shown             *probe.Exchange
	holdless          bool
}

func (l *holdTimes) take(t *Traffic, c *Call, life time.Duration) {
	later := Finding{}
	if life <= 0 {
		later = broken("Expected a time in the future, received one %s ago", (-life).Round(time.Second)).showing(c.Exchange)
	}
	t.find(rule.ReserveExpiresLater, later)
	if life > partnerapi.HoldlessAfter {
		l.holdless = true
	}
	if l.shown == nil || life < l.shortest {
		l.shortest, l.shown = life, c.Exchange
	}
	l.longest = max(l.longest, life)
}

func (b *bookings) settle(t *Traffic) {
	const tolerance = time.Minute
	if l := b.lives; l.shown != nil && !l.holdless {
		f := Finding{}
		if l.shortest < partnerapi.HoldAtLeast-tolerance || l.shortest > partnerapi.HoldAtMost+tolerance {
			f = broken("Expected 15 to 30 minutes ahead, received %s", l.shortest.Round(time.Second)).showing(l.shown)
		}
		t.find(rule.ReserveExpiresWindow, f)
	}
	if b.uncancelled.Ends() && b.cancels {
		t.find(rule.CancelStatus, b.uncancelled)
	}
}

// takeConfirm judges an answer to a confirm, by the known state of its code.
func (t *Traffic) takeConfirm(c *Call, l *lifecycle) {
	if !t.asks(c, schemas.ConfirmRequest, &partnerapi.ConfirmRequest{}) {
		t.bookings.lost(c)
		return
	}
	if l != nil {
		t.mayConfirm(c, l)
		t.takeConfirmOf(c, l)
	}
	switch {
	case !c.Whole:
		t.bookings.lost(c)
	case c.OK(http.StatusBadRequest):
		if l != nil && l.reserve != nil {
			t.check(rule.ConfirmRefusalMessage, c, fit(schemas.Refusal))
		}
	case c.OK(http.StatusOK):
		t.takeConfirmed(c, l)
	}
}

func (t *Traffic) takeConfirmOf(c *Call, l *lifecycle) {
	at, expired := l.at(c.at())
	refused := func(r rule.Rule) { t.find(r, expect(c.Answer, status(refusal)).showing(l.reserve, l.ended)) }
	switch {
	case t.partial && (at == released || at == live && expired):
		// A call that is missing may have confirmed the hold before. Then this confirm repeats it.
	case t.partial && at == live:
		if c.Response.Status/100 != 4 { // a call that is missing may have released or confirmed it
			t.find(t.unusual(c, rule.ConfirmStatus), expect(c.Answer, status(ok)).showing(l.reserve))
		}
	case at == live && expired:
		refused(rule.ConfirmExpired)
	case at == live:
		t.find(t.unusual(c, rule.ConfirmStatus), expect(c.Answer, status(ok)).showing(l.reserve))
	case at == released:
		refused(rule.ConfirmReleased)
	case at == cancelledStage:
		refused(rule.ConfirmCancelled)
	case at == confirmedStage:
		f := Finding{}
		if !c.OK(http.StatusOK) && c.Response.Status/100 != 4 {
			f = broken("Expected 200 or 4xx, received %s", c.Words()).showing(l.confirm.Exchange, c.Exchange)
		}
		t.find(rule.ConfirmRepeatStatus, f)
	}
	if !c.OK(http.StatusOK) && at == live && c.Response.Status/100 == 5 {
		l.stage = open
	}
}

// takeConfirmed judges an answer with a booking.
func (t *Traffic) takeConfirmed(c *Call, l *lifecycle) {
	if !t.check(rule.ConfirmJSON, c, scenario.NoObject) {
		return
	}
	schema, rules := schemas.ConfirmAnswer, rule.Fields(partnerapi.Confirm)
	if t.tickets {
		schema = schemas.ConfirmAnswerWithTickets
	} else {
		rules = slices.DeleteFunc(rules, func(r rule.Rule) bool { return strings.Contains(r.ID, "ticket") })
	}
	t.takeFields(c, schema, rules...)
	b := &scenario.Booking{Confirm: scenario.Act{Answer: c.Answer}}
	t.find(rule.ConfirmConfirmed, confirmed(b))
	if f := pdfAddresses(b); f.Outcome != report.NotApplicable {
		t.find(rule.TicketAddress, f)
	}
	id := partner.Text(c.Answer, "externalBookingId")
	if l == nil || id == "" {
		return
	}
	t.find(rule.ConfirmEcho, echoed(l, c))
	if l.confirm == nil {
		l.confirm, l.id = c.Answer, id
	} else if l.stage == cancelledStage { // this confirm should have been refused
		return
	} else if c.raced {
		t.find(rule.ConfirmRace, again(l, c, id))
	} else {
		t.find(rule.ConfirmRepeatBooking, again(l, c, id))
	}
	unique := Finding{}
	if other := t.bookings.byID[id]; other != nil && other != l {
		unique = broken("Expected an externalBookingId of its own for each, received %q twice", id).showing(other.confirm.Exchange, c.Exchange)
	}
	t.find(rule.ConfirmIDUnique, unique)
	if t.bookings.byID[id] == nil {
		t.bookings.byID[id] = l
	}
	if l.stage == live || l.stage == open && l.ended == nil {
		l.stage = confirmedStage
	}
}

// again finds that a repeated confirm was answered with another booking or other tickets.
func again(l *lifecycle, c *Call, id string) Finding {
	if id != l.id {
		return broken("Expected the same booking, %q, or a refusal, received booking %q", l.id, id).showing(l.confirm.Exchange, c.Exchange)
	}
	first, now := discover.Object(l.confirm.Raw)["tickets"], discover.Object(c.Raw)["tickets"]
	if first != nil && now != nil && !reflect.DeepEqual(first, now) {
		return broken("Expected the tickets of the first answer, received others").showing(l.confirm.Exchange, c.Exchange)
	}
	return Finding{}
}

func echoed(l *lifecycle, c *Call) Finding {
	for _, of := range []struct{ name, want string }{
		{"availabilityId", l.asked.AvailabilityID}, {"optionId", l.asked.OptionID}, {"productId", l.asked.ProductID},
	} {
		if is := partner.Text(c.Answer, of.name); is != "" && is != of.want {
			return broken("%s: expected that of the hold, %q, received %q", of.name, of.want, is).showing(l.reserve, c.Exchange)
		}
	}
	return Finding{}
}

// takeRelease judges an answer to a release. It must be 200 for every code.
func (t *Traffic) takeRelease(c *Call, l *lifecycle) {
	body := partnerapi.ReleaseRequest{ReservationConfirmationCode: c.Named}
	switch {
	case !t.named(c) || len(c.Body) > 0 && !t.asks(c, schemas.ReleaseRequest, &body):
		t.bookings.lost(c)
		return
	case body.ReservationConfirmationCode != c.Named:
		t.blame(c, duty.ReleaseBody, "The path names %.60q, the body %.60q", c.Named, body.ReservationConfirmationCode)
		t.bookings.lost(c)
		return
	}
	if l == nil {
		t.answered(c, rule.ReleaseUnknown, rule.ReleaseUnknownSuccess)
		return
	}
	at, expired := l.at(c.at())
	fits := func(r rule.Rule, before *probe.Exchange) {
		t.find(r, expect(c.Answer, status(ok), whole(c, fit(schemas.ReleaseAnswer))).showing(before))
	}
	switch {
	case at == live && expired:
		fits(rule.ReleaseExpired, l.reserve)
	case at == live:
		if t.find(t.unusual(c, rule.ReleaseStatus), expect(c.Answer, status(ok)).showing(l.reserve)) && c.Whole && t.check(rule.ReleaseJSON, c, scenario.NoObject) {
			t.check(rule.ReleaseSuccess, c, fit(schemas.ReleaseAnswer), succeed)
		}
	case at == released:
		fits(rule.ReleaseRepeatStatus, l.ended)
		if c.OK(http.StatusOK) && c.Whole {
			t.check(rule.ReleaseRepeatSuccess, c, succeed)
		}
	case at == confirmedStage:
		fits(rule.ReleaseConfirmed, l.confirm.Exchange)
	case at == cancelledStage:
		fits(rule.ReleaseCancelled, l.ended)
	}
	switch {
	case at == live && !expired && c.OK(http.StatusOK) && c.Whole && succeed(c.Answer) == "":
		l.stage, l.ended = released, c.Exchange
	case at == live && !expired:
		l.stage = open
	}
}

// takeCancel judges an answer to a cancellation. A partner may not support any (CAN-6).
func (t *Traffic) takeCancel(c *Call, l *lifecycle) {
	if !t.named(c) || len(c.Body) > 0 && !t.asks(c, schemas.CancelRequest, &partnerapi.CancelRequest{}) {
		t.bookings.lost(c)
		return
	}
	if c.OK(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
		if l != nil && l.stage == confirmedStage && !t.bookings.uncancelled.Ends() {
			t.bookings.uncancelled = expect(c.Answer, status(ok)).showing(l.confirm.Exchange)
		}
		return
	}
	t.bookings.cancels = t.bookings.cancels || c.OK(http.StatusOK)
	switch {
	case l == nil:
		t.answered(c, rule.CancelUnknown, rule.CancelUnknownSuccess)
	case l.stage == confirmedStage:
		t.judged[rule.CancelSupported.ID] = true
		if t.find(t.unusual(c, rule.CancelStatus), expect(c.Answer, status(ok)).showing(l.confirm.Exchange)) && c.Whole &&
			t.check(rule.CancelJSON, c, scenario.NoObject) && t.check(rule.CancelSuccess, c, fit(schemas.CancelAnswer), succeed) {
			l.stage, l.ended = cancelledStage, c.Exchange
			return
		}
		l.stage = open
	case l.stage == cancelledStage:
		t.find(rule.CancelRepeatStatus, expect(c.Answer, status(ok), whole(c, fit(schemas.CancelAnswer))).showing(l.ended))
		if c.OK(http.StatusOK) && c.Whole {
			t.check(rule.CancelRepeatSuccess, c, succeed)
		}
	}
}

// longestCode is the maximum length of an unknown code that a partner must answer. Intermediaries
// may refuse longer ones.
const longestCode = 200

// answered judges a call about a code that the recording has not shown before. The answer must be
// 200 with success true, whatever the code is. In a partial history the partner may know the code:
// another rule may then be the broken one.
func (t *Traffic) answered(c *Call, answer, success rule.Rule) {
	if t.partial || len(c.Named) > longestCode || strings.ContainsFunc(c.Named, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' || r == '\uFFFD' }) {
		return
	}
	if t.check(t.unusual(c, answer), c, status(ok)) && c.Whole {
		t.check(success, c, succeed)
	}
}

// whole limits a check to answers that the recording contains completely.
func whole(c *Call, right check) check {
	return func(answer *probe.Answer) string {
		if !c.Whole {
			return ""
		}
		return right(answer)
	}
}

// named reports whether the path names its code or booking as the contract requires (RSV-6).
func (t *Traffic) named(c *Call) bool {
	return t.fits(c, duty.Escaped, duty.Segment(c.Segment, c.Named))
}
