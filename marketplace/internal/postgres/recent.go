package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// mostCauses limits the listed causes of bookings that need attention.
	mostCauses = 20
	// mostRecent limits the listed events.
	mostRecent = 12
)

// attentionCauses groups the bookings that need attention now, those first whose guests depart next.
const attentionCauses = `
	WITH open AS (
		SELECT b.integration_id, a.reason, a.message, a.since, b.currency, b.total, b.starts_at
		FROM booking_attention a JOIN bookings b ON b.id = a.booking_id WHERE a.settled_at IS NULL AND b.mode = 'live'
	), totals AS (
		SELECT integration_id, reason, jsonb_object_agg(currency, trim_scale(total)) AS totals
		FROM (SELECT integration_id, reason, currency, sum(total) AS total FROM open GROUP BY integration_id, reason, currency) AS t GROUP BY integration_id, reason
	), causes AS (
		SELECT integration_id, reason, mode() WITHIN GROUP (ORDER BY message) AS message, count(*) AS bookings, min(since) AS since,
			min(starts_at) FILTER (WHERE starts_at > $1) AS first
		FROM open GROUP BY integration_id, reason
	)
	SELECT i.id, i.name, c.reason, c.message, c.bookings, c.since, coalesce(c.first, ` + never + `), t.totals
	FROM causes c JOIN totals t USING (integration_id, reason) JOIN integrations i ON i.id = c.integration_id
	ORDER BY c.first NULLS LAST, c.since, i.id, c.reason LIMIT $2`

// queueRecent adds the queries for the causes of attention, the oldest data, the last night and the last events. Test
// mode is not included.
func queueRecent(batch *pgx.Batch, o *client.Overview, now time.Time) {
	batch.Queue(attentionCauses, now, mostCauses).Query(func(rows pgx.Rows) (err error) {
		o.Causes, err = pgx.CollectRows(rows, pgx.RowToStructByPos[client.AttentionCause])
		return err
	})
	oldest := func(into **client.DatedIntegration, at, from string) {
		batch.Queue(`SELECT i.id, i.name, ` + at + ` FROM integrations i ` + from + ` WHERE i.deleted_at IS NULL AND i.mode = 'live' AND ` + at + ` IS NOT NULL ORDER BY ` + at + `, i.id LIMIT 1`).
			Query(func(rows pgx.Rows) error {
				found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[client.DatedIntegration])
				if len(found) > 0 {
					*into = found[0]
				}
				return err
			})
	}
	oldest(&o.OldestSync, "greatest(i.last_sync_at, k.started_at)", "LEFT JOIN skipped_syncs k ON k.integration_id = i.id")
	oldest(&o.OldestSlots, "r.pulled_at", "JOIN slot_rounds r ON r.integration_id = i.id")
	batch.Queue(lastNight, now).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, scanNight)
		if len(found) > 0 {
			o.Night = found[0]
		}
		return err
	})
	batch.Queue(recentEvents, mostRecent, client.HealthChanged, client.SyncFailed, client.SyncHeld, client.AttentionNeeded, client.AttentionResolved,
		client.RunEnded, partnerapi.Degraded).
		Query(func(rows pgx.Rows) (err error) {
			o.Recent, err = pgx.CollectRows(rows, pgx.RowToStructByPos[client.RecentEvent])
			return err
		})
}

// recentEvents reads the newest events of each kind and then the newest of all. Each branch checks
// the mode row by row along its index, so that it stops after a few rows.
const recentEvents = `
	SELECT e.at, e.kind, e.integration_id, e.name, coalesce(e.booking_id::text, ''), coalesce(e.run_id::text, ''), e.says FROM (
		(SELECT c.at, $2::text AS kind, i.id AS integration_id, i.name, NULL::uuid AS booking_id, NULL::uuid AS run_id, c.state || CASE WHEN c.state = $8::text AND c.reason <> '' THEN ': ' || c.reason ELSE '' END AS says
			FROM integration_health_changes c JOIN integrations i ON i.id = c.integration_id
			WHERE i.mode = 'live' ORDER BY c.at DESC LIMIT $1)
		UNION ALL
		(SELECT s.started_at, $3::text, i.id, i.name, NULL, NULL, s.reason FROM sync_attempts s JOIN integrations i ON i.id = s.integration_id
			WHERE s.failed AND i.mode = 'live' ORDER BY s.started_at DESC LIMIT $1)
		UNION ALL
		(SELECT s.started_at, $4::text, i.id, i.name, NULL, NULL, format('%s of %s activities', s.guard->>'would_deactivate', s.guard->>'of') FROM syncs s JOIN integrations i ON i.id = s.integration_id
			WHERE s.guard IS NOT NULL AND i.mode = 'live' ORDER BY s.started_at DESC LIMIT $1)
		UNION ALL
		(SELECT a.since, $5::text, i.id, i.name, a.booking_id, NULL, a.reason FROM booking_attention a JOIN bookings b ON b.id = a.booking_id JOIN integrations i ON i.id = b.integration_id
			WHERE b.mode = 'live' ORDER BY a.since DESC LIMIT $1)
		UNION ALL
		(SELECT a.settled_at, $6::text, i.id, i.name, a.booking_id, NULL, a.reason FROM booking_attention a JOIN bookings b ON b.id = a.booking_id JOIN integrations i ON i.id = b.integration_id
			WHERE a.settled_at IS NOT NULL AND b.mode = 'live' ORDER BY a.settled_at DESC LIMIT $1)
		UNION ALL
		(SELECT r.finished_at, $7::text, i.id, i.name, NULL, r.id, coalesce(r.verdict, r.state) FROM conformance_runs r JOIN integrations i ON i.id = r.integration_id
			WHERE r.finished_at IS NOT NULL AND i.mode = 'live' ORDER BY r.finished_at DESC LIMIT $1)
	) AS e ORDER BY e.at DESC, e.kind LIMIT $1`
