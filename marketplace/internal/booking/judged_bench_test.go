package booking_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/judging"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/suite/suitetest"
)

// BenchmarkBookingJudged runs the cycles of BenchmarkBooking in turns, with the calls to the
// partner judged as they happen and without.
//
//	go test -run '^$' -bench BookingJudged -benchtime 1x ./booking
func BenchmarkBookingJudged(b *testing.B) {
	command, err := suitetest.Build(b.TempDir())
	check(b, err)
	for b.Loop() {
		r := newRace(b, false)
		began := time.Now()
		now := func() time.Time { return noon.Add(time.Since(began)) } // the judge sorts calls by time
		judge, err := judging.New(judging.Config{Store: r.store.Partners, Command: command, Now: now, Log: slog.New(slog.DiscardHandler)})
		check(b, err)
		client, err := partner.NewClient(partner.Config{Guard: partner.NewGuard(true), AtOnce: 8, Now: now, Observe: func(id uuid.UUID, call partner.Observation) {
			_, _ = r.store.Partners.Observe(context.Background(), id, call)
		}, Watcher: judge})
		check(b, err)
		plain := r.Service
		judged, err := booking.NewService(booking.Config{
			Store: r.store.Bookings, Keys: r.store.Bookings, Partner: client, Target: r.integrations.Target,
			AffiliatesShare: decimal.NewFromInt(10), Now: r.now, Log: slog.New(slog.DiscardHandler),
		})
		check(b, err)
		var ratios []float64
		for range benchRounds() {
			without := r.measure(b, r.cycle)
			r.Service = judged
			with := r.measure(b, r.cycle)
			r.Service = plain
			ratios = append(ratios, float64(with)/float64(without))
			waitForJudge(judge) // otherwise the next round pays for this one
		}
		b.ReportMetric(middle(ratios), "judged-x-of-not")
		judge.Close()
		client.Close()
		b.ReportMetric(float64(judge.Counts().Judged)/float64(3*benchRounds()*benchCycles()), "share-judged")
	}
}

// waitForJudge waits until no call waits for the judge.
func waitForJudge(judge *judging.Judge) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for judge.Counts().Waiting > 0 {
		<-tick.C
	}
}
