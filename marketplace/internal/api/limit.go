package api

import (
	"math"
	"strconv"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// allow counts a request of the credential, and tells it how many are left.
func (a *API) allow(x *exchange, credential string) error {
	d := a.limiter.Take(credential)
	if d.Limit == 0 {
		return nil
	}
	x.set("Ratelimit-Limit", strconv.Itoa(d.Limit))
	x.set("Ratelimit-Remaining", strconv.Itoa(d.Remaining))
	x.set("Ratelimit-Reset", wholeSeconds(d.Reset))
	if !d.Allowed {
		return &marketplace.Error{Code: marketplace.RateLimited, Message: saysRateLimited, RetryAfter: d.Reset}
	}
	return nil
}

// wholeSeconds is a time as headers have it, rounded up.
func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// limitWindow is the time that a rate limit is about.
const limitWindow = time.Minute
