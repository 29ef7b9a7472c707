package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/schemas/partnerapi"
)

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
