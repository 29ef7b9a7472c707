package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/catalog"
)

// syncLost is the time after which a running sync that was not seen is lost with its replica: several
// times as long as the pause between two signs of life.
const syncLost = "interval '20 s'"

// KeepRunning records that a sync runs.
func (c *Catalog) KeepRunning(ctx context.Context, integration uuid.UUID, s catalog.RunningSync) error {
	_, err := c.pool.Exec(ctx, `
		INSERT INTO running_syncs (id, integration_id, mode, cause, started_at, seen_at)
		SELECT $1, id, $3, $4, $5, clock_timestamp() FROM integrations WHERE id = $2
		ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`, s.ID, integration, s.Mode, s.Cause, s.StartedAt)
	return err
}

// EndRunning removes the record of a running sync.
func (c *Catalog) EndRunning(ctx context.Context, id uuid.UUID) error {
	_, err := c.pool.Exec(ctx, `DELETE FROM running_syncs WHERE id = $1`, id)
	return err
}

// RecordLostSyncs records the syncs that were lost with their replicas as failed, unless their
// catalogs were stored.
func (c *Catalog) RecordLostSyncs(ctx context.Context) error {
	_, err := c.pool.Exec(ctx, `
		WITH lost AS (DELETE FROM running_syncs WHERE seen_at < clock_timestamp() - `+syncLost+` RETURNING *)
		INSERT INTO sync_attempts (id, integration_id, mode, cause, started_at, finished_at, synced, failed, reason)
		SELECT id, integration_id, mode, cause, started_at, greatest(seen_at, started_at), 0, true, 'the service stopped during the sync' FROM lost
		WHERE NOT EXISTS (SELECT FROM syncs s WHERE s.integration_id = lost.integration_id AND s.cause = lost.cause AND s.started_at >= lost.started_at)
		ON CONFLICT (id) DO NOTHING`)
	return err
}

// queueRunningSyncs adds a query for the running sync of each integration that began first.
func queueRunningSyncs(batch *pgx.Batch, integrations []uuid.UUID, found map[uuid.UUID]catalog.RunningSync) {
	batch.Queue(`
		SELECT DISTINCT ON (integration_id) integration_id, id, mode, cause, started_at FROM running_syncs
		WHERE integration_id = ANY ($1) AND seen_at >= clock_timestamp() - `+syncLost+` ORDER BY integration_id, started_at, id`, integrations).
		Query(func(rows pgx.Rows) error {
			var of uuid.UUID
			var s catalog.RunningSync
			_, err := pgx.ForEachRow(rows, []any{&of, &s.ID, &s.Mode, &s.Cause, &s.StartedAt}, func() error {
				found[of] = s
				return nil
			})
			return err
		})
}
