package judge

import (
	"fmt"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
)

// cleanRounds is how often a race is run before the partner is believed: two
// calls do not meet every time.
const cleanRounds = 3

// together is the step that calls may be sent at the same time.
var together = once(scenario.PlayRecord, func(e scenario.Record) Finding {
	if e.Alone {
		return ends(report.Skipped, "calls at the same time were left out (--no-races)")
	}
	return Finding{}
})

// raceSpecs judge what calls at the same time come to: their answers are lawful where a
// partner that does one thing after another, in some order, could have given them.
func raceSpecs() []Spec {
	seats, bookings := with([]Step{together}, seatsHeld...), with([]Step{together}, cancelled...)
	return []Spec{
		spec(rule.ReserveRace, with(seats, tried(cleanRounds, scenario.PlayLastSeats, lastSeats))...),
		spec(rule.ReleaseRace, with(seats, tried(cleanRounds, scenario.PlayLastSeats, releasedTwice))...),
		spec(rule.ConfirmRace, with(bookings, tried(cleanRounds, scenario.PlayTwice, confirmedTwice))...),
		spec(rule.CancelRace, with(bookings, tried(cleanRounds, scenario.PlayTwice, cancelledTwice))...),
	}
}

// race is a round of a race that is judged: its calls between two readings.
type race struct {
	Try
	history       *model.History
	before, after *scenario.Reading
}

// raced begins a round with so many holds at those stages; nobody else is at the slot
// where it was calm.
func raced(before *scenario.Reading, answers []*probe.Answer, after *scenario.Reading, calm, holdless bool, holds ...model.Stage) *race {
	r := &race{before: before, after: after, history: model.NewHistory(before.Last.Left, holdless, holds...)}
	r.Disturbed, r.At, r.Took = !calm, after, after.First.At().Sub(before.Last.At())
	r.Shown = []*probe.Exchange{before.Last.Exchange}
	for _, answer := range answers {
		r.Shown = append(r.Shown, answer.Exchange)
	}
	r.Shown = append(r.Shown, after.First.Exchange)
	r.saw(before, before.Last)
	return r
}

func (r *race) add(call model.Call, outcome model.Outcome, exchange *probe.Exchange) {
	r.history.Add(call, outcome, exchange.StartedAt, exchange.Duration)
}

// saw enters a look at the slot, where seats are counted.
func (r *race) saw(read *scenario.Reading, look scenario.Look) {
	if read.Counted {
		r.add(model.Call{Kind: model.Look}, model.Outcome{Left: look.Left}, look.Exchange)
	}
}

// reserves enters reserves, whose holds are numbered from first on, and returns how
// many holds were won.
func (r *race) reserves(attempts scenario.Attempts, first int) (won int64) {
	for i, a := range attempts {
		if a.Won() {
			won++
		}
		r.add(model.Call{Kind: model.Reserve, Hold: first + i}, model.Outcome{Done: a.Won(), Busy: scenario.IsBusy(a.Answer)}, a.Answer.Exchange)
	}
	return won
}

// both enters two calls about the first hold.
func (r *race) both(kind model.Kind, answers []*probe.Answer) {
	for _, answer := range answers {
		r.add(model.Call{Kind: kind}, model.Outcome{Done: true}, answer.Exchange)
	}
}

// end enters the last reading, and has the flaw be the try's where nothing explains
// the history.
func (r *race) end(format string, args ...any) {
	r.saw(r.after, r.after.First)
	explained, err := r.history.Explained()
	if err != nil {
		r.Stop = scenario.Missing("%v", err)
	} else if !explained {
		r.Flaw, r.Picture = fmt.Sprintf(format, args...), r.history.Picture()
	}
}

// surely has a flaw be the try's that no other customer can be the reason of.
func (t Try) surely(flaw string) Try {
	t.Flaw, t.Sure = flaw, true
	return t
}

// lastSeats judges the race for the last seats: as many holds as seats.
func lastSeats(t *scenario.LastSeats) Try {
	if t.Full == nil {
		return unplayed(t.Stop)
	}
	r := raced(t.Scarce, t.Attempts.Answers(), t.Full, t.Calm, false)
	if flaw := attemptsFlaw(t.Attempts); flaw != "" {
		return r.surely(flaw)
	}
	won, left := r.reserves(t.Attempts, 0), t.Scarce.Last.Left
	r.end("%s left, %d guests reserved one each at the same time: want %s and 0 left then, got %s and %d left",
		model.SeatsWord(left), len(t.Attempts), holdsWord(min(left, int64(len(t.Attempts)))), holdsWord(won), t.Full.First.Left)
	return r.Try
}

// releasedTwice judges the race for the seat of a hold that is released twice: it
// goes to one guest at most.
func releasedTwice(t *scenario.LastSeats) Try {
	if t.Swapped == nil {
		return unplayed(t.Stop)
	}
	r := raced(t.Full, slices.Concat(t.Releases, t.Swaps.Answers()), t.Swapped, t.Calm && t.CalmSwaps, false, model.Held)
	r.Shown = append(r.Shown, t.Look.Last.Exchange)
	flaw := bothDone(t.Releases)
	if flaw == "" {
		flaw = attemptsFlaw(t.Swaps)
	}
	if flaw != "" {
		return r.surely(flaw)
	}
	won := r.reserves(t.Swaps, 1)
	r.both(model.Release, t.Releases)
	r.saw(t.Look, t.Look.Last)
	r.end("%s left, a hold for 1 guest was released twice while %d others reserved: want 1 seat back, got %s and %d left then",
		model.SeatsWord(t.Full.Last.Left), len(t.Swaps), holdsWord(won), t.Swapped.First.Left)
	return r.Try
}

// confirmedTwice judges two confirms at the same time: one booking, and the seats
// of one.
func confirmedTwice(b *scenario.Twice) Try {
	if b.Confirmed == nil {
		return unplayed(b.Stop)
	}
	r := raced(b.Ready, b.Confirms, b.Confirmed, b.CalmConfirms, b.Traits.Holdless, model.Held)
	r.Shown = append(b.Reserve(), r.Shown...)
	var ids []string
	for _, answer := range b.Confirms {
		o := model.Outcome{Done: answer.OK(http.StatusOK)}
		if o.Done {
			id := scenario.Text(answer, "externalBookingId")
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			o.Booking = slices.Index(ids, id) + 1
		}
		r.add(model.Call{Kind: model.Confirm}, o, answer.Exchange)
	}
	want := b.Ready.Last.Left
	if b.Traits.Holdless {
		want--
	}
	r.end("%s left, a hold for 1 guest was confirmed twice: want %d left then, got %d", model.SeatsWord(b.Ready.Last.Left), want, b.Confirmed.First.Left)
	if len(ids) != 1 || ids[0] == "" {
		return r.surely(fmt.Sprintf("want one booking, got %d: the confirms were answered with %s and %s", len(ids), booking(b.Confirms[0]), booking(b.Confirms[1])))
	}
	return r.Try
}

// cancelledTwice judges two cancellations at the same time: the seats are back once.
func cancelledTwice(b *scenario.Twice) Try {
	if b.Cancelled == nil {
		return unplayed(b.Stop)
	}
	r := raced(b.Confirmed, b.Cancels, b.Cancelled, b.CalmConfirms && b.CalmCancels, false, model.Booked)
	if flaw := bothDone(b.Cancels); flaw != "" {
		return r.surely(flaw)
	}
	r.both(model.Cancel, b.Cancels)
	left := b.Confirmed.Last.Left
	r.end("%s left, a booking for 1 guest was cancelled twice: want %d left then, got %d", model.SeatsWord(left), left+1, b.Cancelled.First.Left)
	return r.Try
}

// attemptsFlaw says what is wrong with the answers to reserves, each by itself and
// beside the others, or "".
func attemptsFlaw(attempts scenario.Attempts) string {
	codes := map[string]bool{}
	for _, a := range attempts {
		switch {
		case a.Won() && codes[a.Code]:
			return fmt.Sprintf("want a code of its own for each hold, got %q twice", a.Code)
		case a.Won():
			codes[a.Code] = true
		case scenario.IsBusy(a.Answer):
		case !a.Answer.OK(http.StatusBadRequest):
			return "want a hold, or a refusal with 400, of each guest who reserves at the same time, got " + a.Answer.Words()
		default:
			if problems := schemas.Validate(schemas.Refusal, a.Answer.Raw); len(problems) > 0 {
				return problems[0].String()
			}
		}
	}
	return ""
}

// bothDone says which of the calls that are to be answered with 200 each was not,
// or "".
func bothDone(answers []*probe.Answer) string {
	for _, answer := range answers {
		if !answer.OK(http.StatusOK) {
			return "want 200 for both calls at the same time, got " + answer.Words()
		}
	}
	return ""
}

func booking(answer *probe.Answer) string {
	if answer.OK(http.StatusOK) {
		return fmt.Sprintf("booking %q", scenario.Text(answer, "externalBookingId"))
	}
	return answer.Words()
}

func holdsWord(n int64) string {
	if n == 1 {
		return "1 hold"
	}
	return fmt.Sprintf("%d holds", n)
}
