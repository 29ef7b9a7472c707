package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/health"
)

const healthColumns = `SELECT state, failure_count, consecutive_failures, consecutive_ok, last_ok_at FROM integration_health WHERE integration_id = $1`

// Health returns an integration's, or NotFound.
func (s *Store) Health(ctx context.Context, integration uuid.UUID) (health.Health, error) {
	return scanHealth(s.pool.QueryRow(ctx, healthColumns, integration))
}

func scanHealth(row pgx.Row) (h health.Health, err error) {
	var ok *time.Time
	if err := row.Scan(&h.State, &h.FailureCount, &h.ConsecutiveFailures, &h.ConsecutiveOK, &ok); err != nil {
		return h, notFound(err, "integration")
	}
	if ok != nil {
		h.LastOKAt = *ok
	}
	return h, nil
}

// Observe moves an integration's health by what came of a call. Calls that end at the
// same time are counted one after the other. Nothing is written where nothing but a
// moment has passed.
func (s *Store) Observe(ctx context.Context, integration uuid.UUID, call health.Call) error {
	before, err := s.Health(ctx, integration)
	if err != nil {
		return err
	}
	if !before.After(call).WorthStoring(before) {
		return nil
	}
	return s.transaction(ctx, func(tx pgx.Tx) error {
		before, err := scanHealth(tx.QueryRow(ctx, healthColumns+" FOR UPDATE", integration))
		if err != nil {
			return err
		}
		after := before.After(call)
		if !after.WorthStoring(before) { // another replica has written as much meanwhile
			return nil
		}
		var ok *time.Time
		if !after.LastOKAt.IsZero() {
			ok = &after.LastOKAt
		}
		if _, err := tx.Exec(ctx, `
			UPDATE integration_health SET state = $2, failure_count = $3, consecutive_failures = $4, consecutive_ok = $5, last_ok_at = $6
			WHERE integration_id = $1`, integration, after.State, after.FailureCount, after.ConsecutiveFailures, after.ConsecutiveOK, ok); err != nil {
			return err
		}
		if after.State == before.State {
			return nil
		}
		_, err = tx.Exec(ctx, `INSERT INTO integration_health_changes (integration_id, at, state, reason) VALUES ($1, $2, $3, $4)`,
			integration, call.At, after.State, call.String())
		return err
	})
}

// mostChanges is how many changes of a state are shown.
const mostChanges = 50

// HealthChanges returns the last changes of an integration's state, the newest first.
func (s *Store) HealthChanges(ctx context.Context, integration uuid.UUID) ([]health.Change, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT at, state, reason FROM integration_health_changes WHERE integration_id = $1 ORDER BY at DESC, id DESC LIMIT $2`, integration, mostChanges)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[health.Change])
}

// DropOldHealthChanges deletes all but an integration's last changes, so many of each,
// and returns how many.
func (s *Store) DropOldHealthChanges(ctx context.Context, keep int) (int64, error) {
	dropped, err := s.pool.Exec(ctx, `
		DELETE FROM integration_health_changes c USING (
			SELECT id, row_number() OVER (PARTITION BY integration_id ORDER BY at DESC, id DESC) AS place FROM integration_health_changes) r
		WHERE c.id = r.id AND r.place > $1`, keep)
	return dropped.RowsAffected(), err
}
