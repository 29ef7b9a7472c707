package suite

import (
	"context"
	"encoding/json"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/schemas/partnerapi"
)

// dress changes the body of a request before it is sent.
type dress func(body []byte) []byte

// guestName is a name as customers have them: with an apostrophe and a hyphen, in
// several alphabets, one of them written from the right, with letters that are put
// together of two characters, and with a character of four bytes.
const guestName = "Zoë O'Brien-Ñandú 東京 שלום é 🎟"

// foreign has the guest bear that name.
func foreign(body []byte) []byte {
	return edited(body, func(fields map[string]any) {
		if guest, ok := fields["contact"].(map[string]any); ok {
			guest["fullName"] = guestName
		}
	})
}

// unnamedField is the name of a field that the contract does not have.
const unnamedField = "notInTheContract"

// withUnnamed adds fields that the contract does not name: to the body, to each
// unit of the party, and to the guest.
func withUnnamed(body []byte) []byte {
	more := json.RawMessage(`{"list":[1,null,"x"],"yes":true}`)
	return edited(body, func(fields map[string]any) {
		fields[unnamedField] = more
		units, _ := fields["units"].([]any)
		for _, inner := range append(units, fields["contact"]) {
			if object, ok := inner.(map[string]any); ok {
				object[unnamedField] = more
			}
		}
	})
}

// unusual says what is unusual about a booking, and which rules judge that.
type unusual struct {
	name             string
	dress            dress
	reserve, confirm rule.Rule
	cancel           *rule.Rule // nil: nothing is unusual about it
}

// unusualStory is a booking whose requests are unusual, and lawful.
type unusualStory struct {
	scene
	confirm   *probe.Answer
	confirmed bool
	cancel    *probe.Answer
}

// unusualBooking plays such a story. A partner without cancel is asked for a hold.
func (s *session) unusualBooking(ctx context.Context, u unusual) *unusualStory {
	first := s.booking(ctx, 0)
	return play(s, u.name, 0, func(b *unusualStory) {
		b.scene = s.open(ctx, casting{
			purpose: "reserve 1 seat, " + u.name, want: discover.Want{Seats: 1, Counted: true}, party: leads(1), full: true, dress: u.dress,
		})
		b.stopped = b.stopped.as(u.reserve)
		steps(&b.stopped, func() (o *obstacle) {
			if s.noCancel {
				_, o = s.releaseHold(ctx, "release the hold", b.hold, true)
				if o == nil {
					o = first.stopped
				}
			}
			return o
		}, func() *obstacle { return s.confirmUnusual(ctx, u, b) }, func() *obstacle { return s.cancelUnusual(ctx, u, b) })
	})
}

func (s *session) confirmUnusual(ctx context.Context, u unusual, b *unusualStory) (o *obstacle) {
	call := confirmCall("confirm the hold, "+u.name, b.hold, true, probe.GoodKey)
	call.Body = u.dress(call.Body)
	if b.confirm, o = s.sendConfirmCall(ctx, b.hold, call); o != nil {
		return o
	}
	if b.confirmed = b.confirm.OK(200) && b.hold.entry.State == ledger.Booked; !b.confirmed {
		return breach(u.confirm, b.confirm, "want 200 and a booking, got %s", got(b.confirm))
	}
	return nil
}

func (s *session) cancelUnusual(ctx context.Context, u unusual, b *unusualStory) (o *obstacle) {
	id := b.hold.entry.BookingID
	if u.cancel == nil {
		_, o = s.cancelBooking(ctx, "cancel the booking", b.hold, id, true)
		return o
	}
	call := cancelCall("cancel the booking, "+u.name, id, true, probe.GoodKey)
	call.Body = u.dress(call.Body)
	b.cancel, o = s.call(ctx, rule.CancelLimit, call, true)
	if o == nil && undo.Done(b.cancel) {
		s.ledger.Record(b.hold.entry, func(e *ledger.Entry) { e.State = ledger.Undone })
	}
	return o
}

// as blames r for what went wrong with an unusual request to its endpoint, or for a
// slot that is refused to it: usual ones are answered well.
func (o *obstacle) as(r rule.Rule) *obstacle {
	if o == nil || !o.refused && (o.Rule == nil || o.Rule.Endpoint != r.Endpoint || o.Rule.ID == limitRules[r.Endpoint].ID) {
		return o
	}
	blamed := breach(r, nil, "want it answered as usual ones are: %s", o.Message)
	blamed.Exchanges = o.Exchanges
	return blamed
}

// reserveIn makes a hold by a reserve in that dress.
func (s *session) reserveIn(ctx context.Context, d dress, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity) (*hold, *obstacle) {
	return s.readHold(s.sendReserveAs(ctx, offer, units, func(entry *ledger.Entry) probe.Call {
		call := reserveCall(purpose, entry, true, probe.GoodKey)
		call.Body = d(call.Body)
		return call
	}))
}

// openReleaseStory is a hold that is released by a body with more fields.
type openReleaseStory struct {
	scene
	release *probe.Answer
}

func (s *session) openRelease(ctx context.Context) *openReleaseStory {
	return play(s, "open release", 0, func(r *openReleaseStory) {
		r.scene = s.open(ctx, casting{purpose: "reserve 1 seat, to release it", want: discover.Want{Seats: 1, Counted: true}, party: leads(1), full: true})
		steps(&r.stopped, func() (o *obstacle) {
			call := releaseCall("release the hold, with fields that the contract does not name", r.hold.code, true, probe.GoodKey)
			call.Body = withUnnamed(call.Body)
			r.release, o = s.call(ctx, rule.ReleaseLimit, call, true)
			if o == nil && undo.Done(r.release) {
				s.settle(r.hold)
			}
			return o
		})
	})
}
