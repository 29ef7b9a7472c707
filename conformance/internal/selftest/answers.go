package selftest

import (
	"fmt"
	"maps"
	"regexp"
)

// answers are the different answers of a mock: endpoint, status and body. Two runs
// against the same mock get the same, whatever they do at once: what follows from
// the time, or from who came first, is left out.
type answers map[string]bool

// passing are date-times, and the codes and ids of holds, bookings and tickets.
var passing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|unknown-[0-9A-Za-z-]+|"(reservationConfirmationCode|externalBookingId|uuid|deliveryValue)":"[^"]*"`)

func (s *served) answers() answers {
	different := answers{}
	for _, exchange := range s.mock.Default().Journal().Record().Exchanges {
		if exchange.Endpoint != "" {
			body := passing.ReplaceAll(exchange.Answer.Body, nil)
			different[fmt.Sprintf("%s %d %s", exchange.Endpoint, exchange.Status, body)] = true
		}
	}
	return different
}

func (a answers) equal(b answers) bool { return maps.Equal(a, b) }
