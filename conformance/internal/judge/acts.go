package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Stories are scenarios that are judged act by act.
type Stories = Plays[scenario.Story]

// stories returns plays as stories.
func stories[T scenario.Story](of Plays[T]) Stories {
	return eachShowing(of, func(value T) scenario.Story { return value })
}

// story returns a scenario as a story.
func story[T scenario.Story](play scenarioFunc[T]) Stories { return stories(single(play)) }

// The scenarios that show most about holds and bookings.
var (
	booking       = story(scenario.PlayBooking)
	secondBooking = story(scenario.PlaySecondBooking)
	holding       = story(scenario.PlayHolding)
	wrongKeys     = story(scenario.PlayWrongKeys)
	optionChecks  = stories(perOption(scenario.PlayOptionChecks, scenario.PlayOptionCheck))
)

// answersIn is the step that judges a rule about holds and bookings by stories.
func answersIn(r rule.Rule, of Stories) Tries {
	return Tries{Answers: true, Plays: triesOf(of, tryBy(r, false))}
}

// seatsIn is the same step for a rule about seats.
func seatsIn(r rule.Rule, of Stories) Tries {
	return Tries{Seats: true, Plays: triesOf(of, tryBy(r, true))}
}

func tryBy(r rule.Rule, seats bool) func(scenario.Story) Try {
	return func(story scenario.Story) Try {
		t := tryOf(story, r, seats)
		t.JudgedBy = []string{r.ID}
		return t
	}
}

// JudgeByAny returns the spec that judges stories by every rule about holds and bookings but those that ignore selects.
// A breach names its rule as its cause.
func JudgeByAny(of Stories, ignore func(rule.Rule) bool) Spec {
	return spec(rule.Rule{}, Tries{Need: Further, Plays: triesOf(of, func(story scenario.Story) Try {
		acts, stop := story.PlayedActs()
		t := Try{Stop: stop}
		if said := judgeActs(acts, ignore).first(); said != nil {
			t = said.try(acts)
		} else if endsAtLastCall(stop, acts) {
			t.Stop = partner.NewStop("%s", stop.Message) // a breach that is known explains it
		}
		t.JudgedBy = slices.Collect(maps.Keys(judgeActs(acts, nil)))
		return t
	})})
}

// IsDoubtful reports whether any rule about holds and bookings seems to be broken in a story. Others that were played at the
// same time may have caused that.
func IsDoubtful(played scenario.Story) bool {
	acts, _ := played.PlayedActs()
	return judgeActs(acts, nil).first() != nil
}

// testimony is what the acts of a scenario show about one rule: its first flaw, or the last act that it judged.
type testimony struct {
	trace.Judgement // its Rule is set, its Flaw is "" if nothing is wrong
	at, nth         int
}

// testimonies are those of a scenario, by the ids of the rules.
type testimonies map[string]testimony

// first returns the first flaw, or nil.
func (all testimonies) first() (found *testimony) {
	for _, one := range all {
		if one.Flaw != "" && (found == nil || cmp.Or(cmp.Compare(one.at, found.at), cmp.Compare(one.nth, found.nth)) < 0) {
			found = &one
		}
	}
	return found
}

// last returns the last flaw, or nil.
func (all testimonies) last() (found *testimony) {
	for _, one := range all {
		if one.Flaw != "" && (found == nil || cmp.Or(cmp.Compare(one.at, found.at), cmp.Compare(found.nth, one.nth)) > 0) {
			found = &one
		}
	}
	return found
}

// judgeActs judges the acts of a scenario. After a flaw they are judged again without its rule, so that one broken rule
// hides no other.
func judgeActs(acts []scenario.PlayedAct, ignore func(rule.Rule) bool) testimonies {
	all, broken := testimonies{}, true
	for broken {
		broken = false
		noted, at := []rule.Rule(nil), 0
		l := NewLifecycle(Given{}, func(of rule.Rule) bool { return all[of.ID].Flaw != "" || ignore != nil && ignore(of) }, func(of rule.Rule, _ string) { noted = append(noted, of) }).ByBody()
		l.Open([]model.Seats{{}})
		for i, act := range acts {
			if at = i; act.Read != nil && !slices.ContainsFunc(acts[:i], func(a scenario.PlayedAct) bool { return a.Read != nil }) {
				first := act.Seats
				first.Least += act.Moved
				l.Open([]model.Seats{first})
				continue
			}
			noted = noted[:0]
			j := l.Take(act.Act)
			for _, of := range noted {
				if known := all[of.ID]; known.Flaw == "" {
					all[of.ID] = testimony{Judgement: trace.Judgement{Rule: of}, at: at}
				}
			}
			if j.Flaw != "" {
				all[j.Rule.ID], broken = testimony{Judgement: j, at: at, nth: len(all)}, true
				break
			}
		}
	}
	return all
}

// tryOf returns what a scenario shows about a rule, to be weighed. A rule about seats cannot be judged after seats that are
// wrong; one about answers can.
func tryOf(value scenario.Story, r rule.Rule, seats bool) Try {
	acts, stop := value.PlayedActs()
	all := judgeActs(acts, nil)
	if said, judged := all[r.ID]; judged {
		return said.try(acts)
	}
	if flaw := all.last(); flaw != nil && endsAtLastCall(stop, acts) {
		return flaw.try(acts)
	}
	uncounted := slices.ContainsFunc(acts, func(a scenario.PlayedAct) bool { return a.Read != nil && !a.Seats.Counted })
	ended := stop == nil || stop.Kind == partner.SeatsWrong
	if first := all.first(); first != nil && acts[first.at].Read != nil && ended && seats && !uncounted {
		return first.try(acts)
	}
	if stop == nil && slices.ContainsFunc(acts, func(a scenario.PlayedAct) bool { return a.Does == model.Expire }) { // other holds may have expired too
		stop = partner.NotHere("the calls that this rule needs show nothing about it")
	}
	t := stoppedTry(stop)
	_, further := value.(*scenario.OptionCheck) // one of several
	t.Skip, t.Uncounted = further && t.Stop.OnlyMissing(), uncounted
	return t
}

// endsAtLastCall reports whether the last act is the call whose status ended the scenario. What it shows depends on the acts before.
func endsAtLastCall(stop *partner.Stop, acts []scenario.PlayedAct) bool {
	if stop == nil || stop.Kind != partner.WrongStatus || len(acts) == 0 {
		return false
	}
	answer := acts[len(acts)-1].Answer
	return answer != nil && slices.Contains(stop.Exchanges, answer.Exchange)
}

// try returns the testimony as a try.
func (s testimony) try(acts []scenario.PlayedAct) Try {
	act := acts[s.at]
	t := Try{Sure: s.Flaw != "" && !s.Others, Suspects: s.Suspects}
	before := lastReading(acts[:s.at])
	if act.Read != nil {
		// A breach shows in the same way again; other customers come at any call.
		t.At, t.Off, t.Emptied = act.Read, s.Off+int64(s.at)<<32, s.Off < 0 && act.Read.First.Left == 0
		t.Took = act.Read.First.Time().Sub(before.Last.Time())
	}
	if s.Flaw == "" {
		return t
	}
	t.Cause, t.Flaw, t.Shown = &s.Rule, s.Flaw, shownBefore(acts[:s.at])
	if act.Read != nil {
		t.Flaw = fmt.Sprintf("Expected %s left %s (%d %s), received %d",
			model.SeatsWord(act.Read.First.Left-s.Off), act.Read.When, before.Last.Left, before.When, act.Read.First.Left)
		t.Shown = append(t.Shown, act.Read.First.Shown)
		return t
	}
	t.Shown = append(t.Shown, act.Answer.Exchange)
	if act.How != "" {
		t.Flaw = act.How + ": " + t.Flaw
	}
	if act.Key == probe.EmptyKey {
		t.Suspects = keyMissing(act.Answer.Endpoint)
	}
	return t
}

func lastReading(acts []scenario.PlayedAct) *scenario.Reading {
	for _, act := range slices.Backward(acts) {
		if act.Read != nil {
			return act.Read
		}
	}
	return nil
}

// mostToldBefore is the maximum number of earlier acts that are evidence: what was read last, and the calls.
const mostToldBefore = 6

func shownBefore(acts []scenario.PlayedAct) (shown []*report.Exchange) {
	read := false
	for _, act := range slices.Backward(acts) {
		switch {
		case len(shown) == mostToldBefore:
		case act.Answer != nil && act.Hold != trace.None:
			shown = append(shown, act.Answer.Exchange)
		case act.Read != nil && !read:
			shown, read = append(shown, act.Read.Last.Shown), true
		}
	}
	slices.Reverse(shown)
	return shown
}
