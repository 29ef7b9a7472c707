package booking_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/certification"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/suite/suitetest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
)

const (
	// recheckEvery is the pace of a night with 300 partners that are checked within half an hour.
	recheckEvery = 6 * time.Second
	recheckTurn  = 2 * recheckEvery // of each measurement
)

// BenchmarkBookingBesideRechecks measures how long customers wait for a booking on average, in turns
// alone and beside the nightly rechecks of 300 partners.
//
//	go test -run '^$' -bench BookingBesideRechecks -benchtime 1x ./booking
func BenchmarkBookingBesideRechecks(b *testing.B) {
	command, err := suitetest.Build(b.TempDir())
	check(b, err)
	secret, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	check(b, err)
	signer, err := certification.NewSigner(secret)
	check(b, err)
	for b.Loop() {
		r := newRace(b, false)
		runner, err := certification.NewRunner(certification.Config{
			Store: r.store.Runs, Integrations: r.integrations, Command: command, Signer: signer, Now: time.Now, AllowPrivate: true, Log: slog.New(slog.DiscardHandler),
		})
		check(b, err)
		mock := mocktest.Start(b, mockpartner.Options{})
		var owner uuid.UUID
		check(b, r.store.Pool().QueryRow(b.Context(), `SELECT account_id FROM integrations LIMIT 1`).Scan(&owner))
		checked, _, err := r.integrations.Register(b.Context(), owner, partner.Registration{Name: "Checked", BaseURL: mock.URL, AuthKey: mock.AuthKey, HandlesTicketDelivery: true})
		check(b, err)
		var ratios []float64
		var runs int
		for range benchRounds() {
			alone := r.averageWait(b)
			ctx, end := context.WithCancel(b.Context())
			var running sync.WaitGroup
			running.Go(func() { runs += recheck(ctx, b, runner, checked.ID) })
			beside := r.averageWait(b)
			end()
			running.Wait()
			ratios = append(ratios, float64(beside)/float64(alone))
		}
		b.ReportMetric(middle(ratios), "x-of-alone")
		b.ReportMetric(float64(runs), "runs")
	}
}

// recheck runs a partner's checks until ctx ends, the last one to its end, and returns their number.
func recheck(ctx context.Context, b *testing.B, runner *certification.Runner, integration uuid.UUID) (runs int) {
	service, whole := certification.NewService(runner.Store, true), context.WithoutCancel(ctx)
	pace := time.NewTicker(recheckEvery)
	defer pace.Stop()
	for {
		id, err := service.Start(whole, integration, certification.ReadOnly, nil, true)
		if err == nil {
			err = runner.Run(whole, id)
		}
		if err != nil {
			b.Error(err)
			return runs
		}
		runs++
		select {
		case <-ctx.Done():
			return runs
		case <-pace.C:
		}
	}
}

// averageWait returns how long customers wait on average for a booking that is paid and confirmed. They
// come one after another, because many at the same time wait for each other.
func (r *race) averageWait(b *testing.B) time.Duration {
	b.Helper()
	served := 0
	began := time.Now()
	for ; time.Since(began) < recheckTurn; served++ {
		check(b, r.cycle(b.Context()))
	}
	return time.Since(began) / time.Duration(served)
}
