package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/job"
)

// Bookings stores bookings and the keys of requests. It is a booking.Store and a KeyStore.
type Bookings struct {
	database
	// Clock is for tests. Otherwise replicas compare times by the database's clock, which they
	// share.
	Clock func() time.Time
}

// now is the time in statements: @now is a test's, or null.
const now = `coalesce(@now::timestamptz, now())`

func (b *Bookings) now() *time.Time {
	if b.Clock == nil {
		return nil
	}
	return new(b.Clock())
}

// bookingColumns selects a booking with the data for its next transition.
const bookingColumns = `
	SELECT b.id, b.version, b.account_id, b.integration_id, b.mode, b.activity_id, b.variation_id, b.product_id, b.option_id, b.availability_id, b.zone, b.starts_at, b.ends_at,
		coalesce(b.sold, ` + soldNow + `),
		b.status, b.reason, b.guests, b.currency, b.total, b.contact, b.affiliate_id, b.reseller_reference, b.code, b.expires_at,
		b.payment_reference, b.external_booking_id, b.tickets, b.confirm_call, b.confirm_tries, b.confirm_doubted,
		b.release, b.release_tries, b.release_since, b.cancellation, b.cancel_tries, b.cancel_since, b.cancel_reason, b.created_at,
		b.rescheduled_from, b.rescheduled_to, b.replaced_total,
		(SELECT json_agg(json_build_object('reason', t.reason, 'since', t.since, 'message', t.message, 'refund_references', t.refund) ORDER BY t.since, t.reason)
			FROM booking_attention t WHERE t.booking_id = b.id AND t.settled_at IS NULL),
		(SELECT json_agg(json_build_object('Reference', p.reference, 'Succeeded', p.succeeded, 'At', p.at) ORDER BY p.at) FROM booking_payments p WHERE p.booking_id = b.id),
		` + bookedIntegration + `
	FROM bookings b JOIN integrations i ON i.id = b.integration_id JOIN integration_health h ON h.integration_id = b.integration_id `

// soldNow selects the current catalog, for bookings of releases that did not store it.
const soldNow = `(SELECT jsonb_build_object('activity_title', a.title, 'variation_title', v.title, 'voucher', jsonb_build_object('partner_name', i.name,
		'address', coalesce(a.details ->> 'address', ''), 'pickup', v.details -> 'pickup',
		'cancellation_policy', coalesce(v.option ->> 'cancellationCutoff', ''), 'notes', coalesce(v.details ->> 'notes', '')))
	FROM variations v JOIN activities a ON a.id = v.activity_id WHERE v.id = b.variation_id)`

// bookedIntegration selects what calls for a booking need of its integration.
const bookedIntegration = `i.id, i.account_id, i.name, i.mode, i.base_url, i.auth_type, i.auth_key, i.client_identity, i.handles_ticket_delivery, h.state`

func scanBooking(row pgx.CollectableRow) (r booking.Record, err error) {
	b, i := &r.Booking, &r.Integration
	err = row.Scan(&b.ID, &r.Version, &b.AccountID, &b.IntegrationID, &b.Mode, &b.ActivityID, &b.VariationID, &b.ProductID, &b.OptionID, &b.AvailabilityID, &b.Zone, &b.Start, &b.End, &b.Sold,
		&b.Status, (*zeronull.Text)(&b.Reason), &b.Guests, &b.Currency, &b.Total, &b.Contact, (*zeronull.UUID)(&b.AffiliateID), &b.ResellerReference, (*zeronull.Text)(&b.Code), (*zeronull.Timestamptz)(&b.ExpiresAt),
		(*zeronull.Text)(&b.PaymentReference), (*zeronull.Text)(&b.ExternalBookingID), &b.Tickets, (*zeronull.UUID)(&b.ConfirmCall), &b.ConfirmTries, &b.Doubted,
		(*zeronull.Text)(&b.Release), &b.ReleaseTries, (*zeronull.Timestamptz)(&b.ReleaseSince), (*zeronull.Text)(&b.Cancellation), &b.CancelTries, (*zeronull.Timestamptz)(&b.CancelSince), &b.CancelReason, &b.CreatedAt,
		(*zeronull.UUID)(&b.RescheduledFrom), (*zeronull.UUID)(&b.RescheduledTo), &b.ReplacedTotal,
		&b.Attention, &r.Payments, &i.ID, &i.AccountID, &i.Name, &i.Mode, address{&i.BaseURL}, &i.AuthType, &i.AuthKey, &i.ClientIdentity, &i.HandlesTicketDelivery, &r.Health)
	return r, err
}

// Booking returns the booking with that id and its calls.
func (b *Bookings) Booking(ctx context.Context, id uuid.UUID) (booking.Record, error) {
	return one(ctx, b.pool, "booking", scanBooking, bookingColumns+`WHERE b.id = $1`, id)
}

// DueBookings returns expired holds, calls that are unfinished after takeOver, and dropped jobs: at
// most most of each.
func (b *Bookings) DueBookings(ctx context.Context, takeOver time.Duration, most int) (d booking.Due, err error) {
	batch := &pgx.Batch{}
	args := named{"now": b.now(), "take_over": takeOver, "most": most}
	batch.Queue(`SELECT id FROM bookings WHERE status = 'HELD' AND expires_at <= `+now+` ORDER BY expires_at LIMIT @most`, args).
		Query(collectInto(&d.Expired, pgx.RowTo[uuid.UUID]))
	batch.Queue(`SELECT b.id FROM integrations i JOIN bookings b ON b.integration_id = i.id WHERE i.deleted_at <= `+now+` AND b.status = 'HELD' LIMIT @most`, args).
		Query(collectInto(&d.Withdrawn, pgx.RowTo[uuid.UUID]))
	batch.Queue(`
		SELECT h.booking_id AS booking, h.call_id AS call FROM bookings b JOIN booking_history h ON h.booking_id = b.id AND h.endpoint = 'reserve'
		WHERE b.status = 'RESERVING' AND h.at <= `+now+` - @take_over::interval ORDER BY b.created_at LIMIT @most`, args).
		Query(collectInto(&d.Reserves, pgx.RowToStructByName[booking.CallOf]))
	batch.Queue(`
		SELECT booking_id AS booking, call_id AS call FROM booking_history
		WHERE endpoint = 'confirm' AND duration_ms IS NULL AND error IS NULL AND at <= `+now+` - @take_over::interval ORDER BY at LIMIT @most`, args).
		Query(collectInto(&d.Confirms, pgx.RowToStructByName[booking.CallOf]))
	batch.Queue(droppedJobs, most).Query(collectInto(&d.Dropped, pgx.RowToStructByName[booking.DroppedJob]))
	return d, b.pool.SendBatch(ctx, batch).Close()
}

// droppedJobs are dropped jobs whose bookings wait for them and have no other job.
const droppedJobs = `
	SELECT b.id AS booking, j.kind, j.id AS job, j.attempt AS tries
	FROM river_job j JOIN bookings b ON b.id = (j.args->>'booking_id')::uuid
	WHERE j.state = 'discarded' AND j.finalized_at IS NOT NULL AND j.queue = '` + job.QueueBookings + `' AND (
			j.kind = 'booking_release' AND b.release = 'pending' OR
			j.kind = 'booking_cancel' AND b.cancellation = 'pending' OR
			j.kind = 'booking_confirm' AND b.status = 'PAID' AND b.confirm_call IS NULL AND b.release IS NULL AND NOT EXISTS (
				SELECT FROM booking_attention a WHERE a.booking_id = b.id AND a.settled_at IS NULL AND a.reason IN ('confirm_refused', 'confirm_unknown', 'late_payment')))
		AND NOT EXISTS (SELECT FROM river_job other WHERE other.kind = j.kind AND other.args @> jsonb_build_object('booking_id', b.id)
			AND other.state IN ('available', 'pending', 'retryable', 'running', 'scheduled'))
	ORDER BY j.finalized_at LIMIT $1`

// erased selects the given bookings whose guest has been erased.
const erased = `(SELECT id FROM bookings WHERE id = ANY(@ids) AND guest_erased_at IS NOT NULL)`

// eraseGuests removes a guest's data everywhere: the contact, stored answers of requests with a
// key, reasons written by people, and partners' messages, which may name the guest. It skips a
// booking if a call to the partner may still need the data.
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

// EraseGuest erases the guest of a booking and reports whether the guest is erased now. It is not
// if a call to the partner may still need the contact.
func (b *Bookings) EraseGuest(ctx context.Context, id uuid.UUID) (is bool, err error) {
	if _, err := b.eraseGuests(ctx, []uuid.UUID{id}); err != nil {
		return false, err
	}
	err = b.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM bookings WHERE id = $1 AND guest_erased_at IS NOT NULL)`, id).Scan(&is)
	return is, err
}

// EraseGuests erases the guests of at most most bookings whose slots ended before that time, and
// returns their number.
func (b *Bookings) EraseGuests(ctx context.Context, before time.Time, most int) (int64, error) {
	ids, err := queryAll(ctx, b.pool, pgx.RowTo[uuid.UUID], `
		SELECT id FROM bookings WHERE guest_erased_at IS NULL AND ends_at < $1 AND status NOT IN ('RESERVING', 'HELD', 'PAID') ORDER BY ends_at LIMIT $2`, before, most)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return b.eraseGuests(ctx, ids)
}

// eraseGuests runs the statements in one batch, which is a transaction. It returns the number of
// bookings whose guest was erased.
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
