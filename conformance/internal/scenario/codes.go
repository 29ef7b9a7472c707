package scenario

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/ledger"
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

type CodeTries []CodeTry

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
	BookingID string
	Confirms  CodeTries
	Releases  CodeTries
	Held      *Reading // after them
	Confirm   Act      // of the live hold
	Crossed   *Reading // after a confirm and a release with the booking id in place of the code
	Cancels   CodeTries
	Booked    *Reading // after them
	Cancel    Act      // of the live booking
}

func PlayNearCodes(ctx context.Context, p *Player, attempt int) *NearCodes {
	first := PlayBooking(ctx, p, 0)
	return played(p, "near codes", attempt, func(n *NearCodes, option string) {
		t := p.begin(ctx, &n.Opening, seat("reserve 1 seat, to try codes near its own", option))
		t.step(func() (stop *partner.Stop) {
			unknown := p.Account.Unknown(n.Offer)
			n.Confirms, stop = p.tryCodes(ctx, partnerapi.Confirm, n.Hold.Code, ledgerCode, func(purpose string, code string) (*probe.Answer, *partner.Stop) {
				unknown.Code = code
				return p.Book.Confirm(ctx, purpose, unknown, true, probe.GoodKey)
			})
			return stop
		})
		t.step(func() (stop *partner.Stop) {
			n.Releases, stop = p.tryCodes(ctx, partnerapi.Release, n.Hold.Code, ledgerCode, func(purpose string, code string) (*probe.Answer, *partner.Stop) {
				return p.Book.Release(ctx, purpose, code, probe.GoodKey)
			})
			return stop
		})
		t.count("after releases of codes near its own", &n.Held)
		if p.Book.traits.NoCancel {
			t.give("release the hold", true, new(Act), "")
			t.step(func() *partner.Stop { return partner.Unplayed(first.Stop) })
		}
		t.book("confirm the hold", true, &n.Confirm, &n.BookingID, "after confirm")
		t.step(func() *partner.Stop { return n.crossed(ctx, p) })
		t.count("after a confirm and a release of the booking id", &n.Crossed)
		t.step(func() (stop *partner.Stop) {
			cancel := func(purpose string, id string) (*probe.Answer, *partner.Stop) {
				return p.Book.Cancel(ctx, purpose, id, probe.GoodKey)
			}
			if n.Cancels, stop = p.tryCodes(ctx, partnerapi.Cancel, n.BookingID, ledgerID, cancel); stop != nil || n.Hold.Code == n.BookingID {
				return stop
			}
			crossed := CodeTry{NearCode: plan.NearCode{Form: "that is its reservation code", Code: n.Hold.Code}}
			if crossed.Answer, stop = cancel("cancel by the reservation code", crossed.Code); stop == nil {
				n.Cancels = append(n.Cancels, crossed)
			}
			return stop
		})
		t.count("after cancellations of ids near its own", &n.Booked)
		t.undo("cancel the booking", n.BookingID, true, &n.Cancel, "after the cancellation")
	})
}

// crossed confirms and releases the booking id, which is no reservation code.
func (n *NearCodes) crossed(ctx context.Context, p *Player) *partner.Stop {
	if n.BookingID == n.Hold.Code || p.Calls.Affordable(partnerapi.Confirm, codeShare) == 0 {
		return nil
	}
	near := plan.NearCode{Form: "replaced by its booking id", Code: n.BookingID}
	unknown := p.Account.Unknown(n.Offer)
	unknown.Code = n.BookingID
	answer, stop := p.Book.Confirm(ctx, "confirm the booking id in place of the code", unknown, true, probe.GoodKey)
	if stop != nil || partner.IsBusy(answer) {
		return stop
	}
	n.Confirms = append(n.Confirms, CodeTry{NearCode: near, Answer: answer})
	if answer, stop = p.Book.Release(ctx, "release the booking id in place of the code", n.BookingID, probe.GoodKey); stop == nil && !partner.IsBusy(answer) {
		n.Releases = append(n.Releases, CodeTry{NearCode: near, Answer: answer})
	}
	return stop
}

func ledgerCode(e ledger.Entry) string { return e.Code }
func ledgerID(e ledger.Entry) string   { return e.BookingID }

// tryCodes makes a call with each code similar to a live one, as many as the run has time for.
// known returns the code in a ledger entry: further codes of the partner show whether its codes are
// sequential. tryCodes stops when the partner answers 429.
func (p *Player) tryCodes(ctx context.Context, endpoint partnerapi.Endpoint, live string, known func(ledger.Entry) string, call func(purpose, code string) (*probe.Answer, *partner.Stop)) (tried CodeTries, stop *partner.Stop) {
	var others []string
	for _, entry := range p.Ledger.Entries() {
		if code := known(entry); code != "" && code != live {
			others = append(others, code)
		}
	}
	random := rand.New(rand.NewPCG(p.Seed, uint64(len(live))))
	near := plan.NearCodes(live, others, random)
	all := append(near[:len(near):len(near)], plan.StrangeCodes(random)...)
	for i, code := range all[:min(len(all), p.Calls.Affordable(endpoint, codeShare))] {
		if ctx.Err() != nil {
			return tried, p.Time.Out()
		}
		try, purpose := CodeTry{NearCode: code, Strange: i >= len(near)}, " of a code near a live one: "
		if try.Strange {
			purpose = " of an unknown code: "
		}
		if try.Answer, stop = call(string(endpoint)+purpose+code.Form, code.Code); stop != nil || partner.IsBusy(try.Answer) {
			return tried, stop
		}
		tried = append(tried, try)
		if endpoint == partnerapi.Confirm && try.Answer.OK(http.StatusOK) {
			return tried, partner.Missing("a code near the live one was confirmed")
		}
	}
	return tried, nil
}

func (n *NearCodes) Instances() []plan.Instance {
	return slices.Concat(n.Confirms, n.Releases, n.Cancels).Instances()
}
