package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/event"
	"partnerkit.dev/marketplace/internal/job"
)

// Events stores events for resellers. It is an event.Store.
type Events struct{ database }

const subscriptionColumns = `
	SELECT s.id, s.account_id, s.mode, s.url, s.events, s.secret, CASE WHEN s.previous_secret_until > now() THEN s.previous_secret END,
		CASE WHEN s.previous_secret_until > now() THEN s.previous_secret_until END, s.created_at, s.failing_since, s.disabled_at, s.disabled_reason
	FROM event_subscriptions s `

func scanSubscription(row pgx.CollectableRow) (s event.Subscription, err error) {
	err = row.Scan(&s.ID, &s.Account, &s.Mode, (*zeronull.Text)(&s.URL), &s.Events, &s.Secret, &s.PreviousSecret, &s.PreviousUntil, &s.CreatedAt, &s.FailingSince, &s.DisabledAt, &s.DisabledReason)
	return s, err
}

// Subscribe stores a subscription, or returns Conflict if the account has the maximum number in its
// mode.
func (e *Events) Subscribe(ctx context.Context, s event.Subscription, most int) (made event.Subscription, err error) {
	err = e.transaction(ctx, func(tx pgx.Tx) error {
		var has int
		// The lock on the account's row serializes counts.
		batch := &pgx.Batch{}
		batch.Queue(`SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, s.Account)
		batch.Queue(`SELECT count(*) FROM event_subscriptions WHERE account_id = $1 AND mode = $2`, s.Account, s.Mode).QueryRow(func(row pgx.Row) error { return row.Scan(&has) })
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if has >= most {
			return domain.Errorf(domain.Conflict, "the account has %d webhooks in %s mode, the most that it may have: delete one first", most, s.Mode)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO event_subscriptions (id, account_id, url, events, secret, mode) VALUES ($1, $2, $3, $4, $5, $6)`,
			s.ID, s.Account, zeronull.Text(s.URL), s.Events, s.Secret, s.Mode); err != nil {
			return err
		}
		made, err = one(ctx, tx, "webhook", scanSubscription, subscriptionColumns+`WHERE s.id = $1`, s.ID)
		return err
	})
	return made, err
}

// Subscriptions lists the subscriptions in a scope.
func (e *Events) Subscriptions(ctx context.Context, of domain.Scope) ([]event.Subscription, error) {
	return queryAll(ctx, e.pool, scanSubscription, subscriptionColumns+`WHERE s.account_id = $1 AND (s.mode = $2 OR $2 = '') ORDER BY s.created_at, s.id`, of.Account, of.Mode)
}

// Subscription returns the subscription with that id, if it is in the scope.
func (e *Events) Subscription(ctx context.Context, of domain.Scope, id uuid.UUID) (event.Subscription, error) {
	return one(ctx, e.pool, "webhook", scanSubscription, subscriptionColumns+`WHERE s.account_id = $1 AND s.id = $2 AND (s.mode = $3 OR $3 = '')`, of.Account, id, of.Mode)
}

// Unsubscribe deletes a subscription in the scope.
func (e *Events) Unsubscribe(ctx context.Context, of domain.Scope, id uuid.UUID) error {
	deleted, err := e.delete(ctx, `DELETE FROM event_subscriptions WHERE account_id = $1 AND id = $2 AND (mode = $3 OR $3 = '')`, of.Account, id, of.Mode)
	if err == nil && deleted == 0 {
		return notFound(pgx.ErrNoRows, "webhook")
	}
	return err
}

// ownSubscription is the condition for a subscription in a scope.
const ownSubscription = `id = @id AND account_id = @account AND (mode = @mode OR @mode = '')`

// changeSubscription runs statements that change a subscription in the scope, and wakes its job.
func (e *Events) changeSubscription(ctx context.Context, of domain.Scope, id uuid.UUID, args named, statements ...string) (s event.Subscription, err error) {
	args["id"], args["account"], args["mode"] = id, of.Account, of.Mode
	err = e.transaction(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for _, statement := range statements {
			batch.Queue(statement, args)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if s, err = one(ctx, tx, "webhook", scanSubscription, subscriptionColumns+`WHERE s.`+ownSubscription, args); err != nil {
			return err
		}
		return e.wake(ctx, tx, []uuid.UUID{id})
	})
	return s, err
}

// Change changes a subscription in the scope. Pending deliveries of one that is disabled or has no
// address are given up. A new address starts without the failures of the one before.
func (e *Events) Change(ctx context.Context, of domain.Scope, id uuid.UUID, c event.Change) (event.Subscription, error) {
	return e.changeSubscription(ctx, of, id, named{"url": c.URL, "events": c.Events, "enabled": c.Enabled}, `
		UPDATE event_subscriptions SET url = CASE WHEN @url::text IS NULL THEN url ELSE nullif(@url, '') END, events = coalesce(@events::text[], events),
			failing_since = CASE WHEN @url IS NULL AND @enabled::boolean IS NOT TRUE THEN failing_since END,
			paused_until = CASE WHEN @url IS NULL AND @enabled::boolean IS NOT TRUE THEN paused_until END,
			disabled_at = CASE WHEN @enabled THEN NULL WHEN NOT @enabled THEN coalesce(disabled_at, now()) ELSE disabled_at END,
			disabled_reason = CASE WHEN @enabled THEN NULL WHEN NOT @enabled THEN coalesce(disabled_reason, 'the reseller disabled it') ELSE disabled_reason END
		WHERE `+ownSubscription, `
		UPDATE event_deliveries SET due_at = now() WHERE subscription_id IN (SELECT id FROM event_subscriptions WHERE `+ownSubscription+`) AND state = 'pending' AND @url::text IS NOT NULL`, `
		UPDATE event_deliveries SET state = 'failed', last_error = coalesce(last_error, 'the webhook was disabled')
		WHERE subscription_id IN (SELECT id FROM event_subscriptions WHERE `+ownSubscription+` AND (disabled_at IS NOT NULL OR url IS NULL)) AND state = 'pending'`)
}

// RotateSecret replaces the secret of a subscription in the scope. The one before signs for that time
// too, and an earlier one no longer.
func (e *Events) RotateSecret(ctx context.Context, of domain.Scope, id uuid.UUID, sealed []byte, both time.Duration) (event.Subscription, error) {
	return e.changeSubscription(ctx, of, id, named{"sealed": sealed, "both": both}, `
		UPDATE event_subscriptions SET previous_secret = secret, previous_secret_until = now() + @both::interval, secret = @sealed WHERE `+ownSubscription)
}

// Feed reads an account's events in a mode after a position, and the next position: after the last
// event of all if none follows, so that a reader who polls often enough misses no event.
func (e *Events) Feed(ctx context.Context, of domain.Scope, after int64, most int) (f event.Feed, err error) {
	f.Events, f.Next = []event.Event{}, after
	err = e.transaction(ctx, func(tx pgx.Tx) error {
		// One snapshot for all queries: events stored meanwhile come with the next section.
		if _, err := tx.Exec(ctx, `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`); err != nil {
			return err
		}
		var newest, dropped int64
		err := tx.QueryRow(ctx, `
			SELECT coalesce((SELECT max(position) FROM events), h.dropped), h.dropped FROM event_horizon h`).Scan(&newest, &dropped)
		if err != nil {
			return err
		}
		if f.Expired = after > 0 && after < dropped; f.Expired || after > newest {
			return nil
		}
		rows, err := tx.Query(ctx, `
			SELECT position, id, type, at, data FROM (
				(SELECT * FROM events WHERE account_id = $1 AND mode = $4 AND position > $2 ORDER BY position LIMIT $3) UNION ALL
				(SELECT * FROM events WHERE account_id IS NULL AND mode = $4 AND position > $2
					AND type IN (SELECT unnest(s.events) FROM event_subscriptions s WHERE s.account_id = $1 AND s.mode = $4) ORDER BY position LIMIT $3)) AS following
			ORDER BY position LIMIT $3`, of.Account, after, most, of.Mode)
		if err != nil {
			return err
		}
		var next event.Event
		_, err = pgx.ForEachRow(rows, []any{&f.Next, &next.ID, &next.Type, &next.Timestamp, (*[]byte)(&next.Data)}, func() error {
			f.Events = append(f.Events, next)
			next.Data = nil
			return nil
		})
		if len(f.Events) < most {
			f.Next = max(newest, after)
		}
		return err
	})
	return f, err
}

const (
	// publishLock is the publisher's advisory lock.
	publishLock = 0x65766e74 // "evnt"
	// mostPublished limits the events of one transaction.
	mostPublished = 1000
)

// Publish moves events from the outbox to the feed, adds their deliveries, and inserts the jobs
// that send them. It reports whether more may be left. It does nothing while another replica
// publishes.
func (e *Events) Publish(ctx context.Context) (more bool, err error) {
	var some bool
	if err := e.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM event_outbox)`).Scan(&some); err != nil || !some {
		return false, err
	}
	var moved int
	err = e.transaction(ctx, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, publishLock).Scan(&mine); err != nil || !mine {
			return err
		}
		var to []uuid.UUID
		if err := tx.QueryRow(ctx, `
			WITH taken AS (
				DELETE FROM event_outbox WHERE id IN (SELECT id FROM event_outbox ORDER BY id LIMIT $1) RETURNING *),
			kept AS (
				INSERT INTO events (id, type, account_id, mode, subject_id, data, at)
				SELECT gen_random_uuid(), type, account_id, mode, subject_id, data, at FROM taken ORDER BY taken.id RETURNING *),
			owed AS (
				INSERT INTO event_deliveries (subscription_id, position, subject_id)
				SELECT s.id, k.position, k.subject_id
				FROM kept k JOIN event_subscriptions s ON k.type = ANY (s.events) AND k.mode = s.mode AND (k.account_id IS NULL OR k.account_id = s.account_id)
					JOIN accounts a ON a.id = s.account_id
				WHERE s.url IS NOT NULL AND s.disabled_at IS NULL AND a.disabled_at IS NULL
				RETURNING subscription_id)
			SELECT (SELECT count(*) FROM taken), ARRAY(SELECT DISTINCT subscription_id FROM owed)`, mostPublished).Scan(&moved, &to); err != nil {
			return err
		}
		return e.wake(ctx, tx, to)
	})
	return moved == mostPublished, err
}

// wake inserts the jobs of subscriptions with due deliveries. It locks their rows: either an ending
// job has seen the deliveries, or a new job is inserted.
func (e *Events) wake(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	ready, err := queryAll(ctx, tx, pgx.RowTo[uuid.UUID], `
		SELECT id FROM event_subscriptions WHERE id = ANY ($1) AND (paused_until IS NULL OR paused_until <= clock_timestamp()) ORDER BY id FOR NO KEY UPDATE`, ids)
	if err != nil {
		return err
	}
	jobs := make([]newJob, len(ready))
	for i, id := range ready {
		jobs[i] = newJob{args: job.Events{Subscription: id}, makesDue: true}
	}
	return e.insertJobs(ctx, tx, jobs...)
}

// WakeAll inserts the job of every subscription with due deliveries, in case it was lost: it failed
// too often, or the account was disabled for a while.
func (e *Events) WakeAll(ctx context.Context) error {
	return e.transaction(ctx, func(tx pgx.Tx) error {
		ids, err := queryAll(ctx, tx, pgx.RowTo[uuid.UUID], `
			SELECT s.id FROM event_subscriptions s
			WHERE s.disabled_at IS NULL AND EXISTS (SELECT FROM event_deliveries d WHERE d.subscription_id = s.id AND d.state = 'pending' AND d.due_at <= clock_timestamp())`)
		if err != nil {
			return err
		}
		return e.wake(ctx, tx, ids)
	})
}

// DropOldEvents deletes at most most events that were published before that time, with their
// deliveries. It returns their number and records the last position for the feed.
func (e *Events) DropOldEvents(ctx context.Context, before time.Time, most int) (int64, error) {
	var dropped int64
	err := e.pool.QueryRow(ctx, `
		WITH old AS (DELETE FROM events WHERE position IN (SELECT position FROM events WHERE stored_at < $1 ORDER BY position LIMIT $2) RETURNING position),
			moved AS (UPDATE event_horizon SET dropped = greatest(dropped, (SELECT max(position) FROM old)) WHERE EXISTS (SELECT FROM old))
		SELECT count(*) FROM old`, before, most).Scan(&dropped)
	return dropped, err
}
