package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/booking"
)

// Offer returns what a checkout is about, or NotFound: an activity that resellers may
// see, a variation of it, and a slot of that.
func (b *Bookings) Offer(ctx context.Context, activity, variation uuid.UUID, slot string) (o booking.Offer, err error) {
	batch := &pgx.Batch{}
	queueOffer(batch, &o, activity, variation, slot)
	return o, b.pool.SendBatch(ctx, batch).Close()
}

func queueOffer(batch *pgx.Batch, o *booking.Offer, activity, variation uuid.UUID, slot string) {
	batch.Queue(activityColumns+`WHERE a.id = $1 AND `+listed, activity).Query(func(rows pgx.Rows) (err error) {
		o.Activity, err = pgx.CollectExactlyOneRow(rows, scanActivity)
		return notFound(err, "activity")
	})
	batch.Queue(`
		SELECT `+bookedIntegration+`, s.starts_at
		FROM activities a JOIN integrations i ON i.id = a.integration_id JOIN integration_health h ON h.integration_id = i.id
			JOIN variations v ON v.activity_id = a.id LEFT JOIN slots s ON s.variation_id = v.id AND s.availability_id = $3
		WHERE a.id = $1 AND v.id = $2 AND v.partner_active`, activity, variation, slot).QueryRow(func(row pgx.Row) error {
		i := &o.Integration
		err := row.Scan(&i.ID, &i.AccountID, &i.Name, address{&i.BaseURL}, &i.AuthType, &i.AuthKey, &i.HandlesTicketDelivery, &o.Health, (*zeronull.Timestamptz)(&o.Start))
		if err == nil && o.Start.IsZero() {
			return notFound(pgx.ErrNoRows, "slot")
		}
		return notFound(err, "variation")
	})
	queueTerms(batch, &o.Terms)
}

// ClaimKey stores a key where the account has none of it, else it returns the one that
// it has; and the offer, in the same round trip.
func (b *Bookings) ClaimKey(ctx context.Context, k booking.Key, activity, variation uuid.UUID, slot string) (o booking.Offer, before *booking.Key, err error) {
	there, claimed := booking.Key{Account: k.Account, Key: k.Key}, false
	batch := &pgx.Batch{}
	batch.Queue(`
		INSERT INTO idempotency_keys (account_id, key, body_hash, booking_id, asked_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
		k.Account, k.Key, k.Body[:], k.Booking, k.AskedAt).Exec(func(added pgconn.CommandTag) error {
		claimed = added.RowsAffected() == 1
		return nil
	})
	batch.Queue(`
		SELECT k.body_hash, k.booking_id, k.asked_at, coalesce(k.status, 0), k.answer, EXISTS (SELECT FROM bookings WHERE id = k.booking_id)
		FROM idempotency_keys k WHERE k.account_id = $1 AND k.key = $2`, k.Account, k.Key).QueryRow(func(row pgx.Row) error {
		var hash []byte
		if err := row.Scan(&hash, &there.Booking, &there.AskedAt, &there.Answer.Status, &there.Answer.Body, &there.Made); err != nil {
			return err
		}
		copy(there.Body[:], hash)
		return nil
	})
	queueOffer(batch, &o, activity, variation, slot)
	err = b.pool.SendBatch(ctx, batch).Close()
	if errors.Is(err, pgx.ErrNoRows) { // it has just become free
		return b.ClaimKey(ctx, k, activity, variation, slot)
	}
	if claimed {
		return o, nil, err
	}
	return o, &there, err
}

// ReclaimKey stores a key in the place of one that was asked for at that time.
func (b *Bookings) ReclaimKey(ctx context.Context, k booking.Key, before time.Time) (bool, error) {
	taken, err := b.pool.Exec(ctx, `
		UPDATE idempotency_keys SET body_hash = $3, booking_id = $4, asked_at = $5, status = NULL, answer = NULL WHERE account_id = $1 AND key = $2 AND asked_at = $6`,
		k.Account, k.Key, k.Body[:], k.Booking, k.AskedAt, before)
	return taken.RowsAffected() == 1, err
}

// SettleKey stores the answer to a request; where that is none the key is free again,
// unless its booking was begun, and the partner may keep seats for it.
func (b *Bookings) SettleKey(ctx context.Context, k booking.Key) error {
	if k.Answer.Body == nil {
		_, err := b.pool.Exec(ctx, `
			DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND booking_id = $3
				AND NOT EXISTS (SELECT FROM bookings WHERE id = $3 AND status <> 'REFUSED')`, k.Account, k.Key, k.Booking)
		return err
	}
	_, err := b.pool.Exec(ctx, `UPDATE idempotency_keys SET status = $4, answer = $5 WHERE account_id = $1 AND key = $2 AND booking_id = $3`,
		k.Account, k.Key, k.Booking, k.Answer.Status, k.Answer.Body)
	return err
}

// DropOldAnswers deletes the answers that are kept for requests with a key and were asked
// for before then, and returns how many.
func (b *Bookings) DropOldAnswers(ctx context.Context, before time.Time) (int64, error) {
	return b.delete(ctx, `DELETE FROM idempotency_keys WHERE asked_at < $1`, before)
}
