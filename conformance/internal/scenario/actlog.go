package scenario

import (
	"slices"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/schemas/partnerapi"
)

// ActLog is what was played with one slot, act by act, in the order of time.
type ActLog struct{ acts []PlayedAct }

// PlayedAct is a call, or a reading of the slot.
type PlayedAct struct {
	trace.Act
	How  string   // what is special about the call, in words; "" if nothing is
	Read *Reading // of a reading
}

// Tell returns the acts of a lifecycle, and why it was not played to its end; nil if it was.
func (o *Opening) PlayedActs() ([]PlayedAct, *partner.Stop) { return o.acts, o.Stop }

// Tell returns the calls, and why not all were made.
func (h *RepeatedCall) PlayedActs() ([]PlayedAct, *partner.Stop) { return h.acts, h.Stop }

func (t *ActLog) add(act PlayedAct) {
	t.acts = append(slices.Clip(t.acts), act) // a copy of the scenario may go on by itself
}

// addReading adds a reading of the slot.
func (t *ActLog) addReading(read *Reading) {
	t.add(PlayedAct{Act: trace.Act{
		Does: model.Look, Offer: read.Offer, Moved: read.Last.Left - read.First.Left,
		Seats: model.Seats{Counted: read.Counted, Least: read.First.Left, Endless: isEndless(read)},
	}, Read: read})
}

func isEndless(read *Reading) bool {
	return read.Last.Slot.Status == partnerapi.StatusFreesale || read.Offer.Product.AllowFreesale
}

// addHold adds the reserve of the hold that the scenario is about.
func (t *ActLog) addHold(o *Opening, infants int64) {
	t.add(PlayedAct{Act: trace.Act{
		Does: model.Reserve, Offer: o.Offer, Units: o.Units, Party: model.Party{Guests: o.Guests, Infants: infants}, Life: o.Hold.Life, Answer: o.Hold.Answer,
	}})
}

// addCall adds a call about the hold, or a reserve with another key than the partner's. What a partner answers to too many
// calls shows nothing.
func (t *ActLog) addCall(o *Opening, answer *probe.Answer, how string) {
	if answer == nil || partner.IsBusy(answer) {
		return
	}
	act := trace.Act{Does: kinds[answer.Endpoint], Offer: o.Offer, Units: o.Units, Party: model.Party{Guests: o.Guests}, Key: answer.Key, Answer: answer}
	if act.Does == model.Reserve {
		for _, before := range t.acts {
			if before.Does == model.Reserve {
				act.Hold++
			}
		}
	}
	t.add(PlayedAct{Act: act, How: how})
}

// markBare records that the last call was made without the optional fields of its body.
func (t *ActLog) markBare() {
	for i := len(t.acts) - 1; i >= 0; i-- {
		if t.acts[i].Answer != nil {
			t.acts[i].Body = partner.BareBody
			return
		}
	}
}

// addUnknown adds a call about a code or a booking that the partner does not know.
func (t *ActLog) addUnknown(answer *probe.Answer, how string) {
	if answer == nil || partner.IsBusy(answer) {
		return
	}
	t.add(PlayedAct{Act: trace.Act{Does: kinds[answer.Endpoint], Hold: trace.None, Key: answer.Key, Answer: answer}, How: how})
}

// addExpiry adds that the hold has expired.
func (t *ActLog) addExpiry() { t.add(PlayedAct{Act: trace.Act{Does: model.Expire}}) }

var kinds = map[partnerapi.Endpoint]model.Kind{
	partnerapi.Reserve: model.Reserve, partnerapi.Confirm: model.Confirm, partnerapi.Release: model.Release, partnerapi.Cancel: model.Cancel,
}

// addTries adds calls with other keys than the partner's. A connection that was closed shows nothing about the key.
func (t *ActLog) addTries(o *Opening, tries KeyTries) {
	for _, try := range tries {
		if try.Unknown {
			t.addUnknown(try.Answer, try.String())
		} else {
			t.addCall(o, try.Answer, try.String())
		}
	}
}

// addCodes adds calls with codes that the partner does not know. A connection that was closed shows nothing about a code.
func (t *ActLog) addCodes(tries CodeTries) {
	for _, try := range tries {
		if try.Answer.Failure == nil {
			t.addUnknown(try.Answer, try.String())
		}
	}
}
