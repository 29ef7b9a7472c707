package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/booking"
)

// ClaimKey stores a key where the account has none of it, or returns the one that it
// has.
func (s *Store) ClaimKey(ctx context.Context, k booking.Key) (before booking.Key, claimed bool, err error) {
	added, err := s.pool.Exec(ctx, `
		INSERT INTO idempotency_keys (account_id, key, body_hash, booking_id, asked_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
		k.Account, k.Key, k.Body[:], k.Booking, k.AskedAt)
	if err != nil || added.RowsAffected() == 1 {
		return k, true, err
	}
	var hash []byte
	var status *int
	before = booking.Key{Account: k.Account, Key: k.Key}
	err = s.pool.QueryRow(ctx, `
		SELECT k.body_hash, k.booking_id, k.asked_at, k.status, k.answer, EXISTS (SELECT FROM bookings b WHERE b.id = k.booking_id)
		FROM idempotency_keys k WHERE k.account_id = $1 AND k.key = $2`, k.Account, k.Key).
		Scan(&hash, &before.Booking, &before.AskedAt, &status, &before.Answer, &before.Made)
	if errors.Is(err, pgx.ErrNoRows) { // it has just become free
		return s.ClaimKey(ctx, k)
	}
	copy(before.Body[:], hash)
	if status != nil {
		before.Status = *status
	}
	return before, false, err
}

// ReclaimKey stores a key in the place of one that was asked for at that time.
func (s *Store) ReclaimKey(ctx context.Context, k booking.Key, before time.Time) (bool, error) {
	taken, err := s.pool.Exec(ctx, `
		UPDATE idempotency_keys SET body_hash = $3, booking_id = $4, asked_at = $5, status = NULL, answer = NULL WHERE account_id = $1 AND key = $2 AND asked_at = $6`,
		k.Account, k.Key, k.Body[:], k.Booking, k.AskedAt, before)
	return taken.RowsAffected() == 1, err
}

// SettleKey stores the answer to a request; where that is nil the key is free again.
func (s *Store) SettleKey(ctx context.Context, k booking.Key) error {
	if k.Answer == nil {
		_, err := s.pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND booking_id = $3`, k.Account, k.Key, k.Booking)
		return err
	}
	_, err := s.pool.Exec(ctx, `UPDATE idempotency_keys SET status = $4, answer = $5 WHERE account_id = $1 AND key = $2 AND booking_id = $3`,
		k.Account, k.Key, k.Booking, k.Status, k.Answer)
	return err
}

// DropOldAnswers deletes the answers that are kept for requests with a key and were asked
// for before then, and returns how many.
func (s *Store) DropOldAnswers(ctx context.Context, before time.Time) (int64, error) {
	dropped, err := s.pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE asked_at < $1`, before)
	return dropped.RowsAffected(), err
}
