package selftest

import (
	"fmt"
	"net"
	"time"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/mockpartner"
)

const (
	// webhookSecret is the secret of every mock's webhooks. It is used for nothing else.
	webhookSecret = "a-secret-for-the-selftest"
	// webhookWait is how long the suite waits for a webhook. The mock sends them immediately, and
	// again after a second.
	webhookWait = 4 * time.Second
)

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
	options.Webhooks = &mockpartner.Webhooks{URL: "http://" + m.inbox + inbox.DefaultPath, Secret: webhookSecret}
	return nil
}
