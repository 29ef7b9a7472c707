package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/catalog"
)

// Syncs returns an integration's last stored syncs, the newest first.
func (s *Store) Syncs(ctx context.Context, integration uuid.UUID, most int) ([]catalog.Sync, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside, guard
		FROM syncs WHERE integration_id = $1 ORDER BY started_at DESC LIMIT $2`, integration, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r catalog.Sync, err error) {
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
}
