package suite

import (
	"context"
	"io"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/gomega"

	"partnerkit.dev/conformance/discover"
	"partnerkit.dev/conformance/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Outcome is a finished run: its result, and the redactor of the partner's key
// for whoever writes it down.
type Outcome struct {
	Result   *report.Result
	Redactor *probe.Redactor
}

// Run judges the partner that config names, once a process: Ginkgo runs one
// tree of specs only. Interrupted ends when the caller wants the run to end
// early; what was held is undone all the same. T is told of a partner that is
// not conformant, as a test is.
func Run(interrupted context.Context, t ginkgo.GinkgoTestingT, config Config) *Outcome {
	s := newSession(interrupted, config.withDefaults())
	defer s.client.Close()
	stop := context.AfterFunc(interrupted, func() { s.stopped.Store(true) })
	defer stop()

	s.describe()
	gomega.RegisterFailHandler(ginkgo.Fail)
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.LabelFilter = s.config.LabelFilter
	suiteConfig.GracePeriod = cleanupTime
	if s.config.Quiet {
		reporterConfig.Succinct = true
		formatter.ColorableStdOut, formatter.ColorableStdErr = io.Discard, io.Discard
	}
	ginkgo.RunSpecs(t, "the partner contract", suiteConfig, reporterConfig)

	// After several signals Ginkgo leaves a spec to itself: a hold whose answer
	// it still waits for has to be in the ledger before that is cleared.
	s.stage.Lock()
	s.cleanUp()
	outcome := &Outcome{Result: s.result(), Redactor: s.client.Redactor()}
	if outcome.Result.Verdict != report.Conformant {
		t.Fail()
	}
	return outcome
}

// describe builds the tree of specs. It is Ordered, so that causes are judged
// before their consequences, and Serial, because the specs share one partner.
func (s *session) describe() {
	ginkgo.Describe("a partner", ginkgo.Serial, ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		ginkgo.BeforeEach(func() {
			if s.interrupted() {
				ginkgo.Skip("the run was interrupted")
			}
		})
		ginkgo.Describe("GET /products", s.describeProducts)
		ginkgo.Describe("POST /availability", s.describeAvailability)
		ginkgo.Describe("POST /bookings/reserve", s.describeReserve)
		ginkgo.Describe("POST /bookings/confirm", s.describeConfirm)
		ginkgo.Describe("DELETE /bookings/{reservationCode}", s.describeRelease)
		ginkgo.Describe("POST /bookings/{externalBookingId}/cancel", s.describeCancel)
		ginkgo.Describe("calls at the same time", s.describeRaces)
		ginkgo.Describe("input that the marketplace never sends", s.describeBadInput)
		ginkgo.Describe("holds that expire", s.describeExpiry)
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
