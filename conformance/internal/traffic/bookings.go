package traffic

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// bookings judges the answers to the calls about holds and bookings.
type bookings struct {
	*tally
	*caller
	*sold
	*windows
	*history
	tickets bool // the partner delivers its own tickets
	lives   holdTimes

	uncancelled judge.Finding // an answer that shows that cancel is not supported
	cancels     bool          // a cancellation was accepted
}

func (t *bookings) take(c *call) {
	l := t.history.lifecycleOf(c)
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
	if l != nil && c.endTime().After(l.until) {
		l.until = c.endTime()
	}
}

// takeReserve judges the answer to a reserve that conforms to the contract.
func (t *bookings) takeReserve(c *call) {
	asked := partnerapi.ReserveRequest{}
	if !t.asks(c, schemas.ReserveRequest, &asked) {
		return
	}
	t.reservedOnce(c, asked.ResellerReference)
	if _, known := t.question(partnerapi.AvailabilityRequest{ProductID: asked.ProductID, OptionID: asked.OptionID}); !known && !c.HasStatus(200, 201) || !t.isCurrent(c) && c.mayBeUnsold() {
		return // it is unknown whether this option is sold
	}
	answered := rule.ReserveStatus
	slot, known := t.windows.slot(asked)
	switch full := known && (!slot.Status.IsBookable() || slot.Vacancies != nil && *slot.Vacancies == 0); {
	case full && c.HasStatus(http.StatusOK, http.StatusCreated): // it was opened since, or is sold without seats
		t.doubt(rule.ReserveSoldOut, judge.Doubt("a slot that had been shown as %s was held; it may have been opened in between", slot.Status).WithEvidence(c.Exchange))
	case full:
		answered = rule.ReserveSoldOut
	}
	if !c.HasStatus(http.StatusBadRequest) { // which may be for lack of seats, whatever else the call has
		answered = kindOf(c, answered)
	}
	if !t.check(answered, c, judge.Status([]int{http.StatusOK, http.StatusCreated, http.StatusBadRequest})) || !c.Whole {
		return
	}
	if c.HasStatus(http.StatusBadRequest) {
		t.check(rule.ReserveRefusalMessage, c, judge.MatchesSchema(schemas.Refusal))
		return
	}
	if !t.check(rule.ReserveJSON, c, scenario.NoObject) {
		return
	}
	t.takeFields(c, schemas.ReserveAnswer, rule.ReserveCode, rule.ReserveExpiresAt)
	l := &lifecycle{code: partner.Text(c.Answer, "reservationConfirmationCode"), asked: asked, until: c.endTime(), reserve: c.Exchange}
	if expires, err := partnerapi.ParseDateTime(partner.Text(c.Answer, "expiresAt")); err == nil {
		l.expires = expires
		t.lives.take(t.tally, c, expires.Sub(c.partnerTime()))
	}
	if l.code == "" {
		return
	}
	unique := judge.Finding{}
	if before := t.history.byCode[l.code]; before != nil {
		unique = judge.Breach("Expected a unique reservationConfirmationCode for each, received %q twice", l.code).WithEvidence(before.reserve, c.Exchange)
	}
	t.find(rule.ReserveCodeUnique, unique)
	t.history.enter(l)
}

// holdTimes is how long holds last (RSV-7). A partner whose clock was moved seems to hold for longer,
// so only what every hold shows counts against it.
type holdTimes struct {
	longest, shortest time.Duration
	shown             *report.Exchange
	holdless          bool
}

func (l *holdTimes) take(t *tally, c *call, life time.Duration) {
	later := judge.Finding{}
	if life <= 0 {
		later = judge.Breach("Expected a time in the future, received one %s ago", (-life).Round(time.Second)).WithEvidence(c.Exchange)
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

func (b *bookings) settle(t *tally) {
	const tolerance = time.Minute
	if l := b.lives; l.shown != nil && !l.holdless {
		f := judge.Finding{}
		if l.shortest < partnerapi.HoldAtLeast-tolerance || l.shortest > partnerapi.HoldAtMost+tolerance {
			f = judge.Breach("Expected 15 to 30 minutes ahead, received %s", l.shortest.Round(time.Second)).WithEvidence(l.shown)
		}
		t.find(rule.ReserveExpiresWindow, f)
	}
	if b.uncancelled.Ends() && b.cancels {
		t.find(rule.CancelStatus, b.uncancelled)
	}
}

// takeConfirm judges an answer to a confirm, by the known state of its code.
func (t *bookings) takeConfirm(c *call, l *lifecycle) {
	if !t.asks(c, schemas.ConfirmRequest, &partnerapi.ConfirmRequest{}) {
		t.history.recordLost(c)
		return
	}
	if l != nil {
		t.mayConfirm(c, l)
		t.takeConfirmOf(c, l)
	}
	switch {
	case !c.Whole:
		t.history.recordLost(c)
	case c.HasStatus(http.StatusBadRequest):
		if l != nil && l.reserve != nil {
			t.check(rule.ConfirmRefusalMessage, c, judge.MatchesSchema(schemas.Refusal))
		}
	case c.HasStatus(http.StatusOK):
		t.takeConfirmed(c, l)
	}
}

func (t *bookings) takeConfirmOf(c *call, l *lifecycle) {
	at, expired := l.stageAt(c.partnerTime())
	refused := func(r rule.Rule) {
		t.find(r, judge.Expect(c.Answer, judge.Status(refusal)).WithEvidence(l.reserve, l.ended))
	}
	switch {
	case t.partial && (at == released || at == live && expired):
		// A call that is missing may have confirmed the hold before. Then this confirm repeats it.
	case t.partial && at == live:
		if c.Response.Status/100 != 4 { // a call that is missing may have released or confirmed it
			t.find(kindOf(c, rule.ConfirmStatus), judge.Expect(c.Answer, judge.Status(ok)).WithEvidence(l.reserve))
		}
	case at == live && expired:
		refused(rule.ConfirmExpired)
	case at == live:
		t.find(kindOf(c, rule.ConfirmStatus), judge.Expect(c.Answer, judge.Status(ok)).WithEvidence(l.reserve))
	case at == released:
		refused(rule.ConfirmReleased)
	case at == cancelledStage:
		refused(rule.ConfirmCancelled)
	case at == confirmedStage:
		f := judge.Finding{}
		if !c.HasStatus(http.StatusOK) && c.Response.Status/100 != 4 {
			f = judge.Breach("Expected 200 or 4xx, received %s", c.Words()).WithEvidence(l.confirm.Exchange, c.Exchange)
		}
		t.find(rule.ConfirmRepeatStatus, f)
	}
	if !c.HasStatus(http.StatusOK) && at == live && c.Response.Status/100 == 5 {
		l.stage = open
	}
}

// takeConfirmed judges an answer with a booking.
func (t *bookings) takeConfirmed(c *call, l *lifecycle) {
	if !t.check(rule.ConfirmJSON, c, scenario.NoObject) {
		return
	}
	schema, rules := schemas.ConfirmAnswer, fieldrule.All(partnerapi.Confirm)
	if t.tickets {
		schema = schemas.ConfirmAnswerWithTickets
	} else {
		rules = slices.DeleteFunc(rules, func(r rule.Rule) bool { return strings.Contains(r.ID, "ticket") })
	}
	t.takeFields(c, schema, rules...)
	t.check(rule.ConfirmConfirmed, c, judge.Confirmed)
	if f := judge.PDFAddresses(c.Answer); f.Outcome != report.NotApplicable {
		t.find(rule.TicketAddress, f)
	}
	id := partner.Text(c.Answer, "externalBookingId")
	if l == nil || id == "" {
		return
	}
	t.find(rule.ConfirmEcho, judge.Expect(c.Answer, judge.Echoes(l.asked.ProductID, l.asked.OptionID, l.asked.AvailabilityID)).WithEvidence(l.reserve))
	if l.confirm == nil {
		l.confirm, l.id = c.Answer, id
	} else if l.stage == cancelledStage { // this confirm should have been refused
		return
	} else if c.raced {
		t.find(rule.ConfirmRace, judge.SameBooking(l.confirm, c.Answer))
	} else {
		t.find(rule.ConfirmRepeatBooking, judge.SameBooking(l.confirm, c.Answer))
	}
	unique := judge.Finding{}
	if other := t.history.byID[id]; other != nil && other != l {
		unique = judge.Breach("Expected a unique externalBookingId for each, received %q twice", id).WithEvidence(other.confirm.Exchange, c.Exchange)
	}
	t.find(rule.ConfirmIDUnique, unique)
	if t.history.byID[id] == nil {
		t.history.byID[id] = l
	}
	if l.stage == live || l.stage == open && l.ended == nil {
		l.stage = confirmedStage
	}
}

// takeRelease judges an answer to a release. It must be 200 for every code.
func (t *bookings) takeRelease(c *call, l *lifecycle) {
	body := partnerapi.ReleaseRequest{ReservationConfirmationCode: c.Named}
	switch {
	case !t.namesSubject(c) || len(c.Body) > 0 && !t.asks(c, schemas.ReleaseRequest, &body):
		t.history.recordLost(c)
		return
	case body.ReservationConfirmationCode != c.Named:
		t.blame(c, callerrules.ReleaseBody, "The path names %.60q, the body %.60q", c.Named, body.ReservationConfirmationCode)
		t.history.recordLost(c)
		return
	}
	if l == nil {
		t.judgeUnknownCode(c, rule.ReleaseUnknown, rule.ReleaseUnknownSuccess)
		return
	}
	at, expired := l.stageAt(c.partnerTime())
	fits := func(r rule.Rule, before *report.Exchange) {
		t.find(r, judge.Expect(c.Answer, judge.Status(ok), ifComplete(c, judge.MatchesSchema(schemas.ReleaseAnswer))).WithEvidence(before))
	}
	switch {
	case at == live && expired:
		fits(rule.ReleaseExpired, l.reserve)
	case at == live:
		if t.find(kindOf(c, rule.ReleaseStatus), judge.Expect(c.Answer, judge.Status(ok)).WithEvidence(l.reserve)) && c.Whole && t.check(rule.ReleaseJSON, c, scenario.NoObject) {
			t.check(rule.ReleaseSuccess, c, judge.MatchesSchema(schemas.ReleaseAnswer), judge.Succeed)
		}
	case at == released:
		fits(rule.ReleaseRepeatStatus, l.ended)
		if c.HasStatus(http.StatusOK) && c.Whole {
			t.check(rule.ReleaseRepeatSuccess, c, judge.Succeed)
		}
	case at == confirmedStage:
		fits(rule.ReleaseConfirmed, l.confirm.Exchange)
	case at == cancelledStage:
		fits(rule.ReleaseCancelled, l.ended)
	}
	switch {
	case at == live && !expired && c.HasStatus(http.StatusOK) && c.Whole && judge.Succeed(c.Answer) == "":
		l.stage, l.ended = released, c.Exchange
	case at == live && !expired:
		l.stage = open
	}
}

// takeCancel judges an answer to a cancellation. A partner may not support any (CAN-6).
func (t *bookings) takeCancel(c *call, l *lifecycle) {
	if !t.namesSubject(c) || len(c.Body) > 0 && !t.asks(c, schemas.CancelRequest, &partnerapi.CancelRequest{}) {
		t.history.recordLost(c)
		return
	}
	if c.HasStatus(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
		if l != nil && l.stage == confirmedStage && !t.uncancelled.Ends() {
			t.uncancelled = judge.Expect(c.Answer, judge.Status(ok)).WithEvidence(l.confirm.Exchange)
		}
		return
	}
	t.cancels = t.cancels || c.HasStatus(http.StatusOK)
	switch {
	case l == nil:
		t.judgeUnknownCode(c, rule.CancelUnknown, rule.CancelUnknownSuccess)
	case l.stage == confirmedStage:
		t.mark(rule.CancelSupported)
		if t.find(kindOf(c, rule.CancelStatus), judge.Expect(c.Answer, judge.Status(ok)).WithEvidence(l.confirm.Exchange)) && c.Whole &&
			t.check(rule.CancelJSON, c, scenario.NoObject) && t.check(rule.CancelSuccess, c, judge.MatchesSchema(schemas.CancelAnswer), judge.Succeed) {
			l.stage, l.ended = cancelledStage, c.Exchange
			return
		}
		l.stage = open
	case l.stage == cancelledStage:
		t.find(rule.CancelRepeatStatus, judge.Expect(c.Answer, judge.Status(ok), ifComplete(c, judge.MatchesSchema(schemas.CancelAnswer))).WithEvidence(l.ended))
		if c.HasStatus(http.StatusOK) && c.Whole {
			t.check(rule.CancelRepeatSuccess, c, judge.Succeed)
		}
	}
}

// longestCode is the maximum length of an unknown code that a partner must answer. Intermediaries
// may refuse longer ones.
const longestCode = 200

// judgeUnknownCode judges a call about a code that the recording has not shown before. The answer must be
// 200 with success true, whatever the code is. In a partial history the partner may know the code:
// another rule may then be the broken one.
func (t *bookings) judgeUnknownCode(c *call, answer, success rule.Rule) {
	if t.partial || len(c.Named) > longestCode || strings.ContainsFunc(c.Named, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' || r == '\uFFFD' }) {
		return
	}
	if t.check(kindOf(c, answer), c, judge.Status(ok)) && c.Whole {
		t.check(success, c, judge.Succeed)
	}
}

// ifComplete limits a check to answers that the recording contains completely.
func ifComplete(c *call, right judge.Check) judge.Check {
	return func(answer *probe.Answer) string {
		if !c.Whole {
			return ""
		}
		return right(answer)
	}
}
