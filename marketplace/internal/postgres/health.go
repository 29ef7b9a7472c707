package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/partner"
)

const healthColumns = `SELECT state, failure_count, consecutive_failures, consecutive_ok, last_ok_at FROM integration_health WHERE integration_id = $1`

// Health returns an integration's, or NotFound.
func (p *Partners) Health(ctx context.Context, integration uuid.UUID) (partner.Health, error) {
	return one(ctx, p.pool, "integration", scanHealth, healthColumns, integration)
}

func scanHealth(row pgx.CollectableRow) (h partner.Health, err error) {
	err = row.Scan(&h.State, &h.FailureCount, &h.ConsecutiveFailures, &h.ConsecutiveOK, (*zeronull.Timestamptz)(&h.LastOKAt))
	return h, err
}

// Observe moves an integration's health by what came of a call. Calls that end at the
// same time are counted one after the other. Nothing is written where nothing but a
// moment has passed.
func (p *Partners) Observe(ctx context.Context, integration uuid.UUID, call partner.Observation) error {
	before, err := p.Health(ctx, integration)
	if err != nil {
		return err
	}
	if !before.After(call).WorthStoring(before) {
		return nil
	}
	return p.transaction(ctx, func(tx pgx.Tx) error {
		before, err := one(ctx, tx, "integration", scanHealth, healthColumns+" FOR UPDATE", integration)
		if err != nil {
			return err
		}
		after := before.After(call)
		if !after.WorthStoring(before) { // another replica has written as much meanwhile
			return nil
		}
		if _, err := tx.Exec(ctx, `
			UPDATE integration_health SET state = $2, failure_count = $3, consecutive_failures = $4, consecutive_ok = $5, last_ok_at = $6
			WHERE integration_id = $1`, integration, after.State, after.FailureCount, after.ConsecutiveFailures, after.ConsecutiveOK, zeronull.Timestamptz(after.LastOKAt)); err != nil {
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

// How many changes of a state, and breaches, are shown.
const (
	mostChanges  = 50
	mostBreaches = 50
)

// HealthChanges returns the last changes of an integration's state, the newest first.
func (p *Partners) HealthChanges(ctx context.Context, integration uuid.UUID) ([]partner.HealthChange, error) {
	return all(ctx, p.pool, pgx.RowToStructByName[partner.HealthChange], `
		SELECT at, state, reason FROM integration_health_changes WHERE integration_id = $1 ORDER BY at DESC, id DESC LIMIT $2`, integration, mostChanges)
}

// DropOldHealthChanges deletes all but an integration's last changes, so many of each,
// and returns how many.
func (p *Partners) DropOldHealthChanges(ctx context.Context, keep int) (int64, error) {
	return p.delete(ctx, `
		DELETE FROM integration_health_changes c USING (
			SELECT id, row_number() OVER (PARTITION BY integration_id ORDER BY at DESC, id DESC) AS place FROM integration_health_changes) r
		WHERE c.id = r.id AND r.place > $1`, keep)
}

// Breaches returns how an integration's partner has last broken the contract in answers
// that were used all the same, the newest first.
func (p *Partners) Breaches(ctx context.Context, integration uuid.UUID) ([]booking.Breach, error) {
	return all(ctx, p.pool, pgx.RowToStructByPos[booking.Breach], `
		SELECT at, booking_id, endpoint, message FROM integration_breaches WHERE integration_id = $1 ORDER BY id DESC LIMIT $2`, integration, mostBreaches)
}

// DropOldBreaches deletes all but an integration's last breaches, so many of each, and
// returns how many.
func (p *Partners) DropOldBreaches(ctx context.Context, keep int) (int64, error) {
	return p.delete(ctx, `
		DELETE FROM integration_breaches b USING (
			SELECT id, row_number() OVER (PARTITION BY integration_id ORDER BY id DESC) AS place FROM integration_breaches) r
		WHERE b.id = r.id AND r.place > $1`, keep)
}
