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

// Config is what an API is made of. Every field but Pages and Traces is required.
type Config struct {
	Store        Store
	SignIn       *auth.Service
	Integrations *partner.Registry
	Bookings     *booking.Service
	Events       *event.Service
	Syncer       *catalog.Syncer
	Trials       catalog.TrialSource // calls partners with settings that are not stored yet
	Notifier     *catalog.Notifier
	Journals     Journals
	Runs         Runs
	Front        *storefront.Front           // what readers see
	RateLimit    int                         // requests a minute of one credential; 0 is no limit
	Ready        func(context.Context) error // nil where the service can serve, else why not: Unavailable
	Metrics      *telemetry.Metrics
	Traces       *telemetry.Traces // nil: no request is traced
	Scrapers     []netip.Prefix    // the networks that may read the metrics
	MetricsApart bool              // the metrics have a listener of their own, MetricsHandler's
	Proxies      []netip.Prefix    // the networks whose word is taken on where a request comes from
	Secure       bool              // browsers come by https
	Now          func() time.Time
	Log          *slog.Logger
	Pages        func(api http.Handler) []Page // further routes, which may call the API; may be nil
}

// Store is what the API itself reads and writes in the database, noun by noun.
type Store struct {
	Database   opsStore
	Accounts   accountStore
	Partners   partnerStore
	Catalog    catalogStore
	Storefront termsStore
	Bookings   bookingStore
}

// Page is a route beside the API's own, such as one of the console. Its requests are
// counted, logged and guarded against panics as the API's are.
type Page struct {
	Group   string // the name that the log and the metrics have for the route, such as /console
	Path    string
	Prefix  bool     // whatever lies below the path, too
	Methods []string // none: all
	Handler http.Handler
}

// catchUp waits until every later read shows what a request has changed: a handler that
// has stored what resellers see calls it before it answers. What is stored stays stored
// where it fails, and the answer is a good one.
type catchUp func(context.Context)

func newCatchUp(c Config) catchUp {
	return func(ctx context.Context) {
		if err := c.Front.CatchUp(ctx); err != nil {
			c.Log.WarnContext(ctx, "readers see a change later", slog.String("request_id", requestID(ctx)), slog.Any("error", err))
		}
	}
}
