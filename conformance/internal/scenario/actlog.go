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

func (t *ActLog) add(act PlayedAct) {
	t.acts = append(slices.Clip(t.acts), act) // a copy of the scenario may go on by itself
}

// addReading adds a reading of the slot.
func (t *ActLog) addReading(read *Reading) {
	t.add(PlayedAct{Act: trace.Act{
		Does: model.Look, Offer: read.Offer, Moved: read.Last.Left - read.First.Left,
		Seats: model.Seats{Counted: read.Counted, Least: read.First.Left, Endless: read.Last.Slot.IsUnlimited(read.Offer.Product)},
	}, Read: read})
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
