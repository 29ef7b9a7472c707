package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
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
func (p *Partners) HourCounts(ctx context.Context, integrations []uuid.UUID, since time.Time) (map[uuid.UUID]domain.List[partner.HourCount], error) {
	found := make(map[uuid.UUID]domain.List[partner.HourCount], len(integrations))
	for _, id := range integrations {
		found[id] = domain.List[partner.HourCount]{}
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
	cursor: func(e partner.CallEntry) domain.Cursor { return domain.Cursor{At: e.At, ID: e.ID} },
}

// Calls returns a page of the last calls to an integration's partner, newest first. If failed is
// not nil, only calls that failed, or only others, are included.
func (p *Partners) Calls(ctx context.Context, integration uuid.UUID, failed *bool, asked domain.PageRequest) (domain.Page[partner.CallEntry], error) {
	return callList.page(ctx, p.database, entriesOf(integration, failed), asked)
}

var webhookList = list[partner.WebhookEntry]{
	columns: `SELECT id, at, webhook, status, duration_ms, reason FROM webhook_receipts`,
	rows:    "webhook_receipts", at: "at", id: "id", newest: true,
	scan: func(row pgx.CollectableRow) (e partner.WebhookEntry, err error) {
		err = row.Scan(&e.ID, &e.At, &e.Webhook, &e.Status, &e.Duration, &e.Reason)
		return e, err
	},
	cursor: func(e partner.WebhookEntry) domain.Cursor { return domain.Cursor{At: e.At, ID: e.ID} },
}

// Webhooks is Calls for received webhooks.
func (p *Partners) Webhooks(ctx context.Context, integration uuid.UUID, failed *bool, asked domain.PageRequest) (domain.Page[partner.WebhookEntry], error) {
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
func (c *Catalog) EverySync(ctx context.Context, integration uuid.UUID, asked domain.PageRequest) (domain.Page[catalog.Sync], error) {
	return everySyncList.page(ctx, c.database, entriesOf(integration, nil), asked)
}

// forgotten says that a breach was not seen for so long that it starts again.
const forgotten = `b.last_seen < EXCLUDED.first_seen - interval '1 day'`

const keepBreach = `
	INSERT INTO judged_breaches AS b (integration_id, rule, title, clause, level, endpoint, message, fix, count, first_seen, last_seen, evidence)
	SELECT id, @rule, @title, @clause, @level, @endpoint, @message, @fix, @count::bigint, @first::timestamptz, @last::timestamptz, @evidence FROM integrations WHERE id = @id AND deleted_at IS NULL
	ON CONFLICT (integration_id, rule) DO UPDATE SET
		title = EXCLUDED.title, clause = EXCLUDED.clause, level = EXCLUDED.level, endpoint = EXCLUDED.endpoint, fix = EXCLUDED.fix,
		message = CASE WHEN EXCLUDED.last_seen >= b.last_seen THEN EXCLUDED.message ELSE b.message END,
		evidence = CASE WHEN EXCLUDED.last_seen >= b.last_seen THEN EXCLUDED.evidence ELSE b.evidence END,
		count = CASE WHEN ` + forgotten + ` THEN 0 ELSE b.count END + EXCLUDED.count,
		first_seen = CASE WHEN ` + forgotten + ` THEN EXCLUDED.first_seen ELSE least(b.first_seen, EXCLUDED.first_seen) END,
		last_seen = greatest(b.last_seen, EXCLUDED.last_seen)
	RETURNING count = @count`

// KeepBreaches implements conformance.BreachStore.
func (p *Partners) KeepBreaches(ctx context.Context, found []conformance.Breach) (fresh []conformance.Breach, err error) {
	batch := &pgx.Batch{}
	for _, b := range found {
		batch.Queue(keepBreach, named{
			"id": b.Integration, "rule": b.Rule, "title": b.Title, "clause": b.Clause, "level": b.Level, "endpoint": b.Endpoint, "message": b.Message, "fix": b.Fix,
			"count": b.Count, "first": b.FirstSeen, "last": b.LastSeen, "evidence": string(b.Evidence),
		}).QueryRow(func(row pgx.Row) error {
			var first bool
			err := row.Scan(&first)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil // the integration was deleted
			}
			if first {
				fresh = append(fresh, b)
			}
			return err
		})
	}
	return fresh, p.pool.SendBatch(ctx, batch).Close()
}

// KeepPause implements conformance.BreachStore.
func (p *Partners) KeepPause(ctx context.Context, integration uuid.UUID, until time.Time) error {
	_, err := p.pool.Exec(ctx, `SELECT integration_event(id, $2, jsonb_build_object('until', $3::timestamptz)) FROM integrations WHERE id = $1`,
		integration, conformance.JudgingPaused, until)
	return err
}

// mostBreaches is how many breaches of each kind are shown.
const mostBreaches = 50

// Breaches returns the breaches of integrations' partners, newest first: the rules that were judged
// to be broken, and the answers about bookings that were used. evidence includes the evidence.
func (p *Partners) Breaches(ctx context.Context, integrations []uuid.UUID, evidence bool) (map[uuid.UUID][]client.Breach, error) {
	found := make(map[uuid.UUID][]client.Breach, len(integrations))
	for _, id := range integrations {
		found[id] = []client.Breach{}
	}
	rows, err := p.pool.Query(ctx, `
		SELECT i.id, b.* FROM unnest($1::uuid[]) AS i (id), LATERAL (
			(SELECT last_seen AS at, first_seen AS since, count, '' AS booking_id, endpoint, message, rule, title, clause, level, fix, CASE WHEN $3 THEN evidence ELSE '[]' END AS evidence
			FROM judged_breaches WHERE integration_id = i.id ORDER BY last_seen DESC, rule LIMIT $2)
			UNION ALL
			(SELECT at, at, 1, booking_id::text, endpoint, message, '', '', '', 'MUST', '', '[]'
			FROM integration_breaches WHERE integration_id = i.id ORDER BY at DESC, id DESC LIMIT $2)) b
		ORDER BY b.at DESC, b.rule DESC`, integrations, mostBreaches, evidence)
	if err != nil {
		return nil, err
	}
	var id uuid.UUID
	var b client.Breach
	var calls string
	_, err = pgx.ForEachRow(rows, []any{&id, &b.At, &b.Since, &b.Count, &b.BookingID, &b.Endpoint, &b.Message, &b.Rule, &b.Title, &b.Clause, &b.Level, &b.Fix, &calls}, func() error {
		b.Exchanges = []byte(calls)
		found[id] = append(found[id], b)
		return nil
	})
	return found, err
}

// DropOldBreaches deletes breaches in answers that were used, except the last keep of each
// integration. It deletes at most most breaches and returns their number.
func (p *Partners) DropOldBreaches(ctx context.Context, keep, most int) (int64, error) {
	return p.delete(ctx, `
		DELETE FROM integration_breaches WHERE id = ANY (ARRAY(
			SELECT old.id FROM integrations i, LATERAL (
				SELECT b.id FROM integration_breaches b WHERE b.integration_id = i.id ORDER BY b.at DESC, b.id DESC OFFSET $1) old LIMIT $2))`, keep, most)
}

// DropJudgedBreaches deletes rows about rules that were last broken before a time. It deletes at most
// most rows and returns their number.
func (p *Partners) DropJudgedBreaches(ctx context.Context, before time.Time, most int) (int64, error) {
	return p.delete(ctx, `
		DELETE FROM judged_breaches WHERE (integration_id, rule) IN (SELECT integration_id, rule FROM judged_breaches WHERE last_seen < $1 LIMIT $2)`, before, most)
}
