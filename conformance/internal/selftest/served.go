package selftest

import (
	"fmt"
	"net"
	"net/http"

	"partnerkit.dev/mockpartner"
)

// authKey is the key of every mock. It opens nothing else.
const authKey = "a-key-for-the-selftest"

// served is the mock of a case, at an address of its own on this machine.
type served struct {
	mock       *mockpartner.Mock
	address    string
	limitScale float64
	flags      []string // of the command
	server     *http.Server
}

func (b *Bench) serve(c Case) (*served, error) {
	options := c.Options
	options.AuthKey, options.LimitScale, options.Now = authKey, c.limitScale(), b.now
	mock, err := mockpartner.New(options)
	if err != nil {
		return nil, fmt.Errorf("make the mock partner: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		mock.Close()
		return nil, fmt.Errorf("serve the mock partner: %w", err)
	}
	s := &served{
		mock: mock, address: "http://" + listener.Addr().String(), limitScale: options.LimitScale, flags: c.Flags,
		server: &http.Server{Handler: mock},
	}
	go func() { _ = s.server.Serve(listener) }() // it ends when close does
	return s, nil
}

func (s *served) close() {
	s.mock.Close()
	_ = s.server.Close() // the run is over: nobody is left to be told
}

// idle returns the names of the faults that have not fired.
func (s *served) idle() []string {
	names := []string{}
	for _, fault := range s.mock.Default().Faults().Faults() {
		if fault.Fired == 0 {
			names = append(names, fault.Name)
		}
	}
	return names
}

// quirky reports whether the mock's business itself goes wrong.
func (s *served) quirky() bool { return len(s.mock.Default().Platform().Conduct().Quirks) > 0 }

// mostBookings is how many bookings a run may leave where there is no cancel.
const mostBookings = 2

// LeftBehind says what a run has left in a mock that it should have undone, and
// whether seats were lost.
func LeftBehind(mock *mockpartner.Mock) (left []string) {
	business := mock.Default().Platform()
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
