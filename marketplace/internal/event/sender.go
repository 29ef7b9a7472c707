package event

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
)

const (
	// atOnce limits the concurrent deliveries to one address. Each is of another subject.
	atOnce = 16
	// sliceTime is how long a job starts deliveries. The next job continues.
	sliceTime = 5 * time.Second
	// sendTime limits one delivery.
	sendTime = 10 * time.Second
	// longestAnswer limits the bytes read of an answer, so that its connection can be reused. Its
	// content does not matter.
	longestAnswer = 4 << 10
	// failingPause is the pause for an address after all concurrent deliveries failed.
	failingPause = 30 * time.Second
)

// pauses are the pauses after the first failures. The last one doubles up to longestPause.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}

const longestPause = 6 * time.Hour

// limits are the limits for an address that fails.
var limits = Limits{GiveUp: 72 * time.Hour, Disable: 5 * 24 * time.Hour, Waiting: 100_000}

// pause returns the pause after a number of failures. It varies by a fifth, so that deliveries that
// failed together are not repeated together.
func pause(failures int) time.Duration {
	wait := pauses[min(max(failures-1, 0), len(pauses)-1)]
	for range failures - len(pauses) {
		if wait *= 2; wait >= longestPause {
			wait = longestPause
			break
		}
	}
	return wait + time.Duration((rand.Float64()-0.5)*0.4*float64(wait))
}

// Sender sends events to resellers' addresses. It is safe for concurrent use.
type Sender struct {
	store     Store
	sealer    *auth.Sealer
	http      *http.Client
	userAgent string
	now       func() time.Time
	onAttempt func(delivered bool) // called after every attempt; may be nil
}

// NewSender returns a sender that only connects to addresses that the guard accepts.
func NewSender(store Store, guard *partner.Guard, secret *auth.Secret, userAgent string, now func() time.Time) *Sender {
	return &Sender{
		store: store, sealer: secret.Sealer(purpose), userAgent: userAgent, now: now,
		http: &http.Client{
			Timeout:       sendTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{ // without a proxy
				DialContext: guard.DialContext(), TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetClientCertificate: connection.SendCertificate(nil)}, TLSHandshakeTimeout: sendTime / 2,
				ForceAttemptHTTP2: true, MaxIdleConns: 1000, MaxIdleConnsPerHost: atOnce, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			},
		},
	}
}

// OnAttempt registers a function that is called after every attempt. Call it before the first one.
func (s *Sender) OnAttempt(f func(delivered bool)) { s.onAttempt = f }

// Close closes idle connections.
func (s *Sender) Close() { s.http.CloseIdleConnections() }

// Send sends due events to a subscription's address for a while.
func (s *Sender) Send(ctx context.Context, id uuid.UUID) error {
	target, err := s.store.Target(ctx, id)
	if domain.CodeOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	signer, err := s.signer(target)
	if err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < sliceTime; {
		due, err := s.store.DueDeliveries(ctx, id, atOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		result := s.sendConcurrently(ctx, target.URL, signer, due)
		if ctx.Err() != nil {
			return ctx.Err() // it was interrupted, which says nothing about the address
		}
		if err := s.store.Settle(ctx, id, result, limits); err != nil || result.Gone || result.Pause > 0 {
			return err
		}
	}
	return nil
}

// signer signs with every secret that is valid.
type signer []*standardwebhooks.Webhook

func (s *Sender) signer(target Subscription) (keys signer, err error) {
	for _, sealed := range [][]byte{target.Secret, target.PreviousSecret} {
		if sealed == nil {
			continue
		}
		key, err := s.sealer.Open(sealed, target.ID.String())
		if err != nil {
			return nil, err
		}
		one, err := standardwebhooks.NewWebhook(key)
		if err != nil {
			return nil, errors.New("a signing secret cannot be read") // its error may contain the secret
		}
		keys = append(keys, one)
	}
	return keys, nil
}

// sign returns a signature by each secret, separated by spaces, as Standard Webhooks describes.
func (s signer) sign(id string, at time.Time, body []byte) (string, error) {
	signatures := make([]string, len(s))
	for i, key := range s {
		var err error
		if signatures[i], err = key.Sign(id, at, body); err != nil {
			return "", err
		}
	}
	return strings.Join(signatures, " "), nil
}

// sendConcurrently sends some events of different subjects concurrently.
func (s *Sender) sendConcurrently(ctx context.Context, address string, signer signer, due []Due) Result {
	r := Result{Outcomes: make([]Outcome, len(due))}
	var all sync.WaitGroup
	for i, one := range due {
		all.Go(func() {
			status, err := s.send(connection.Watch(ctx), address, signer, one.Event)
			r.Outcomes[i] = Outcome{Position: one.Position, Attempts: one.Attempts, Status: status}
			if err != nil {
				r.Outcomes[i].Error, r.Outcomes[i].Pause = err.Error(), pause(one.Attempts+1)
			}
		})
	}
	all.Wait()
	failed := 0
	for _, o := range r.Outcomes {
		r.Gone = r.Gone || o.Status == http.StatusGone
		if o.Error != "" {
			failed++
		}
		if s.onAttempt != nil {
			s.onAttempt(o.Error == "")
		}
	}
	if failed == len(due) && failed > 1 {
		r.Pause = failingPause
	}
	return r
}

// send sends an event once. Any 2xx means success.
func (s *Sender) send(ctx context.Context, address string, signer signer, e Event) (status int, err error) {
	body, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	at := s.now()
	signature, err := signer.sign(e.ID.String(), at, body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": s.userAgent, standardwebhooks.HeaderWebhookID: e.ID.String(),
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(at.Unix(), 10), standardwebhooks.HeaderWebhookSignature: signature,
	} {
		request.Header.Set(name, value)
	}
	answer, err := s.http.Do(request)
	if err != nil {
		return 0, connection.NewFailure(ctx, err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, longestAnswer))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return answer.StatusCode, fmt.Errorf("expected a 2xx status, received %d", answer.StatusCode)
	}
	return answer.StatusCode, nil
}
