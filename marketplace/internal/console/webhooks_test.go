package console_test

import (
	"testing"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestAResellersWebhooksAreShownWithWhatFailed(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	reseller := s.accounts[domain.Reseller].ID
	at := "/console/accounts/" + reseller.String()
	v.shows(v.get(at), 200, at+"/webhooks")
	v.shows(v.get(at+"/webhooks"), 200, "This reseller has no webhooks")
	pgtest.Exec(t, s.store, `INSERT INTO event_subscriptions (id, account_id, url, events, secret, disabled_at, disabled_reason)
		VALUES (gen_random_uuid(), $1, 'https://shop.example/hooks', '{booking.confirmed}', '', now(), 'the receiver answered 410 Gone')`, reseller)
	pgtest.Exec(t, s.store, `INSERT INTO event_outbox (type, account_id, subject_id, data) VALUES ('booking.confirmed', $1, gen_random_uuid(), '{}')`, reseller)
	_, err := s.store.Events.Publish(t.Context())
	errtest.Check(s.t, err)
	pgtest.Exec(t, s.store, `INSERT INTO event_deliveries (subscription_id, position, subject_id, state, attempts, last_at, last_status, last_error)
		SELECT s.id, e.position, e.subject_id, 'failed', 1, now(), 410, 'expected a 2xx status, received 410' FROM events e, event_subscriptions s`)
	v.shows(v.get(at+"/webhooks"), 200, "https://shop.example/hooks", "disabled", "410 Gone", "booking.confirmed", "received 410")
	v.shows(v.get(at+"/webhooks?state=pending"), 200, "No delivery is pending.")
}
