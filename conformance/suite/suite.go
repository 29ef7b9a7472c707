package suite

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/gomega"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
)

// Outcome is a finished run: its result, and the redactor of the partner's key
// for whoever writes it down.
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

// judged is set when the process has had its run.
var judged atomic.Bool

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
	s := newSession(interrupted, config.withDefaults())
	defer s.client.Close()
	stop := context.AfterFunc(interrupted, func() { s.stopped.Store(true) })
	defer stop()

	s.describe()
	gomega.RegisterFailHandler(ginkgo.Fail)
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.GracePeriod = cleanupTime
	if !s.config.GinkgoOutput {
		reporterConfig.Succinct = true
		formatter.ColorableStdOut, formatter.ColorableStdErr = io.Discard, io.Discard
	}
	ginkgo.RunSpecs(silent{}, "the partner contract", suiteConfig, reporterConfig)

	// After several signals Ginkgo leaves a spec to itself: a hold whose answer
	// it still waits for has to be in the ledger before that is cleared.
	s.stage.Lock()
	s.cleanUp()
	return &Outcome{Result: s.result(), Redactor: s.client.Redactor()}, nil
}

// silent is told of failures in Ginkgo's way; the result tells them in ours.
type silent struct{}

func (silent) Fail() {}

// describe builds the tree of specs. It is Ordered, so that causes are judged
// before their consequences, and Serial, because the specs share one partner.
func (s *session) describe() {
	ginkgo.Describe("a partner", ginkgo.Serial, ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		ginkgo.BeforeEach(func() {
			if s.interrupted() {
				ginkgo.Skip("the run was interrupted")
			}
			if failed := s.failed.Load(); failed != nil {
				ginkgo.Skip(leftOutAfter(failed.ID))
			}
		})
		ginkgo.Describe("GET /products", s.describeProducts)
		ginkgo.Describe("POST /availability", s.describeAvailability)
		ginkgo.Describe("POST /bookings/reserve", s.describeReserve)
		ginkgo.Describe("POST /bookings/confirm", s.describeConfirm)
		ginkgo.Describe("DELETE /bookings/{reservationCode}", s.describeRelease)
		ginkgo.Describe("POST /bookings/{externalBookingId}/cancel", s.describeCancel)
		ginkgo.Describe("calls at the same time", s.describeRaces)
		ginkgo.Describe("input that is unusual, and lawful", s.describeUnusual)
		ginkgo.Describe("input that the marketplace never sends", s.describeBadInput)
		ginkgo.Describe("holds that expire", s.describeExpiry)
		ginkgo.Describe("random lifecycles", s.describeExploration)
		ginkgo.Describe("every answer", func() {
			s.describeRefusals()
			for _, r := range []rule.Rule{
				rule.ProductsContentType, rule.AvailabilityContentType, rule.ReserveContentType,
				rule.ConfirmContentType, rule.ReleaseContentType, rule.CancelContentType,
			} {
				s.describeContentType(r)
			}
			s.describeLimits()
		})
	})
}

// anyOffer returns an offer to enter what belongs to no slot, as far as there is one.
func (s *session) anyOffer() discover.Offer {
	if s.survey != nil && len(s.survey.offers) > 0 {
		return s.survey.offers[0]
	}
	return discover.Offer{}
}
