package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
)

// The number of rounds of each race at the standard depth. 10 tries miss a breach that shows in 1 of 3 tries in 2 %
// of runs. The 100 of a thorough run miss one that shows in 1 of 20 in 0.6 %.
const (
	manyRounds, minManyRounds = 13, 3 // 10 of them are two confirms
	someRounds, minSomeRounds = 4, 1
)

// raceSpecs returns the specs that judge concurrent calls. Their answers are lawful if a partner
// that handles one call at a time, in some order, could have given them.
func raceSpecs() []Spec {
	seats, bookings := appendSteps([]Step{together}, seatsHeld...), appendSteps([]Step{together}, cancelled...)
	return []Spec{
		spec(rule.ReserveRace, appendSteps(seats, raceStep(manyRounds, minManyRounds, scenario.SeatRaceShare, scenario.PlayLastSeats, lastSeats), raceStep(someRounds, minSomeRounds, scenario.SeatRaceShare, scenario.PlayApart, judgeApart), twoCustomers(rule.ReserveRace, scenario.SeatRaceShare))...),
		spec(rule.ReleaseRace, appendSteps(seats, raceStep(manyRounds, minManyRounds, scenario.SeatRaceShare, scenario.PlayLastSeats, releasedTwice), twoCustomers(rule.ReleaseRace, scenario.SeatRaceShare))...),
		spec(rule.ConfirmRace, appendSteps(bookings, raceStep(manyRounds, minManyRounds, scenario.BookingRaceShare, scenario.PlayTwice, confirmedTwice), twoCustomers(rule.ConfirmRace, scenario.BookingRaceShare))...),
		spec(rule.CancelRace, appendSteps(bookings, raceStep(manyRounds, minManyRounds, scenario.BookingRaceShare, scenario.PlayTwice, cancelledTwice))...),
	}
}

// IsRace reports whether a rule is about concurrent calls.
func IsRace(of rule.Rule) bool {
	return slices.ContainsFunc(raceSpecs(), func(s Spec) bool { return s.Rule.ID == of.ID })
}

// race is one judged round of a race: its calls between two readings.
type race struct {
	Try
	history       *model.History
	before, after *scenario.Reading
}

// newRound starts a round with the given holds.
func newRound(of string, before *scenario.Reading, answers []*probe.Answer, after *scenario.Reading, holdless bool, holds ...model.Hold) *race {
	left := model.Seats{Counted: before.Counted, Least: before.Last.Left}
	r := &race{before: before, after: after, history: model.NewHistory(left, holdless, holds...)}
	r.Of, r.At, r.Took = of, after, after.First.Time().Sub(before.Last.Time())
	r.Disturbed = !before.IsStable() || !after.IsStable()
	r.Shown = []*report.Exchange{before.Last.Exchange}
	for _, answer := range answers {
		r.Shown = append(r.Shown, answer.Exchange)
	}
	r.Shown = append(r.Shown, after.First.Exchange)
	r.saw(before, before.Last)
	return r
}

func holdOf(guests int64, stage model.Stage) model.Hold {
	return model.Hold{Party: model.Party{Guests: guests}, Stage: stage}
}

func (r *race) add(call model.Call, outcome model.Outcome, exchange *report.Exchange) {
	r.history.Add(call, outcome, exchange.StartedAt, exchange.Duration)
}

// saw adds a look at the slot to the history, if its seats are counted.
func (r *race) saw(read *scenario.Reading, look scenario.Look) {
	if read.Counted {
		r.add(model.Call{Kind: model.Look}, model.Outcome{Left: look.Left}, look.Exchange)
	}
}

// reserves adds reserves to the history. Their holds are numbered from first. It returns how many holds were won.
func (r *race) reserves(attempts scenario.Attempts, first int) (won int64) {
	for i, a := range attempts {
		if a.WasWon() {
			won++
		}
		r.add(model.Call{Kind: model.Reserve, Hold: first + i, Guests: a.Guests}, model.Outcome{Done: a.WasWon(), Busy: partner.IsBusy(a.Answer)}, a.Answer.Exchange)
	}
	return won
}

// addAccepted adds calls about the first hold that are always accepted.
func (r *race) addAccepted(kind model.Kind, answers ...*probe.Answer) {
	for _, answer := range answers {
		r.add(model.Call{Kind: kind}, model.Outcome{Done: true}, answer.Exchange)
	}
}

// end adds the last reading, where this number of seats was expected. If no order of the calls
// explains the history, it sets the flaw of the try, which is off by too many or too few seats: how
// many are lost differs from round to round. A slot that had seats to count may be answered without them (AVL-14): then there is nothing to
// explain.
func (r *race) end(expected int64, format string, args ...any) {
	if offer := r.before.Offer; offer.Slot.Seats(offer.Product).Counted && !(r.before.Counted && r.after.Counted) {
		r.Stop = partner.NotHere("the slot was answered without its vacancies")
		return
	}
	r.saw(r.after, r.after.First)
	explained, err := r.history.IsLinearizable()
	if err != nil {
		r.Stop = partner.NewStop("%v", err)
	} else if !explained {
		if r.Off = int64(cmp.Compare(r.after.First.Left, expected)); r.Off > 0 {
			r.Suspects = append(r.Suspects, rule.ReserveKeptUntilExpiry)
		}
		r.Flaw, r.Picture = fmt.Sprintf(format, args...), r.history.Picture()
	}
}

// withCertainFlaw sets a flaw that other customers cannot have caused. cause is the rule about it; nil: the race.
func (t Try) withCertainFlaw(flaw string, cause *rule.Rule) Try {
	t.Flaw, t.Cause, t.Sure = flaw, cause, true
	return t
}

// smallParty is the number of guests that no partner may refuse for being too many.
const smallParty = 2

// lastSeats judges the race for the last seats: there must be as many holds as seats.
func lastSeats(t *scenario.LastSeats) Try {
	if t.Full == nil {
		return stoppedTry(t.Stop)
	}
	r := newRound("reserves of the last seats", t.Scarce, t.Attempts.Answers(), t.Full, false)
	if flaw, of := reservesFlaw(t.Attempts); flaw != "" {
		return r.withCertainFlaw(flaw, of)
	}
	won, left := r.reserves(t.Attempts, 0), t.Scarce.Last.Left
	held := min(left/t.Party, int64(len(t.Attempts)))
	r.end(left-won*t.Party, "%s left, %d customers reserved %s each at the same time: expected %s and %d left, received %s and %d left",
		model.SeatsWord(left), len(t.Attempts), model.SeatsWord(t.Party), holdsWord(held), left-held*t.Party, holdsWord(won), t.Full.First.Left)
	r.Sure = r.Flaw != "" && t.MoreThanTheSlotHas(won*t.Party)
	if r.Flaw == "" && won == 0 && held > 0 && t.Party <= smallParty && t.Full.First.Left >= t.Party {
		of := refusedSeats(t.Opened)
		r.Flaw, r.Cause = fmt.Sprintf("Expected a hold for %s, with %s left; received only refusals", guestsWord(t.Party), model.SeatsWord(left)), &of
	}
	return r.Try
}

// releasedTwice judges the race for the seats of a hold that is released twice: each seat may go to
// only one guest.
func releasedTwice(t *scenario.LastSeats) Try {
	switch {
	case t.Releases == nil && t.Full != nil && t.Stop == nil:
		return Try{Skip: true}
	case t.Swapped == nil:
		return stoppedTry(t.Stop)
	}
	r := newRound("two releases of a hold, while others reserve", t.Full, slices.Concat(t.Releases, t.Swaps.Answers()), t.Swapped, false, holdOf(t.Party, model.Held))
	r.Shown = append(r.Shown, t.Look.Last.Exchange)
	flaw, of := repeatsFlaw(model.Released, model.Release, t.Releases...)
	if flaw == "" {
		flaw, of = reservesFlaw(t.Swaps)
	}
	if flaw != "" {
		return r.withCertainFlaw(flaw, of)
	}
	won := r.reserves(t.Swaps, 1)
	r.addAccepted(model.Release, t.Releases...)
	r.saw(t.Look, t.Look.Last)
	r.end(t.Full.Last.Left+t.Party-t.Swaps.WonSeats(), "%s left, a hold for %s was released twice while %d others reserved: expected %s back, received %s and %d left",
		model.SeatsWord(t.Full.Last.Left), guestsWord(t.Party), len(t.Swaps), model.SeatsWord(t.Party), holdsWord(won), t.Swapped.First.Left)
	return r.Try
}

// judgeApart judges concurrent reserves of two slots: each takes a seat of its own slot only.
func judgeApart(a *scenario.Apart) Try {
	switch {
	case a.OtherAfter == nil:
		return stoppedTry(a.Stop)
	case a.Together: // each hold lawfully takes seats of both
		return Try{Skip: true}
	}
	const of = "reserves of two slots, while the catalog and availability are read"
	if flaw, cause := reservesFlaw(a.Guests); flaw != "" {
		return newRound(of, a.Before, a.Guests.Answers(), a.After, false).withCertainFlaw(flaw, cause)
	}
	var last Try
	for i, read := range [][2]*scenario.Reading{{a.Before, a.After}, {a.OtherBefore, a.OtherAfter}} {
		r := newRound(of, read[0], a.Guests.Answers(), read[1], false)
		r.reserves(a.Guests[i:i+1], 0)
		expected := read[0].Last.Left - a.Guests[i:i+1].WonSeats()
		r.end(expected, "%s left, %s reserved while another slot was reserved: expected %d left, received %d",
			model.SeatsWord(read[0].Last.Left), plural.Count(int(a.Guests[i].Guests), "seat was", "seats were"), expected, read[1].First.Left)
		if last = r.Try; last.Flaw != "" {
			break
		}
	}
	return last
}

// confirmedTwice judges two concurrent calls about a hold, at least one of them a confirm. The
// result must be one booking with its seats, or a released hold.
func confirmedTwice(b *scenario.Twice) Try {
	if b.Confirmed == nil {
		return stoppedTry(b.Stop)
	}
	of, answers := "two confirms of a hold", b.Confirms
	if b.Release != nil {
		of, answers = "a confirm and a release of a hold", append(slices.Clone(answers), b.Release)
	}
	r := newRound(of, b.Held, answers, b.Confirmed, b.TakesLater(), holdOf(b.Opening.Guests, model.Held))
	r.Shown = append(b.Reserve(), r.Shown...)
	var ids []string
	for _, answer := range b.Confirms {
		o := model.Outcome{Done: answer.HasStatus(http.StatusOK)}
		if o.Done {
			id := partner.Text(answer, "externalBookingId")
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			o.Booking = slices.Index(ids, id) + 1
		}
		r.add(model.Call{Kind: model.Confirm}, o, answer.Exchange)
	}
	party, left, taken := b.Opening.Guests, b.Held.Last.Left, int64(0)
	if b.TakesLater() {
		taken = party
	}
	if b.Release != nil {
		if flaw, of := repeatsFlaw(model.Booked, model.Release, b.Release); flaw != "" {
			return r.withCertainFlaw(flaw, of)
		}
		r.addAccepted(model.Release, b.Release)
		r.Suspects = []rule.Rule{rule.ReleaseRace, rule.ReleaseVacanciesOne, rule.ReleaseConfirmedKeeps}
		booked, expected := len(ids) > 0, left+party
		if b.TakesLater() {
			expected = left
		}
		if booked {
			expected = left - taken
		}
		r.end(expected, "%s left, a hold for %s was confirmed and released at the same time, and the confirm was answered with %s: expected %d left, received %d",
			model.SeatsWord(left), guestsWord(party), bookingWords(b.Confirms[0]), expected, b.Confirmed.First.Left)
		return r.Try
	}
	r.end(left-taken, "%s left, a hold for %s was confirmed twice at the same time: expected %d left, received %d", model.SeatsWord(left), guestsWord(party), left-taken, b.Confirmed.First.Left)
	if len(ids) != 1 || ids[0] == "" {
		return r.withCertainFlaw(fmt.Sprintf("expected one booking, received %d: the two confirms were answered with %s and %s", len(ids), bookingWords(b.Confirms[0]), bookingWords(b.Confirms[1])), nil)
	}
	return r.Try
}

// cancelledTwice judges two concurrent cancellations, possibly with a confirm or a reserve: the
// seats must be returned once.
func cancelledTwice(b *scenario.Twice) Try {
	switch {
	case b.Release != nil && b.Cancelled == nil && b.Stop == nil:
		return Try{Skip: true}
	case b.Cancelled == nil:
		return stoppedTry(b.Stop)
	}
	answers := slices.Concat(b.Cancels, b.Guests.Answers())
	if b.Again != nil {
		answers = append(answers, b.Again)
	}
	const of = "two cancellations of a booking, alone, while its code is confirmed again, and while another customer reserves"
	r := newRound(of, b.Confirmed, answers, b.Cancelled, false, holdOf(b.Opening.Guests, model.Booked))
	flaw, cause := repeatsFlaw(model.Cancelled, model.Cancel, b.Cancels...)
	if flaw == "" {
		flaw, cause = reservesFlaw(b.Guests)
	}
	if flaw != "" {
		return r.withCertainFlaw(flaw, cause)
	}
	if id := b.Hold.BookingID(); b.Again != nil && b.Again.HasStatus(http.StatusOK) && partner.Text(b.Again, "externalBookingId") != id {
		return r.withCertainFlaw(fmt.Sprintf("a booked code was confirmed again while its booking was cancelled: expected booking %q or a refusal, received %s", id, bookingWords(b.Again)), nil)
	}
	r.addAccepted(model.Cancel, b.Cancels...)
	if len(b.Guests) > 0 {
		r.Suspects = []rule.Rule{rule.ReserveRace}
	}
	won, taken := int64(0), int64(0)
	if !b.TakesLater() {
		won, taken = r.reserves(b.Guests, 1), b.Guests.WonSeats()
	}
	if b.Again != nil {
		r.add(model.Call{Kind: model.Confirm}, model.Outcome{Done: b.Again.HasStatus(http.StatusOK)}, b.Again.Exchange)
	}
	party, left := b.Opening.Guests, b.Confirmed.Last.Left
	r.end(left+party-taken, "%s left, a booking for %s was cancelled twice at the same time, while %s made: expected %d left, received %d",
		model.SeatsWord(left), guestsWord(party), countHolds(won), left+party-taken, b.Cancelled.First.Left)
	return r.Try
}

func guestsWord(n int64) string { return plural.Count(int(n), "guest") }

func countHolds(holds int64) string { return plural.Count(int(holds), "hold was", "holds were") }

// reservesFlaw judges the answers to reserves at the same time, each by itself and their codes together.
func reservesFlaw(attempts scenario.Attempts) (flaw string, of *rule.Rule) {
	l := NewLifecycle(Given{}, nil, nil)
	l.Open([]model.Seats{{}})
	for i, a := range attempts {
		if j := l.Take(trace.Act{Does: model.Reserve, Hold: i, Party: model.Party{Guests: 1}, Answer: a.Answer}); j.Flaw != "" && !partner.IsBusy(a.Answer) {
			return "reserves at the same time: " + j.Flaw, &j.Rule
		}
	}
	return "", nil
}

// repeatsFlaw judges the answers to the same call about a hold at a stage, made at the same time.
func repeatsFlaw(at model.Stage, does model.Kind, answers ...*probe.Answer) (flaw string, of *rule.Rule) {
	l := NewLifecycle(Given{}, nil, nil)
	l.Open([]model.Seats{{}})
	l.Adopt(at)
	for _, answer := range answers {
		if j := l.Take(trace.Act{Does: does, Answer: answer}); j.Flaw != "" {
			return "calls at the same time: " + j.Flaw, &j.Rule
		}
	}
	return "", nil
}

func bookingWords(answer *probe.Answer) string {
	if answer.HasStatus(http.StatusOK) {
		return fmt.Sprintf("booking %q", partner.Text(answer, "externalBookingId"))
	}
	return answer.Words()
}

func holdsWord(n int64) string { return plural.Count(int(n), "hold") }
