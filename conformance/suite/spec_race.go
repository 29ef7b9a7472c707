package suite

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
)

// describeRaces judges what calls at the same time come to, once everything is
// known of calls one after another.
func (s *session) describeRaces() {
	s.judgeRace(rule.ReserveRace, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.race(ctx, func(attempt int) try { return s.lastSeats(ctx, attempt).bidRound() })
	})
	s.judgeRace(rule.ReleaseRace, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.race(ctx, func(attempt int) try { return s.lastSeats(ctx, attempt).releaseRound() })
	})
	s.judgeRace(rule.ConfirmRace, func(ctx context.Context, c *check) {
		c.cancelled(ctx)
		c.race(ctx, func(attempt int) try { return s.twice(ctx, attempt).confirmRound(s.holdless) })
	})
	s.judgeRace(rule.CancelRace, func(ctx context.Context, c *check) {
		c.cancelled(ctx)
		c.race(ctx, func(attempt int) try { return s.twice(ctx, attempt).cancelRound() })
	})
}

// judgeRace adds the spec of a rule about calls at the same time, unless the
// partner is to be spared them.
func (s *session) judgeRace(r rule.Rule, body func(ctx context.Context, c *check)) {
	s.judge(r, func(ctx context.Context, c *check) {
		if s.config.NoRaces {
			c.skipped("calls at the same time were left out (--no-races)")
		}
		body(ctx, c)
	})
}

// bidRound judges the race for the last seats: as many holds as seats.
func (t *lastSeatsStory) bidRound() try {
	if t.full == nil {
		return unplayed(t.stopped)
	}
	r := raced(t.scarce, bidAnswers(t.bids), t.full, t.bidding)
	if r.flaw = bidFlaw(t.bids); r.flaw != "" {
		r.sure = true
		return r
	}
	h := history{start: seatState{left: t.scarce.Left}}
	h.saw(t.scarce, t.scarce.last())
	won := h.bid(t.bids, 0)
	h.saw(t.full, t.full.first)
	r.judge(h, fmt.Sprintf("%s left, %d guests reserved one each at the same time: want %s and 0 left then, got %s and %d left",
		seatsWord(t.scarce.Left), len(t.bids), holdsWord(min(t.scarce.Left, int64(len(t.bids)))), holdsWord(won), t.full.first.left))
	return r
}

// releaseRound judges the race for the seat of a hold that is released twice: it
// goes to one guest at most.
func (t *lastSeatsStory) releaseRound() try {
	if t.swapped == nil {
		return unplayed(t.stopped)
	}
	r := raced(t.full, slices.Concat(t.releases, bidAnswers(t.swaps)), t.swapped, t.bidding && t.swapping)
	r.shown = append(r.shown, t.look.exchange)
	if r.flaw = refused(t.releases); r.flaw == "" {
		r.flaw = bidFlaw(t.swaps)
	}
	if r.flaw != "" {
		r.sure = true
		return r
	}
	h := history{start: seatState{left: t.full.Left}}
	h.start.holds[0] = held
	h.saw(t.full, t.full.last())
	won := h.bid(t.swaps, 1)
	for _, answer := range t.releases {
		h.add(act{deed: releases}, outcome{done: true}, answer.Exchange)
	}
	h.saw(t.look, t.look.last())
	h.saw(t.swapped, t.swapped.first)
	r.judge(h, fmt.Sprintf("%s left, a hold for 1 guest was released twice while %d others reserved: want 1 seat back, got %s and %d left then",
		seatsWord(t.full.Left), len(t.swaps), holdsWord(won), t.swapped.first.left))
	return r
}

// confirmRound judges two confirms at the same time: one booking, and the seats
// of one.
func (b *twiceStory) confirmRound(holdless bool) try {
	if b.confirmed == nil {
		return unplayed(b.stopped)
	}
	r := raced(b.ready, b.confirms, b.confirmed, b.confirming)
	r.shown = append(b.reserveCall(), r.shown...)
	var ids []string
	h := history{start: seatState{left: b.ready.Left, holdless: holdless}}
	h.start.holds[0] = held
	h.saw(b.ready, b.ready.last())
	for _, answer := range b.confirms {
		o := outcome{done: answer.OK(http.StatusOK)}
		if o.done {
			id := readObject(answer.Raw).text("externalBookingId")
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			o.booking = slices.Index(ids, id) + 1
		}
		h.add(act{deed: confirms}, o, answer.Exchange)
	}
	h.saw(b.confirmed, b.confirmed.first)
	want := b.ready.Left
	if holdless {
		want--
	}
	r.judge(h, fmt.Sprintf("%s left, a hold for 1 guest was confirmed twice: want %d left then, got %d", seatsWord(b.ready.Left), want, b.confirmed.first.left))
	if len(ids) != 1 || ids[0] == "" {
		r.flaw, r.sure = fmt.Sprintf("want one booking, got %d: the confirms were answered with %s and %s", len(ids), booking(b.confirms[0]), booking(b.confirms[1])), true
	}
	return r
}

// cancelRound judges two cancellations at the same time: the seats are back once.
func (b *twiceStory) cancelRound() try {
	if b.cancelled == nil {
		return unplayed(b.stopped)
	}
	r := raced(b.confirmed, b.cancels, b.cancelled, b.confirming && b.cancelling)
	if r.flaw = refused(b.cancels); r.flaw != "" {
		r.sure = true
		return r
	}
	h := history{start: seatState{left: b.confirmed.Left}}
	h.start.holds[0] = booked
	h.saw(b.confirmed, b.confirmed.last())
	for _, answer := range b.cancels {
		h.add(act{deed: cancels}, outcome{done: true}, answer.Exchange)
	}
	h.saw(b.cancelled, b.cancelled.first)
	r.judge(h, fmt.Sprintf("%s left, a booking for 1 guest was cancelled twice: want %d left then, got %d",
		seatsWord(b.confirmed.Left), b.confirmed.Left+1, b.cancelled.first.left))
	return r
}

// judge has flaw be the try's where nothing explains its history.
func (r *try) judge(h history, flaw string) {
	explained, o := h.explained()
	if r.stopped = o; o == nil && !explained {
		r.flaw, r.picture = flaw, h.picture()
	}
}

// bid enters reserves, whose holds are numbered from first on, and returns how
// many holds were won.
func (h *history) bid(bids []bid, first int) (won int64) {
	for i, b := range bids {
		if b.won() {
			won++
		}
		h.add(act{reserves, first + i}, outcome{done: b.won(), busy: isBusy(b.answer)}, b.answer.Exchange)
	}
	return won
}

// bidFlaw says what is wrong with the answers to reserves, each by itself and
// beside the others, or "".
func bidFlaw(bids []bid) string {
	codes := map[string]bool{}
	for _, b := range bids {
		switch {
		case b.won() && codes[b.code]:
			return fmt.Sprintf("want a code of its own for each hold, got %q twice", b.code)
		case b.won():
			codes[b.code] = true
		case isBusy(b.answer):
		case !b.answer.OK(http.StatusBadRequest):
			return "want a hold, or a refusal with 400, of each guest who reserves at the same time, got " + got(b.answer)
		default:
			if problems := schemas.Validate(schemas.Refusal, b.answer.Raw); len(problems) > 0 {
				return problems[0].String()
			}
		}
	}
	return ""
}

// refused says which of the calls that are to be answered with 200 each was not,
// or "".
func refused(answers []*probe.Answer) string {
	for _, answer := range answers {
		if !answer.OK(http.StatusOK) {
			return "want 200 for both calls at the same time, got " + got(answer)
		}
	}
	return ""
}

// booking says what a confirm brought.
func booking(answer *probe.Answer) string {
	if answer.OK(http.StatusOK) {
		return fmt.Sprintf("booking %q", readObject(answer.Raw).text("externalBookingId"))
	}
	return got(answer)
}

// raced is a round of a race, to be judged: its calls between two readings, with
// nobody else at the slot where it was calm.
func raced(before *reading, answers []*probe.Answer, after *reading, calm bool) try {
	return try{
		disturbed: !calm, at: after, took: middle(after.first.exchange).Sub(middle(before.exchange)),
		shown: slices.Concat([]*probe.Exchange{before.exchange}, sent(answers...), []*probe.Exchange{after.first.exchange}),
	}
}

func bidAnswers(bids []bid) []*probe.Answer {
	answers := make([]*probe.Answer, len(bids))
	for i, b := range bids {
		answers[i] = b.answer
	}
	return answers
}

// holdsWord says a number of holds in words.
func holdsWord(n int64) string {
	if n == 1 {
		return "1 hold"
	}
	return fmt.Sprintf("%d holds", n)
}
