package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/job"
)

// AskForSyncs stores requests with the jobs that serve them. Requests for integrations that are not
// live are ignored. Only an operator's request is served immediately while a failing partner has a
// pause: anyone could cause the others.
func (c *Catalog) AskForSyncs(ctx context.Context, requests ...catalog.SyncRequest) error {
	return c.transaction(ctx, func(tx pgx.Tx) error { return c.askForSyncs(ctx, tx, requests...) })
}

func (c *Catalog) askForSyncs(ctx context.Context, tx pgx.Tx, requests ...catalog.SyncRequest) error {
	var ids []uuid.UUID
	var modes, causes []string
	var dues []zeronull.Timestamptz
	of := map[uuid.UUID]catalog.SyncRequest{}
	for _, r := range requests {
		ids, modes, causes, dues = append(ids, r.Integration), append(modes, string(r.Mode)), append(causes, string(r.Cause)), append(dues, zeronull.Timestamptz(r.At))
		of[r.Integration] = r
	}
	live, err := queryAll(ctx, tx, pgx.RowTo[uuid.UUID], `
		INSERT INTO sync_wishes (integration_id, number, mode, cause, failures, due_at)
		SELECT i.id, 1, request.mode, request.cause, 0, request.due_at
		FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) AS request (id, mode, cause, due_at) JOIN integrations i ON i.id = request.id
		WHERE i.deleted_at IS NULL ORDER BY i.id
		ON CONFLICT (integration_id) DO UPDATE SET number = sync_wishes.number + 1, cause = EXCLUDED.cause,
			mode = CASE 'full' WHEN sync_wishes.mode THEN 'full' ELSE EXCLUDED.mode END
		RETURNING integration_id`, ids, modes, causes, dues)
	if err != nil {
		return err
	}
	jobs := make([]newJob, len(live))
	for i, id := range live {
		jobs[i] = newJob{args: job.Sync{Integration: id}, at: of[id].At, makesDue: of[id].Cause == catalog.ByOperator}
	}
	return c.insertJobs(ctx, tx, jobs...)
}

// PendingSync returns the pending request of an integration, or NotFound.
func (c *Catalog) PendingSync(ctx context.Context, integration uuid.UUID) (catalog.PendingSync, error) {
	taken := catalog.PendingSync{SyncRequest: catalog.SyncRequest{Integration: integration}}
	err := c.pool.QueryRow(ctx, `SELECT number, mode, cause, failures FROM sync_wishes WHERE integration_id = $1`, integration).
		Scan(&taken.Number, &taken.Mode, &taken.Cause, &taken.Failures)
	return taken, notFound(err, "request")
}

// SettleSync ends a request, or counts its failure if it will be retried, and calls then in the
// same transaction. then learns whether another request has arrived, which stays.
func (c *Catalog) SettleSync(ctx context.Context, taken catalog.PendingSync, again bool, then func(tx pgx.Tx, another bool) error) error {
	return c.transaction(ctx, func(tx pgx.Tx) error {
		var number int64
		err := tx.QueryRow(ctx, `
			UPDATE sync_wishes SET failures = CASE WHEN $2 THEN failures + 1 ELSE 0 END WHERE integration_id = $1 RETURNING number`, taken.Integration, again).Scan(&number)
		if errors.Is(err, pgx.ErrNoRows) { // another job has settled it
			return then(tx, false)
		}
		if err != nil {
			return err
		}
		another := number != taken.Number
		if !another && !again {
			if _, err := tx.Exec(ctx, `DELETE FROM sync_wishes WHERE integration_id = $1`, taken.Integration); err != nil {
				return err
			}
		}
		return then(tx, another)
	})
}

// AskForSlots requests the slots of all options: immediately if the catalog has changed, otherwise
// after a pause.
func (c *Catalog) AskForSlots(ctx context.Context, integration uuid.UUID, at time.Time, changed bool) error {
	if !changed { // usually a later request exists, and a read is enough
		var ahead bool
		err := c.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM slot_rounds WHERE integration_id = $1 AND asked_at > $2)`, integration, at).Scan(&ahead)
		if err != nil || ahead {
			return err
		}
	}
	return c.transaction(ctx, func(tx pgx.Tx) error { return c.askForSlots(ctx, tx, integration, at, changed) })
}

func (c *Catalog) askForSlots(ctx context.Context, tx pgx.Tx, integration uuid.UUID, at time.Time, changed bool) error {
	var due time.Time
	var slow bool
	// A later request serves all earlier ones. A request that no job has started moves to the
	// newest time.
	err := tx.QueryRow(ctx, `
		INSERT INTO slot_rounds AS r (integration_id, asked_at, pass, whole) SELECT id, $2, 0, true FROM integrations WHERE id = $1 AND deleted_at IS NULL
		ON CONFLICT (integration_id) DO UPDATE
		SET asked_at = CASE WHEN $3 OR r.serves IS NULL OR r.serves < r.asked_at THEN EXCLUDED.asked_at ELSE greatest(EXCLUDED.asked_at, r.asked_at + $4::interval) END
		WHERE $3 OR r.asked_at <= EXCLUDED.asked_at
		RETURNING asked_at, slow`, integration, at, changed, catalog.SkippedPause).Scan(&due, &slow)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	pull := newJob{args: job.Slots{Integration: integration, Slow: slow}}
	if due.After(at) {
		pull.at = due
	} else {
		pull.makesDue = true
	}
	return c.insertJobs(ctx, tx, pull)
}

// BeginRound returns the round of an integration's slots for a slice that begins at that time, or
// NotFound if slots were not requested.
func (c *Catalog) BeginRound(ctx context.Context, integration uuid.UUID, now time.Time) (begun catalog.Round, err error) {
	err = c.MoveRound(ctx, integration, func(_ pgx.Tx, stored catalog.Round) (catalog.Round, error) {
		begun = stored.Start(now)
		return begun, nil
	})
	return begun, err
}

// MoveRound lets move decide the new state of a round in a transaction. It does not change when the
// round was requested.
func (c *Catalog) MoveRound(ctx context.Context, integration uuid.UUID, move func(tx pgx.Tx, stored catalog.Round) (catalog.Round, error)) error {
	return c.transaction(ctx, func(tx pgx.Tx) error {
		stored, err := one(ctx, tx, "round", scanRound, `
			SELECT asked_at, serves, pass, after_id, whole, pulled_at, coalesce(took, '0'), slow FROM slot_rounds WHERE integration_id = $1 FOR UPDATE`, integration)
		if err != nil {
			return err
		}
		moved, err := move(tx, stored)
		if err != nil || moved == stored {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE slot_rounds SET serves = $2, pass = $3, after_id = $4, whole = $5, pulled_at = $6, took = nullif($7::interval, '0'), slow = $8
			WHERE integration_id = $1`, integration,
			zeronull.Timestamptz(moved.Serves), moved.Pass, zeronull.UUID(moved.After), moved.Whole, zeronull.Timestamptz(moved.Pulled), moved.Took, moved.Slow)
		return err
	})
}

func scanRound(row pgx.CollectableRow) (r catalog.Round, err error) {
	err = row.Scan(&r.AskedAt, (*zeronull.Timestamptz)(&r.Serves), &r.Pass, (*zeronull.UUID)(&r.After), &r.Whole, (*zeronull.Timestamptz)(&r.Pulled), &r.Took, &r.Slow)
	return r, err
}
