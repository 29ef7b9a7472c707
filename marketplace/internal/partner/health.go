package partner

import (
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// Consecutive calls that change the state.
const (
	toDegrade = 3
	toHeal    = 2
)

// Result is the outcome of a call for the partner's health.
type Result string

// The results.
const (
	ResultOK         Result = "ok"         // 2xx, read completely
	ResultTimeout    Result = "timeout"    //
	ResultTransport  Result = "transport"  // no connection, or a broken one
	ResultStatus     Result = "status"     // any other HTTP status than 2xx
	ResultUnreadable Result = "unreadable" // 2xx with an invalid body
)

// Observation describes one call to the partner.
type Observation struct {
	At     time.Time
	Mode   domain.Mode // of the integration
	Result Result
	Status int           // of the answer, if any
	Took   time.Duration // until the answer was read or the call was cancelled

	Endpoint partnerapi.Endpoint
	Wrong    string // a message without customer data; "": no problem
	Lawful   bool   // a refusal that the contract allows
}

// String returns the outcome in a few words.
func (c Observation) String() string {
	if c.Result == ResultStatus {
		return fmt.Sprintf("answered with %d", c.Status)
	}
	return string(c.Result)
}

// HealthChange is one change of a partner's state.
type HealthChange struct {
	At     time.Time
	State  partnerapi.Health
	Reason string // the outcome of the call that caused it
}

// Fare is a partner's health and its recent changes.
type Fare struct {
	Health
	Changes domain.List[HealthChange] // of the state, newest first
}

// Health is a partner's state with its counters. The zero value means that the partner has not been
// called.
type Health struct {
	State               partnerapi.Health // "" is HEALTHY
	FailureCount        int64
	ConsecutiveFailures int // only failures that degrade
	ConsecutiveOK       int
	LastOKAt            time.Time
}

// After returns the health after a call. Every failure is counted. Consecutive failures of the
// whole platform, not of one request, degrade the partner.
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
		// The counter stops here, so that a healthy partner is not written at every call.
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

// freshness is how old LastOKAt may become before it is stored again.
const freshness = time.Minute

// WorthStoring reports whether the health differs from the stored one by more than a slightly newer
// LastOKAt.
func (h Health) WorthStoring(before Health) bool {
	fresh := h.LastOKAt.Sub(before.LastOKAt) < freshness
	h.LastOKAt, before.LastOKAt = time.Time{}, time.Time{}
	return h != before || !fresh
}

// degrades reports whether a failure concerns the whole platform. A 404 or 409 concerns one
// request: it neither degrades nor heals.
func (c Observation) degrades() bool {
	if c.Result != ResultStatus {
		return true
	}
	switch c.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return c.Status >= http.StatusInternalServerError || c.Status < http.StatusBadRequest // a redirect is a misconfiguration
}
