package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// check is the judging of one rule.
type check struct {
	*session
	rule      rule.Rule
	outcome   report.Outcome // "" until it is known
	message   string
	cause     string
	problems  []string
	exchanges []*probe.Exchange
	picture   []byte // HTML that draws how the rule is broken; nil where there is none
}

// judge adds the spec of a rule that is to be run. The body expects what the rule says; when all
// its expectations hold the rule has passed.
func (s *session) judge(r rule.Rule, body func(ctx context.Context, c *check)) {
	if !s.choice.run[r.ID] {
		return
	}
	ginkgo.It(r.Title, ginkgo.Label(labels(r)...), func(spec ginkgo.SpecContext) {
		s.stage.Lock()
		defer s.stage.Unlock()
		began := time.Now()
		ctx, cancel := s.within(spec)
		defer cancel()
		c := &check{session: s, rule: r}
		defer func() {
			if spec.Err() != nil { // Ginkgo, which hears signals, ended the spec
				s.stopped.Store(true)
			}
			c.conclude(time.Since(began))
		}()
		if why := s.leftOut(r); why != "" {
			c.skipped(why)
		}
		if cause := s.verdicts.cause(r); cause != "" {
			c.blocked(cause)
		}
		err := gomega.InterceptGomegaFailure(func() { body(ctx, c) })
		switch {
		case err == nil:
			c.outcome = report.Passed
		case broken(r) == report.Failed:
			c.outcome, c.message = report.Failed, err.Error()
			ginkgo.Fail(err.Error())
		default:
			c.end(broken(r), err.Error())
		}
	})
}

// conclude records what came of the rule, also when the body panicked.
func (c *check) conclude(took time.Duration) {
	if c.outcome == "" {
		c.outcome, c.message = report.Inconclusive, "the suite itself failed while it judged this rule; please report it"
		if c.interrupted() {
			c.message = "the run was interrupted"
		}
	}
	if known := c.verdicts.get(c.rule.ID); known != nil && known.Outcome == broken(c.rule) && c.outcome != broken(c.rule) {
		return // another story found it broken
	}
	result := c.verdicts.set(c.rule, c.outcome, c.message)
	result.cause = c.cause
	result.DurationMS = took.Milliseconds()
	if c.outcome == report.Failed || c.outcome == report.Warned || c.outcome == report.Inconclusive {
		result.Problems, result.Exchanges = c.wordsOf(c.problems), evidence(c.exchanges)
		result.Picture = c.addPicture()
	}
	c.announce(result)
}

// addPicture adds the picture to the report's, and returns the name of its file.
func (c *check) addPicture() string {
	if c.picture == nil {
		return ""
	}
	name := "race-" + c.rule.ID + ".html"
	c.pictures[name] = c.picture
	return name
}

// end ends the judging with an outcome that is neither passed nor failed.
func (c *check) end(outcome report.Outcome, message string) {
	c.outcome, c.message = outcome, message
	ginkgo.Skip(message)
}

func (c *check) blocked(cause string) {
	c.cause = cause
	c.end(report.Blocked, blockedBy(cause))
}

// blockedIfBroken ends the judging where one of the rules is broken.
func (c *check) blockedIfBroken(rules ...rule.Rule) {
	for _, r := range rules {
		if known := c.verdicts.get(r.ID); known != nil && known.Outcome == report.Failed {
			c.blocked(r.ID)
		}
	}
}

// notApplicable ends the judging: the partner lacks an optional feature.
func (c *check) notApplicable(format string, args ...any) {
	c.end(report.NotApplicable, fmt.Sprintf(format, args...))
}

// skipped ends the judging: the user left it out.
func (c *check) skipped(message string) { c.end(report.Skipped, message) }

// inconclusive ends the judging: there is nothing to test the rule with.
func (c *check) inconclusive(format string, args ...any) {
	c.end(report.Inconclusive, fmt.Sprintf(format, args...))
}

// past ends the judging where an obstacle stands in the way: the rule fails
// where it is the one that the obstacle breaks, has passed where the broken one
// builds on it, and is blocked otherwise.
func (c *check) past(o *obstacle) {
	switch {
	case o == nil:
		return
	case o.Rule == nil:
		c.exchanges = append(c.exchanges, o.Exchanges...)
		if o.lacking {
			c.notApplicable("%s", o.Message)
		}
		c.inconclusive("%s", o.Message)
	case o.Rule.ID == c.rule.ID:
		c.exchanges = append(c.exchanges, o.Exchanges...)
		gomega.Expect(errors.New(o.Message)).To(succeedFor(o.Message))
	default:
		if c.verdicts.blame(*o.Rule, o.Message, o.Exchanges) {
			c.announce(c.verdicts.get(o.Rule.ID))
		}
		if rule.BuildsOn(*o.Rule, c.rule.ID) {
			c.end(report.Passed, "")
		}
		c.blocked(o.Rule.ID)
	}
}

// show adds exchanges to the evidence.
func (c *check) show(exchanges ...*probe.Exchange) { c.exchanges = append(c.exchanges, exchanges...) }

// expect is Gomega's Expect; answers become part of the evidence.
func (c *check) expect(actual any) types.Assertion {
	if answer, ok := actual.(*probe.Answer); ok {
		c.show(answer.Exchange)
	}
	return gomega.Expect(actual)
}

// fail ends the judging: the rule is broken.
func (c *check) fail(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	gomega.Expect(errors.New(message)).To(succeedFor(message))
}
