package twin

import (
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// answerTime is how long an endpoint takes, as observed.
type answerTime struct {
	name   string // of the endpoint, or probe
	median time.Duration
	calls  int
}

const (
	// shortestTime is the shortest time that is recorded: a twin itself takes some milliseconds.
	shortestTime = 5 * time.Millisecond
	// longestTime is the maximum that a scenario allows.
	longestTime = 10 * time.Minute
)

// answerTimes learns the medians of successful answers.
func (l *learner) answerTimes() (times []answerTime) {
	took := map[string][]time.Duration{}
	for _, c := range l.calls {
		if !c.hasGoodKey() || !c.succeeded2xx() {
			continue
		}
		name := string(c.endpoint)
		if c.endpoint == partnerapi.Products && c.URL.Query().Has("limit") {
			name = "probe"
		}
		took[name] = append(took[name], c.Took)
	}
	for _, name := range []string{"products", "probe", "availability", "reserve", "confirm", "release", "cancel"} {
		all := took[name]
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		median := min(all[len(all)/2], longestTime).Round(time.Millisecond)
		if median >= shortestTime {
			times = append(times, answerTime{name, median, len(all)})
		}
	}
	return times
}
