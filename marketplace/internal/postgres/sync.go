package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/catalog"
)

// Syncs returns a page of an integration's stored syncs, the newest first, and how many
// there are in all.
func (s *Store) Syncs(ctx context.Context, integration uuid.UUID, skip int64, size int) (list []catalog.Sync, total int, err error) {
	if err := s.pool.QueryRow(ctx, `SELECT count(*) FROM syncs WHERE integration_id = $1`, integration).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := s.pool.Query(ctx, `
		SELECT id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside, guard
		FROM syncs WHERE integration_id = $1 ORDER BY started_at DESC, id DESC OFFSET $2 LIMIT $3`, integration, skip, size)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r catalog.Sync, err error) {
		var aside, guard []byte
		if err := row.Scan(&r.ID, &r.Mode, &r.Cause, &r.StartedAt, &r.FinishedAt, &r.Synced, &r.Created, &r.Updated, &r.Deactivated, &aside, &guard); err != nil {
			return r, err
		}
		if err := json.Unmarshal(aside, &r.SetAside); err != nil {
			return r, fmt.Errorf("read what sync %s set aside: %w", r.ID, err)
		}
		if guard == nil {
			return r, nil
		}
		return r, json.Unmarshal(guard, &r.Guard)
	})
	return list, total, err
}

// DropOldSyncs deletes all but an integration's last syncs, so many of each, and returns
// how many. The last full one stays: what is skipped is told by it.
func (s *Store) DropOldSyncs(ctx context.Context, keep int) (int64, error) {
	dropped, err := s.pool.Exec(ctx, `
		DELETE FROM syncs s USING (
			SELECT id, mode, row_number() OVER (PARTITION BY integration_id ORDER BY started_at DESC) AS place,
				row_number() OVER (PARTITION BY integration_id, mode ORDER BY started_at DESC) AS of_its_mode
			FROM syncs) r
		WHERE s.id = r.id AND r.place > $1 AND NOT (r.mode = 'full' AND r.of_its_mode = 1)`, keep)
	return dropped.RowsAffected(), err
}
