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
	"partnerkit.dev/marketplace/internal/domain"
)

func (b *Bookings) queueOffer(batch *pgx.Batch, o *booking.Offer, mode domain.Mode, activity, variation uuid.UUID, slot string) {
	batch.Queue(activityColumns+`WHERE a.id = $1 AND i.mode = $2 AND `+listed, activity, mode).Query(func(rows pgx.Rows) (err error) {
		o.Activity, err = pgx.CollectExactlyOneRow(rows, scanActivity)
		return notFound(err, "activity")
	})
	batch.Queue(`
		SELECT `+bookedIntegration+`, s.starts_at
		FROM activities a JOIN integrations i ON i.id = a.integration_id JOIN integration_health h ON h.integration_id = i.id
			JOIN variations v ON v.activity_id = a.id LEFT JOIN slots s ON s.variation_id = v.id AND s.availability_id = $3
		WHERE a.id = $1 AND i.mode = $4 AND v.id = $2 AND v.partner_active`, activity, variation, slot, mode).QueryRow(func(row pgx.Row) error {
		i := &o.Integration
		err := row.Scan(&i.ID, &i.AccountID, &i.Name, &i.Mode, address{&i.BaseURL}, &i.AuthType, &i.AuthKey, &i.ClientIdentity, &i.HandlesTicketDelivery, &o.Health, (*zeronull.Timestamptz)(&o.Start))
		if err == nil && o.Start.IsZero() {
			return notFound(pgx.ErrNoRows, "slot")
		}
		return notFound(err, "variation")
	})
	queueTerms(batch, &o.Terms, b.now())
}

// ownKey is the condition for a key that the request owns.
const ownKey = `account_id = @account AND mode = @mode AND key = @key AND asked_at = @asked`

// Claim returns the activity, variation and slot of a checkout, or NotFound if resellers may not
// see them. In the same round trip it stores a key that the account does not have, and returns the
// stored key.
func (b *Bookings) Claim(ctx context.Context, k booking.Key, activity, variation uuid.UUID, slot string) (o booking.Offer, stored booking.Key, claimed bool, err error) {
	batch := &pgx.Batch{}
	if k.Key == "" {
		b.queueOffer(batch, &o, k.Mode, activity, variation, slot)
		return o, k, true, b.pool.SendBatch(ctx, batch).Close()
	}
	stored = booking.Key{Account: k.Account, Mode: k.Mode, Key: k.Key}
	args := named{"account": k.Account, "mode": k.Mode, "key": k.Key, "body": k.Body[:], "booking": k.Booking, "now": b.now()}
	batch.Queue(`
		INSERT INTO idempotency_keys (account_id, mode, key, body_hash, booking_id, asked_at) VALUES (@account, @mode, @key, @body, @booking, `+now+`) ON CONFLICT DO NOTHING`,
		args).Exec(func(added pgconn.CommandTag) error {
		claimed = added.RowsAffected() == 1
		return nil
	})
	batch.Queue(`
		SELECT k.body_hash, k.booking_id, k.asked_at, `+now+` - k.asked_at, coalesce(k.status, 0), k.answer, k.made OR EXISTS (SELECT FROM bookings WHERE id = k.booking_id)
		FROM idempotency_keys k WHERE k.account_id = @account AND k.mode = @mode AND k.key = @key`, args).QueryRow(func(row pgx.Row) error {
		var hash []byte
		if err := row.Scan(&hash, &stored.Booking, &stored.AskedAt, &stored.Age, &stored.Answer.Status, &stored.Answer.Body, &stored.Made); err != nil {
			return err
		}
		copy(stored.Body[:], hash)
		return nil
	})
	b.queueOffer(batch, &o, k.Mode, activity, variation, slot)
	err = b.pool.SendBatch(ctx, batch).Close()
	if errors.Is(err, pgx.ErrNoRows) { // it has just been freed
		return b.Claim(ctx, k, activity, variation, slot)
	}
	return o, stored, claimed, err
}

// ReclaimKey replaces an idempotency key, unless it has changed since it was read as before.
func (b *Bookings) ReclaimKey(ctx context.Context, k, before booking.Key) (stored booking.Key, taken bool, err error) {
	stored = k
	rows, err := b.pool.Query(ctx, `
		UPDATE idempotency_keys k SET body_hash = @body, booking_id = @booking, made = @made, status = @status, answer = @answer,
			asked_at = greatest(`+now+`, asked_at + interval '1 microsecond')
		WHERE `+ownKey+` AND (answer IS NULL) = @open AND (made OR EXISTS (SELECT FROM bookings WHERE id = k.booking_id)) = @was_made RETURNING asked_at`, named{
		"account": k.Account, "mode": k.Mode, "key": k.Key, "body": k.Body[:], "booking": k.Booking, "made": k.Made, "status": zeronull.Int4(k.Answer.Status), "answer": k.Answer.Body,
		"asked": before.AskedAt, "open": before.Answer.Body == nil, "was_made": before.Made, "now": b.now(),
	})
	if err != nil {
		return stored, false, err
	}
	_, err = pgx.ForEachRow(rows, []any{&stored.AskedAt}, func() error {
		taken = true
		return nil
	})
	return stored, taken, err
}

// SettleKey stores the answer to a request, or frees its key if there is no answer and no booking
// was begun.
func (b *Bookings) SettleKey(ctx context.Context, k booking.Key) error {
	args := named{"account": k.Account, "mode": k.Mode, "key": k.Key, "asked": k.AskedAt, "booking": k.Booking, "status": k.Answer.Status, "answer": k.Answer.Body}
	if k.Answer.Body == nil {
		_, err := b.pool.Exec(ctx, `
			DELETE FROM idempotency_keys WHERE `+ownKey+` AND answer IS NULL
				AND NOT EXISTS (SELECT FROM bookings WHERE id = @booking AND status <> 'REFUSED')`, args)
		return err
	}
	settled, err := b.pool.Exec(ctx, `UPDATE idempotency_keys SET status = @status, answer = @answer WHERE `+ownKey+` AND answer IS NULL`, args)
	if err == nil && settled.RowsAffected() == 0 {
		return booking.ErrNotOwner
	}
	return err
}

// FreeKey deletes a key that was stored for a booking, unless that was begun.
func (b *Bookings) FreeKey(ctx context.Context, k booking.Key) error {
	_, err := b.pool.Exec(ctx, `
		DELETE FROM idempotency_keys WHERE account_id = @account AND mode = @mode AND key = @key AND booking_id = @booking
			AND answer IS NULL AND NOT made AND NOT EXISTS (SELECT FROM bookings WHERE id = @booking)`,
		named{"account": k.Account, "mode": k.Mode, "key": k.Key, "booking": k.Booking})
	return err
}

// DropOldAnswers deletes at most most stored answers of keys that were requested before that time,
// and returns their number.
func (b *Bookings) DropOldAnswers(ctx context.Context, before time.Time, most int) (int64, error) {
	return b.delete(ctx, `
		DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(SELECT ctid FROM idempotency_keys WHERE asked_at < $1 ORDER BY asked_at LIMIT $2 FOR UPDATE SKIP LOCKED))`, before, most)
}
