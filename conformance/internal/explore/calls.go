package explore

import (
	"fmt"
	"net/http"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// parties lists the parties that lifecycles reserve for: the units of an option, and how many of the
// guests are infants. If an option lacks a unit of the party, the party is a single guest.
var parties = []func(option discover.Option, left model.Seats) ([]partnerapi.UnitQuantity, int64){
	leadParty(1), leadParty(2), leadParty(3),
	func(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64) {
		return withOther(option, option.Companion, 0)
	},
	func(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64) {
		return withOther(option, option.Infant, 1)
	},
	func(option discover.Option, left model.Seats) ([]partnerapi.UnitQuantity, int64) {
		return partner.Guests(option, max(1, left.Least+left.More+1)), 0 // one more than there are seats
	},
}

func leadParty(n int64) func(discover.Option, model.Seats) ([]partnerapi.UnitQuantity, int64) {
	return func(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64) {
		return partner.Guests(option, n), 0
	}
}

func withOther(option discover.Option, other func() (string, bool), infants int64) ([]partnerapi.UnitQuantity, int64) {
	units := partner.Guests(option, 1)
	if unit, ok := other(); ok {
		return append(units, partnerapi.UnitQuantity{ID: unit, Quantity: 1}), infants
	}
	return units, 0
}

func partyWords(units []partnerapi.UnitQuantity) string {
	var words []string
	for _, unit := range units {
		words = append(words, fmt.Sprintf("%d %s", unit.Quantity, unit.ID))
	}
	return strings.Join(words, " and ")
}

type expectation struct {
	want   string
	detail string // about the answer, in addition to the status
	flaw   string // "": the answer is correct
	ofBody bool   // the flaw is in the answer's body
}

// accepting lists the statuses of an answer that accepts a call.
var accepting = map[partnerapi.Endpoint][]int{
	partnerapi.Reserve: {http.StatusOK, http.StatusCreated},
	partnerapi.Confirm: {http.StatusOK}, partnerapi.Release: {http.StatusOK}, partnerapi.Cancel: {http.StatusOK},
}

// judgeStatus judges the status of an answer, and the message of a refusal that must have one. It reports
// whether the call was accepted.
func judgeStatus(answer *probe.Answer, want model.Want) (e expectation, accepted bool) {
	statuses := accepting[answer.Endpoint]
	accepted = answer.HasStatus(statuses...)
	// A second confirm may be refused with any 4xx (CNF-4), everything else with 400.
	twice := answer.Endpoint == partnerapi.Confirm && want.Accept && want.Refuse
	refused := answer.HasStatus(http.StatusBadRequest) || twice && answer.Failure == nil && answer.Response.Status/100 == 4
	switch {
	case want.Accept && want.Refuse:
		e.want = partner.AnyOf(append(statuses[:1:1], http.StatusBadRequest))
	case want.Accept:
		e.want = partner.AnyOf(statuses[:1])
	default:
		e.want = partner.AnyOf([]int{http.StatusBadRequest})
	}
	switch {
	case !(accepted && want.Accept) && !(refused && want.Refuse):
		e.flaw = fmt.Sprintf("Expected %s, received %s", e.want, answer.Words())
	case refused && !twice:
		if problems := schemas.Validate(schemas.Refusal, answer.Raw); len(problems) > 0 {
			e.flaw, e.ofBody = problems[0].String(), true
		}
	}
	if refused {
		e.detail = ", " + scenario.RefusalOf(answer)
	}
	return e, accepted
}

// newID checks that a code or an id was never used before.
func (p *lifecycleRun) newID(e *expectation, field, id string) {
	switch {
	case e.flaw != "":
	case id == "":
		p.act.ID = true
		e.flaw = fmt.Sprintf("%s: expected one, received none", field)
	case p.given[field+id]:
		p.act.ID = true
		e.flaw = fmt.Sprintf("%s: expected a new value, received %q again", field, id)
	}
	p.given[field+id] = true
}

func (p *lifecycleRun) reserveParty(step Step) {
	offer := p.offers[step.Slot]
	units, infants := parties[step.Party](offer.Option, p.state.Slots[step.Slot])
	party := model.Party{Infants: infants}
	for _, unit := range units {
		party.Guests += int64(unit.Quantity)
	}
	known := acceptedParty{offer.Key(), partyWords(units)}
	p.act.Guests = party.Guests
	want := p.state.WantReserve(step.Slot, party, p.accepted[known] && p.open[step.Slot])
	reported := p.addStep("reserve %s in slot %s, which is hold %d", partyWords(units), letter(step.Slot), len(p.holds)+1)
	made, stop := p.Book.Reserve(p.ctx, reported.Does, offer, units, true, probe.GoodKey)
	if p.stopAt(stop) {
		return
	}
	e, accepted := judgeStatus(made.Answer, want)
	if refused := made.Answer.HasStatus(http.StatusBadRequest); e.flaw != "" && !e.ofBody && (accepted || refused) { // others may have returned or taken the seats
		p.at, p.off = p.reads[step.Slot], -1
		if accepted {
			p.off = 1
		}
		p.took = scenario.Middle(made.Answer.Exchange).Sub(p.at.Last.Time())
	}
	if accepted {
		p.newID(&e, "reservationConfirmationCode", made.Code)
		p.accepted[known] = p.accepted[known] || e.flaw == ""
	}
	expires, _ := partnerapi.ParseDateTime(partner.Text(made.Answer, "expiresAt")) // an unreadable time is not waited for
	p.holds, p.ids, p.expires = append(p.holds, made), append(p.ids, ""), append(p.expires, expires)
	p.state.RecordReserve(len(p.holds)-1, step.Slot, party, accepted && made.IsHeld())
	p.act.Accepted = accepted
	p.record(reported, made.Answer, e)
	p.count(reported, step.Slot)
}

func (p *lifecycleRun) confirmOne(number int) {
	h, before := p.holds[number], p.state.Holds[number]
	if before.Stage == model.Held && p.stopAt(p.Book.MayBook(p.ctx)) {
		return
	}
	reported := p.addStep("confirm hold %d%s", number+1, before.DescribePast())
	answer, stop := p.Book.Confirm(p.ctx, reported.Does, h, true, probe.GoodKey)
	if p.stopAt(stop) {
		return
	}
	e, accepted := judgeStatus(answer, p.state.WantConfirm(number))
	id := partner.Text(answer, "externalBookingId")
	switch {
	case !accepted:
	case before.Stage == model.Booked && id != p.ids[number] && e.flaw == "":
		p.act.ID = true
		e.flaw = fmt.Sprintf("externalBookingId: expected the same booking, %q, received %q", p.ids[number], id)
	case before.Stage == model.Held:
		p.newID(&e, "externalBookingId", id)
		p.ids[number] = id
	}
	p.state.RecordConfirm(number, accepted, 0)
	p.record(reported, answer, e)
	p.count(reported, before.Slot)
}

func (p *lifecycleRun) releaseOne(number int) {
	reported := p.addStep("release hold %d%s", number+1, p.state.Holds[number].DescribePast())
	answer, stop := p.Book.Release(p.ctx, reported.Does, p.holds[number].Code, probe.GoodKey)
	if !p.stopAt(stop) {
		p.recordUndo(reported, answer, number, schemas.ReleaseAnswer, model.Held)
		p.state.RecordRelease(number)
		p.count(reported, p.state.Holds[number].Slot)
	}
}

func (p *lifecycleRun) cancelOne(number int) {
	reported := p.addStep("cancel the booking of hold %d%s", number+1, p.state.Holds[number].DescribePast())
	answer, stop := p.Book.Cancel(p.ctx, reported.Does, p.ids[number], probe.GoodKey)
	if !p.stopAt(stop) {
		p.recordUndo(reported, answer, number, schemas.CancelAnswer, model.Booked)
		p.state.Cancelled(number)
		p.count(reported, p.state.Holds[number].Slot)
	}
}

func (p *lifecycleRun) recordUndo(reported *report.LifecycleStep, answer *probe.Answer, number int, schema string, stage model.Stage) {
	e, _ := judgeStatus(answer, model.Want{Accept: true})
	e.succeeds(answer, schema, p.state.Holds[number].Stage == stage)
	p.Account.Settle(answer, p.holds[number])
	p.record(reported, answer, e)
}

// succeeds judges the body of the answer to a release or a cancellation. If the call undoes
// something, success must be true.
func (e *expectation) succeeds(answer *probe.Answer, schema string, undoes bool) {
	if e.flaw != "" {
		return
	}
	if problems := schemas.Validate(schema, answer.Raw); len(problems) > 0 {
		e.flaw, e.ofBody = problems[0].String(), true
	} else if undoes && discover.Object(answer.Raw)["success"] != true {
		e.flaw, e.ofBody = "success: expected true, received false", true
	}
}

// callUnknown makes a call about a hold or a booking that does not exist.
func (p *lifecycleRun) callUnknown(does model.Kind) {
	var answer *probe.Answer
	var stop *partner.Stop
	var reported *report.LifecycleStep
	want := model.Want{Accept: true}
	switch does {
	case ReleaseUnknown:
		reported = p.addStep("release an unknown code")
		answer, stop = p.Book.Release(p.ctx, reported.Does, p.Account.UnknownCode(), probe.GoodKey)
	case ConfirmUnknown:
		want = model.Want{Refuse: true}
		reported = p.addStep("confirm an unknown code")
		answer, stop = p.Book.Confirm(p.ctx, reported.Does, p.UnknownHold(), true, probe.GoodKey)
	case CancelUnknown:
		reported = p.addStep("cancel an unknown booking")
		answer, stop = p.Book.Cancel(p.ctx, reported.Does, p.Account.UnknownCode(), probe.GoodKey)
	}
	if !p.stopAt(stop) {
		e, _ := judgeStatus(answer, want)
		p.record(reported, answer, e)
	}
}
