package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/schemas/partnerapi"
)

// never is the zero time.
const never = `timestamptz '0001-01-01T00:00:00Z'`

const (
	// mostDue limits the listed integrations that need attention.
	mostDue = 100
	// mostSellers limits the listed partners with bookings.
	mostSellers = 25
)

// Overview returns what needs attention now. Test mode is not included.
func (s *Store) Overview(ctx context.Context, now time.Time) (client.Overview, error) {
	return readStale(ctx, s.database, func(from connections) (client.Overview, error) { return readOverview(ctx, from, now) })
}

func readOverview(ctx context.Context, from connections, now time.Time) (o client.Overview, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT count(DISTINCT a.booking_id), min(a.since) FROM booking_attention a JOIN bookings b ON b.id = a.booking_id WHERE a.settled_at IS NULL AND b.mode = 'live'`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&o.Bookings, (*zeronull.Timestamptz)(&o.BookingsSince)) })
	batch.Queue(`SELECT count(*) FROM integrations WHERE deleted_at IS NULL AND mode = 'live'`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&o.Integrations) })
	batch.Queue(`
		SELECT i.id, i.name, h.state, coalesce((SELECT max(c.at) FROM integration_health_changes c WHERE c.integration_id = i.id), `+never+`), coalesce(i.last_sync_at, `+never+`),
			i.guarded_hash IS NOT NULL, coalesce(o.since, `+never+`), coalesce(o.since < $2, false),
			coalesce(f.aside, 0), coalesce(f.synced = 0, false), coalesce(c.until, `+never+`), coalesce(c.reason, ''),
			coalesce(CASE WHEN d.go_live = 'requested' THEN d.requested_at END, `+never+`), coalesce(d.ended, '{}')
		FROM integrations i JOIN integration_health h ON h.integration_id = i.id LEFT JOIN slot_rounds r ON r.integration_id = i.id
			LEFT JOIN LATERAL (
				SELECT s.synced, jsonb_array_length(s.set_aside) AS aside
				FROM syncs s WHERE s.integration_id = i.id AND s.mode = 'full' ORDER BY s.started_at DESC LIMIT 1) f ON true
			LEFT JOIN LATERAL (
				SELECT d.go_live, d.requested_at, array_remove(ARRAY[CASE WHEN d.go_live = 'ended' AND p.approval THEN 'go_live' END, CASE WHEN d.ended_certification IS NOT NULL THEN 'certification' END], NULL) AS ended
				FROM integration_admissions d, certification_policy p
				WHERE d.integration_id = i.id AND (d.go_live = 'requested' OR d.go_live = 'ended' AND p.approval OR d.ended_certification IS NOT NULL)) d ON true
			LEFT JOIN LATERAL (
				SELECT least(c.valid_until, c.ended_at) AS until, `+endReason+` AS reason
				FROM conformance_certificates c
				WHERE c.integration_id = i.id AND integration_certification(i.id) <> 'off' AND (c.ended_at IS NOT NULL OR c.valid_until <= $4 OR (`+certifiedSettings+`) IS NOT TRUE)) c ON true,
			LATERAL (
				SELECT min(coalesce(p.sent_at, a.created_at)) AS since
				FROM activities a JOIN variations v ON v.activity_id = a.id LEFT JOIN slot_pulls p ON p.variation_id = v.id
				WHERE a.integration_id = i.id AND a.partner_active AND v.partner_active
					AND (h.state = $1 OR i.last_sync_at IS NULL OR i.guarded_hash IS NOT NULL OR r.pulled_at IS NULL OR r.pulled_at < $2)) o
		WHERE i.deleted_at IS NULL AND i.mode = 'live' AND (h.state = $1 OR i.last_sync_at IS NULL OR i.guarded_hash IS NOT NULL OR o.since < $2 OR c.until IS NOT NULL OR d.go_live IS NOT NULL OR f.aside > 0 OR f.synced = 0)
		ORDER BY h.state = $1 DESC, i.guarded_hash IS NOT NULL DESC, i.name, i.id LIMIT $3`,
		partnerapi.Degraded, now.Add(-domain.SlotsLateAfter), mostDue, now.Add(domain.CertificateSoon)).
		Query(func(rows pgx.Rows) error {
			o.NeedAttention, err = pgx.CollectRows(rows, pgx.RowToStructByPos[client.IntegrationDue])
			return err
		})
	queueRecent(batch, &o, now)
	batch.Queue(judgingPaused, now, conformance.JudgingPaused, mostDue).Query(func(rows pgx.Rows) error {
		o.JudgingPaused, err = pgx.CollectRows(rows, pgx.RowToStructByPos[client.JudgingPause])
		return err
	})
	batch.Queue(missingRates, now).Query(func(rows pgx.Rows) error {
		o.RatesMissing, err = pgx.CollectRows(rows, pgx.RowToStructByPos[client.MissingRate])
		return err
	})
	queueRates(batch, func(table domain.RateTable) {
		if !table.Of.IsZero() {
			o.RatesAsOf = table.Of.Format(time.DateOnly)
		}
		o.RatesOld, o.RatesKept, o.RatesRefused = table.IsOld(now), []client.KeptRate{}, table.Refused
		for _, k := range table.Kept() {
			o.RatesKept = append(o.RatesKept, client.KeptRate{Currency: string(k.Currency), AsOf: k.Of, SoldUntil: k.SoldUntil})
		}
	})
	batch.Queue(salesDays, now.UTC(), domain.SalesDays).Query(func(rows pgx.Rows) error {
		o.Days, err = pgx.CollectRows(rows, pgx.RowToStructByPos[client.SalesDay])
		return err
	})
	batch.Queue(partnerSales, now.UTC(), domain.SalesDays, mostSellers).Query(func(rows pgx.Rows) error {
		o.Partners, err = pgx.CollectRows(rows, pgx.RowToStructByPos[client.PartnerSales])
		return err
	})
	return o, from.SendBatch(ctx, batch).Close()
}

const (
	// salesDays and partnerSales read the days that end with the day of $1.
	salesDays = `
		WITH sold AS (
			SELECT b.* FROM booking_days b JOIN integrations i ON i.id = b.integration_id
			WHERE i.mode = 'live' AND b.day > $1::date - $2::integer
		)
		SELECT to_char(d.day, 'YYYY-MM-DD'), coalesce(sum(s.bookings), 0), coalesce(sum(s.confirmed), 0), coalesce(sum(s.cancelled), 0), (
			SELECT coalesce(jsonb_object_agg(r.currency, trim_scale(r.revenue)), '{}')
			FROM (SELECT currency, sum(revenue) AS revenue FROM sold WHERE day = d.day GROUP BY currency HAVING sum(revenue) > 0) AS r)
		FROM generate_series($1::date - $2::integer + 1, $1::date, interval '1 day') AS d (day) LEFT JOIN sold s ON s.day = d.day
		GROUP BY d.day ORDER BY d.day`
	partnerSales = `
		WITH sold AS (
			SELECT integration_id, currency, sum(bookings) AS bookings, sum(confirmed) AS confirmed, sum(cancelled) AS cancelled, sum(revenue) AS revenue
			FROM booking_days WHERE day > $1::date - $2::integer GROUP BY integration_id, currency
		), confirms AS (
			SELECT integration_id, sum(answered) AS answered, sum(refused) AS refused, sum(failed) AS failed,
				(array_agg(median_ms ORDER BY day DESC) FILTER (WHERE median_ms IS NOT NULL))[1] AS median_ms
			FROM confirm_days WHERE day > $1::date - $2::integer GROUP BY integration_id
		)
		SELECT i.id, i.name, sum(s.bookings), sum(s.confirmed), sum(s.cancelled),
			coalesce(jsonb_object_agg(s.currency, trim_scale(s.revenue)) FILTER (WHERE s.revenue > 0), '{}'),
			coalesce(c.answered, 0), coalesce(c.refused, 0), coalesce(c.failed, 0), c.median_ms
		FROM sold s JOIN integrations i ON i.id = s.integration_id LEFT JOIN confirms c ON c.integration_id = i.id
		WHERE i.mode = 'live'
		GROUP BY i.id, i.name, c.answered, c.refused, c.failed, c.median_ms
		ORDER BY sum(s.bookings) DESC, i.name, i.id LIMIT $3`
)

// notSold is true for the bookings of a reschedule that are no sale of their own: the old one after the
// reschedule, and the new one until it is confirmed.
const notSold = `(b.status = 'CANCELLED' AND b.rescheduled_to IS NOT NULL OR b.rescheduled_from IS NOT NULL AND b.external_booking_id IS NULL)`

// CountSales counts the bookings of the last days including today, and deletes counts that are
// older than the overview shows.
func (s *Store) CountSales(ctx context.Context, now time.Time, days int) error {
	return s.transaction(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for _, statement := range []string{
			`DELETE FROM booking_days WHERE day > $1::date - $2::integer OR day <= $1::date - $3::integer`,
			`DELETE FROM confirm_days WHERE day > $1::date - $2::integer OR day <= $1::date - $3::integer`,
		} {
			batch.Queue(statement, now.UTC(), days, domain.SalesDays)
		}
		// Another replica may count at the same time.
		batch.Queue(`
			INSERT INTO booking_days (day, integration_id, currency, bookings, confirmed, cancelled, revenue)
			SELECT b.created_at::date, b.integration_id, b.currency, count(*), count(*) FILTER (WHERE b.status = 'CONFIRMED'),
				count(*) FILTER (WHERE b.status = 'CANCELLED'), coalesce(sum(b.total) FILTER (WHERE b.status = 'CONFIRMED'), 0)
			FROM bookings b WHERE b.created_at >= $1::date - $2::integer + 1 AND b.code IS NOT NULL AND NOT `+notSold+`
			GROUP BY 1, 2, 3
			ON CONFLICT (day, integration_id, currency) DO UPDATE SET bookings = EXCLUDED.bookings, confirmed = EXCLUDED.confirmed,
				cancelled = EXCLUDED.cancelled, revenue = EXCLUDED.revenue`, now.UTC(), days)
		batch.Queue(`
			INSERT INTO confirm_days (day, integration_id, answered, refused, failed, median_ms)
			SELECT b.created_at::date, b.integration_id, count(*) FILTER (WHERE h.status BETWEEN 200 AND 299), count(*) FILTER (WHERE h.status BETWEEN 400 AND 499),
				count(*) FILTER (WHERE h.status IS NULL OR h.status NOT BETWEEN 200 AND 299 AND h.status NOT BETWEEN 400 AND 499),
				percentile_disc(0.5) WITHIN GROUP (ORDER BY h.duration_ms) FILTER (WHERE h.status BETWEEN 200 AND 299)
			FROM bookings b JOIN booking_history h ON h.booking_id = b.id
			WHERE b.created_at >= $1::date - $2::integer + 1 AND h.kind = 'call' AND h.endpoint = 'confirm' AND (h.duration_ms IS NOT NULL OR h.error IS NOT NULL)
			GROUP BY 1, 2
			ON CONFLICT (day, integration_id) DO UPDATE SET answered = EXCLUDED.answered, refused = EXCLUDED.refused,
				failed = EXCLUDED.failed, median_ms = EXCLUDED.median_ms`, now.UTC(), days)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// judgingPaused reads the pauses that last. A pause has an hour at most, so it is among the newest events.
const judgingPaused = `
	SELECT i.id, i.name, max(e.at), max((e.data->>'until')::timestamptz)
	FROM (SELECT * FROM integration_events ORDER BY id DESC LIMIT 10000) e JOIN integrations i ON i.id = e.integration_id
	WHERE e.type = $2 AND (e.data->>'until')::timestamptz > $1 AND i.deleted_at IS NULL
	GROUP BY i.id, i.name ORDER BY 3, i.id LIMIT $3`

// MissingRates returns the currencies of listed prices in which nothing is sold at a time.
func (s *Storefront) MissingRates(ctx context.Context, now time.Time) ([]client.MissingRate, error) {
	return queryAll(ctx, s.pool, pgx.RowToStructByPos[client.MissingRate], missingRates, now)
}

// missingRates finds currencies of listed prices, including slots' own, that have no rate at the time
// $1 or one that is no longer sold in (domain.RateTable.At), with a capped number of activities for each. Options and slots have few different combinations of
// currencies, so the query walks from one to the next in an index.
var missingRates = fmt.Sprintf(`
	WITH RECURSIVE options (currencies) AS (
		SELECT min(%[1]s) FROM variations v WHERE v.partner_active
		UNION ALL SELECT (SELECT min(%[1]s) FROM variations v WHERE v.partner_active AND %[1]s > o.currencies) FROM options o WHERE o.currencies IS NOT NULL
	), slots (currencies) AS (
		SELECT min(p.currencies) FROM slot_pulls p
		UNION ALL SELECT (SELECT min(p.currencies) FROM slot_pulls p WHERE p.currencies > s.currencies) FROM slots s WHERE s.currencies IS NOT NULL
	), lacking AS MATERIALIZED (
		SELECT currencies, own FROM (SELECT currencies, false AS own FROM options UNION ALL SELECT currencies, true FROM slots) AS priced
		WHERE EXISTS (SELECT FROM unnest(currencies) AS currency, pricing_terms t WHERE %[4]s)
	)
	SELECT currency, t.rates_base, count(DISTINCT priced.activity)
	FROM pricing_terms t, (
		SELECT l.currencies, of.activity FROM lacking l, LATERAL (
			SELECT a.id AS activity FROM variations v JOIN activities a ON a.id = v.activity_id
			WHERE v.partner_active AND %[1]s = l.currencies AND %[2]s LIMIT %[3]d) of
		WHERE NOT l.own
		UNION ALL
		SELECT l.currencies, of.activity FROM lacking l, LATERAL (
			SELECT a.id AS activity FROM slot_pulls p JOIN variations v ON v.id = p.variation_id JOIN activities a ON a.id = v.activity_id
			WHERE v.partner_active AND p.currencies = l.currencies AND %[2]s LIMIT %[3]d) of
		WHERE l.own
	) AS priced, unnest(priced.currencies) AS currency
	WHERE %[4]s
	GROUP BY currency, t.rates_base ORDER BY currency`,
	`option_currencies(v.option, v.details)`, active, domain.MostCounted,
	`currency <> t.rates_base AND NOT EXISTS (
		SELECT FROM exchange_rates r WHERE r.currency = currency.currency AND (t.rates_as_of IS NULL OR r.as_of >= t.rates_as_of OR r.as_of + t.rates_max_age >= $1))`)

// MetricsState returns the metrics' state in the database at a time.
func (s *Store) MetricsState(ctx context.Context, now time.Time) (state telemetry.State, err error) {
	rows, err := s.pool.Query(ctx, `
		SELECT i.id, i.mode, h.state = $1 AS degraded, h.failure_count AS failures, coalesce(i.last_sync_at, `+never+`) AS last_sync_at, i.withheld,
			coalesce(`+endReason+`, '') AS certificate_ended, EXISTS (SELECT FROM integration_admissions d WHERE d.integration_id = i.id AND d.go_live = 'requested') AS go_live_requested
		FROM integrations i JOIN integration_health h ON h.integration_id = i.id
			LEFT JOIN conformance_certificates c ON c.integration_id = i.id AND integration_certification(i.id) <> 'off'
		WHERE i.deleted_at IS NULL`, partnerapi.Degraded)
	if err != nil {
		return state, err
	}
	if state.Integrations, err = pgx.CollectRows(rows, pgx.RowToStructByName[telemetry.Integration]); err != nil {
		return state, err
	}
	state.Breaches, err = queryAll(ctx, s.pool, pgx.RowToStructByPos[telemetry.Breach], `
		SELECT b.integration_id, b.rule, b.clause, b.level, b.first_seen FROM judged_breaches b JOIN integrations i ON i.id = b.integration_id
		WHERE i.deleted_at IS NULL AND b.last_seen > now() - interval '1 day'`)
	if err != nil {
		return state, err
	}
	rows, err = s.pool.Query(ctx, `
		SELECT kind, state::text, count(*), min(scheduled_at) AS due_at FROM river_job
		WHERE state IN ('available', 'running', 'retryable', 'scheduled', 'pending') GROUP BY kind, state`)
	if err != nil {
		return state, err
	}
	if state.Jobs, err = pgx.CollectRows(rows, pgx.RowToStructByName[telemetry.Jobs]); err != nil {
		return state, err
	}
	rows, err = s.pool.Query(ctx, `SELECT state, count(*) AS count, min(owed_at) AS owed_at FROM event_deliveries WHERE state IN ('pending', 'failed') GROUP BY state`)
	if err != nil {
		return state, err
	}
	if state.Deliveries, err = pgx.CollectRows(rows, pgx.RowToStructByName[telemetry.Deliveries]); err != nil {
		return state, err
	}
	if state.RatesMissing, err = s.Storefront.MissingRates(ctx, now); err != nil {
		return state, err
	}
	if state.Rates, err = s.Storefront.Rates(ctx); err != nil {
		return state, err
	}
	state.Attention, err = queryAll(ctx, s.pool, pgx.RowToStructByPos[telemetry.Attention], `
		SELECT a.reason, b.mode, count(*) FROM booking_attention a JOIN bookings b ON b.id = a.booking_id
		WHERE a.settled_at IS NULL GROUP BY a.reason, b.mode`)
	if err != nil {
		return state, err
	}
	if state.Night, err = s.Catalog.Night(ctx, now); err != nil {
		return state, err
	}
	state.Holds, err = queryAll(ctx, s.pool, pgx.RowToStructByPos[telemetry.Holds], `SELECT mode, count(*) FROM bookings WHERE status = 'HELD' GROUP BY mode`)
	return state, err
}
