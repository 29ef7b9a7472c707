package booking_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// BenchmarkBookingBesideEvents runs the cycles of BenchmarkBooking in turns, alone and
// beside 1,000 events a second that are stored and published.
//
//	go test -run '^$' -bench BookingBesideEvents -benchtime 1x ./booking
func BenchmarkBookingBesideEvents(b *testing.B) {
	for b.Loop() {
		r := newRace(b, false)
		other := pgtest.OpenAt(b, r.store.Pool().Config().ConnString())
		var ratios, rates []float64
		for range benchRounds() {
			alone := r.measure(b, r.cycle)
			ctx, end := context.WithCancel(b.Context())
			stored, began, ended := 0, time.Now(), sync.WaitGroup{}
			ended.Go(func() { stored = storeEvents(ctx, b, other) })
			beside := r.measure(b, r.cycle)
			end()
			ended.Wait()
			ratios = append(ratios, float64(beside)/float64(alone))
			rates = append(rates, float64(stored)/time.Since(began).Seconds())
		}
		b.ReportMetric(middle(ratios), "x-of-alone")
		b.ReportMetric(middle(rates), "events/s")
		var kept int
		check(b, r.store.Pool().QueryRow(b.Context(), `SELECT count(*) FROM events WHERE type = 'slot.changed'`).Scan(&kept))
		if kept == 0 {
			b.Error("want events published")
		}
	}
}

// storeEvents stores and publishes 1,000 events a second until ctx ends, each in its own
// transaction, and returns their number.
func storeEvents(ctx context.Context, b *testing.B, store *postgres.Store) (stored int) {
	tick, publish := time.NewTicker(time.Millisecond), time.NewTicker(200*time.Millisecond)
	defer tick.Stop()
	defer publish.Stop()
	for began := time.Now(); ; {
		select {
		case <-ctx.Done():
			return stored
		case <-publish.C:
			if _, err := store.Events.Publish(context.WithoutCancel(ctx)); err != nil {
				b.Error(err)
			}
		case <-tick.C:
			for ; float64(stored) < time.Since(began).Seconds()*1000; stored++ { // catches up after a slow tick
				if _, err := store.Pool().Exec(context.WithoutCancel(ctx), `
					INSERT INTO event_outbox (type, subject_id, data) VALUES ($1, gen_random_uuid(), '{"dates": ["2026-07-01"]}')`, domain.SlotChanged); err != nil {
					b.Error(err)
					return stored
				}
			}
		}
	}
}
