package partner

import (
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// What moves the state, in calls one after the other.
const (
	toDegrade = 3
	toHeal    = 2
)

// Result is what came of a call, as far as a partner's health goes.
type Result string

// The results.
const (
	ResultOK         Result = "ok"         // 2xx, read whole
	ResultTimeout    Result = "timeout"    //
	ResultTransport  Result = "transport"  // no connection, or one that broke
	ResultStatus     Result = "status"     // an HTTP answer that is not 2xx
	ResultUnreadable Result = "unreadable" // a 2xx whose body makes no sense
)

// Observation is what was seen of one call to the partner.
type Observation struct {
	At     time.Time
	Mode   marketplace.Mode // of the integration
	Result Result
	Status int           // of the answer, where there was one
	Took   time.Duration // until the answer was read, or given up

	Endpoint partnerapi.Endpoint
	Wrong    string // in words, without a customer's data; "": nothing was
	Lawful   bool   // a refusal that the contract allows
}

// String says what came of the call, in a word or a few.
func (c Observation) String() string {
	if c.Result == ResultStatus {
		return fmt.Sprintf("answered with %d", c.Status)
	}
	return string(c.Result)
}

// HealthChange is one change of a partner's state.
type HealthChange struct {
	At     time.Time         `json:"at"`
	State  partnerapi.Health `json:"state"`
	Reason string            `json:"reason"` // what came of the call that changed it
}

// Fare is how a partner fares.
type Fare struct {
	Health
	Changes marketplace.List[HealthChange] // of its state: the last ones, the newest first
}

// Health is a partner's state and counters. The zero value is that of a partner that
// has not been called.
type Health struct {
	State               partnerapi.Health `json:"state"` // "" is HEALTHY
	FailureCount        int64             `json:"failure_count"`
	ConsecutiveFailures int               `json:"consecutive_failures"` // of those that degrade
	ConsecutiveOK       int               `json:"-"`
	LastOKAt            time.Time         `json:"last_ok_at,omitzero"`
}

// After is the health that a call leaves. Every failure counts; those that speak of
// the partner's platform, not of one request, degrade it when they come in a row.
func (h Health) After(call Observation) Health {
	if h.State == "" {
		h.State = partnerapi.Healthy
	}
	switch {
	case call.Result == ResultOK:
		if call.At.After(h.LastOKAt) { // concurrent calls may be reported out of order
			h.LastOKAt = call.At
		}
		h.ConsecutiveFailures = 0
		// It counts no further: a partner that is well is not written down at every call.
		if h.ConsecutiveOK = min(h.ConsecutiveOK+1, toHeal); h.ConsecutiveOK == toHeal {
			h.State = partnerapi.Healthy
		}
	case !call.degrades():
		h.FailureCount++
	default:
		h.FailureCount++
		h.ConsecutiveOK = 0
		h.ConsecutiveFailures++
		if h.ConsecutiveFailures >= toDegrade {
			h.State = partnerapi.Degraded
		}
	}
	return h
}

// freshness is how old LastOKAt may grow before it is worth a write.
const freshness = time.Minute

// WorthStoring reports whether the health differs from the one before by more than a
// good answer that is a moment newer.
func (h Health) WorthStoring(before Health) bool {
	fresh := h.LastOKAt.Sub(before.LastOKAt) < freshness
	h.LastOKAt, before.LastOKAt = time.Time{}, time.Time{}
	return h != before || !fresh
}

// degrades reports whether a failure speaks of the partner's platform. A 404 or a 409
// speaks of one request: it neither degrades nor heals.
func (c Observation) degrades() bool {
	if c.Result != ResultStatus {
		return true
	}
	switch c.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return c.Status >= http.StatusInternalServerError || c.Status < http.StatusBadRequest // a redirect leads nowhere
}
