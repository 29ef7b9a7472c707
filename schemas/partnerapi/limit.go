package partnerapi

import "time"

// Health is the marketplace's opinion of a partner; it decides how long the
// marketplace waits for it (LIM-1).
type Health string

// The two health states.
const (
	Healthy  Health = "HEALTHY"
	Degraded Health = "DEGRADED"
)

// The contract's limits.
const (
	// ProbeTimeout bounds the health probe, GET /products?limit=1.
	ProbeTimeout = 5 * time.Second
	// AvailabilityAim is the answer time that partners should aim at.
	AvailabilityAim = 15 * time.Second
	// LookaheadDays is how many days after today a sync asks slots for.
	LookaheadDays = 60
	// DefaultCurrencyPrecision counts the decimals of an amount that names none.
	DefaultCurrencyPrecision = 2
	// WebhookSecretLength is the length of a webhook secret in hexadecimal digits.
	WebhookSecretLength = 64

	// HoldAtLeast and HoldAtMost bound a sensible life of a hold (RSV-7).
	HoldAtLeast = 15 * time.Minute
	HoldAtMost  = 30 * time.Minute
	// HoldlessAfter: a partner whose holds expire later than this after
	// reserve is taken to keep no seats for them (RSV-8).
	HoldlessAfter = 2 * time.Hour
)

// Timeout returns how long the marketplace waits for e's whole answer from a
// partner in the given health state (LIM-1). For products it is the limit of a
// catalog pull; the probe has its own, ProbeTimeout.
func (e Endpoint) Timeout(h Health) time.Duration {
	switch e {
	case Products:
		return 15 * time.Second
	case Availability:
		return 20 * time.Second
	case Reserve, Confirm:
		if h == Degraded {
			return 10 * time.Second
		}
		return 5 * time.Second
	default:
		return 10 * time.Second
	}
}
