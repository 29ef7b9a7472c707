package suitetest

import (
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/schemas/partnerapi"
)

// suiteText is the text of Ginkgo's suite.
const suiteText = "the partner contract"

// RunSpecs judges the partner that config names as a Ginkgo suite with a spec for each rule. It is the
// body of a test function, such as of the one that the ginkgo command looks for. Ginkgo's flags apply:
// its label filter (over rule ids, levels and endpoints), focus and skip choose the rules; a dry run
// calls nothing; its fail-fast stops judging after the first MUST rule that fails.
//
// A spec fails if a MUST rule failed. A warned rule is an entry of Ginkgo's report; a rule that was not
// judged is skipped with the reason. Ginkgo can run one suite in a process: for more, use Run or
// suite.Run. RunSpecs returns nil if nothing was judged: in a dry run, if the specs were filtered out,
// or if the test has failed before.
func RunSpecs(t ginkgo.GinkgoTestingT, config suite.Config) *suite.Outcome {
	gomega.RegisterFailHandler(ginkgo.Fail)
	s := &session{config: config, ended: make(chan struct{})}
	s.describe()
	if chosen := chosenRules(ginkgo.PreviewSpecs(suiteText), config.RuleIDs()); chosen != nil {
		s.config.Rules = chosen
	}
	flags, _ := ginkgo.GinkgoConfiguration()
	s.config.FailFast = s.config.FailFast || flags.FailFast
	ginkgo.RunSpecs(t, suiteText)
	if !s.began {
		return nil
	}
	<-s.ended // after several signals, Ginkgo does not wait for the run to undo its holds
	return s.outcome
}

// session is one run, as the specs see it.
type session struct {
	config  suite.Config
	began   bool
	ended   chan struct{} // closed when outcome and err are set
	outcome *suite.Outcome
	err     error
}

// describe builds the tree: the run before the first spec, and a spec for each rule, which asserts what
// the run found. Ordered and Serial: one process judges the partner, once.
func (s *session) describe() {
	ginkgo.Describe("a partner", ginkgo.Serial, ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		ginkgo.BeforeAll(s.judge, ginkgo.GracePeriod(suite.UndoTime))
		for _, endpoint := range endpoints() {
			ginkgo.Describe(string(endpoint), func() {
				for _, r := range rule.All() {
					if r.Endpoint == endpoint {
						s.specify(r)
					}
				}
			})
		}
		ginkgo.AfterAll(s.judgeRest)
	})
}

// endpoints returns the endpoints of the rules, in the order of the catalogue.
func endpoints() (all []partnerapi.Endpoint) {
	for _, r := range rule.All() {
		if !slices.Contains(all, r.Endpoint) {
			all = append(all, r.Endpoint)
		}
	}
	return all
}

func (s *session) specify(r rule.Rule) {
	ginkgo.It(r.ID+": "+r.Title, ginkgo.Label(r.ID, string(r.Level), string(r.Endpoint)), func() {
		i := slices.IndexFunc(s.outcome.Result.Rules, func(one report.RuleResult) bool { return one.ID == r.ID })
		switch found := s.outcome.Result.Rules[i]; found.Outcome {
		case report.Passed, report.Failed:
			gomega.Expect(found).To(BeKept())
		case report.Warned:
			ginkgo.AddReportEntry("warned", explain(found))
		default:
			ginkgo.Skip(whyNotJudged(found))
		}
	})
}

// judge judges the partner. The run outlives a node that Ginkgo gave up, so that it undoes its holds.
func (s *session) judge(ctx ginkgo.SpecContext) {
	s.began = true
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	progress := s.config.Progress
	s.config.Progress = func(r report.RuleResult) {
		ginkgo.GinkgoWriter.Printf("%s %s\n", r.Outcome, r.ID)
		if progress != nil {
			progress(r)
		}
	}
	defer context.AfterFunc(ctx, stop)()
	go func() {
		defer stop()
		defer close(s.ended)
		s.outcome, s.err = suite.Run(run, s.config)
	}()
	<-s.ended
	gomega.Expect(s.err).NotTo(gomega.HaveOccurred(), "the partner was not called")
	gomega.Expect(s.outcome.Result).To(BeJudged())
}

// judgeRest asserts what is no rule's: that everything was undone, and that the baseline fits.
func (s *session) judgeRest() {
	if s.outcome == nil {
		return
	}
	for _, left := range s.outcome.Result.NotUndone {
		ginkgo.AddReportEntry("not undone", notUndone(left))
	}
	gomega.Expect(staleEntries(s.outcome.Result)).To(gomega.BeEmpty(), "the baseline fits")
}

// chosenRules returns the ids of the rules to judge: those that are configured and whose specs Ginkgo's
// own flags leave in. It returns nil if Ginkgo leaves in all that are configured.
func chosenRules(preview ginkgo.Report, configured []string) []string {
	chosen := []string{}
	for _, spec := range preview.SpecReports {
		if spec.LeafNodeType.Is(types.NodeTypeIt) && spec.State.Is(types.SpecStatePassed) && slices.Contains(configured, spec.LeafNodeLabels[0]) {
			chosen = append(chosen, spec.LeafNodeLabels[0])
		}
	}
	if len(chosen) == len(configured) {
		return nil
	}
	return chosen
}
