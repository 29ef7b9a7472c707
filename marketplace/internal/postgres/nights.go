package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
)

// lastNight counts the partners of the last night at $1. One is done when all its slots have been pulled
// since the night began, and has failed when no job will try again. The others end if they take as long
// as they took last.
const lastNight = `
	WITH night AS (
		SELECT due_at, ended_at, partners, failed FROM nights ORDER BY due_at DESC LIMIT 1
	), waiting AS (
		SELECT DISTINCT (args ->> 'integration_id')::uuid AS id FROM river_job
		WHERE queue IN ('syncs', 'slots') AND state IN ('available', 'running', 'retryable', 'scheduled') AND EXISTS (SELECT FROM night WHERE ended_at IS NULL)
	), partners AS (
		SELECT i.id, i.name, coalesce(r.pulled_at >= n.due_at, false) AS done, q.id IS NULL AS failed,
			coalesce(w.due_at, CASE WHEN r.serves >= n.due_at THEN r.serves END, $1) + coalesce(r.took, '0') AS ends
		FROM night n, integrations i LEFT JOIN slot_rounds r ON r.integration_id = i.id LEFT JOIN sync_wishes w ON w.integration_id = i.id LEFT JOIN waiting q ON q.id = i.id
		WHERE n.ended_at IS NULL AND i.deleted_at IS NULL AND i.created_at <= n.due_at
	), counted AS (
		SELECT count(*) AS partners, count(*) FILTER (WHERE done) AS done, count(*) FILTER (WHERE NOT done AND failed) AS failed FROM partners
	)
	SELECT n.due_at, coalesce(n.ended_at, ` + never + `) AS ended_at,
		CASE WHEN n.ended_at IS NULL THEN c.partners ELSE n.partners END AS partners,
		CASE WHEN n.ended_at IS NULL THEN c.done ELSE n.partners - n.failed END AS done,
		CASE WHEN n.ended_at IS NULL THEN c.failed ELSE n.failed END AS failed,
		coalesce(l.id::text, '') AS last_id, coalesce(l.name, '') AS last_name, greatest(l.ends, $1) AS ends_at
	FROM night n, counted c LEFT JOIN LATERAL (SELECT id, name, ends FROM partners WHERE NOT done AND NOT failed ORDER BY ends DESC, id LIMIT 1) AS l ON true`

// scanNight reads a row of lastNight.
func scanNight(row pgx.CollectableRow) (*client.Night, error) {
	var n client.Night
	var last client.DatedIntegration
	err := row.Scan(&n.BeganAt, (*zeronull.Timestamptz)(&n.EndedAt), &n.Partners, &n.Done, &n.Failed, &last.IntegrationID, &last.Name, &last.At)
	if last.IntegrationID != "" {
		n.Last = &last
	}
	return &n, err
}

// Night returns the last night, or nil if there was none.
func (c *Catalog) Night(ctx context.Context, now time.Time) (*client.Night, error) {
	found, err := queryAll(ctx, c.pool, scanNight, lastNight, now)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// BeginNight stores a night together with its requests for syncs, without which it would have ended. Earlier
// nights are forgotten.
func (c *Catalog) BeginNight(ctx context.Context, due time.Time, requests ...catalog.SyncRequest) error {
	return c.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `WITH old AS (DELETE FROM nights WHERE due_at < $1) INSERT INTO nights (due_at) VALUES ($1) ON CONFLICT DO NOTHING`, due); err != nil {
			return err
		}
		return c.askForSyncs(ctx, tx, requests...)
	})
}

// EndNight records that the last night has ended, unless some partners are still pulled. It returns nil
// unless it has.
func (c *Catalog) EndNight(ctx context.Context, now time.Time) (*client.Night, error) {
	n, err := c.Night(ctx, now)
	if err != nil || n == nil || !n.EndedAt.IsZero() || n.Last != nil {
		return nil, err
	}
	done, err := c.pool.Exec(ctx, `UPDATE nights SET ended_at = $2, partners = $3, failed = $4 WHERE due_at = $1 AND ended_at IS NULL`, n.BeganAt, now, n.Partners, n.Failed)
	if err != nil || done.RowsAffected() == 0 {
		return nil, err
	}
	n.EndedAt = now
	return n, nil
}
