package main

import (
	"log/slog"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
)

// newBookings returns a service that leads bookings through that store's connections.
func newBookings(store *postgres.Store, client *partner.Client, integrations *partner.Registry, share decimal.Decimal, log *slog.Logger) *booking.Service {
	return booking.NewService(booking.Config{
		Store: store.Bookings, Keys: store.Bookings, Partner: client, Target: integrations.Target, AffiliatesShare: share, Now: time.Now, Log: log,
	})
}
