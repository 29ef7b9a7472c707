package scenario

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
)

// countingObserver counts what it receives, and the vanished slots separately.
type countingObserver struct{ received, vanished int }

func (o *countingObserver) Product(*report.Exchange, int, any, schemas.Problem)         { o.received++ }
func (o *countingObserver) Slot(SlotAnswer, int, discover.Slot, any, []schemas.Problem) { o.received++ }
func (o *countingObserver) Slots(SlotAnswer)                                            { o.received++ }
func (o *countingObserver) ObserveVanished(SlotAnswer, discover.Slot)                   { o.vanished++ }
func (o *countingObserver) Answer(*probe.Answer, schemas.Problem)                       { o.received++ }

// A partner could send millions of wrong products, whose validation takes minutes.
func TestAnAnswerIsJudgedNoLongerThanTheRunMayTake(t *testing.T) {
	t.Parallel()
	over, end := context.WithCancel(t.Context())
	end()
	observer := &countingObserver{}
	r := &reader{calls: partner.NewCaller(nil, partner.NewTime(t.Context(), 0), 1), observer: observer}
	answer := &probe.Answer{
		Exchange: &report.Exchange{Response: &report.Response{Status: http.StatusOK}},
		Raw:      []byte("[" + strings.Repeat("{},", 900) + "{}]"),
	}
	const want = "the run's time, 0s, was used up (--max-duration)"
	if read := r.readPull(over, answer, nil); read.Stop == nil || !strings.Contains(read.Stop.Message, want) {
		t.Errorf("want %q for the products, got %+v", want, read.Stop)
	}
	if _, stop := r.readSlots(over, Question{}, answer); stop == nil || !strings.Contains(stop.Message, want) {
		t.Errorf("want %q for the slots, got %+v", want, stop)
	}
	if observer.received > 0 {
		t.Errorf("want nothing judged, got %d parts", observer.received)
	}
}
