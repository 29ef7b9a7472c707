package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

// closeTime bounds the closing of a store, whose connections may be in use.
const closeTime = 2 * time.Second

func newWorker(store *postgres.Store, client *partner.Client, integrations *partner.Registry, bookings *booking.Service, schedule worker.Schedule, measured *telemetry.Metrics, log *slog.Logger) (*worker.Worker, error) {
	syncer := catalog.NewSyncer(store.Catalog, client, time.Now)
	syncer.Tell(measured.Synced)
	slots := catalog.NewSlotPuller(store.Catalog, client, time.Now)
	slots.Tell(measured.PulledSlots)
	return worker.New(worker.Config{
		Store: store, Integrations: integrations, Syncer: syncer,
		Slots: slots, Prober: client, Bookings: bookings, Schedule: schedule, Log: log,
	})
}

// closeStore closes a store, and waits for its connections no longer than closeTime.
func closeStore(store *postgres.Store) {
	closed := make(chan struct{})
	go func() { defer close(closed); store.Close() }()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
}

func newBookings(store *postgres.Store, client *partner.Client, integrations *partner.Registry, share decimal.Decimal, log *slog.Logger) *booking.Service {
	return booking.NewService(booking.Config{
		Store: store.Bookings, Keys: store.Bookings, Partner: client, Target: integrations.Target, AffiliatesShare: share, Now: time.Now, Log: log,
	})
}

// observer counts calls to partners, and writes down how they fare. A call is not failed by that.
func observer(store *postgres.Store, measured *telemetry.Metrics, log *slog.Logger) func(uuid.UUID, partner.Observation) {
	return func(id uuid.UUID, call partner.Observation) {
		measured.Called(id, call)
		ctx, cancel := context.WithTimeout(context.Background(), observeTime)
		defer cancel()
		if err := store.Partners.Observe(ctx, id, call); err != nil {
			log.Error("a partner's health was not written down", slog.String("integration_id", id.String()), slog.Any("error", err))
		}
	}
}
