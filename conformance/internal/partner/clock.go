package partner

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"partnerkit.dev/internal/connection"
)

const (
	clockTimeout = 5 * time.Second
	largestClock = 64 << 10 // bytes read of a clock's answer
)

// Clock is the target's clock: a resource that returns the target's time (GET answers {"now":
// date-time}) and moves it (POST {"advance": "25m"}). Without an address it is this machine's
// clock, which cannot be moved.
type Clock struct {
	address string
	Err     error // why the clock at its address cannot be used
	http    *http.Client

	mu     sync.Mutex
	offset time.Duration // the target's time minus this machine's
}

// NewClock returns the clock that a PUT to the address moves; "" means this machine's clock.
func NewClock(address string, roots *x509.CertPool, certificate *tls.Certificate) *Clock {
	return &Clock{address: address, http: &http.Client{
		Timeout: clockTimeout,
		// The user chose the address; the target would choose where a redirect leads.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, GetClientCertificate: connection.SendCertificate(certificate)}},
	}}
}

// CanMove reports whether the target's clock can be moved.
func (c *Clock) CanMove() bool { return c.address != "" }

// GiveUp switches to this machine's clock and stores the reason.
func (c *Clock) GiveUp(trouble error) { c.address, c.Err = "", trouble }

// Now returns the target's time, as last read.
func (c *Clock) Now() time.Time { return time.Now().Add(c.Offset()) }

// Offset returns how far the target's time is ahead of this machine's.
func (c *Clock) Offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Read reads the target's clock at its address. It does nothing without an address.
func (c *Clock) Read(ctx context.Context) error {
	if !c.CanMove() {
		return nil
	}
	return c.do(ctx, http.MethodGet, nil)
}

// MoveBeyond moves the target's clock to about one second after t. It reads the target's time
// first: a stopped clock has fallen behind since the last read.
func (c *Clock) MoveBeyond(ctx context.Context, t time.Time) error {
	if err := c.Read(ctx); err != nil {
		return err
	}
	ahead := t.Sub(c.Now()) + time.Second
	if ahead <= 0 {
		return nil
	}
	body, err := json.Marshal(map[string]string{"advance": (ahead + time.Second/2).Round(time.Second).String()})
	if err != nil {
		return err
	}
	if err := c.do(ctx, http.MethodPost, body); err != nil {
		return err
	}
	return c.Read(ctx)
}

func (c *Clock) do(ctx context.Context, method string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, method, c.address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the target's clock: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("the target's clock: %w", err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, largestClock))
	if err != nil {
		return fmt.Errorf("the target's clock: %w", err)
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the target's clock: %s %s answered %s", method, c.address, answer.Status)
	}
	if method == http.MethodPost {
		return nil
	}
	var clock struct {
		Now time.Time `json:"now"`
	}
	if err := json.Unmarshal(raw, &clock); err != nil || clock.Now.IsZero() {
		return fmt.Errorf(`the target's clock: GET %s did not answer {"now": date-time}`, c.address)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = time.Until(clock.Now)
	return nil
}
