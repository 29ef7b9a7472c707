package postgres_test

import (
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas/partnerapi"
)

// integrationOf stores an integration and returns its id.
func integrationOf(t testing.TB, store *postgres.Store) uuid.UUID {
	t.Helper()
	account := domain.Account{ID: uuid.New(), Email: uuid.NewString() + "@example.com", Role: domain.Partner, PasswordHash: "x", CreatedAt: noon}
	check(t, store.Accounts.CreateAccount(t.Context(), account))
	made := domain.Integration{
		Mode: domain.Live,
		ID:   uuid.New(), AccountID: account.ID, Name: "Old Town Walks", BaseURL: &url.URL{Scheme: "https", Host: "partner.example"}, AuthType: partnerapi.Bearer,
		AuthKey: []byte("sealed"), WebhookSecretHash: auth.HashToken("x"), CreatedAt: noon,
	}
	check(t, store.Partners.CreateIntegration(t.Context(), made, 0))
	return made.ID
}

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// versionOf returns a version of an integration's health that changes when it is written.
func versionOf(t *testing.T, store *postgres.Store, id uuid.UUID) (version string) {
	t.Helper()
	check(t, store.Pool().QueryRow(t.Context(), `SELECT xmin::text FROM integration_health WHERE integration_id = $1`, id).Scan(&version))
	return version
}

func TestConcurrentCallsOfTwoReplicasAreAllCounted(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	replicas := []*postgres.Store{pgtest.OpenAt(t, address), pgtest.OpenAt(t, address)}
	id := integrationOf(t, replicas[0])
	var all sync.WaitGroup
	var reported atomic.Int32
	for i := range 40 {
		all.Go(func() {
			changed, err := replicas[i%2].Partners.Observe(t.Context(), id, partner.Observation{At: noon, Result: partner.ResultStatus, Status: 503})
			if err != nil {
				t.Error(err)
			}
			if changed == partnerapi.Degraded {
				reported.Add(1)
			}
		})
	}
	all.Wait()
	if reported.Load() != 1 {
		t.Errorf("Expected one call to report that it has changed the state, received %d", reported.Load())
	}
	fares, err := replicas[0].Partners.Fares(t.Context(), []uuid.UUID{id})
	h := fares[id]
	if err != nil || h.FailureCount != 40 || h.ConsecutiveFailures != 40 || h.State != partnerapi.Degraded {
		t.Errorf("want 40 failures in a row, got %+v and %v", h, err)
	}
	if changes := h.Changes; len(changes) != 1 || changes[0] != (partner.HealthChange{At: noon, State: partnerapi.Degraded, Reason: "answered with 503"}) {
		t.Errorf("want one change, got %+v", changes)
	}
}

func TestHealthIsWrittenWhereItDiffersOrAMinuteHasPassed(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	id := integrationOf(t, store)
	for _, c := range []struct {
		after   time.Duration
		outcome partner.Result
		written bool
	}{
		{0, partner.ResultOK, true},                     // the first
		{time.Second, partner.ResultOK, true},           // the second in a row
		{2 * time.Second, partner.ResultOK, false},      // no change
		{59 * time.Second, partner.ResultOK, false},     // no change a moment later
		{61 * time.Second, partner.ResultOK, true},      // a minute after the last write
		{62 * time.Second, partner.ResultOK, false},     //
		{62 * time.Second, partner.ResultTimeout, true}, // every failure counts
		{63 * time.Second, partner.ResultTimeout, true},
	} {
		before := versionOf(t, store, id)
		_, err := store.Partners.Observe(t.Context(), id, partner.Observation{At: noon.Add(c.after), Result: c.outcome})
		check(t, err)
		if written := versionOf(t, store, id) != before; written != c.written {
			t.Errorf("%s after %s: want it written %t, got %t", c.outcome, c.after, c.written, written)
		}
	}
}
