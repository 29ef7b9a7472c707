package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/event"
)

const deliveryColumns = `
	SELECT e.id, e.type, d.state, d.attempts, d.owed_at, d.due_at, d.last_at, d.last_status, d.last_error
	FROM event_deliveries d JOIN events e ON e.position = d.position `

func scanDelivery(row pgx.CollectableRow) (d event.Delivery, err error) {
	err = row.Scan(&d.Event, &d.Type, &d.State, &d.Attempts, &d.OwedAt, &d.DueAt, &d.LastAt, &d.LastCode, &d.LastError)
	return d, err
}

// Deliveries returns the last deliveries of a subscription, newest first. An empty state includes
// all.
func (e *Events) Deliveries(ctx context.Context, id uuid.UUID, state event.State, most int) ([]event.Delivery, error) {
	return queryAll(ctx, e.pool, scanDelivery, deliveryColumns+`
		WHERE d.subscription_id = $1 AND ($2 = '' OR d.state = $2) ORDER BY d.position DESC LIMIT $3`, id, string(state), most)
}

// Retry makes an event due again and ends the pause of its subscription.
func (e *Events) Retry(ctx context.Context, id, eventID uuid.UUID) (d event.Delivery, err error) {
	err = e.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			UPDATE event_deliveries d SET state = 'pending', owed_at = now(), due_at = now()
			FROM events e WHERE e.id = $2 AND d.position = e.position AND d.subscription_id = $1`, id, eventID); err != nil {
			return err
		}
		if d, err = one(ctx, tx, "delivery", scanDelivery, deliveryColumns+`WHERE d.subscription_id = $1 AND e.id = $2`, id, eventID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE event_subscriptions SET paused_until = NULL WHERE id = $1`, id); err != nil {
			return err
		}
		return e.wake(ctx, tx, []uuid.UUID{id})
	})
	return d, err
}

// sentTo is the condition for an active subscription with an address.
const sentTo = `s.url IS NOT NULL AND s.disabled_at IS NULL AND EXISTS (SELECT FROM accounts a WHERE a.id = s.account_id AND a.disabled_at IS NULL)`

// Target returns the subscription to send to, or NotFound if it or its account is deleted or
// disabled.
func (e *Events) Target(ctx context.Context, id uuid.UUID) (event.Subscription, error) {
	return one(ctx, e.pool, "webhook", scanSubscription, subscriptionColumns+`WHERE s.id = $1 AND `+sentTo, id)
}

// first is the condition for the earliest pending delivery of its subject.
const first = `d.state = 'pending' AND NOT EXISTS (
	SELECT FROM event_deliveries p WHERE p.subscription_id = d.subscription_id AND p.subject_id = d.subject_id AND p.position < d.position AND p.state = 'pending')`

// DueDeliveries returns due deliveries in order, at most one for each subject.
func (e *Events) DueDeliveries(ctx context.Context, id uuid.UUID, most int) ([]event.Due, error) {
	return queryAll(ctx, e.pool, func(row pgx.CollectableRow) (d event.Due, err error) {
		err = row.Scan(&d.Position, &d.Attempts, &d.Event.ID, &d.Event.Type, &d.Event.Timestamp, (*[]byte)(&d.Event.Data))
		return d, err
	}, `
		SELECT d.position, d.attempts, e.id, e.type, e.at, e.data
		FROM event_deliveries d JOIN events e ON e.position = d.position JOIN event_subscriptions s ON s.id = d.subscription_id
		WHERE d.subscription_id = $1 AND d.due_at <= clock_timestamp() AND `+first+` AND `+sentTo+` ORDER BY d.position LIMIT $2`, id, most)
}

// Settle stores the outcomes of deliveries, and disables an address that has failed for too long.
func (e *Events) Settle(ctx context.Context, id uuid.UUID, r event.Result, limits event.Limits) error {
	var positions, pauses []int64
	var attempts, statuses []int
	var errors []string
	succeeded := false
	for _, o := range r.Outcomes {
		positions, attempts, statuses = append(positions, o.Position), append(attempts, o.Attempts), append(statuses, o.Status)
		errors, pauses = append(errors, o.Error), append(pauses, o.Pause.Microseconds())
		succeeded = succeeded || o.Error == ""
	}
	args := named{
		"id": id, "positions": positions, "attempts": attempts, "statuses": statuses, "errors": errors, "pauses": pauses, "give_up": limits.GiveUp,
		"disable": limits.Disable, "waiting": limits.Waiting, "succeeded": succeeded, "pause": r.Pause, "gone": r.Gone,
	}
	batch := &pgx.Batch{}
	// Its row is locked first, to serialize writers of a subscription.
	batch.Queue(`
		UPDATE event_subscriptions SET failing_since = CASE WHEN @succeeded::boolean THEN NULL ELSE coalesce(failing_since, now()) END,
			paused_until = CASE WHEN @pause::interval > '0' THEN clock_timestamp() + @pause::interval END
		WHERE id = @id AND (failing_since IS NOT NULL OR paused_until IS NOT NULL OR NOT @succeeded OR @pause::interval > '0')`, args)
	batch.Queue(`
		UPDATE event_deliveries d SET attempts = d.attempts + 1, last_at = now(), last_status = nullif(o.status, 0), last_error = nullif(o.error, ''),
			due_at = clock_timestamp() + o.pause * interval '1 microsecond',
			state = CASE WHEN o.error = '' THEN 'delivered' WHEN now() - d.owed_at >= @give_up::interval THEN 'failed' ELSE 'pending' END
		FROM unnest(@positions::bigint[], @attempts::int[], @statuses::int[], @errors::text[], @pauses::bigint[]) AS o (position, attempts, status, error, pause)
		WHERE d.subscription_id = @id AND d.position = o.position AND d.attempts = o.attempts AND d.state = 'pending'`, args)
	if !succeeded || r.Gone {
		batch.Queue(`
			UPDATE event_subscriptions s SET disabled_at = now(), disabled_reason = CASE
				WHEN @gone::boolean THEN 'the receiver answered 410 Gone'
				WHEN now() - s.failing_since >= @disable::interval THEN 'every attempt failed for ' || extract(epoch FROM @disable::interval)::bigint / 86400 || ' days'
				ELSE 'more than ' || @waiting::int || ' events were waiting' END
			WHERE s.id = @id AND s.disabled_at IS NULL AND (@gone OR now() - s.failing_since >= @disable::interval OR
				(SELECT count(*) FROM (SELECT FROM event_deliveries d WHERE d.subscription_id = @id AND d.state = 'pending' LIMIT @waiting::int + 1) AS pending) > @waiting::int)`, args)
		batch.Queue(`
			UPDATE event_deliveries d SET state = 'failed', last_error = coalesce(d.last_error, 'the webhook was disabled')
			FROM event_subscriptions s WHERE s.id = @id AND s.disabled_at IS NOT NULL AND d.subscription_id = s.id AND d.state = 'pending'`, args)
	}
	return e.pool.SendBatch(ctx, batch).Close() // without a transaction, a batch is one
}

// Rest lets then end a subscription's job, in the transaction that finds when the next one is due:
// zero without a pending delivery.
func (e *Events) Rest(ctx context.Context, id uuid.UUID, then func(tx pgx.Tx, now, due time.Time) error) error {
	return e.transaction(ctx, func(tx pgx.Tx) error {
		var now, due time.Time
		if _, err := tx.Exec(ctx, `SELECT FROM event_subscriptions WHERE id = $1 FOR NO KEY UPDATE`, id); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `
			SELECT clock_timestamp(), (
				SELECT greatest(min(d.due_at), max(s.paused_until)) FROM event_deliveries d JOIN event_subscriptions s ON s.id = d.subscription_id
				WHERE s.id = $1 AND `+first+` AND `+sentTo+`)`, id).Scan(&now, (*zeronull.Timestamptz)(&due)); err != nil {
			return err
		}
		return then(tx, now, due)
	})
}
