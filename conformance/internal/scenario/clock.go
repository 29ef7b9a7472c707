package scenario

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

// Clock is the target's clock: a resource that tells the target's time (GET
// answers {"now": date-time}) and moves it (POST {"advance": "25m"}). Without
// an address it is this machine's, and stands outside our power.
type Clock struct {
	address string
	trouble error // why the clock at its address cannot be used
	http    *http.Client

	mu     sync.Mutex
	offset time.Duration // the target's time less ours
}

// NewClock returns the clock at an address; "": this machine's.
func NewClock(address string, roots *x509.CertPool) *Clock {
	return &Clock{address: address, http: &http.Client{
		Timeout:   clockTimeout,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
	}}
}

// Movable reports whether the clock can be moved.
func (c *Clock) Movable() bool { return c.address != "" }

// giveUp has the clock be this machine's from now on, and keeps why.
func (c *Clock) giveUp(trouble error) { c.address, c.trouble = "", trouble }

// Now is the target's time.
func (c *Clock) Now() time.Time { return time.Now().Add(c.Ahead()) }

// Ahead is how far the target's time is ahead of this machine's.
func (c *Clock) Ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Read learns the target's time.
func (c *Clock) Read(ctx context.Context) error {
	if !c.Movable() {
		return nil
	}
	return c.do(ctx, http.MethodGet, nil)
}

// MoveBeyond moves the target's clock to about a second after a time. It asks for the
// target's time first: a clock that stands still has fallen behind since it was read.
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
