package judging_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// The calls of a checkout, availability and reserve, and the release after it, with and without the judge.
// The ratio says what judging costs a customer.
func BenchmarkCheckoutJudgedAndNot(b *testing.B) {
	s := setup(b, mockpartner.Options{}, 1).shopper(1)
	plain := partner.NewClient(partner.Config{Guard: partner.NewGuard(true), AtOnce: 12, Observe: s.observe, Now: time.Now})
	b.Cleanup(plain.Close)
	judged := s.replicas[0].client
	o, day := s.bookable(b.Context(), judged)
	checkout := func(client *partner.Client) time.Duration {
		began := time.Now()
		fresh := s.slots(b.Context(), client, o.product, o.option, day, day)
		hold, outcome := client.Reserve(b.Context(), partner.SendBy{}, s.target, partnerapi.Healthy, partnerapi.ReserveRequest{
			ProductID: o.product, OptionID: o.option, AvailabilityID: fresh[slices.IndexFunc(fresh, available)].ID, Contact: &s.guest, Units: []partnerapi.UnitQuantity{{ID: adult, Quantity: 1}},
		}, func(partnerapi.ReserveAnswer, partner.Outcome) {})
		if outcome.Kind != partner.Done {
			b.Fatal(outcome.Err)
		}
		client.Release(context.WithoutCancel(b.Context()), partner.SendBy{}, s.target, hold.ReservationConfirmationCode)
		return time.Since(began)
	}
	var with, without time.Duration
	for range b.N { // alternating, so that both see the same machine
		with += checkout(judged)
		without += checkout(plain)
	}
	b.ReportMetric(float64(with)/float64(without), "judged/not")
	counts := s.replicas[0].judge.Counts()
	b.ReportMetric(float64(counts.Judged), "calls-judged")
}
