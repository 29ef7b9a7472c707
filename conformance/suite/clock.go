package suite

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
)

const (
	clockTimeout = 5 * time.Second
	largestClock = 64 << 10 // bytes of a clock's answer that are read
)

// clock is the target's clock: a resource that tells the target's time (GET
// answers {"now": date-time}) and moves it (POST {"advance": "25m"}). Without
// an address it is this machine's, and stands outside our power.
type clock struct {
	address string
	http    *http.Client

	mu     sync.Mutex
	offset time.Duration // the target's time less ours
}

func newClock(config Config) *clock {
	return &clock{address: config.ClockURL, http: &http.Client{
		Timeout:   clockTimeout,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: config.RootCAs, MinVersion: tls.VersionTLS12}},
	}}
}

// ClockAhead is how far the clock at that address is ahead of this machine's; 0
// where the address is "".
func ClockAhead(ctx context.Context, address string, roots *x509.CertPool) (time.Duration, error) {
	c := newClock(Config{ClockURL: address, RootCAs: roots})
	err := c.read(ctx)
	return c.ahead(), err
}

func (c *clock) movable() bool { return c.address != "" }

// now is the target's time.
func (c *clock) now() time.Time { return time.Now().Add(c.ahead()) }

// ahead is how far the target's time is ahead of this machine's.
func (c *clock) ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// read learns the target's time.
func (c *clock) read(ctx context.Context) error {
	if !c.movable() {
		return nil
	}
	return c.do(ctx, http.MethodGet, nil)
}

// advance moves the target's clock ahead.
func (c *clock) advance(ctx context.Context, ahead time.Duration) error {
	body, err := json.Marshal(map[string]string{"advance": ahead.Round(time.Second).String()})
	if err != nil {
		return err
	}
	if err := c.do(ctx, http.MethodPost, body); err != nil {
		return err
	}
	return c.read(ctx)
}

func (c *clock) do(ctx context.Context, method string, body []byte) error {
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
	var told struct {
		Now time.Time `json:"now"`
	}
	if err := json.Unmarshal(raw, &told); err != nil || told.Now.IsZero() {
		return fmt.Errorf(`the target's clock: GET %s did not answer {"now": date-time}`, c.address)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = time.Until(told.Now)
	return nil
}
