package postgres_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestTheKeyOfADeletedIntegrationIsForgottenOnceNoBookingNeedsIt(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	partner, reseller := anAccount(t, store, "ana@example.com", domain.Partner), anAccount(t, store, "bo@example.com", domain.Reseller)
	exec := func(query string, args ...any) {
		t.Helper()
		pgtest.Exec(t, store, query, args...)
	}
	var ids []uuid.UUID
	for _, host := range []string{"idle", "confirmed", "live"} {
		i := domain.Integration{ID: uuid.New(), Mode: domain.Live, AccountID: partner.ID, Name: host, BaseURL: &url.URL{Scheme: "https", Host: host}, AuthType: "bearer", AuthKey: []byte("sealed"), WebhookSecretHash: hash(host), CreatedAt: now}
		check(t, store.Partners.CreateIntegration(t.Context(), i, 0))
		ids = append(ids, i.ID)
		if host != "live" {
			check(t, store.Partners.DeleteIntegration(t.Context(), i.ID, now))
		}
	}
	activity, variation, booking := uuid.New(), uuid.New(), uuid.New()
	exec(`INSERT INTO activities (id, integration_id, external_product_id, created_at, title, product, product_hash, partner_active, operator_active, details)
		VALUES ($1, $2, 'p', $3, 't', '{}', $4, true, true, '{}')`, activity, ids[1], now, hash("p"))
	exec(`INSERT INTO variations (id, activity_id, external_option_id, sort, title, option, option_hash, partner_active, details)
		VALUES ($1, $2, 'o', 1, 't', '{}', $3, true, '{}')`, variation, activity, hash("o"))
	exec(`INSERT INTO bookings (id, version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at,
			status, guests, currency, total, contact, reseller_reference, code, expires_at, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at)
		VALUES ($1, 1, $2, $3, $4, $5, 'p', 'o', 's', 'UTC', $6, $6, 'HELD', '[]', 'EUR', 1, '{}', '', 'c', $6, 0, 0, 0, '', $6)`, booking, reseller.ID, ids[1], activity, variation, now)
	forget := func(at time.Time, want int64) {
		t.Helper()
		if got, err := store.Partners.ForgetKeys(t.Context(), at); err != nil || got != want {
			t.Errorf("want %d forgotten, got %d and %v", want, got, err)
		}
	}
	forget(now, 0) // a call may be in progress
	forget(now.Add(24*time.Hour), 1)
	forget(now.Add(24*time.Hour), 0)
	exec(`UPDATE bookings SET status = 'RELEASED', release = 'pending', reason = 'expired' WHERE id = $1`, booking)
	forget(now.Add(48*time.Hour), 0)
	exec(`UPDATE bookings SET release = 'failed' WHERE id = $1`, booking)
	exec(`INSERT INTO booking_attention (booking_id, reason, since, message) VALUES ($1, 'release_failed', $2, '')`, booking, now)
	forget(now.Add(48*time.Hour), 0) // an operator may send it again
	exec(`UPDATE booking_attention SET settled_at = $1`, now)
	forget(now.Add(48*time.Hour), 1)
	if i, err := store.Partners.Integration(t.Context(), ids[2]); err != nil || string(i.AuthKey) != "sealed" {
		t.Errorf("want the live one's kept, got %q and %v", i.AuthKey, err)
	}
}

// check ends the test on an error.
var check = errtest.Check
