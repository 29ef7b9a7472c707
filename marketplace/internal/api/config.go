package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/event"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// Config configures an API.
type Config struct {
	Store        Store
	SignIn       *auth.Service
	Integrations *partner.Registry
	Bookings     *booking.Service
	Events       *event.Service
	Syncer       *catalog.Syncer
	Trials       catalog.TrialSource // calls partners with settings that are not stored
	Notifier     *catalog.Notifier
	Journals     Journals
	Runs         Runs
	Front        *storefront.Front           // what resellers and affiliates read
	StaleReads   bool                        // lists may be read from a standby
	RateLimit    int                         // requests a minute for each credential; 0: no limit
	Ready        func(context.Context) error // nil if the service is ready, otherwise an Unavailable error
	Metrics      *telemetry.Metrics
	Traces       *telemetry.Traces `part:"optional"` // nil: requests are not traced
	Scrapers     []netip.Prefix    // networks that may read the metrics
	MetricsApart bool              // the metrics are served by MetricsHandler only
	Proxies      []netip.Prefix    // networks of trusted proxies
	Secure       bool              // browsers use HTTPS
	Now          func() time.Time
	Log          *slog.Logger
	Pages        func(api http.Handler) []Page // additional routes, which may call the API
}

// Store is the part of the database that the API uses, by noun.
type Store struct {
	Database   opsStore
	Accounts   accountStore
	Partners   partnerStore
	Catalog    catalogStore
	Storefront termsStore
	Bookings   bookingStore
}

// Page is a route in addition to the API's, for example of the console. Its requests are counted
// and logged like the API's, and its panics are handled.
type Page struct {
	Group   string // the route's name in logs and metrics, such as /console
	Path    string
	Prefix  bool     // includes everything below the path
	Methods []string // empty: all methods
	Handler http.Handler
}

// catchUp waits until all later reads show what a request has changed. A handler that stored
// something that resellers see calls it before it answers. If it fails, the change stays stored and
// the answer is a success.
type catchUp func(context.Context)

func newCatchUp(c Config) catchUp {
	return func(ctx context.Context) {
		if err := c.Front.CatchUp(ctx); err != nil {
			c.Log.WarnContext(ctx, "readers see the change later", slog.String("request_id", requestID(ctx)), slog.Any("error", err))
		}
	}
}
