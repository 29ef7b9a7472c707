package pgtest

import (
	"context"
	"crypto/md5"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/postgres"
)

// Stock is what a marketplace has, in numbers.
type Stock struct {
	Bookings int // with a commission each
	// Rows is how many there are of what else grows: accounts, activities with a
	// variation and a slot each, syncs, attempts at syncs, counts of calls, changes of health, breaches and tokens.
	Rows int
}

// Sell fills an empty database with bookings, one a minute back from 2026-07-01T12:00:00Z,
// made by 20 resellers of 50 activities of 20 integrations: the statuses take turns, and
// one in 4,000 needs attention. What it makes has the id of ID("reseller3") and so on.
func Sell(t testing.TB, store *postgres.Store, s Stock) {
	t.Helper()
	conn, err := store.Pool().Acquire(context.WithoutCancel(t.Context()))
	errtest.Check(t, err)
	defer conn.Release()
	for _, statement := range []string{
		`SET session_replication_role = replica`, // nothing is looked up a million times
		`INSERT INTO accounts SELECT md5('partner')::uuid, 'partner@walks.example', 'Walks', 'partner', 'x', '2026-01-01'`,
		`INSERT INTO accounts SELECT md5('reseller' || n)::uuid, 'shop-' || n || '@example.com', 'Shop', 'reseller', 'x', '2026-01-01' FROM generate_series(0, 19) n`,
		fmt.Sprintf(`INSERT INTO accounts SELECT md5('account' || n)::uuid, 'agent-' || n || '@example.com', 'Agency ' || n, (ARRAY['reseller', 'reseller', 'affiliate', 'partner'])[1 + n %% 4], 'x', '2026-01-01'::timestamptz + n * interval '1 s' FROM generate_series(1, %d) n`, s.Rows),
		fmt.Sprintf(`INSERT INTO api_tokens SELECT md5('token' || n)::uuid, md5('reseller' || n %% 2)::uuid, 'shop', sha256(n::text::bytea), '2026-01-01'::timestamptz + n * interval '1 s', NULL FROM generate_series(1, %d) n`, s.Rows),
		fmt.Sprintf(`INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at, last_sync_at)
			SELECT md5('integration' || n)::uuid, md5('partner')::uuid, 'Walks ' || n, 'https://walks.example/' || n, 'bearer', 'sealed', sha256('x'), false, '2026-01-01', now() FROM generate_series(0, %d) n`, max(20, s.Rows/100)-1),
		`INSERT INTO integration_health SELECT id, 'HEALTHY', 0, 0, 0 FROM integrations`,
		fmt.Sprintf(`INSERT INTO activities SELECT md5('activity' || n)::uuid, md5('integration' || n %% %d)::uuid, 'p-' || n, '2026-01-01'::timestamptz + n * interval '1 s', 'Walk ' || n, '{"timeZone":"Europe/Lisbon"}', sha256('x'), true, n = 0 OR n %% 1000 > 0, '{}'
			FROM generate_series(0, %d) n`, max(20, s.Rows/100), max(50, s.Rows)-1),
		`INSERT INTO variations SELECT a.id, a.id, 'o', 1, 'Walk', '{"id":"o","units":[{"id":"unit-adult","type":"ADULT","pricingFrom":[{"original":1000,"currency":"EUR"}]}]}', sha256('x'), true, '{}' FROM activities a`,
		`INSERT INTO slot_pulls (variation_id, sent_at, currencies) SELECT id, now(), '{EUR}' FROM variations`,
		`INSERT INTO slot_rounds (integration_id, asked_at, serves, pass, whole, pulled_at) SELECT id, now(), now(), 0, true, now() FROM integrations`,
		`INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, vacancies, unit_pricing, news_at)
			SELECT id, 's', '2026-07-10', '2026-07-10T09:00:00Z', '2026-07-10T11:00:00Z', 'AVAILABLE', 10, '[{"unitId":"unit-adult","original":1000,"currency":"EUR"}]', now() FROM variations`,
		fmt.Sprintf(`INSERT INTO syncs SELECT md5('sync' || n)::uuid, md5('integration' || n %% 20)::uuid, 'full', 'schedule', at, at, 5, 0, 0, 0, '[]', NULL
			FROM generate_series(1, %d) n, LATERAL (SELECT '2026-01-01'::timestamptz + n * interval '1 s' AS at) m`, s.Rows),
		fmt.Sprintf(`INSERT INTO sync_attempts SELECT md5('attempt' || n)::uuid, md5('integration' || n %% 20)::uuid, 'full', 'schedule', at, at, 0, n %% 2 = 0, 'x'
			FROM generate_series(1, %d) n, LATERAL (SELECT '2026-01-01'::timestamptz + n * interval '1 s' AS at) m`, s.Rows),
		fmt.Sprintf(`INSERT INTO integration_hours SELECT i.id, '2026-07-01T09:00:00Z'::timestamptz - h * interval '1 hour', 1000, 10, h %% 3 FROM integrations i, generate_series(0, 23) h WHERE %d > 0`, s.Rows),
		fmt.Sprintf(`INSERT INTO integration_health_changes (integration_id, at, state, reason) SELECT md5('integration' || n %% 20)::uuid, '2026-01-01'::timestamptz + n * interval '1 s', 'HEALTHY', 'x' FROM generate_series(1, %d) n`, s.Rows),
		fmt.Sprintf(`INSERT INTO integration_breaches (integration_id, booking_id, at, endpoint, message) SELECT md5('integration' || n %% 20)::uuid, md5('booking' || n)::uuid, '2026-01-01', 'confirm', 'x' FROM generate_series(1, %d) n`, s.Rows),
		fmt.Sprintf(`INSERT INTO bookings (id, version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at, status, guests,
				currency, total, contact, reseller_reference, code, external_booking_id, payment_reference, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at, expires_at, release, reason, needs_attention)
			SELECT md5('booking' || n)::uuid, 1, md5('reseller' || n %% 20)::uuid, md5('integration' || n / 7 %% 20)::uuid, md5('activity' || n %% 50)::uuid, md5('activity' || n %% 50)::uuid, 'p', 'o', 's', 'Europe/Lisbon',
				made + interval '20 days', made + interval '20 days 2 hours', status, '[]', 'EUR', 45,
				jsonb_build_object('fullName', 'Guest' || n || ' Sousa' || n %% 5000, 'emailAddress', 'guest' || n || '@example.com', 'phoneNumber', '+351 ' || 900000000 + n), 'R-' || n, 'H-' || n, 'B-' || n,
				CASE WHEN status IN ('PAID', 'CONFIRMED', 'CANCELLED') THEN 'p' END, 0, 0, 0, '', made, made, CASE status WHEN 'RELEASED' THEN 'done' END, CASE status WHEN 'RELEASED' THEN 'expired' END, n %% 4000 = 0
			FROM generate_series(1, %d) n,
				LATERAL (SELECT '2026-07-01T12:00:00Z'::timestamptz - n * interval '1 minute' AS made, (ARRAY['CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'CANCELLED', 'RELEASED'])[1 + n %% 5] AS status) m`, s.Bookings),
		`INSERT INTO booking_words SELECT id, booking_words(contact, ARRAY[id::text, reseller_reference, external_booking_id]) FROM bookings`,
		`INSERT INTO booking_attention SELECT id, 'confirm_refused', created_at, 'no' FROM bookings WHERE needs_attention`,
		`INSERT INTO booking_history (booking_id, at, kind, from_status, to_status) SELECT id, created_at, 'move', 'HELD', 'PAID' FROM bookings`,
		`INSERT INTO affiliate_commissions SELECT id, account_id, 'EUR', 1, created_at FROM bookings`,
		`ANALYZE`, `SET session_replication_role = origin`,
	} {
		if _, err := conn.Exec(context.WithoutCancel(t.Context()), statement); err != nil {
			t.Fatalf("%v\n%s", err, statement)
		}
	}
}

// ID is the id of what Sell has made under a name, such as reseller3.
func ID(name string) uuid.UUID { return md5.Sum([]byte(name)) }
