package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/booking"
	"partnerkit.dev/schemas/partnerapi"
)

// bookingFilter chooses bookings by account, status and attention.
const bookingFilter = `
	WHERE ($1::uuid IS NULL OR b.account_id = $1 AND b.code IS NOT NULL) AND ($2 = '' OR b.status = $2)
		AND (NOT $3 OR EXISTS (SELECT FROM booking_attention t WHERE t.booking_id = b.id AND t.settled_at IS NULL))`

// Bookings returns some of the bookings, the newest first, and how many there are.
func (s *Store) Bookings(ctx context.Context, by booking.Filter, skip int64, size int) (list []marketplace.Booking, total int, err error) {
	batch := &pgx.Batch{}
	account := idOrNull(by.Account)
	batch.Queue(`SELECT count(*) FROM bookings b `+bookingFilter, account, by.Status, by.Attention).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
	batch.Queue(bookingColumns+bookingFilter+` ORDER BY b.created_at DESC, b.id DESC OFFSET $4 LIMIT $5`, account, by.Status, by.Attention, skip, size).
		Query(func(rows pgx.Rows) error {
			records, err := pgx.CollectRows(rows, scanBooking)
			for _, r := range records {
				list = append(list, r.Booking)
			}
			return err
		})
	return list, total, s.pool.SendBatch(ctx, batch).Close()
}

// BookingHistories returns what happened to bookings, the oldest first.
func (s *Store) BookingHistories(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]marketplace.HistoryEntry, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT booking_id, at, kind, coalesce(from_status, ''), coalesce(to_status, ''), coalesce(why, ''), coalesce(endpoint, ''), status, duration_ms, coalesce(error, '')
		FROM booking_history WHERE booking_id = ANY($1) ORDER BY id`, ids)
	if err != nil {
		return nil, err
	}
	histories := map[uuid.UUID][]marketplace.HistoryEntry{}
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		var h marketplace.HistoryEntry
		var endpoint string
		if err := rows.Scan(&id, &h.At, &h.Kind, &h.From, &h.To, &h.Why, &endpoint, &h.Status, &h.Duration, &h.Error); err != nil {
			return nil, err
		}
		h.Endpoint = partnerapi.Endpoint(endpoint)
		histories[id] = append(histories[id], h)
	}
	return histories, rows.Err()
}

// Commissions returns some of an affiliate's commissions, the newest first, and how
// many there are.
func (s *Store) Commissions(ctx context.Context, affiliate uuid.UUID, skip int64, size int) (list []booking.Commission, total int, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT count(*) FROM affiliate_commissions WHERE affiliate_id = $1`, affiliate).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
	batch.Queue(`
		SELECT booking_id, currency, amount::text, accrued_at, reversed_at FROM affiliate_commissions
		WHERE affiliate_id = $1 ORDER BY accrued_at DESC, booking_id OFFSET $2 LIMIT $3`, affiliate, skip, size).Query(func(rows pgx.Rows) error {
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c booking.Commission, err error) {
			var amount string
			var reversed *time.Time
			if err := row.Scan(&c.Booking, &c.Currency, &amount, &c.AccruedAt, &reversed); err != nil {
				return c, err
			}
			if reversed != nil {
				c.ReversedAt = *reversed
			}
			c.Amount.Decimal, err = decimal.NewFromString(amount)
			return c, err
		})
		return err
	})
	return list, total, s.pool.SendBatch(ctx, batch).Close()
}
