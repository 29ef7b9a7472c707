package selftest

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"time"

	"partnerkit.dev/mockpartner"
)

// authKey is the key of every mock. It opens nothing else.
const authKey = "a-key-for-the-selftest"

// mock is the partner of a case, at an address of its own on this machine.
type mock struct {
	*mockpartner.Mock
	of      Case
	address string
	server  *http.Server
}

func startMock(of Case, now time.Time) (*mock, error) {
	options := of.Options
	options.AuthKey, options.LimitScale, options.Now = authKey, of.limitScale(), now
	partner, err := mockpartner.New(options)
	if err != nil {
		return nil, fmt.Errorf("make the mock partner: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		partner.Close()
		return nil, fmt.Errorf("serve the mock partner: %w", err)
	}
	m := &mock{Mock: partner, of: of, address: "http://" + listener.Addr().String(), server: &http.Server{Handler: partner}}
	go func() { _ = m.server.Serve(listener) }() // it ends when close does
	return m, nil
}

func (m *mock) close() {
	m.Mock.Close()
	_ = m.server.Close() // the run is over: nobody is left to be told
}

// idle returns the names of the faults that have not fired.
func (m *mock) idle() []string {
	names := []string{}
	for _, fault := range m.Default().Faults().Faults() {
		if fault.Fired == 0 {
			names = append(names, fault.Name)
		}
	}
	return names
}

// quirky reports whether the mock's business itself goes wrong.
func (m *mock) quirky() bool { return len(m.Default().Platform().Conduct().Quirks) > 0 }

// answers are the different answers of a mock: endpoint, status and body. Two runs
// against the same mock get the same, whatever they do at once: what follows from
// the time, or from who came first, is left out.
type answers map[string]bool

// passing are date-times, and the codes and ids of holds, bookings and tickets.
var passing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|unknown-[0-9A-Za-z-]+|"(reservationConfirmationCode|externalBookingId|uuid|deliveryValue)":"[^"]*"`)

func (m *mock) answers() answers {
	different := answers{}
	for _, exchange := range m.Default().Journal().Record().Exchanges {
		if exchange.Endpoint != "" {
			body := passing.ReplaceAll(exchange.Answer.Body, nil)
			different[fmt.Sprintf("%s %d %s", exchange.Endpoint, exchange.Status, body)] = true
		}
	}
	return different
}

// mostBookings is how many bookings a run may leave where there is no cancel.
const mostBookings = 2

// LeftBehind says what a run has left in a mock that it should have undone, and
// whether seats were lost.
func LeftBehind(partner *mockpartner.Mock) (left []string) {
	business := partner.Default().Platform()
	for _, violation := range business.Invariants() {
		left = append(left, fmt.Sprintf("%s: %s: %s", violation.Law, violation.Subject, violation.Message))
	}
	for _, hold := range business.Holds() {
		if hold.State == mockpartner.Held {
			left = append(left, fmt.Sprintf("the hold %q was left", hold.Code))
		}
	}
	booked, most := 0, 0
	if business.Conduct().Policy.NoCancel {
		most = mostBookings
	}
	for _, booking := range business.Bookings() {
		if booking.State != mockpartner.Cancelled {
			booked++
		}
	}
	if booked > most {
		left = append(left, fmt.Sprintf("%d bookings were left, where at most %d may be", booked, most))
	}
	return left
}
