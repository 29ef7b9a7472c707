// Package suite judges a partner. Run and Judge build one tree of Ginkgo specs, with a spec for
// each rule of the catalogue, and run it once.
//
// Every rule is judged in the same way. Package plan selects which part of the partner's offer is
// tested. Package scenario plays what the rule needs and returns what was sent, received and
// counted. Package judge interprets that and returns a finding. The verdicts decide what a broken
// rule means for the others: one cause is one finding. A scenario is played once, when the first
// rule requests it.
//
// Races come late, after everything is known about sequential calls. The order is unusual requests,
// malformed requests, races, and then expiring holds, so that everything else is judged while the
// run waits for them. Random lifecycles, which package explore generates, are played on request.
//
// A live partner has other customers. An unexpected result is tried again, on slots that are
// watched for changes by others. Package noise decides when a broken rule is far likelier than
// interference.
//
// Every hold and booking is recorded in a ledger before it is used, and is undone at the end in any
// case.
package suite

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/gomega"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
)

// Outcome is a finished run: its result, and the redactor that removes the partner's key from
// reports.
type Outcome struct {
	Result   *report.Result
	Redactor *probe.Redactor
}

// WriteReports writes the named views of the result into dir, or all views if no name is given
// (view.Names lists them). It returns their paths and the SHA-256 that identifies the report. A
// file that would contain the key is not written, and the error names it.
func (o *Outcome) WriteReports(dir string, names ...string) (files []string, sum string, err error) {
	fixed, err := view.FixedText(names...)
	if err != nil {
		return nil, "", err
	}
	sealed, err := report.Seal(o.Result)
	if err != nil {
		return nil, "", err
	}
	files, err = view.WriteAll(dir, sealed, o.Redactor.Scanner(fixed...), names...)
	return files, sealed.Integrity.SHA256, err
}

// ErrOnce is returned for a second run in one process: Ginkgo can run only one tree of specs.
var ErrOnce = errors.New("a process can judge only one partner, once: use a separate process for each run, such as a test package without other runs")

var judged atomic.Bool

// LongestWait is the longest lifetime of a hold that a run waits for.
const LongestWait = scenario.LongestWait

// Judge judges the partner that config names, once per process. Cancel interrupted to stop the run
// early; its holds are undone in that case too. Judge returns an error for an unusable
// configuration, or ErrOnce. In both cases nothing was sent.
func Judge(interrupted context.Context, config Config) (*Outcome, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	if judged.Swap(true) {
		return nil, ErrOnce
	}
	r := newRun(interrupted, config.withDefaults())
	defer r.client.Close()
	box, err := r.listen()
	if err != nil {
		return nil, err
	}
	if box != nil {
		defer box.Close()
		r.config.Listening(box.URL())
	}
	stop := context.AfterFunc(interrupted, r.player.Time.Interrupt)
	defer stop()

	r.describe()
	gomega.RegisterFailHandler(ginkgo.Fail)
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.GracePeriod = cleanupTime
	if !r.config.GinkgoOutput {
		reporterConfig.Succinct = true
		formatter.ColorableStdOut, formatter.ColorableStdErr = io.Discard, io.Discard
	}
	ginkgo.RunSpecs(silent{}, "the partner contract", suiteConfig, reporterConfig)

	// After several signals Ginkgo abandons a spec. A hold whose answer it still waits for must be
	// in the ledger before the ledger is cleaned up.
	r.stage.Lock()
	r.cleanUp()
	return &Outcome{Result: r.result(), Redactor: r.client.Redactor()}, nil
}

// silent receives Ginkgo's failures and ignores them: the result reports them.
type silent struct{}

func (silent) Fail() {}

// describe builds the tree of specs. It is Ordered, so that causes are judged before their
// consequences, and Serial, because the specs share one partner.
func (r *run) describe() {
	ginkgo.Describe("a partner", ginkgo.Serial, ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		ginkgo.BeforeEach(func() {
			if r.player.Time.Interrupted() {
				ginkgo.Skip("the run was interrupted")
			}
			if failed := r.announcer.stopped(); failed != nil {
				ginkgo.Skip(leftOutAfter(failed.ID))
			}
		})
		for _, group := range judge.Groups() {
			if group.Cases {
				r.describeCases()
				r.describeTogether()
			}
			if group.Keeps {
				r.describeKeeping()
			}
			if group.Waits {
				r.describeAgain()
			}
			ginkgo.Describe(group.Title, func() {
				if group.Cases {
					ginkgo.BeforeAll(func() { r.player.Time.Begin(partner.Races) })
				}
				if group.Waits {
					ginkgo.BeforeAll(r.awaitExpiry)
				}
				for _, spec := range group.Specs {
					if r.choice.Run[spec.Rule.ID] {
						r.it(spec)
					}
				}
				if group.Waits {
					r.describeExpiringCases()
				}
			})
		}
	})
}

func (r *run) it(spec judge.Spec) {
	ginkgo.It(spec.Rule.Title, ginkgo.Label(plan.Labels(spec.Rule)...), func(ctx ginkgo.SpecContext) {
		switch outcome, message := r.judge(ctx, spec); outcome {
		case report.Passed:
		case report.Failed:
			ginkgo.Fail(message)
		default:
			ginkgo.Skip(message)
		}
	})
}

// judge plays what a rule needs, judges it, and records the outcome, even if the suite itself
// fails.
func (r *run) judge(spec context.Context, s judge.Spec) (outcome report.Outcome, message string) {
	r.stage.Lock()
	defer r.stage.Unlock()
	began := time.Now()
	ctx, cancel := r.player.Time.Within(spec)
	defer cancel()
	finding := judge.Finding{Outcome: report.Inconclusive, Message: "the suite itself failed while it judged this rule; please report it"}
	defer func() {
		r.interruptIfEnded(spec)
		r.record(s.Rule, finding, time.Since(began))
	}()
	finding = r.traced(ctx, s.Rule, r.find(ctx, r.player, s))
	outcome, _ = r.verdicts.Decide(s.Rule, finding)
	return outcome, finding.Message
}

const cleanupTime = 20 * time.Second

// cleanUp releases every hold and cancels every booking that is left. It has its own time limit,
// and runs despite any other limit, filter or signal.
func (r *run) cleanUp() {
	limit := cleanupTime
	if rps := r.config.Bounds.MaxRPS; rps > 0 {
		limit += time.Duration(len(r.config.Ledger.Open())*undo.MostCalls) * time.Second / time.Duration(rps)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r.player.Undoing().All(ctx)
}
