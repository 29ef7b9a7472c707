package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
)

// AddCalls stores entries of calls to partners and deletes the oldest ones beyond the limit.
// Entries of unknown integrations are ignored.
func (p *Partners) AddCalls(ctx context.Context, entries []partner.CallEntry) error {
	rows := make([][]any, len(entries))
	for i, e := range entries {
		rows[i] = []any{e.ID, e.Integration, e.At, e.Endpoint, e.Status, e.Duration, e.Outcome, e.Error, e.Outcome == partner.CallFailed}
	}
	return p.addEntries(ctx, "integration_calls", `
		INSERT INTO integration_calls (id, integration_id, at, endpoint, status, duration_ms, outcome, error, failed)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9 FROM integrations WHERE id = $2`, rows)
}

// hoursKept is how long calls are counted by hour.
const hoursKept = 8 * 24 * time.Hour

// AddCounts adds to the counts of calls by hour and deletes the old counts of these integrations.
// Counts of unknown integrations are ignored.
func (p *Partners) AddCounts(ctx context.Context, counts []partner.HourCount) error {
	n := len(counts)
	ids, hours, ok, refused, failed := make([]uuid.UUID, n), make([]time.Time, n), make([]int, n), make([]int, n), make([]int, n)
	for i, c := range counts {
		ids[i], hours[i], ok[i], refused[i], failed[i] = c.Integration, c.Hour, c.OK, c.Refused, c.Failed
	}
	batch := &pgx.Batch{}
	// In order, so that replicas wait for each other's rows without a deadlock.
	batch.Queue(`
		INSERT INTO integration_hours AS h (integration_id, hour, ok, refused, failed)
		SELECT n.* FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::integer[]) AS n (id, hour, ok, refused, failed)
			JOIN integrations i ON i.id = n.id
		ORDER BY n.id, n.hour
		ON CONFLICT (integration_id, hour) DO UPDATE SET ok = h.ok + EXCLUDED.ok, refused = h.refused + EXCLUDED.refused, failed = h.failed + EXCLUDED.failed`,
		ids, hours, ok, refused, failed)
	batch.Queue(`
		DELETE FROM integration_hours h USING unnest($1::uuid[], $2::timestamptz[]) AS n (id, hour)
		WHERE h.integration_id = n.id AND h.hour < n.hour - $3::interval`, ids, hours, hoursKept)
	return p.pool.SendBatch(ctx, batch).Close()
}

// HourCounts returns the counts of calls to integrations' partners by hour, oldest first, from the
// hour of that time.
func (p *Partners) HourCounts(ctx context.Context, integrations []uuid.UUID, since time.Time) (map[uuid.UUID]marketplace.List[partner.HourCount], error) {
	found := make(map[uuid.UUID]marketplace.List[partner.HourCount], len(integrations))
	for _, id := range integrations {
		found[id] = marketplace.List[partner.HourCount]{}
	}
	rows, err := p.pool.Query(ctx, `
		SELECT integration_id, hour, ok, refused, failed FROM integration_hours
		WHERE integration_id = ANY ($1) AND hour >= date_trunc('hour', $2::timestamptz) ORDER BY hour`, integrations, since)
	if err != nil {
		return nil, err
	}
	var c partner.HourCount
	_, err = pgx.ForEachRow(rows, []any{&c.Integration, &c.Hour, &c.OK, &c.Refused, &c.Failed}, func() error {
		c.Hour = c.Hour.UTC()
		found[c.Integration] = append(found[c.Integration], c)
		return nil
	})
	return found, err
}

// AddWebhooks is AddCalls for received webhooks.
func (p *Partners) AddWebhooks(ctx context.Context, entries []partner.WebhookEntry) error {
	rows := make([][]any, len(entries))
	for i, e := range entries {
		rows[i] = []any{e.ID, e.Integration, e.At, e.Webhook, e.Status, e.Duration, e.Reason, e.Reason != nil}
	}
	return p.addEntries(ctx, "webhook_receipts", `
		INSERT INTO webhook_receipts (id, integration_id, at, webhook, status, duration_ms, reason, failed)
		SELECT $1, id, $3, $4, $5, $6, $7, $8 FROM integrations WHERE id = $2`, rows)
}

// addEntries inserts rows in one round trip. Their second value is the integration. Excess entries
// are deleted separately: if two replicas conflict, the next write deletes them.
func (p *Partners) addEntries(ctx context.Context, table, insert string, rows [][]any) error {
	batch := &pgx.Batch{}
	var of []uuid.UUID
	for _, row := range rows {
		batch.Queue(insert, row...)
		of = append(of, row[1].(uuid.UUID))
	}
	err := p.pool.SendBatch(ctx, batch).Close()
	_, trimmed := p.pool.Exec(ctx, `
		DELETE FROM `+table+` WHERE id = ANY (ARRAY(
			SELECT old.id FROM (SELECT DISTINCT id FROM unnest($1::uuid[]) AS id) i, (VALUES (true), (false)) AS kind (failed), LATERAL (
				SELECT e.id FROM `+table+` e WHERE e.integration_id = i.id AND e.failed = kind.failed ORDER BY e.at DESC, e.id DESC OFFSET $2) old))`, of, partner.KeptEntries)
	return errors.Join(err, trimmed)
}

var callList = list[partner.CallEntry]{
	columns: `SELECT id, at, endpoint, status, duration_ms, outcome, error FROM integration_calls`,
	rows:    "integration_calls", at: "at", id: "id", newest: true,
	scan: func(row pgx.CollectableRow) (e partner.CallEntry, err error) {
		err = row.Scan(&e.ID, &e.At, &e.Endpoint, &e.Status, &e.Duration, &e.Outcome, &e.Error)
		return e, err
	},
	cursor: func(e partner.CallEntry) marketplace.Cursor { return marketplace.Cursor{At: e.At, ID: e.ID} },
}

// Calls returns a page of the last calls to an integration's partner, newest first. If failed is
// not nil, only calls that failed, or only others, are included.
func (p *Partners) Calls(ctx context.Context, integration uuid.UUID, failed *bool, asked marketplace.PageRequest) (marketplace.Page[partner.CallEntry], error) {
	return callList.page(ctx, p.database, entriesOf(integration, failed), asked)
}

var webhookList = list[partner.WebhookEntry]{
	columns: `SELECT id, at, webhook, status, duration_ms, reason FROM webhook_receipts`,
	rows:    "webhook_receipts", at: "at", id: "id", newest: true,
	scan: func(row pgx.CollectableRow) (e partner.WebhookEntry, err error) {
		err = row.Scan(&e.ID, &e.At, &e.Webhook, &e.Status, &e.Duration, &e.Reason)
		return e, err
	},
	cursor: func(e partner.WebhookEntry) marketplace.Cursor { return marketplace.Cursor{At: e.At, ID: e.ID} },
}

// Webhooks is Calls for received webhooks.
func (p *Partners) Webhooks(ctx context.Context, integration uuid.UUID, failed *bool, asked marketplace.PageRequest) (marketplace.Page[partner.WebhookEntry], error) {
	return webhookList.page(ctx, p.database, entriesOf(integration, failed), asked)
}

func entriesOf(integration uuid.UUID, failed *bool) *filters {
	f := newFilters()
	f.add("integration_id = @integration", "integration", integration)
	if failed != nil {
		f.add("failed = @failed", "failed", *failed)
	}
	return f
}

// keptAttempts is how many skipped and failed syncs of an integration are kept.
const keptAttempts = 200

// KeepAttempt records a sync that was skipped or failed, in a log separate from stored syncs.
func (c *Catalog) KeepAttempt(ctx context.Context, integration uuid.UUID, s catalog.Sync) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		INSERT INTO sync_attempts (id, integration_id, mode, cause, started_at, finished_at, synced, failed, reason)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9 FROM integrations WHERE id = $2`,
		s.ID, integration, s.Mode, s.Cause, s.StartedAt, s.FinishedAt, s.Synced, s.Failed, s.Reason)
	batch.Queue(`
		DELETE FROM sync_attempts WHERE id = ANY (ARRAY(
			SELECT id FROM sync_attempts WHERE integration_id = $1 ORDER BY started_at DESC, id DESC OFFSET $2))`, integration, keptAttempts)
	if s.Skipped {
		batch.Queue(`
			INSERT INTO skipped_syncs AS s (integration_id, cause, started_at, finished_at) SELECT id, $2, $3, $4 FROM integrations WHERE id = $1
			ON CONFLICT (integration_id) DO UPDATE SET cause = EXCLUDED.cause, started_at = EXCLUDED.started_at, finished_at = EXCLUDED.finished_at
			WHERE s.started_at < EXCLUDED.started_at`, integration, s.Cause, s.StartedAt, s.FinishedAt)
	}
	return c.pool.SendBatch(ctx, batch).Close()
}

// everySync selects stored, skipped and failed syncs.
const everySync = `(
	SELECT id, integration_id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside, guard, false AS failed, NULL::text AS reason FROM syncs
	UNION ALL
	SELECT id, integration_id, mode, cause, started_at, finished_at, synced, 0, 0, 0, '[]', NULL, failed, reason FROM sync_attempts) every_sync`

var everySyncList = list[catalog.Sync]{
	columns: `SELECT id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside, guard, failed, reason FROM ` + everySync,
	rows:    everySync, at: "started_at", id: "id", newest: true,
	scan: func(row pgx.CollectableRow) (s catalog.Sync, err error) {
		err = row.Scan(append(syncTargets(&s), &s.Failed, &s.Reason)...)
		s.Skipped = s.Reason != nil && !s.Failed
		return s, err
	},
	cursor: syncList.cursor,
}

// EverySync returns a page of an integration's syncs, newest first, including skipped and failed
// ones.
func (c *Catalog) EverySync(ctx context.Context, integration uuid.UUID, asked marketplace.PageRequest) (marketplace.Page[catalog.Sync], error) {
	return everySyncList.page(ctx, c.database, entriesOf(integration, nil), asked)
}
