//go:build linux

package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
)

// sells is the partner's catalog: a slot a day with that number of seats.
const sells = `
catalog:
  products:
    - id: harbour
      internalName: Round the harbour
      locale: en-GB
      timeZone: Etc/UTC
      instantConfirmation: true
      updatedAt: "2026-01-12T08:30:00Z"
      options:
        - id: noon
          internalName: At noon
          availabilityType: START_TIME
          units:
            - id: unit-adult
              internalName: Adult
              type: ADULT
              pricingFrom: [{original: 1000, currency: EUR, currencyPrecision: 2}]
      schedules:
        noon: {starts: ["12:00"], duration: 1h, capacity: {min: %[1]d, max: %[1]d}}
`

// customersPatience is how long a customer waits for an answer before they ask another replica.
const customersPatience = 80 * time.Second

// shop is a fleet with a partner whose catalog and slots it knows.
type shop struct {
	*fleet
	partner *mocktest.Server
	http    *http.Client
	token   string // a reseller's
	slots   []slot // earliest first
}

type slot struct {
	Activity, Variation uuid.UUID
	ID                  string
}

// open opens a shop of a fleet with a partner: slots with that number of seats, and the partner's faults.
func open(t *testing.T, f *fleet, seats int, faults string) *shop {
	t.Helper()
	scenario, err := mockpartner.ParseScenario("partner.yaml", fmt.Appendf(nil, sells+faults, seats))
	check(t, err)
	s := &shop{
		fleet: f,
		partner: mocktest.Start(t, mockpartner.Options{
			Seed: f.seed, Scenario: scenario, Journal: mockpartner.JournalLimits{Exchanges: 200_000, Bytes: 1 << 30},
		}),
		http: &http.Client{Timeout: customersPatience, Transport: &http.Transport{MaxIdleConnsPerHost: 1000}},
	}
	t.Cleanup(s.http.CloseIdleConnections)
	company, err := client.NewPartner(s.base(), client.Password("partner@example.com", password), client.Options{})
	check(t, err)
	made, err := company.Register(t.Context(), client.Registration{Name: "Mock", BaseURL: s.partner.URL, AuthKey: client.Secret(s.partner.AuthKey), HandlesTicketDelivery: true})
	check(t, err)
	hooks, err := client.NewWebhooks(s.base(), made.IntegrationID, made.WebhookSecret, client.Options{})
	check(t, err)
	waitUntil(t, patience, "the catalog pulled", func() bool { _, err := hooks.Trigger(t.Context()); return err == nil })
	s.token = s.run(t, "", s.ownAddress(), "account", "token", "--email", "reseller@example.com", "--name", "crash")
	waitUntil(t, patience, "the slots pulled", func() bool { return s.count(t, `SELECT count(*) FROM slots`) > 50 })
	rows, err := s.store.Pool().Query(t.Context(), `
		SELECT v.activity_id AS activity, v.id AS variation, s.availability_id AS id FROM slots s JOIN variations v ON v.id = s.variation_id ORDER BY s.starts_at OFFSET 3`)
	check(t, err)
	s.slots, err = pgx.CollectRows(rows, pgx.RowToStructByName[slot])
	check(t, err)
	return s
}

// ask sends a request. Headers are pairs of a name and a value.
func (s *shop) ask(ctx context.Context, base, method, path string, body any, headers ...string) (int, http.Header, []byte, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return 0, nil, nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.http.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, answer, err
}

// wait waits, or returns false if ctx ends first.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// age advances the time: it makes all stored times older and advances the partner's clock.
func (s *shop) age(t *testing.T, by time.Duration) {
	t.Helper()
	for _, statement := range []string{
		`UPDATE bookings SET created_at = created_at - $1::interval, expires_at = expires_at - $1::interval, release_since = release_since - $1::interval, cancel_since = cancel_since - $1::interval`,
		`UPDATE booking_history SET at = at - $1::interval`,
		`UPDATE idempotency_keys SET asked_at = asked_at - $1::interval`,
		`UPDATE river_job SET created_at = created_at - $1::interval, attempted_at = attempted_at - $1::interval, scheduled_at = scheduled_at - $1::interval WHERE finalized_at IS NULL`,
		`UPDATE river_leader SET elected_at = elected_at - $1::interval, expires_at = expires_at - $1::interval`,
	} {
		_, err := s.store.Pool().Exec(t.Context(), statement, by)
		check(t, err)
	}
	_, err := s.partner.Control.Clock.Advance(t.Context(), by)
	check(t, err)
}
