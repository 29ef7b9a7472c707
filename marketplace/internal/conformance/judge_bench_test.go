package conformance_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// BenchmarkCheckoutJudged makes the calls of checkouts, availability and reserve, and the release
// after them, in turns with the judge and without. The ratio says what judging costs a customer who
// waits for nothing but the partner.
//
//	go test -run '^$' -bench CheckoutJudged -benchtime 1x ./internal/conformance
func BenchmarkCheckoutJudged(b *testing.B) {
	s := setupJudges(b, mockpartner.Options{}, 1).shopper(1)
	plain, err := partner.NewClient(partner.Config{Guard: partner.NewGuard(true), AtOnce: 12, Observe: s.observe, Now: time.Now})
	must(b, err)
	b.Cleanup(plain.Close)
	judged, judge := s.replicas[0].client, s.replicas[0].judge
	o, day := s.findBookable(b.Context(), judged)
	checkouts := func(client *partner.Client) time.Duration {
		began := time.Now()
		for range benchsize.Choose(300, 5) {
			fresh := s.slots(b.Context(), client, o.product, o.option, day, day)
			hold, outcome := client.Reserve(b.Context(), partner.SendBy{}, s.target, partnerapi.Healthy, partnerapi.ReserveRequest{
				ProductID: o.product, OptionID: o.option, AvailabilityID: fresh[slices.IndexFunc(fresh, isAvailable)].ID, Contact: &s.guest, Units: []partnerapi.UnitQuantity{{ID: adult, Quantity: 1}},
			}, func(partnerapi.ReserveAnswer, partner.Outcome) {})
			if outcome.Kind != partner.Done {
				b.Fatal(outcome.Err)
			}
			client.Release(context.WithoutCancel(b.Context()), partner.SendBy{}, s.target, hold.ReservationConfirmationCode)
		}
		return time.Since(began)
	}
	for b.Loop() {
		var ratios []float64
		for range benchsize.Choose(9, 1) {
			waitForJudge(judge) // otherwise the calls without the judge pay for those with it
			without := checkouts(plain)
			ratios = append(ratios, float64(checkouts(judged))/float64(without))
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], "judged-x-of-not")
		dropped := int64(0)
		for _, calls := range judge.Counts().Dropped {
			dropped += calls
		}
		b.ReportMetric(float64(dropped), "calls-dropped")
	}
}

// waitForJudge waits until no call waits for the judge.
func waitForJudge(judge *conformance.Judge) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for judge.Counts().Waiting > 0 {
		<-tick.C
	}
}
