package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// maxAnswer is how much of an answer is read, in bytes.
	maxAnswer = 64 << 10
	// maxShown is how much of an answer or an error is kept, in bytes.
	maxShown = 512
	// maxHeader is the maximum size of an answer's header, in bytes.
	maxHeader = 64 << 10
)

type post struct {
	config    Config
	transport *http.Transport
	client    *http.Client
}

func newPost(c Config) *post {
	// Its own transport, so that its connections close with the sender.
	transport := &http.Transport{
		MaxResponseHeaderBytes: maxHeader,
		IdleConnTimeout:        time.Minute,
		ForceAttemptHTTP2:      true,
	}
	return &post{
		config:    c,
		transport: transport,
		client: &http.Client{
			Transport: transport,
			// The secret must only reach the configured marketplace.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (p *post) close() { p.transport.CloseIdleConnections() }

func (p *post) attempt(ctx context.Context, d *delivery) attempt {
	began := time.Now()
	a := attempt{Attempt: client.Attempt{At: began.UTC()}}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.config.Timeout))
	defer cancel()
	if err := p.send(ctx, d, &a); err != nil {
		a.again = true
		a.Error = p.shorten(describe(ctx, err, time.Duration(p.config.Timeout)))
	}
	a.DurationMS = time.Since(began).Milliseconds()
	return a
}

// describe returns the message of a call's error, without the address, which the config contains.
func describe(ctx context.Context, err error, timeout time.Duration) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Sprintf("no complete answer within %s", timeout)
	}
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err.Error()
}

// send makes the call and evaluates the answer. It returns an error if there is no complete answer.
func (p *post) send(ctx context.Context, d *delivery, a *attempt) error {
	request, err := p.request(ctx, d)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("the answer is incomplete: %w", err)
	}
	a.Status, a.Answer = response.StatusCode, p.shorten(string(text))
	switch status := response.StatusCode; {
	case status < 300:
	case status < 400:
		a.Error = fmt.Sprintf("answered with %d: redirects are not followed", status)
	default:
		a.Error = fmt.Sprintf("answered with %d", status)
		a.again = status >= 500 || status == http.StatusTooManyRequests
		a.retryAfter = retryAfter(response.Header.Get("Retry-After"))
	}
	return nil
}

func (p *post) request(ctx context.Context, d *delivery) (*http.Request, error) {
	base, err := url.Parse(p.config.URL)
	if err != nil {
		return nil, err
	}
	path := partnerapi.AvailabilityNotifyPath
	if d.Kind == client.Trigger {
		path = partnerapi.SyncTriggerPath
	}
	address, err := partnerapi.URL(base, path, nil)
	if err != nil {
		return nil, err
	}
	var body io.Reader = http.NoBody
	if d.Body != nil {
		body = bytes.NewReader(d.Body)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), body)
	if err != nil {
		return nil, err
	}
	if d.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("User-Agent", "mockpartner")
	switch d.Presents {
	case script.SecretMissing:
	case script.SecretWrong:
		request.Header.Set(partnerapi.WebhookSecretHeader, d.secret)
	default:
		request.Header.Set(partnerapi.WebhookSecretHeader, string(p.config.Secret))
	}
	return request, nil
}

// shorten returns the beginning of an external text, without the secret.
func (p *post) shorten(text string) string {
	text = strings.ReplaceAll(text, string(p.config.Secret), p.config.Secret.String())
	return strings.ToValidUTF8(text[:min(len(text), maxShown)], "")
}

// retryAfter reads a number of seconds. It returns 0 for a date or an empty header.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
