package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/marketplace"
)

// allow counts a request of the credential, and tells it how many are left.
func (a *API) allow(w http.ResponseWriter, credential string) error {
	d := a.limiter.Take(credential)
	if d.Limit == 0 {
		return nil
	}
	header := w.Header()
	header.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
	header.Set("RateLimit-Remaining", strconv.Itoa(d.Remaining))
	header.Set("RateLimit-Reset", wholeSeconds(d.Reset))
	if !d.Allowed {
		return &marketplace.Error{Code: marketplace.RateLimited, Message: saysRateLimited, RetryAfter: d.Reset}
	}
	return nil
}

// wholeSeconds is a time as headers have it, rounded up.
func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// limitWindow is the time that a rate limit is about.
const limitWindow = time.Minute
