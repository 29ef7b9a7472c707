package console

import (
	"slices"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/schemas/partnerapi"
)

// failure is calls to a partner that failed alike: one line for a cause, however often it was met.
type failure struct {
	Endpoint    partnerapi.Endpoint
	Status      int // 0: no answer
	Error       string
	First, Last time.Time
	Calls       int
	Slowest     int // in ms
}

// failuresOf groups calls, the newest first, by what went wrong.
func failuresOf(calls []client.Call) (all []failure) {
	for _, c := range calls {
		i := slices.IndexFunc(all, func(f failure) bool { return f.Endpoint == c.Endpoint && f.Status == c.Status && f.Error == c.Error })
		if i < 0 {
			i = len(all)
			all = append(all, failure{Endpoint: c.Endpoint, Status: c.Status, Error: c.Error, Last: c.At})
		}
		f := &all[i]
		f.First, f.Calls, f.Slowest = c.At, f.Calls+1, max(f.Slowest, c.DurationMS)
	}
	return all
}
