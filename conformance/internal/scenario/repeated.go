package scenario

import (
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
)

// RepeatedCall is a call and its repeats, with their answers.
type RepeatedCall struct {
	Answer *probe.Answer
	Again  []*probe.Answer // to repeats of the same call
	Stop   *partner.Stop
	ActLog
}

// PlayedActs returns the calls, and why not all were made.
func (h *RepeatedCall) PlayedActs() ([]PlayedAct, *partner.Stop) { return h.acts, h.Stop }

// play makes a call that must be refused or have no effect, as often as the depth of the run sets
// and its time allows.
func (h *RepeatedCall) play(p *Player, call func() (*probe.Answer, *partner.Stop)) {
	if h.Answer, h.Stop = call(); h.Stop != nil {
		return
	}
	h.addUnknown(h.Answer, "")
	for range p.repeats(h.Answer) {
		answer, stop := call()
		if stop != nil {
			return
		}
		h.Again = append(h.Again, answer)
		h.addUnknown(answer, "")
	}
}

// repeatShare is the share of the run's time for the repeats of one call without effect.
const repeatShare = 0.02

// repeats returns how often a call without effect is repeated after its first answer: less often at a slow partner.
func (p *Player) repeats(first *probe.Answer) int {
	if first == nil {
		return 0
	}
	most := min(p.Depth.Repeats()-1, p.Calls.Affordable(first.Endpoint, repeatShare))
	if p.on != nil { // there are several
		most = min(most, 1)
	}
	return most
}
