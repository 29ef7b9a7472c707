package traffic

import (
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// seen is what the calls show for the report.
type seen struct {
	base            string // the partner's address
	auth            partnerapi.AuthType
	first, last     time.Time
	holds, bookings int
	calls           map[partnerapi.Endpoint]*sample
}

func (s *seen) take(c *call) {
	if s.first.IsZero() {
		s.first, s.base, s.auth = c.StartedAt, c.Base, partnerapi.APIKey
	}
	if strings.HasPrefix(c.Request.Header.Get("Authorization"), "Bearer ") {
		s.auth = partnerapi.Bearer
	}
	s.last = c.StartedAt
	switch {
	case c.Endpoint == partnerapi.Reserve && c.HasStatus(http.StatusOK, http.StatusCreated):
		s.holds++
	case c.Endpoint == partnerapi.Confirm && c.HasStatus(http.StatusOK):
		s.bookings++
	}
	if s.calls[c.Endpoint] == nil {
		s.calls[c.Endpoint] = &sample{every: 1}
	}
	s.calls[c.Endpoint].add(&report.Exchange{Duration: c.Duration, Limit: c.Limit})
}

// latency summarizes the answer times of each endpoint.
func (s *seen) latency() []report.Latency {
	all := []report.Latency{}
	for _, endpoint := range partnerapi.Endpoints() {
		if of := s.calls[endpoint]; of != nil {
			latency := Latency(endpoint, of.kept, func(d time.Duration) time.Duration { return d })
			latency.Calls = of.count
			all = append(all, latency)
		}
	}
	return all
}
