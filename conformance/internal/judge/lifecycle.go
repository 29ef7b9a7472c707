package judge

import (
	"fmt"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Lifecycle judges the acts of one story by the rules about holds and bookings. It implements trace.Judge.
type Lifecycle struct {
	given    Given
	ignore   func(rule.Rule) bool // rules that are not judged; nil: none
	state    model.State
	holds    []holdRecord
	since    []seatLaw             // of the calls since the last readings
	tried    map[int]*probe.Answer // of the last confirm with another key, by hold
	on       model.Stage           // of its hold before it
	accepted bool                  // whether it was accepted
	unsure   bool                  // whether it is unknown what it has done
	full     []bool                // slots whose last seat the story has held
	idle     map[int]bool          // slots that were read since the last call
	freed    freedSeats
	doubtful *int // the hold of which the next reading shows whether it keeps seats (RSV-8); nil if there is nothing to show
	decided  bool // a reading has shown it
	note     Note
	byBody   bool
	intruded bool // a confirm that had to be refused was accepted: it may have booked a hold of the story
}

// holdRecord is what is known of a hold beside its state.
type holdRecord struct {
	reserve, confirm *probe.Answer // confirm: the first that was answered with a booking
	types            int           // guest types of its party
	lost             bool          // its seats were free while it was live
	void             bool          // it was confirmed unlawfully, or with another booking than before: which one it has is unknown
	offer            discover.Offer
	takes, gives     rule.Rule // about the seats that it takes, and that its release gives back
}

// Note receives each rule that judges an act, and what is wrong; "" if nothing is.
type Note func(of rule.Rule, flaw string)

// NewLifecycle returns the judge of one story. ignore selects rules whose flaws do not count, such as those that are
// known to be broken; it and note may be nil.
func NewLifecycle(given Given, ignore func(rule.Rule) bool, note Note) *Lifecycle {
	return &Lifecycle{given: given, ignore: ignore, note: note}
}

// ByBody makes a breach by the status of a call whose body is unusual one of the rule about such bodies.
func (l *Lifecycle) ByBody() *Lifecycle {
	l.byBody = true
	return l
}

// Open implements trace.Judge.
func (l *Lifecycle) Open(slots []model.Seats) {
	l.state.Slots = slots
	l.full, l.freed = make([]bool, len(slots)), freedSeats{last: map[int]manner{}, back: map[int]map[manner]bool{}}
}

// State implements trace.Judge.
func (l *Lifecycle) State() *model.State { return &l.state }

// ID implements trace.Judge.
func (l *Lifecycle) ID(hold int) string {
	if hold < 0 || hold >= len(l.holds) || l.holds[hold].confirm == nil {
		return ""
	}
	return partner.Text(l.holds[hold].confirm, bookingField)
}

// Take implements trace.Judge.
func (l *Lifecycle) Take(act trace.Act) (j trace.Judgement) {
	switch act.Does {
	case model.Look:
		return l.takeReading(act)
	case model.Expire:
		l.state.RecordExpiry()
		l.idle, l.since = nil, nil
		return j
	}
	if len(l.idle) > 0 {
		l.idle, l.since = nil, nil
	}
	l.on, l.accepted, l.unsure = model.Refused, false, false
	if act.Hold != trace.None && act.Does != model.Reserve {
		if act.Raced != "" {
			l.state.RecordUnknown(act.Hold)
		}
		l.on = l.state.Holds[act.Hold].Stage
	}
	defer func() { l.since = append(l.since, l.seatLawOf(act)) }()
	switch {
	case act.Key != probe.GoodKey:
		return l.takeUnauthorized(act)
	case act.Does == model.Reserve:
		j = l.takeReserve(act)
	case act.Does == model.Confirm:
		j = l.takeConfirm(act)
	case act.Does == model.Release:
		j = l.takeRelease(act)
	default:
		j = l.takeCancel(act)
	}
	if moves := act.Does == model.Reserve || l.on.After(act.Does) != l.on || act.Does == model.Confirm && l.accepted; l.unsure && moves && act.Hold != trace.None {
		l.state.RecordUnknown(act.Hold)
	}
	return j
}

// Adopt adds a hold at a stage. Its reserve was not seen.
func (l *Lifecycle) Adopt(at model.Stage) {
	l.enter(trace.Act{}, false)
	l.state.Holds[0].Stage = at
}

// laws lists the rules about a call: about its status, about the seats after it, and about the code or id in its
// answer.
type laws struct{ answer, seats, id rule.Rule }

// lawsOf returns the rules about a call with the partner's key. on is the stage of its hold before it; accepted says whether
// a reserve was accepted.
func lawsOf(act trace.Act, on model.Stage, accepted bool) laws {
	takes, gives := seatRules(act.Party.Guests, len(act.Units))
	switch act.Does {
	case model.Reserve:
		if accepted {
			return laws{rule.ReserveTooMany, takes, rule.ReserveCodeUnique}
		}
		return laws{rule.ReserveAccepts, rule.ReserveRefusalNoEffect, rule.ReserveCodeUnique}
	case model.Confirm:
		return map[model.Stage]laws{
			model.Held:      {StatusRule(partnerapi.Confirm), rule.ConfirmVacancies, rule.ConfirmIDUnique},
			model.Booked:    {rule.ConfirmRepeatStatus, rule.ConfirmRepeatVacancies, rule.ConfirmRepeatBooking},
			model.Released:  {rule.ConfirmReleased, rule.ConfirmReleasedNoEffect, rule.ConfirmIDUnique},
			model.Cancelled: {rule.ConfirmCancelled, rule.ConfirmCancelledNoEffect, rule.ConfirmIDUnique},
			model.Expired:   {rule.ConfirmExpired, rule.ConfirmExpiredNoEffect, rule.ConfirmIDUnique},
			model.Refused:   {rule.ConfirmUnknown, rule.ConfirmUnknown, rule.ConfirmIDUnique},
			model.Unknown:   {id: rule.ConfirmRepeatBooking},
		}[on]
	case model.Release:
		return map[model.Stage]laws{
			model.Held:      {answer: StatusRule(partnerapi.Release), seats: gives},
			model.Booked:    {answer: rule.ReleaseConfirmed, seats: rule.ReleaseConfirmedKeeps},
			model.Released:  {answer: rule.ReleaseRepeatStatus, seats: rule.ReleaseRepeatVacancies},
			model.Cancelled: {answer: rule.ReleaseCancelled, seats: rule.ReleaseCancelledVacancies},
			model.Expired:   {answer: rule.ReleaseExpired, seats: rule.ReleaseExpiredVacancies},
			model.Refused:   {answer: rule.ReleaseUnknown, seats: rule.ReleaseUnknown},
		}[on]
	default:
		return map[model.Stage]laws{
			model.Booked:    {answer: StatusRule(partnerapi.Cancel), seats: rule.CancelVacancies},
			model.Cancelled: {answer: rule.CancelRepeatStatus, seats: rule.CancelRepeatVacancies},
			model.Refused:   {answer: rule.CancelUnknown, seats: rule.CancelUnknown},
		}[on]
	}
}

// unauthorizedLaws lists the rules about calls with another key than the partner's.
var unauthorizedLaws = map[model.Kind]struct{ wrong, missing, effect rule.Rule }{
	model.Reserve: {rule.ReserveWrongKey, rule.ReserveMissingKey, rule.ReserveAuthEffect},
	model.Confirm: {rule.ConfirmWrongKey, rule.ConfirmMissingKey, rule.ConfirmAuthEffect},
	model.Release: {rule.ReleaseWrongKey, rule.ReleaseMissingKey, rule.ReleaseAuthEffect},
	model.Cancel:  {rule.CancelWrongKey, rule.CancelMissingKey, rule.CancelAuthEffect},
}

// AuthEffect returns the rule that a call with another key than the partner's changes nothing.
func AuthEffect(kind model.Kind) rule.Rule { return unauthorizedLaws[kind].effect }

// seatRules returns the rules about the seats that a hold takes, and that its release gives back,
// for a party of that many guests of that many types.
func seatRules(guests int64, types int) (takes, gives rule.Rule) {
	switch {
	case types > 1:
		return rule.ReserveVacanciesMixed, rule.ReleaseVacanciesMany
	case guests > 1:
		return rule.ReserveVacanciesMany, rule.ReleaseVacanciesMany
	default:
		return rule.ReserveVacanciesOne, rule.ReleaseVacanciesOne
	}
}

// find completes a judgement with a flaw, unless its rule is not judged.
func (l *Lifecycle) find(j *trace.Judgement, of rule.Rule, flaw string) {
	if of.ID == "" {
		return
	}
	if l.note != nil {
		l.note(of, flaw)
	}
	if flaw != "" && j.Flaw == "" && (l.ignore == nil || !l.ignore(of)) {
		j.Flaw, j.Rule = flaw, of
	}
}

func (l *Lifecycle) takeUnauthorized(act trace.Act) (j trace.Judgement) {
	of := unauthorizedLaws[act.Does].wrong
	if act.Key.IsMissing() {
		of = unauthorizedLaws[act.Does].missing
	}
	switch act.Does {
	case model.Reserve:
		l.enter(act, false)
	case model.Confirm:
		if l.tried == nil {
			l.tried = map[int]*probe.Answer{}
		}
		l.tried[act.Hold] = act.Answer
		l.intruded = l.intruded || act.Answer.HasStatus(ok...)
	}
	j.Want = partner.AnyOf(unauthorized)
	l.find(&j, of, Status(unauthorized)(act.Answer))
	return j
}

// enter records the reserve of a hold.
func (l *Lifecycle) enter(act trace.Act, made bool) {
	for len(l.holds) <= act.Hold {
		l.holds = append(l.holds, holdRecord{})
	}
	takes, gives := seatRules(act.Party.Guests, len(act.Units))
	l.holds[act.Hold] = holdRecord{reserve: act.Answer, offer: act.Offer, types: len(act.Units), takes: takes, gives: gives, confirm: l.holds[act.Hold].confirm}
	if made && act.Life > partnerapi.HoldlessAfter && !l.state.Holdless && !l.decided {
		l.state.Holdless, l.doubtful = true, &act.Hold
	}
	l.state.RecordReserve(act.Hold, act.Slot, act.Party, made)
}

// accepting lists the statuses of an answer that accepts a call.
var accepting = map[partnerapi.Endpoint][]int{
	partnerapi.Reserve: {http.StatusOK, http.StatusCreated},
	partnerapi.Confirm: ok, partnerapi.Release: ok, partnerapi.Cancel: ok,
}

// takeStatus judges the status of an answer by of, and whether the answer can be read. It reports whether the call was
// accepted, and whether it was refused.
func (l *Lifecycle) takeStatus(j *trace.Judgement, act trace.Act, want model.Want, of rule.Rule) (accepted, refused bool) {
	answer, statuses := act.Answer, accepting[act.Answer.Endpoint]
	if answer.BrokeOff(statuses...) {
		l.find(j, answerRules[answer.Endpoint].json, "Expected a complete JSON object: "+answer.Failure.Message)
		l.unsure = true
		return false, false
	}
	// A second confirm may be refused with any 4xx (CNF-4), everything else with 400.
	twice := answer.Endpoint == partnerapi.Confirm && want.Accept && want.Refuse
	accepted = answer.HasStatus(statuses...)
	refused = answer.HasStatus(http.StatusBadRequest) || twice && answer.Failure == nil && answer.Response.Status/100 == 4
	l.accepted = accepted
	switch {
	case want.Accept && want.Refuse:
		j.Want = partner.AnyOf(append(statuses[:1:1], http.StatusBadRequest))
	case want.Accept:
		j.Want = partner.AnyOf(statuses[:1])
	default:
		j.Want = partner.AnyOf(refusal)
	}
	flaw := ""
	if !(accepted && want.Accept) && !(refused && want.Refuse) {
		flaw = "Expected " + j.Want + ", received " + answer.Words()
	}
	if about, has := RuleOfBody(answer.Endpoint, act.Body); l.byBody && has && !(refused && act.Does == model.Reserve) && (act.Hold == trace.None || of.ID == StatusRule(answer.Endpoint).ID) {
		of = about
	}
	l.find(j, of, flaw)
	// A call that must be accepted may have done its work behind a wrong status, whether that status is still judged or not.
	l.unsure = (j.Flaw != "" || flaw != "" && want.Accept) && !(act.Does == model.Reserve && (accepted || refused))
	if refused {
		j.Detail = ", " + scenario.RefusalOf(answer)
	}
	return accepted, refused
}

// takeMessage judges the message of a refusal that must have one.
func (l *Lifecycle) takeMessage(j *trace.Judgement, act trace.Act, of rule.Rule) {
	if !act.Cut {
		l.find(j, of, MatchesSchema(schemas.Refusal)(act.Answer))
	}
}

// takeNewID judges a code or an id that must be new.
func (l *Lifecycle) takeNewID(j *trace.Judgement, act trace.Act, field string, missing, repeated rule.Rule) {
	id := partner.Text(act.Answer, field)
	switch {
	case id == "":
		l.find(j, missing, fmt.Sprintf("%s: expected one, received none", field))
	case l.given[field+id]:
		l.find(j, repeated, fmt.Sprintf("%s: expected a new value, received %q again", field, id))
	default:
		l.find(j, missing, "")
		l.find(j, repeated, "")
	}
	l.given[field+id] = true
}

func (l *Lifecycle) takeReserve(act trace.Act) (j trace.Judgement) {
	seats := l.state.Slots[act.Slot]
	want := l.state.WantReserve(act.Slot, act.Party, act.Welcome)
	of := StatusRule(partnerapi.Reserve)
	switch no := act.Answer.HasStatus(refusal...); {
	case !want.Accept && seats.Least+seats.More <= 0:
		of = rule.ReserveSoldOut
	case !want.Accept:
		of = rule.ReserveTooMany
	case no && want.Refuse: // it shows nothing of the seats
	case no:
		of = refusedSeats(l.full[act.Slot] || act.Filled || l.freed.mayBeLost(act.Slot))
	}
	accepted, refused := l.takeStatus(&j, act, want, of)
	if j.Flaw != "" {
		if j.Others = accepted || refused; accepted {
			j.Off = 1
		} else {
			j.Off = -1
		}
	}
	switch {
	case refused:
		l.takeMessage(&j, act, rule.ReserveRefusalMessage)
	case accepted && !act.Cut:
		l.freed.showBack(act.Slot)
		if act.Welcome {
			l.find(&j, rule.ReserveAccepts, "")
		}
		l.find(&j, jsonRule(partnerapi.Reserve), scenario.NoObject(act.Answer))
		l.takeNewID(&j, act, codeField, rule.ReserveCode, rule.ReserveCodeUnique)
		l.takeLife(&j, act)
	}
	l.enter(act, accepted && partner.Text(act.Answer, codeField) != "")
	if left := l.state.Slots[act.Slot]; accepted && left.Counted && left.Least <= 0 {
		l.full[act.Slot] = true
	}
	return j
}

func (l *Lifecycle) takeConfirm(act trace.Act) (j trace.Judgement) {
	want, first := model.Want{Refuse: true}, (*probe.Answer)(nil)
	if act.Hold != trace.None {
		want, first = l.state.WantConfirm(act.Hold), l.holds[act.Hold].confirm
	}
	of := lawsOf(act, l.on, l.accepted)
	switch act.Raced {
	case "":
	case partnerapi.Cancel:
		of.id = rule.Rule{} // the same booking shows nothing of a race for its seats
	default:
		of.id = rule.ConfirmRace
	}
	why := ""
	if l.on == model.Held && act.Answer.HasStatus(refusal...) {
		of.answer, why = l.holds[act.Hold].lawOfRefusal(act.Freed)
		// Nothing has shown yet what those releases did that must not end the hold.
		for _, law := range l.since {
			if law.does == model.Release && (law.hold == trace.None || law.hold == act.Hold) {
				j.Suspects, of.answer, why = []rule.Rule{StatusRule(partnerapi.Confirm)}, law.Rule, ", after a release that must not end the hold"
			}
		}
	}
	accepted, refused := l.takeStatus(&j, act, want, of.answer)
	if j.Flaw != "" {
		j.Flaw += why
	}
	switch live := l.on == model.Held || l.on == model.Unknown; {
	case refused && l.on != model.Booked && l.on != model.Unknown:
		l.takeMessage(&j, act, rule.ConfirmRefusalMessage)
	case refused && l.on == model.Booked: // no second booking
		l.find(&j, of.id, "")
	case !live && l.on != model.Booked:
		l.intruded = l.intruded || accepted
		if act.Hold != trace.None {
			l.holds[act.Hold].void = l.holds[act.Hold].void || accepted
		}
	case !accepted, l.holds[act.Hold].void:
	case act.Cut:
		l.unsure = true
	case first == nil:
		l.holds[act.Hold].confirm = act.Answer
		l.takeBooking(&j, act)
	default:
		flaw := SameBooking(first, act.Answer).Message
		if l.holds[act.Hold].void = flaw != ""; flaw != "" && act.Raced == partnerapi.Cancel {
			of.id = rule.CancelRace
		}
		l.find(&j, of.id, flaw)
	}
	if act.Hold != trace.None {
		l.state.RecordConfirm(act.Hold, accepted, 0)
	}
	return j
}

// takeBooking judges the answer to the confirm of a live hold.
func (l *Lifecycle) takeBooking(j *trace.Judgement, act trace.Act) {
	l.find(j, jsonRule(partnerapi.Confirm), scenario.NoObject(act.Answer))
	l.takeNewID(j, act, bookingField, rule.ConfirmBookingID, rule.ConfirmIDUnique)
	l.find(j, rule.ConfirmConfirmed, Confirmed(act.Answer))
	hold := l.holds[act.Hold]
	if of := hold.offer; of.Slot.ID != "" {
		l.find(j, rule.ConfirmEcho, Echoes(of.Product.ID, of.Option.ID, of.Slot.ID)(act.Answer))
	}
	requests := []*report.Exchange{act.Answer.Exchange}
	if hold.reserve != nil {
		requests = append(requests, hold.reserve.Exchange)
	}
	switch flaw, tried := EchoesContact(act.Answer, requests...), l.tried[act.Hold]; {
	case flaw == "" || l.intruded:
	case tried != nil && echoesContact(act.Answer, tried.Exchange):
		l.find(j, AuthEffect(model.Confirm), "contact.emailAddress: expected that of the request, received that of the confirm with another key")
	default:
		l.find(j, rule.ConfirmEcho, flaw)
	}
	if flaw, has := pdfAddresses(act.Answer); has {
		l.find(j, rule.TicketAddress, flaw)
	}
}

// refusedSeats returns the rule that a refusal of seats that a slot shows breaks. full: it was without a seat before.
func refusedSeats(full bool) rule.Rule {
	if full {
		return rule.ReleaseRebookable
	}
	return rule.ReserveAccepts
}

// takeDone judges the body of an answer about a code or a booking that is undone, now or before.
func (l *Lifecycle) takeDone(j *trace.Judgement, act trace.Act, schema string, json, shape, success rule.Rule) {
	switch {
	case !l.accepted:
	case act.Cut:
		l.unsure = true
	default:
		l.find(j, json, scenario.NoObject(act.Answer))
		l.find(j, shape, MatchesSchema(schema)(act.Answer))
		l.find(j, success, Succeed(act.Answer))
		l.unsure = l.unsure || j.Flaw != ""
	}
}

func (l *Lifecycle) takeRelease(act trace.Act) (j trace.Judgement) {
	of := lawsOf(act, l.on, l.accepted)
	l.takeStatus(&j, act, model.Want{Accept: true}, of.answer)
	switch l.on {
	case model.Held:
		l.takeDone(&j, act, schemas.ReleaseAnswer, jsonRule(partnerapi.Release), rule.ReleaseSuccess, rule.ReleaseSuccess)
	case model.Released:
		l.takeDone(&j, act, schemas.ReleaseAnswer, rule.Rule{}, of.answer, rule.ReleaseRepeatSuccess)
	case model.Refused:
		l.takeDone(&j, act, schemas.ReleaseAnswer, rule.Rule{}, rule.Rule{}, rule.ReleaseUnknownSuccess)
	case model.Expired:
		l.takeDone(&j, act, schemas.ReleaseAnswer, rule.Rule{}, of.answer, of.answer)
	default:
		l.takeDone(&j, act, schemas.ReleaseAnswer, rule.Rule{}, of.answer, rule.Rule{})
	}
	if act.Hold != trace.None {
		l.state.RecordRelease(act.Hold)
		l.free(act, model.Held)
	}
	return j
}

func (l *Lifecycle) takeCancel(act trace.Act) (j trace.Judgement) {
	of := lawsOf(act, l.on, l.accepted)
	l.takeStatus(&j, act, model.Want{Accept: true}, of.answer)
	switch l.on {
	case model.Booked:
		l.find(&j, rule.CancelSupported, "") // whatever the answer is, another rule is about that
		l.takeDone(&j, act, schemas.CancelAnswer, jsonRule(partnerapi.Cancel), rule.CancelSuccess, rule.CancelSuccess)
	case model.Cancelled:
		l.takeDone(&j, act, schemas.CancelAnswer, rule.Rule{}, of.answer, rule.CancelRepeatSuccess)
	case model.Refused:
		l.takeDone(&j, act, schemas.CancelAnswer, rule.Rule{}, rule.Rule{}, rule.CancelUnknownSuccess)
	default: // calls at the same time may have cancelled the booking before
		l.takeDone(&j, act, schemas.CancelAnswer, rule.Rule{}, of.answer, rule.Rule{})
	}
	if act.Hold != trace.None {
		l.state.Cancelled(act.Hold)
		l.free(act, model.Booked)
	}
	return j
}

// uniqueness has, for the rules about ids, the rules that no two things share an id: whatever is done
// with a shared id may be done to the other thing.
var uniqueness = map[string]string{
	rule.ReserveCode.ID:      rule.ReserveCodeUnique.ID,
	rule.ConfirmBookingID.ID: rule.ConfirmIDUnique.ID,
}

// sharedIDs returns the rules that explain what ends without a call about it: what was called about something else may have
// ended it, if both have one code or id.
func sharedIDs() []rule.Rule { return []rule.Rule{rule.ReserveCodeUnique, rule.ConfirmIDUnique} }
