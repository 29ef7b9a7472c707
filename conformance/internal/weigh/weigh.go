// Package weigh judges one rule by what its steps show. An unexpected result may be what another customer has done:
// it is tried again, until a breach is likelier than other customers.
package weigh

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Scale is what the judging of a rule needs of its run.
type Scale struct {
	Player    *scenario.Player
	Fields    *judge.Fields
	Exercised func(rule string, on []plan.Instance) // records what a rule was judged on, for the coverage
	Passes    func(judge.Finding) bool              // whether a rule passes with this finding so far
	Known     func(rule.Rule) (rule.Rule, bool)     // the rule known to be broken that explains a flaw of that cause
	RaceTime  time.Duration                         // that a race may take after its first few rounds
}

// Find returns what the steps of a rule show, until one ends the judging.
func Find(ctx context.Context, s judge.Spec, scale Scale) judge.Finding {
	j := &judging{Scale: scale, ctx: ctx, rule: s.Rule}
	for _, step := range s.Steps {
		finding, enough := j.step(step)
		finding = j.withEvidence(finding)
		if enough || !j.Passes(finding) || finding.Ends() {
			return finding
		}
	}
	return judge.Finding{Races: j.races}
}

// judging is the state while one rule is judged: what its steps have shown so far.
type judging struct {
	Scale
	ctx      context.Context
	rule     rule.Rule
	problems []string
	shown    []*report.Exchange
	held     bool       // a step with weighed tries has passed
	on       *plan.Case // the case that the judged lifecycle was equal to
	races    []report.Race
}

// withEvidence adds to a finding what was shown before it.
func (j *judging) withEvidence(f judge.Finding) judge.Finding {
	j.shown = append(j.shown, f.Exchanges...)
	if f.Problems == nil {
		f.Problems = j.problems
	}
	f.Races, f.On = j.races, j.on
	f.Exchanges = j.shown
	return f
}

func (j *judging) step(s judge.Step) (found judge.Finding, enough bool) {
	switch s := s.(type) {
	case judge.Recorded:
		found = j.Fields.Finding(j.rule.ID)
	case judge.Once:
		found = j.once(s)
	case judge.Enough:
		enough = s.Is(j.ctx, j.Player) && j.held
	case judge.Tries:
		found = j.tries(s)
	case judge.Race:
		found = j.race(s)
	}
	return found, enough
}

func (j *judging) once(s judge.Once) judge.Finding {
	for _, play := range s.Plays(j.ctx, j.Player) {
		finding, played := play(j.ctx, j.Player, 0)
		if !played {
			continue
		}
		j.Exercised(j.rule.ID, finding.Instances)
		if j.on = finding.On; finding.Ends() || finding.Suspects != nil {
			return finding
		}
		j.withEvidence(finding)
	}
	return judge.Finding{}
}

func (j *judging) tries(s judge.Tries) judge.Finding {
	var open *partner.Stop
	counted, judged := !s.Seats, false
	for _, play := range s.Plays(j.ctx, j.Player) {
		first, played := play(j.ctx, j.Player, 0)
		if first.Flaw == "" { // a flaw is weighed, and the rules after it were not judged
			for _, rule := range first.JudgedBy {
				j.Exercised(rule, first.Instances)
			}
		}
		if !played || first.Skip || first.Uncounted {
			continue
		}
		stop, weighed := first.Stop, false
		if s.Seats && stop != nil { // it stopped before there was anything to weigh
			j.on = first.On
		} else {
			var broken *judge.Try
			if broken, stop = j.weigh(play, nil); broken != nil {
				return j.breach(broken)
			}
			weighed, judged = true, judged || stop == nil
		}
		counted = true
		if stop != nil && s.Need.EndsAt(stop, weighed) {
			return judge.FromStop(stop)
		}
		if open == nil {
			open = stop
		}
	}
	switch {
	case s.Need != judge.Required:
		return judge.Finding{}
	case open != nil && !judged: // one of several scenarios is enough
		return judge.FromStop(open)
	case !counted:
		return judge.NoSeatsCounted()
	default:
		return judge.Finding{}
	}
}

func (j *judging) race(s judge.Race) judge.Finding {
	if first, _ := s.Play(j.ctx, j.Player, 0); first.Skip {
		return judge.Finding{}
	}
	s.Rounds = j.Player.Depth.Rounds(s.Rounds)
	broken, stop := j.weigh(s.Play, &s)
	if broken != nil {
		return j.breach(broken)
	}
	return judge.FromStop(stop)
}

// breach returns the finding that a try shows a breach.
func (j *judging) breach(broken *judge.Try) judge.Finding {
	j.on = broken.On
	j.shown = append(broken.Shown[:len(broken.Shown):len(broken.Shown)], j.shown...)
	return broken.Finding()
}

// weigh plays tries until it is clear whether a rule is broken, or until there is no time left. It
// watches the slots with unexpected results. It returns the try that shows the breach, or the
// reason why nothing can be judged; both are nil if the rule passes. race is nil if the tries are of no race.
func (j *judging) weigh(play judge.Play[judge.Try], race *judge.Race) (broken *judge.Try, stop *partner.Stop) {
	defer func() { j.held = j.held || broken == nil && stop == nil }()
	seats := j.Player.Seats
	defer func() {
		seats.SeeOthers(false)
		seats.Suspect(nil)
	}()
	test := noise.Test{Clean: 1}
	if race != nil {
		test = noise.Test{Clean: race.Rounds, Rare: true, Least: race.Least}
	}
	var tries []judge.Try
	until := j.newStopRule(race, &test)
	before := j.Player.CountPlayed()
	for attempt, stops := 0, 0; until(attempt, stops, len(tries), j.Player.CountPlayed() > before); attempt++ {
		before = j.Player.CountPlayed()
		t, played := play(j.ctx, j.Player, attempt)
		if t.Stop != nil {
			j.on = t.On
		}
		if !played || t.Skip {
			continue
		}
		t = j.knownFlaw(t)
		if t.Flaw != "" && !t.Sure {
			j.problems, j.shown = append(j.problems, t.Flaw), append(j.shown, t.Shown...)
			if t.At != nil {
				seats.WatchOver(j.ctx, t.At, t.Took)
				seats.Suspect(&t.At.Offer)
			}
		}
		seats.SeeOthers(t.Flaw != "" || t.Stop != nil || seats.SeesOthers() && race == nil)
		switch {
		case t.Stop != nil:
			stop = t.Stop
			// A case has one slot, which changes only if there are other customers.
			if stops++; stop.Elsewhere && stops < noise.MostTries && (j.Player.Case() == nil || seats.OthersSeen()) {
				continue
			}
			return j.weighBreach(&test, tries, stop)
		case t.Sure:
			return &t, nil
		}
		tries = append(tries, t)
		if race != nil && t.Flaw == "" {
			j.countRound(t)
		}
		test.Run = seats.Run()
		switch test.Add(t.NoiseTry()) {
		case noise.Holds:
			return nil, nil
		case noise.Broken:
			return &tries[test.Suspect()], nil
		}
	}
	return j.weighBreach(&test, tries, stop)
}

// knownFlaw makes a flaw sure that a breach explains which is known, in a sparing run: more tries would show the same. What a
// known breach builds on may explain it in turn, and is weighed.
func (j *judging) knownFlaw(t judge.Try) judge.Try {
	if t.Flaw == "" || t.Sure || !j.Player.Calls.Sparing {
		return t
	}
	cause := j.rule
	if t.Cause != nil {
		cause = *t.Cause
	}
	if known, found := j.Known(cause); found && !rule.BuildsOn(known, cause.ID) {
		t.Cause, t.Sure = &known, true
	}
	return t
}

// After an unexpected round of a race, half as many rounds are added, to reproduce it. The first
// secondRounds of these are played even if the run is short of time or holds.
const (
	moreRounds   = 2
	secondRounds = 12
)

// newStopRule returns a function that reports whether another attempt is made. Stopped rounds of a race
// do not count. Rounds that were played for another rule cost nothing, so the limits apply only
// after a round that was played now.
func (j *judging) newStopRule(race *judge.Race, test *noise.Test) func(attempt, stops, tries int, fresh bool) bool {
	began, clock, seconds := time.Now(), j.Player.Time, 0
	return func(attempt, stops, tries int, fresh bool) bool {
		most, suspect := test.MaxTries(), test.Suspect() >= 0
		if race != nil {
			if most = race.Rounds + stops; suspect {
				most += race.Rounds / moreRounds
			}
			spent := time.Since(began) > j.RaceTime
			if suspect && fresh {
				seconds++
			}
			if fresh && tries >= race.Least && (!suspect || seconds > secondRounds) && (spent || !j.Player.Account.Plenty(race.Share, 0)) {
				return false
			}
		}
		begun := attempt == 0 || race != nil && tries == 0 && attempt < scenario.LeastRounds
		return attempt < most && (begun || !fresh || !clock.LateForMore())
	}
}

// countRound counts a passed round of a race. No other customer changed a seat meanwhile.
func (j *judging) countRound(t judge.Try) {
	if t.At != nil {
		j.Player.Seats.LeftAlone(t.At, t.Took)
	}
	at := slices.IndexFunc(j.races, func(r report.Race) bool { return r.Of == t.Of })
	if at < 0 {
		at, j.races = len(j.races), append(j.races, report.Race{Of: t.Of})
	}
	j.races[at].Tries++
}

// weighBreach judges by tries that are undecided and cannot continue. A flaw counts if no seat
// changes during long watches of its slots, and if no other customer was seen anywhere in the run. If
// a breach of another rule ended the tries, that counts, whatever the tries before it showed.
func (j *judging) weighBreach(test *noise.Test, tries []judge.Try, stop *partner.Stop) (*judge.Try, *partner.Stop) {
	first := test.Unsettled()
	if first < 0 {
		if len(tries) == 0 || stop != nil && stop.IsBreach() {
			return nil, stop
		}
		return nil, nil
	}
	for n, at := range test.ToWatch() {
		if t := tries[at]; n > 0 && j.Player.Time.LateForMore() || j.Player.Seats.WatchLong(j.ctx, t.At, t.Took) {
			break
		}
		if suspect, stands := test.Stands(); stands {
			return &tries[suspect], nil
		}
	}
	if stop == nil || !stop.IsBreach() {
		stop = partner.NewStop("other customers may have changed the seats of the slots that this was tested on; the first result was: %s", tries[first].Flaw).
			WithRemedy("Run again at a quieter time, or against a test environment.")
	}
	return nil, stop
}
