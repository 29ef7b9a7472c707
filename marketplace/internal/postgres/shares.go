package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
)

// mostShares limits the links to the reports of a run, so that their list has one page.
const mostShares = 100

// Share stores a link to a run's report, or returns Conflict if the run has too many.
func (r *Runs) Share(ctx context.Context, run, account uuid.UUID, s conformance.Share) error {
	made, err := r.pool.Exec(ctx, `
		INSERT INTO conformance_shares (id, run_id, account_id, created_at, expires_at)
		SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM conformance_shares WHERE run_id = $2 AND expires_at > $4) < $6`,
		s.ID, run, account, s.CreatedAt, s.ExpiresAt, mostShares)
	if err == nil && made.RowsAffected() == 0 {
		return domain.Errorf(domain.Conflict, "the run has %d links to its report; revoke one first", mostShares)
	}
	return err
}

// Shares returns the links to a run's report that work at that time, newest first.
func (r *Runs) Shares(ctx context.Context, run uuid.UUID, at time.Time) ([]conformance.Share, error) {
	return queryAll(ctx, r.pool, pgx.RowToStructByPos[conformance.Share], `
		SELECT s.id, s.created_at, s.expires_at, a.email, a.role FROM conformance_shares s JOIN accounts a ON a.id = s.account_id
		WHERE s.run_id = $1 AND s.expires_at > $2 ORDER BY s.created_at DESC, s.id`, run, at)
}

// Unshare deletes a link to a run's report, or returns NotFound.
func (r *Runs) Unshare(ctx context.Context, run, share uuid.UUID) error {
	_, err := one(ctx, r.pool, "link", pgx.RowTo[uuid.UUID], `DELETE FROM conformance_shares WHERE id = $1 AND run_id = $2 RETURNING id`, share, run)
	return err
}

// SharedReport returns the report with that name, compressed, to which a link leads. It returns
// NotFound once the link was revoked, or its run or integration deleted.
func (r *Runs) SharedReport(ctx context.Context, share uuid.UUID, name string) ([]byte, error) {
	run, err := one(ctx, r.pool, "link", pgx.RowTo[uuid.UUID], `SELECT run_id FROM conformance_shares WHERE id = $1`, share)
	if err != nil {
		return nil, err
	}
	return r.Report(ctx, run, name)
}

// DropExpiredShares deletes at most most links that expired before that time, and returns their number.
func (r *Runs) DropExpiredShares(ctx context.Context, before time.Time, most int) (int64, error) {
	return r.delete(ctx, `
		DELETE FROM conformance_shares WHERE id = ANY (ARRAY(SELECT id FROM conformance_shares WHERE expires_at < $1 LIMIT $2))`, before, most)
}
