package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// erased finds the bookings whose guest has been erased, of those that are asked about.
const erased = `(SELECT id FROM bookings WHERE id = ANY(@ids) AND guest_erased_at IS NOT NULL)`

// eraseGuests removes what is known of a guest, wherever it is kept: the contact, the
// answers that are kept for requests with a key, reasons that people have written, and
// what partners have said, who may have named the guest. A booking that a call to the
// partner may still need it for is left as it is.
var eraseGuests = []string{
	`UPDATE bookings SET contact = '{}', cancel_reason = '', guest_erased_at = now()
		WHERE id = ANY(@ids) AND guest_erased_at IS NULL AND status NOT IN ('RESERVING', 'HELD', 'PAID')`,
	`UPDATE idempotency_keys SET answer = convert_to(jsonb_set(convert_from(answer, 'UTF8')::jsonb, '{data,contact}', '{}')::text, 'UTF8')
		WHERE booking_id IN ` + erased + ` AND status BETWEEN 200 AND 299`,
	`UPDATE booking_history SET error = 'erased' WHERE booking_id IN ` + erased + ` AND error IS NOT NULL AND error <> 'erased'`,
	`UPDATE booking_history SET why = split_part(why, ': ', 1) WHERE booking_id IN ` + erased + ` AND why LIKE '%: %'`,
	`UPDATE booking_attention SET message = 'erased' WHERE booking_id IN ` + erased + ` AND message <> 'erased'`,
	`UPDATE integration_breaches SET message = 'erased' WHERE booking_id IN ` + erased + ` AND message <> 'erased'`,
}

// EraseGuest erases the guest of a booking, and reports whether it is erased now: it is
// not where a call to the partner may still need the contact.
func (b *Bookings) EraseGuest(ctx context.Context, id uuid.UUID) (is bool, err error) {
	if _, err := b.eraseGuests(ctx, []uuid.UUID{id}); err != nil {
		return false, err
	}
	err = b.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM bookings WHERE id = $1 AND guest_erased_at IS NOT NULL)`, id).Scan(&is)
	return is, err
}

// EraseGuests erases the guests of bookings whose slots have ended before then, at most so
// many, and returns how many.
func (b *Bookings) EraseGuests(ctx context.Context, before time.Time, most int) (int64, error) {
	ids, err := all(ctx, b.pool, pgx.RowTo[uuid.UUID], `
		SELECT id FROM bookings WHERE guest_erased_at IS NULL AND ends_at < $1 AND status NOT IN ('RESERVING', 'HELD', 'PAID') ORDER BY ends_at LIMIT $2`, before, most)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return b.eraseGuests(ctx, ids)
}

// eraseGuests runs all of it in one transaction, which a batch is, and returns of how many
// bookings the guest was erased.
func (b *Bookings) eraseGuests(ctx context.Context, ids []uuid.UUID) (bookings int64, err error) {
	batch := &pgx.Batch{}
	for _, statement := range eraseGuests {
		batch.Queue(statement, named{"ids": ids})
	}
	results := b.pool.SendBatch(ctx, batch)
	first, err := results.Exec()
	if closed := results.Close(); err == nil {
		err = closed
	}
	return first.RowsAffected(), err
}
