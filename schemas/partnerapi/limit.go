package partnerapi

import "time"

// Health is a partner's health as the marketplace measures it. It determines how long the
// marketplace waits for the partner (LIM-1).
type Health string

// The two health states.
const (
	Healthy  Health = "HEALTHY"
	Degraded Health = "DEGRADED"
)

// The contract's limits.
const (
	// ProbeTimeout is the timeout of the health probe, GET /products?limit=1.
	ProbeTimeout = 5 * time.Second
	// AvailabilityAim is the answer time that partners should aim at.
	AvailabilityAim = 15 * time.Second
	// LookaheadDays is the number of days after today for which a sync requests slots.
	LookaheadDays = 60
	// DefaultCurrencyPrecision is the number of decimals of an amount without a precision.
	DefaultCurrencyPrecision = 2
	// WebhookSecretLength is the length of a webhook secret in hexadecimal digits.
	WebhookSecretLength = 64

	// HoldAtLeast and HoldAtMost are the recommended range for the life of a hold (RSV-7).
	HoldAtLeast = 15 * time.Minute
	HoldAtMost  = 30 * time.Minute
	// HoldlessAfter: if a partner's holds expire later than this after reserve, the partner is
	// assumed to keep no seats for them (RSV-8).
	HoldlessAfter = 2 * time.Hour
)

// Timeout returns how long the marketplace waits for e's complete answer from a partner in the
// given health state (LIM-1). For products it is the limit of a catalog pull; the probe has its
// own, ProbeTimeout.
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
