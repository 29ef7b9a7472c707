package selftest

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
)

// authKey is the key of every mock. It is used for nothing else.
const authKey = "a-key-for-the-selftest"

// webhookSecret is the secret of every mock's webhooks. It is used for nothing else.
const webhookSecret = "a-secret-for-the-selftest"

type mock struct {
	*mockpartner.Mock
	of      Case
	address string
	server  *http.Server
	others  *Customers
	inbox   string // the address at which the suite receives the mock's webhooks; "": it does not
}

func startMock(of Case, now time.Time) (*mock, error) {
	options := of.Options
	options.AuthKey, options.LimitScale, options.Now = authKey, of.limitScale(), now
	options.Journal = mockpartner.JournalLimits{Exchanges: 100_000, Bytes: 256 << 20} // the complete run
	m := &mock{of: of}
	if of.Webhooks {
		if err := m.notify(&options); err != nil {
			return nil, err
		}
	}
	options.Around = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.others.Follow(next, w, r) })
	}
	partner, err := mockpartner.New(options)
	if err != nil {
		return nil, fmt.Errorf("make the mock partner: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		partner.Close()
		return nil, fmt.Errorf("serve the mock partner: %w", err)
	}
	m.Mock, m.address, m.server = partner, "http://"+listener.Addr().String()+of.Path, &http.Server{Handler: http.StripPrefix(of.Path, partner)}
	m.others = Shop(partner, of.Customers, 1)
	go func() { _ = m.server.Serve(listener) }() // ends with close
	return m, nil
}

// notify configures the mock to send its webhooks to a free port, at which the suite will listen.
func (m *mock) notify(options *mockpartner.Options) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("find a port for webhooks: %w", err)
	}
	m.inbox = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return fmt.Errorf("find a port for webhooks: %w", err)
	}
	options.Webhooks = mockpartner.Webhooks{URL: "http://" + m.inbox + inbox.DefaultPath, Secret: webhookSecret}
	return nil
}

func (m *mock) close() {
	m.others.GoHome()
	m.Mock.Close()
	_ = m.server.Close() // the run is over, so an error does not matter
}

func (m *mock) idleFaults() []string {
	names := []string{}
	for _, fault := range m.Default().Faults().Faults() {
		if fault.Fired == 0 {
			names = append(names, fault.Name)
		}
	}
	for _, quirk := range m.Default().Platform().Conduct().IdleQuirks() {
		names = append(names, quirk.Name)
	}
	return names
}

const mostBookings = 2

// LeftBehind returns what a run should have undone in a mock but did not, and any lost seats.
func LeftBehind(partner *mockpartner.Mock) (left []string) {
	business := partner.Default().Platform()
	for _, violation := range business.Invariants() {
		left = append(left, fmt.Sprintf("%s: %s: %s", violation.Invariant, violation.Subject, violation.Message))
	}
	for _, hold := range business.Holds() {
		if hold.State == client.Held {
			left = append(left, fmt.Sprintf("the hold %q was left", hold.Code))
		}
	}
	booked, most := 0, 0
	if business.Conduct().Policy.NoCancel {
		most = mostBookings
	}
	for _, booking := range business.Bookings() {
		if booking.State != client.Cancelled {
			booked++
		}
	}
	if booked > most {
		left = append(left, fmt.Sprintf("%d bookings were left: expected at most %d", booked, most))
	}
	return left
}
