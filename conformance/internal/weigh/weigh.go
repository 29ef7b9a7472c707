// Package weigh judges one rule by what its steps show. An unexpected result may be what another customer has done:
// it is tried again, until a breach is likelier than other customers.
package weigh

import (
	"context"
	"reflect"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

// Scale is what the judging of a rule needs of its run.
type Scale struct {
	Player    *scenario.Player
	Fields    *judge.Fields
	Exercised func(rule string, value any) // records what a rule was judged on, for the coverage
	Passes    func(judge.Finding) bool     // whether a rule passes with this finding so far
	RaceTime  time.Duration                // that a race may take after its first few rounds
}

// Find returns what the steps of a rule show, until one ends the judging.
func Find(ctx context.Context, s judge.Spec, scale Scale) judge.Finding {
	j := &judging{Scale: scale, ctx: ctx}
	for _, step := range s.Steps {
		finding, enough := j.step(s.Rule.ID, step)
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

func (j *judging) step(rule string, s judge.Step) (finding judge.Finding, enough bool) {
	if s.Fields {
		return j.Fields.Finding(rule), false
	}
	subjects := s.Subjects(j.ctx, j.Player)
	switch {
	case s.Enough != nil:
		return judge.Finding{}, s.Enough(subjects[0](j.ctx, j.Player, 0)) && j.held
	case s.Try != nil:
		return j.tries(rule, s, subjects), false
	}
	for _, play := range subjects {
		value := play(j.ctx, j.Player, 0)
		if value == nil {
			continue
		}
		j.Exercised(rule, value)
		j.on = similarCase(value)
		if finding = s.Judge(value); finding.Ends() || finding.Suspects != nil {
			return finding, false
		}
		j.withEvidence(finding)
	}
	return judge.Finding{}, false
}

// similarCase returns the case that a lifecycle was equal to, or nil.
func similarCase(value any) *plan.Case {
	if played, is := value.(interface{ SimilarCase() *plan.Case }); is && !reflect.ValueOf(value).IsNil() {
		return played.SimilarCase()
	}
	return nil
}

func (j *judging) tries(rule string, s judge.Step, subjects []judge.Play) judge.Finding {
	var open *partner.Stop
	counted, judged := s.Seats == "", false
	for i, play := range subjects {
		if s.Race > 0 && i > 0 && j.held && j.Player.Time.LateForMore() {
			break // the other rules need the time
		}
		value := play(j.ctx, j.Player, 0)
		if value == nil {
			continue
		}
		if s.ByActs {
			j.Exercised(rule, value)
		}
		var stop *partner.Stop
		switch first := s.Try(value); {
		case first.Skip, first.Uncounted:
			continue
		case s.Seats != "" && first.Stop != nil: // it stopped before there was anything to weigh
			stop, j.on = first.Stop, similarCase(value)
		default:
			var broken *judge.Try
			if broken, stop = j.weigh(s, play); broken != nil {
				j.on = broken.On
				j.shown = append(broken.Shown[:len(broken.Shown):len(broken.Shown)], j.shown...)
				return judge.Finding{Outcome: report.Failed, Message: broken.Flaw, Picture: broken.Picture, Cause: broken.Cause, Suspects: broken.Suspects}
			}
			j.held, judged = j.held || stop == nil, judged || stop == nil
			if s.Optional && stop != nil && (!s.ByActs || stop.IsBreach()) {
				return judge.FromStop(stop)
			}
		}
		counted = true
		if stop != nil && !stop.OnlyMissing() && !s.Optional && !s.BreachOnly {
			return judge.FromStop(stop)
		}
		if open == nil {
			open = stop
		}
	}
	switch {
	case s.Optional, s.BreachOnly:
		return judge.Finding{}
	case open != nil && !(s.ByActs && judged): // one of several scenarios is enough
		return judge.FromStop(open)
	case !counted:
		return judge.Finding{Outcome: report.NotApplicable, Message: s.Seats}
	default:
		return judge.Finding{}
	}
}

// weigh plays tries until it is clear whether a rule is broken, or until there is no time left. It
// watches the slots with unexpected results. It returns the try that shows the breach, or the
// reason why nothing can be judged; both are nil if the rule passes.
func (j *judging) weigh(s judge.Step, play judge.Play) (broken *judge.Try, stop *partner.Stop) {
	seats := j.Player.Seats
	defer func() {
		seats.SeeOthers(false)
		seats.Suspect(nil)
	}()
	if s.Race > 0 {
		s.Clean = j.Player.Depth.Rounds(s.Clean)
	}
	test := noise.Test{Clean: s.Clean, Rare: s.Race > 0}
	var tries []judge.Try
	until := j.newStopRule(s, &test)
	before := j.Player.CountPlayed()
	for attempt, stops := 0, 0; until(attempt, stops, len(tries), j.Player.CountPlayed() > before); attempt++ {
		before = j.Player.CountPlayed()
		value := play(j.ctx, j.Player, attempt)
		t := s.Try(value)
		if t.On = similarCase(value); t.Stop != nil {
			j.on = t.On
		}
		if t.Skip {
			continue
		}
		if t.Flaw != "" && !t.Sure {
			j.problems, j.shown = append(j.problems, t.Flaw), append(j.shown, t.Shown...)
			if t.At != nil {
				seats.WatchOver(j.ctx, t.At, t.Took)
				seats.Suspect(&t.At.Offer)
			}
		}
		seats.SeeOthers(t.Flaw != "" || t.Stop != nil || seats.SeesOthers() && s.Race == 0)
		switch {
		case t.Stop != nil:
			stop = t.Stop
			// A case has one slot, which changes only if there are other customers.
			if stops++; stop.Elsewhere && stops < noise.MostTries && (j.Player.Case() == nil || seats.OthersSeen()) {
				continue
			}
			return j.weighBreach(s, &test, tries, stop)
		case t.Sure:
			return &t, nil
		}
		tries = append(tries, t)
		if s.Race > 0 && t.Flaw == "" {
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
	return j.weighBreach(s, &test, tries, stop)
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
func (j *judging) newStopRule(s judge.Step, test *noise.Test) func(attempt, stops, tries int, fresh bool) bool {
	began, clock, seconds := time.Now(), j.Player.Time, 0
	return func(attempt, stops, tries int, fresh bool) bool {
		most, suspect := test.MaxTries(), test.Suspect() >= 0
		if s.Race > 0 {
			if most = s.Clean + stops; suspect {
				most += s.Clean / moreRounds
			}
			spent := time.Since(began) > j.RaceTime
			if suspect && fresh {
				seconds++
			}
			if fresh && tries >= s.Race && (!suspect || seconds > secondRounds) && (spent || !j.Player.Account.Plenty(s.Share, 0)) {
				return false
			}
		}
		begun := attempt == 0 || s.Race > 0 && tries == 0 && attempt < scenario.LeastRounds
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

// mostWatched is the maximum number of slots with the same unexpected result that are watched for long.
const mostWatched = 4

// weighBreach judges by tries that are undecided and cannot continue. A flaw counts if no seat
// changes during long watches of its slots, and if no other customer was seen anywhere in the run. If
// a breach of another rule ended the tries, that counts, whatever the tries before it showed.
func (j *judging) weighBreach(s judge.Step, test *noise.Test, tries []judge.Try, stop *partner.Stop) (*judge.Try, *partner.Stop) {
	suspect := test.Suspect()
	if suspect >= 0 && (s.Race == 0 || !test.RulesOut(s.Race)) {
		first := tries[suspect]
		if test.MayStand() && j.weighWatchedBreach(test, tries, first) {
			return &tries[test.Suspect()], nil
		}
		if stop == nil || !stop.IsBreach() {
			stop = partner.NewStop("other customers may have changed the seats of the slots that this was tested on; the first result was: %s", first.Flaw).
				WithRemedy("Run again at a quieter time, or against a test environment.")
		}
		return nil, stop
	}
	if len(tries) == 0 || stop != nil && stop.IsBreach() {
		return nil, stop
	}
	return nil, nil
}

// weighWatchedBreach watches the slots whose results were off like the first, one by one, until the tries show a
// breach.
func (j *judging) weighWatchedBreach(test *noise.Test, tries []judge.Try, first judge.Try) bool {
	watched := 0
	for _, t := range tries {
		if t.Flaw == "" || t.Off != first.Off {
			continue
		}
		if watched++; watched > mostWatched || watched > 1 && j.Player.Time.LateForMore() || j.Player.Seats.WatchLong(j.ctx, t.At, t.Took) {
			return false
		}
		if test.Stands() {
			return true
		}
	}
	return false
}
