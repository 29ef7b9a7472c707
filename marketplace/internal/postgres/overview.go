package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/schemas/partnerapi"
)

// mostDue is how many integrations that need an operator are listed.
const mostDue = 100

// Overview returns what needs an operator now.
func (s *Store) Overview(ctx context.Context, now time.Time) (o marketplace.Overview, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT count(DISTINCT booking_id), min(since) FROM booking_attention WHERE settled_at IS NULL`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&o.Bookings, &o.BookingsSince) })
	batch.Queue(`SELECT count(*) FROM integrations WHERE deleted_at IS NULL`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&o.Integrations) })
	batch.Queue(`
		SELECT i.id, i.name, h.state, (SELECT max(c.at) FROM integration_health_changes c WHERE c.integration_id = i.id), i.last_sync_at,
			i.guarded_hash IS NOT NULL, o.since, coalesce(o.since < $2, false)
		FROM integrations i JOIN integration_health h ON h.integration_id = i.id
			LEFT JOIN (
				SELECT a.integration_id, min(coalesce(p.sent_at, a.created_at)) AS since
				FROM activities a JOIN variations v ON v.activity_id = a.id LEFT JOIN slot_pulls p ON p.variation_id = v.id
				WHERE a.partner_active AND v.partner_active GROUP BY a.integration_id) o ON o.integration_id = i.id
		WHERE i.deleted_at IS NULL AND (h.state = $1 OR i.last_sync_at IS NULL OR i.guarded_hash IS NOT NULL OR o.since < $2)
		ORDER BY h.state = $1 DESC, i.guarded_hash IS NOT NULL DESC, i.name, i.id LIMIT $3`,
		partnerapi.Degraded, now.Add(-marketplace.SlotsLateAfter), mostDue).
		Query(func(rows pgx.Rows) error {
			o.IntegrationsDue, err = pgx.CollectRows(rows, pgx.RowToStructByPos[marketplace.Due])
			return err
		})
	batch.Queue(missingRates).Query(func(rows pgx.Rows) error {
		o.RatesMissing, err = pgx.CollectRows(rows, pgx.RowToStructByPos[marketplace.MissingRate])
		return err
	})
	return o, s.pool.SendBatch(ctx, batch).Close()
}

// missingRates finds the currencies that a listed activity's prices are converted from,
// and that have no rate.
const missingRates = `
	SELECT price.currency, t.rates_base, count(DISTINCT price.activity)
	FROM pricing_terms t, (
		SELECT a.id AS activity, jsonb_path_query(v.option, '$.units[*].pricingFrom[0].currency') #>> '{}' AS currency
		FROM activities a JOIN integrations i ON i.id = a.integration_id JOIN variations v ON v.activity_id = a.id
		WHERE ` + listed + ` AND v.partner_active
		UNION ALL
		SELECT a.id, v.details #>> '{group_price,currency}'
		FROM activities a JOIN integrations i ON i.id = a.integration_id JOIN variations v ON v.activity_id = a.id
		WHERE ` + listed + ` AND v.partner_active AND v.details ? 'group_price'
	) AS price
	WHERE price.currency <> t.rates_base AND NOT EXISTS (SELECT FROM exchange_rates r WHERE r.currency = price.currency)
	GROUP BY price.currency, t.rates_base ORDER BY price.currency`

// MetricsState returns what the metrics tell of the database.
func (s *Store) MetricsState(ctx context.Context) (state telemetry.State, err error) {
	rows, err := s.pool.Query(ctx, `
		SELECT i.id, h.state = $1 AS degraded, h.failure_count AS failures, coalesce(i.last_sync_at, '0001-01-01T00:00:00Z') AS last_sync_at
		FROM integrations i JOIN integration_health h ON h.integration_id = i.id
		WHERE i.deleted_at IS NULL`, partnerapi.Degraded)
	if err != nil {
		return state, err
	}
	if state.Integrations, err = pgx.CollectRows(rows, pgx.RowToStructByName[telemetry.Integration]); err != nil {
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
	state.Attention = map[marketplace.AttentionReason]int64{}
	rows, err = s.pool.Query(ctx, `SELECT reason, count(*) FROM booking_attention WHERE settled_at IS NULL GROUP BY reason`)
	if err != nil {
		return state, err
	}
	var reason marketplace.AttentionReason
	var bookings int64
	_, err = pgx.ForEachRow(rows, []any{&reason, &bookings}, func() error {
		state.Attention[reason] = bookings
		return nil
	})
	return state, err
}
