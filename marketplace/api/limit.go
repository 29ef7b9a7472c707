package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/marketplace"
)

var errRateLimited = &marketplace.Error{Code: marketplace.RateLimited, Message: saysRateLimited}

// allow counts a request of the credential, and tells it how many are left.
func (a *API) allow(w http.ResponseWriter, credential string) error {
	d := a.limiter.Take(credential)
	if d.Limit == 0 {
		return nil
	}
	reset := strconv.Itoa(int(math.Ceil(d.Reset.Seconds())))
	header := w.Header()
	header.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
	header.Set("RateLimit-Remaining", strconv.Itoa(d.Remaining))
	header.Set("RateLimit-Reset", reset)
	if !d.Allowed {
		header.Set("Retry-After", reset)
		return errRateLimited
	}
	return nil
}

// limitWindow is the time that a rate limit is about.
const limitWindow = time.Minute
