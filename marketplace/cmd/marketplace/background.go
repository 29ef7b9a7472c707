package main

import (
	"log/slog"
	"time"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

// closeTime bounds the closing of a store, whose connections may be in use.
const closeTime = 2 * time.Second

// newWorker returns what happens by itself, on connections of its own.
func newWorker(store *postgres.Store, client *partner.Client, integrations *partner.Registry, bookings *booking.Service, s settings, measured *telemetry.Metrics, log *slog.Logger) (*worker.Worker, error) {
	schedule, err := s.schedule()
	if err != nil {
		return nil, err
	}
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
