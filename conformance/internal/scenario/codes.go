package scenario

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// CodeTry is a call with a code or booking id that is similar to a live one.
type CodeTry struct {
	plan.NearCode
	Strange bool // it is like no live one
	Answer  *probe.Answer
}

// CodeTries contains the tries of one call.
type CodeTries []CodeTry

// Instances returns the form of each code that was tried.
func (all CodeTries) Instances() (seen []plan.Instance) {
	for _, try := range all {
		seen = append(seen, plan.Instance{plan.CodeForm: try.Form})
	}
	return seen
}

// NearCodes contains calls with codes and ids similar to those of a live hold and its booking. The
// partner knows none of them.
type NearCodes struct {
	Opening
	Tries CodeTries
}

// add adds the calls that were made with such codes.
func (n *NearCodes) add(tries CodeTries, stop *partner.Stop) *partner.Stop {
	n.addCodes(tries)
	n.Tries = append(n.Tries, tries...)
	return stop
}

// PlayNearCodes makes a hold and a booking, and calls the partner with codes similar to theirs.
func PlayNearCodes(ctx context.Context, p *Player, attempt int) *NearCodes {
	return p.nearCodes(ctx, "near codes", "", attempt)
}

// PlayNearCodesIn plays NearCodes in an option. It returns nil when there is no time for it, or no slot.
func PlayNearCodesIn(ctx context.Context, p *Player, optionKey string, attempt int) *NearCodes {
	name := "near codes " + optionKey
	if p.isLateFor(name) {
		return nil
	}
	n := p.nearCodes(ctx, name, optionKey, attempt)
	if attempt == 0 && n.Tries == nil && n.Stop.OnlyMissing() {
		return nil
	}
	return n
}

// nearCodes plays NearCodes in an option, or in any if optionKey is empty: then codes that are like no live
// one are tried too.
func (p *Player) nearCodes(ctx context.Context, name, optionKey string, attempt int) *NearCodes {
	first, share := PlayBooking(ctx, p, 0), codeShare
	if optionKey != "" {
		share /= float64(p.Depth.Products())
	}
	return playOnce(p, name, attempt, func(n *NearCodes, option string) {
		option = cmp.Or(optionKey, option)
		t := p.begin(ctx, &n.Opening, seat("reserve 1 seat, to try codes near its own", option))
		t.step(func() *partner.Stop {
			unknown := p.Account.UnknownHold(n.Offer)
			return n.add(p.codeTrial(partnerapi.Confirm, share, optionKey == "", n.Hold.Code, func(purpose string, code string) (*probe.Answer, *partner.Stop) {
				unknown.Code = code
				return p.Book.Confirm(ctx, purpose, unknown, true, probe.GoodKey)
			}).run(ctx))
		})
		t.step(func() *partner.Stop {
			return n.add(p.codeTrial(partnerapi.Release, share, optionKey == "", n.Hold.Code, func(purpose string, code string) (*probe.Answer, *partner.Stop) {
				return p.Book.Release(ctx, purpose, code, probe.GoodKey)
			}).run(ctx))
		})
		t.countAfter("after releases of codes near its own")
		if p.Book.traits.NoCancel {
			t.give("release the hold", true, "")
			t.step(func() *partner.Stop { return partner.StopOrDefault(first.Stop) })
		}
		t.book("confirm the hold", true, "after confirm")
		t.step(func() *partner.Stop { return n.tryBookingID(ctx, p) })
		t.countAfter("after a confirm and a release of the booking id")
		t.step(func() *partner.Stop {
			cancel := func(purpose string, id string) (*probe.Answer, *partner.Stop) {
				return p.Book.Cancel(ctx, purpose, id, probe.GoodKey)
			}
			stop := n.add(p.codeTrial(partnerapi.Cancel, share, optionKey == "", n.BookingID(), cancel).run(ctx))
			if stop != nil || n.Hold.Code == n.BookingID() {
				return stop
			}
			answer, stop := cancel("cancel by the reservation code", n.Hold.Code)
			return n.addCrossed("that is its reservation code", answer, stop)
		})
		t.countAfter("after cancellations of ids near its own")
		t.undo("cancel the booking", true, "after the cancellation")
	})
}

// tryBookingID confirms and releases the booking id, which is no reservation code.
func (n *NearCodes) tryBookingID(ctx context.Context, p *Player) *partner.Stop {
	id := n.BookingID()
	if id == n.Hold.Code || p.Calls.Affordable(partnerapi.Confirm, codeShare) == 0 {
		return nil
	}
	unknown := p.Account.UnknownHold(n.Offer)
	unknown.Code = id
	const form = "replaced by its booking id"
	answer, stop := p.Book.Confirm(ctx, "confirm the booking id in place of the code", unknown, true, probe.GoodKey)
	if stop = n.addCrossed(form, answer, stop); stop != nil || partner.IsBusy(answer) {
		return stop
	}
	answer, stop = p.Book.Release(ctx, "release the booking id in place of the code", id, probe.GoodKey)
	return n.addCrossed(form, answer, stop)
}

// addCrossed adds a call with a code in place of an id, or an id in place of a code.
func (n *NearCodes) addCrossed(form string, answer *probe.Answer, stop *partner.Stop) *partner.Stop {
	if stop != nil {
		return stop
	}
	return n.add(CodeTries{{NearCode: plan.NearCode{Form: form}, Answer: answer}}, nil)
}

// codeShare is the share of the run's time for the calls to one endpoint with unknown codes.
const codeShare = 0.03

// codeTrial makes calls to one endpoint with codes similar to a live one. Further codes of the
// partner show whether its codes are sequential.
type codeTrial struct {
	*partner.Caller
	endpoint partnerapi.Endpoint
	share    float64 // of the run's time
	strange  bool    // codes that are like no live one are tried too
	live     string
	others   []string
	random   *rand.Rand
	call     func(purpose, code string) (*probe.Answer, *partner.Stop)
}

// NearCode returns the nth of the codes, or booking ids, that are similar to a live one.
func (p *Player) NearCode(endpoint partnerapi.Endpoint, live string, nth int) plan.NearCode {
	c := p.codeTrial(endpoint, 0, false, live, nil)
	near := plan.NearCodes(live, c.others, c.random)
	return near[nth%len(near)]
}

// codeTrial returns a trial that knows the codes, or the booking ids, of the run.
func (p *Player) codeTrial(endpoint partnerapi.Endpoint, share float64, strange bool, live string, call func(purpose, code string) (*probe.Answer, *partner.Stop)) codeTrial {
	c := codeTrial{Caller: p.Calls, endpoint: endpoint, share: share, strange: strange, live: live, random: rand.New(rand.NewPCG(p.Seed, uint64(len(live)))), call: call}
	for _, entry := range p.Ledger.Entries() {
		known := entry.Code
		if endpoint == partnerapi.Cancel {
			known = entry.BookingID
		}
		if known != "" && known != live {
			c.others = append(c.others, known)
		}
	}
	return c
}

// run makes a call with each code, as many as the run has time for. It stops when the partner
// answers 429.
func (c codeTrial) run(ctx context.Context) (tried CodeTries, stop *partner.Stop) {
	near := plan.NearCodes(c.live, c.others, c.random)
	all := near[:len(near):len(near)]
	if c.strange {
		all = append(all, plan.StrangeCodes(c.random)...)
	}
	for i, code := range all[:min(len(all), c.Affordable(c.endpoint, c.share))] {
		if ctx.Err() != nil {
			return tried, c.Time.StopCause()
		}
		try, purpose := CodeTry{NearCode: code, Strange: i >= len(near)}, " of a code near a live one: "
		if try.Strange {
			purpose = " of an unknown code: "
		}
		if try.Answer, stop = c.call(string(c.endpoint)+purpose+code.Form, code.Code); stop != nil || partner.IsBusy(try.Answer) {
			return tried, stop
		}
		tried = append(tried, try)
		if c.endpoint == partnerapi.Confirm && try.Answer.HasStatus(http.StatusOK) {
			return tried, partner.NewStop("a code near the live one was confirmed")
		}
	}
	return tried, nil
}

// Instances returns the form of each code that was tried.
func (n *NearCodes) Instances() []plan.Instance { return n.Tries.Instances() }

// PlayUnknownConfirm confirms a code that the partner never returned, repeatedly.
func PlayUnknownConfirm(ctx context.Context, p *Player, _ int) *RepeatedCall {
	return playOnce(p, "confirm unknown", 0, func(h *RepeatedCall, _ string) {
		unknown := p.UnknownHold()
		h.play(p, func() (*probe.Answer, *partner.Stop) {
			return p.Book.Confirm(ctx, "confirm an unknown code", unknown, true, probe.GoodKey)
		})
	})
}

// PlayUnknownRelease releases a code that the partner never returned, repeatedly.
func PlayUnknownRelease(ctx context.Context, p *Player, _ int) *RepeatedCall {
	return playOnce(p, "release unknown", 0, func(h *RepeatedCall, _ string) {
		code := p.Account.UnknownCode()
		h.play(p, func() (*probe.Answer, *partner.Stop) {
			return p.Book.Release(ctx, "release an unknown code", code, probe.GoodKey)
		})
	})
}

// PlayUnknownCancel cancels a booking id that the partner never returned, repeatedly.
func PlayUnknownCancel(ctx context.Context, p *Player, _ int) *RepeatedCall {
	return playOnce(p, "cancel unknown", 0, func(h *RepeatedCall, _ string) {
		id := p.Account.UnknownCode()
		h.play(p, func() (*probe.Answer, *partner.Stop) {
			return p.Book.Cancel(ctx, "cancel an unknown booking", id, probe.GoodKey)
		})
	})
}

// String says what kind of code was tried.
func (t CodeTry) String() string {
	if t.Strange {
		return "an unknown code, " + t.Form
	}
	return "an unknown code, a live one " + t.Form
}

// addCodes adds calls with codes that the partner does not know. A connection that was closed shows nothing about a code.
func (t *ActLog) addCodes(tries CodeTries) {
	for _, try := range tries {
		if try.Answer.Failure == nil {
			t.addUnknown(try.Answer, try.String())
		}
	}
}
