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

// AskForSyncs stores requests, of an integration each, together with the jobs that serve
// them. Those of integrations that are not live are passed over. Only an operator's
// hastens what waits because the partner has failed: a notification costs a stranger
// nothing.
func (c *Catalog) AskForSyncs(ctx context.Context, requests ...catalog.SyncRequest) error {
	var ids []uuid.UUID
	var modes, causes []string
	of := map[uuid.UUID]catalog.SyncRequest{}
	for _, r := range requests {
		ids, modes, causes = append(ids, r.Integration), append(modes, string(r.Mode)), append(causes, string(r.Cause))
		of[r.Integration] = r
	}
	return c.transaction(ctx, func(tx pgx.Tx) error {
		live, err := all(ctx, tx, pgx.RowTo[uuid.UUID], `
			INSERT INTO sync_wishes (integration_id, number, mode, cause, failures)
			SELECT i.id, 1, request.mode, request.cause, 0
			FROM unnest($1::uuid[], $2::text[], $3::text[]) AS request (id, mode, cause) JOIN integrations i ON i.id = request.id
			WHERE i.deleted_at IS NULL ORDER BY i.id
			ON CONFLICT (integration_id) DO UPDATE SET number = sync_wishes.number + 1, cause = EXCLUDED.cause,
				mode = CASE 'full' WHEN sync_wishes.mode THEN 'full' ELSE EXCLUDED.mode END
			RETURNING integration_id`, ids, modes, causes)
		if err != nil {
			return err
		}
		jobs := make([]newJob, len(live))
		for i, id := range live {
			jobs[i] = newJob{args: job.Sync{Integration: id}, at: of[id].At, hastens: of[id].Cause == catalog.ByOperator}
		}
		return c.insertJobs(ctx, tx, jobs...)
	})
}

// PendingSync returns what is asked for of an integration's catalog, or NotFound.
func (c *Catalog) PendingSync(ctx context.Context, integration uuid.UUID) (catalog.PendingSync, error) {
	taken := catalog.PendingSync{SyncRequest: catalog.SyncRequest{Integration: integration}}
	err := c.pool.QueryRow(ctx, `SELECT number, mode, cause, failures FROM sync_wishes WHERE integration_id = $1`, integration).
		Scan(&taken.Number, &taken.Mode, &taken.Cause, &taken.Failures)
	return taken, notFound(err, "request")
}

// SettleSync ends a request, or counts a failure of it where it is to be tried again, and
// has then do what belongs to the same transaction. It is told whether another request
// has come meanwhile, which stays.
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

func (c *Catalog) AskForSlots(ctx context.Context, integration uuid.UUID, at time.Time, changed bool) error {
	if !changed { // most often a request lies ahead, and a look is all it takes
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
	// A request that lies ahead serves all that come before it. One that no job has begun
	// to serve becomes the newest.
	err := tx.QueryRow(ctx, `
		INSERT INTO slot_rounds AS r (integration_id, asked_at, pass, whole) SELECT id, $2, 0, true FROM integrations WHERE id = $1 AND deleted_at IS NULL
		ON CONFLICT (integration_id) DO UPDATE
		SET asked_at = CASE WHEN $3 OR r.serves IS NULL OR r.serves < r.asked_at THEN EXCLUDED.asked_at ELSE greatest(EXCLUDED.asked_at, r.asked_at + $4::interval) END
		WHERE $3 OR r.asked_at <= EXCLUDED.asked_at
		RETURNING asked_at`, integration, at, changed, catalog.SkippedPause).Scan(&due)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	pull := newJob{args: job.Slots{Integration: integration}}
	if due.After(at) {
		pull.at = due
	} else {
		pull.hastens = true
	}
	return c.insertJobs(ctx, tx, pull)
}

// BeginRound returns where an integration's slots stand as a slice begins at that time,
// or NotFound if they were not requested.
func (c *Catalog) BeginRound(ctx context.Context, integration uuid.UUID, now time.Time) (begun catalog.Round, err error) {
	err = c.MoveRound(ctx, integration, func(_ pgx.Tx, stored catalog.Round) (catalog.Round, error) {
		begun = stored.Start(now)
		return begun, nil
	})
	return begun, err
}

// MoveRound has move say what becomes of a round, and do what belongs to the same
// transaction. When it was asked for is not its to change.
func (c *Catalog) MoveRound(ctx context.Context, integration uuid.UUID, move func(tx pgx.Tx, stored catalog.Round) (catalog.Round, error)) error {
	return c.transaction(ctx, func(tx pgx.Tx) error {
		stored, err := one(ctx, tx, "round", scanRound, `
			SELECT asked_at, serves, pass, after_id, whole, pulled_at FROM slot_rounds WHERE integration_id = $1 FOR UPDATE`, integration)
		if err != nil {
			return err
		}
		moved, err := move(tx, stored)
		if err != nil || moved == stored {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE slot_rounds SET serves = $2, pass = $3, after_id = $4, whole = $5, pulled_at = $6 WHERE integration_id = $1`, integration,
			zeronull.Timestamptz(moved.Serves), moved.Pass, zeronull.UUID(moved.After), moved.Whole, zeronull.Timestamptz(moved.Pulled))
		return err
	})
}

func scanRound(row pgx.CollectableRow) (r catalog.Round, err error) {
	err = row.Scan(&r.AskedAt, (*zeronull.Timestamptz)(&r.Serves), &r.Pass, (*zeronull.UUID)(&r.After), &r.Whole, (*zeronull.Timestamptz)(&r.Pulled))
	return r, err
}
