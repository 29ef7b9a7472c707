package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// bookingFilter chooses bookings by account, status, attention, and whether they are some.
const bookingFilter = `
	WHERE ($1::uuid IS NULL OR b.account_id = $1) AND ($2 = '' OR b.status = $2)
		AND (NOT $3 OR EXISTS (SELECT FROM booking_attention t WHERE t.booking_id = b.id AND t.settled_at IS NULL)) AND ($4 OR b.code IS NOT NULL)`

// bookingNamed chooses among them by name, each kind of which has an index.
const bookingNamed = ` AND b.id IN (
	SELECT id FROM bookings WHERE id = $5
	UNION ALL SELECT id FROM bookings WHERE reseller_reference = $6 AND reseller_reference <> ''
	UNION ALL SELECT id FROM bookings WHERE external_booking_id = $6)`

// Bookings returns some of the bookings, the newest first, and how many there are.
func (s *Store) Bookings(ctx context.Context, by booking.Filter, skip int64, size int) (list []marketplace.Booking, total int, err error) {
	where, args := bookingFilter, []any{idOrNull(by.Account), by.Status, by.Attention, by.Checkouts}
	if by.Named != "" {
		id, _ := uuid.Parse(by.Named) // what is none is nobody's
		where, args = where+bookingNamed, append(args, id, by.Named)
	}
	batch := &pgx.Batch{}
	batch.Queue(`SELECT count(*) FROM bookings b `+where, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
	page := fmt.Sprintf(` ORDER BY b.created_at DESC, b.id DESC OFFSET $%d LIMIT $%d`, len(args)+1, len(args)+2)
	batch.Queue(bookingColumns+where+page, append(args, skip, size)...).
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
