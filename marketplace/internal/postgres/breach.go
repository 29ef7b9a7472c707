package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/booking"
)

// mostBreaches is how many of an integration are shown.
const mostBreaches = 50

// Breaches returns how an integration's partner has last broken the contract in answers
// that were used all the same, the newest first.
func (s *Store) Breaches(ctx context.Context, integration uuid.UUID) ([]booking.Breach, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT at, booking_id, endpoint, message FROM integration_breaches WHERE integration_id = $1 ORDER BY id DESC LIMIT $2`, integration, mostBreaches)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[booking.Breach])
}

// DropOldBreaches deletes all but an integration's last breaches, so many of each, and
// returns how many.
func (s *Store) DropOldBreaches(ctx context.Context, keep int) (int64, error) {
	dropped, err := s.pool.Exec(ctx, `
		DELETE FROM integration_breaches b USING (
			SELECT id, row_number() OVER (PARTITION BY integration_id ORDER BY id DESC) AS place FROM integration_breaches) r
		WHERE b.id = r.id AND r.place > $1`, keep)
	return dropped.RowsAffected(), err
}
