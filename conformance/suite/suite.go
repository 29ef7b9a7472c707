// Package suite judges a partner. Run and Judge build one tree of Ginkgo specs, a spec
// for each rule of the catalogue, and run it once.
//
// A rule takes one street. Package plan says what of the partner's offer is tested,
// package scenario plays what the rule needs and returns what was sent, what came and
// what was counted, package judge says what that means and returns a finding, and the
// verdicts decide what a broken rule means for the others: one cause is one finding.
// A scenario is played once, when the first rule asks for it.
//
// Races come late, when all is known of calls one after another. After them come
// requests that are unusual, and such as make no sense; then holds that expire, so that
// all else is judged while they are waited for. Random lifecycles, which package explore
// makes up, are played where the user asks for them.
//
// A live partner has other customers. What is off is tried again, on slots that are
// watched for what others do, until package noise says that it is far likelier that a
// rule is broken than that others were at it.
//
// Every hold and booking is entered in a ledger before it is used, and undone
// at the end whatever happened.
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
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
)

// Outcome is a finished run: its result, and the redactor that removes the partner's
// key from reports.
type Outcome struct {
	Result   *report.Result
	Redactor *probe.Redactor
}

// WriteReports writes the views of what came of the run that are named (view.Names
// lists them), all where none is, into dir, and returns
// their paths and the SHA-256 by which the report can be told from any other. A file
// in which the key would stand is not written, and the error names it.
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

// ErrOnce is the error of a second run in one process: Ginkgo runs one tree of
// specs only.
var ErrOnce = errors.New("a process can judge one partner only, once: give each run a process of its own, such as a test package that has no other")

var judged atomic.Bool

// LongestWait is how long a hold may live that a run waits for.
const LongestWait = scenario.LongestWait

// Judge judges the partner that config names, once a process. Interrupted ends
// when the caller wants the run to end early; what was held is undone all the
// same. The error is that of a configuration that cannot be used, or ErrOnce: then
// nothing was sent.
func Judge(interrupted context.Context, config Config) (*Outcome, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	if judged.Swap(true) {
		return nil, ErrOnce
	}
	r := newRun(interrupted, config.withDefaults())
	defer r.client.Close()
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

	// After several signals Ginkgo leaves a spec to itself: a hold whose answer
	// it still waits for has to be in the ledger before that is cleared.
	r.stage.Lock()
	r.cleanUp()
	return &Outcome{Result: r.result(), Redactor: r.client.Redactor()}, nil
}

// silent is told of failures in Ginkgo's way; the result tells them in ours.
type silent struct{}

func (silent) Fail() {}

// describe builds the tree of specs. It is Ordered, so that causes are judged
// before their consequences, and Serial, because the specs share one partner.
func (r *run) describe() {
	ginkgo.Describe("a partner", ginkgo.Serial, ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		ginkgo.BeforeEach(func() {
			if r.player.Time.Interrupted() {
				ginkgo.Skip("the run was interrupted")
			}
			if failed := r.failed.Load(); failed != nil {
				ginkgo.Skip(leftOutAfter(failed.ID))
			}
		})
		for _, group := range judge.Groups() {
			if group.Cases {
				r.describeCases()
			}
			if group.Keeps {
				r.describeKeeping()
			}
			if group.Waits {
				r.describeAgain()
			}
			ginkgo.Describe(group.Title, func() {
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

func (r *run) awaitExpiry(ctx ginkgo.SpecContext) {
	r.stage.Lock()
	defer r.stage.Unlock()
	scenario.AwaitExpiry(ctx, r.player, r.config.Waiting)
	r.heed(ctx)
}

// heed has the run end where Ginkgo, which hears signals, ended the spec.
func (r *run) heed(spec context.Context) {
	if spec.Err() != nil {
		r.player.Time.Interrupt()
	}
}

const cleanupTime = 20 * time.Second

// cleanUp releases every hold and cancels every booking that is still there. It
// has a time of its own, and no limit, filter or signal keeps it from trying.
func (r *run) cleanUp() {
	limit := cleanupTime
	if rps := r.config.Bounds.MaxRPS; rps > 0 {
		limit += time.Duration(len(r.config.Ledger.Open())*undo.MostCalls) * time.Second / time.Duration(rps)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r.player.Undoing().All(ctx)
}
