package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// Offer returns what a checkout is about, or NotFound: an activity that resellers may
// see, a variation of it, and a slot of that.
func (s *Store) Offer(ctx context.Context, activity, variation uuid.UUID, slot string) (o booking.Offer, err error) {
	batch := &pgx.Batch{}
	queueOffer(batch, &o, activity, variation, slot)
	return o, s.pool.SendBatch(ctx, batch).Close()
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
		var base string
		var start *time.Time
		i := &o.Integration
		if err := row.Scan(&i.ID, &i.AccountID, &i.Name, &base, &i.AuthType, &i.AuthKey, &i.HandlesTicketDelivery, &o.Health, &start); err != nil {
			return notFound(err, "variation")
		}
		if start == nil {
			return notFound(pgx.ErrNoRows, "slot")
		}
		o.Start = *start
		var err error
		i.BaseURL, err = url.Parse(base)
		return err
	})
	queueTerms(batch, &o.Terms)
}

// bookedIntegration is what calls for a booking need of its integration.
const bookedIntegration = `i.id, i.account_id, i.name, i.base_url, i.auth_type, i.auth_key, i.handles_ticket_delivery, h.state`

// IsAffiliate reports whether there is an affiliate of that id.
func (s *Store) IsAffiliate(ctx context.Context, id uuid.UUID) (is bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM accounts WHERE id = $1 AND role = 'affiliate')`, id).Scan(&is)
	return is, err
}

// CreateBooking stores a checkout with its reserve, before that is sent.
func (s *Store) CreateBooking(ctx context.Context, b marketplace.Booking, reserve booking.Call) error {
	guests, err := json.Marshal(b.Guests)
	if err != nil {
		return err
	}
	contact, err := json.Marshal(b.Contact)
	if err != nil {
		return err
	}
	_, err = s.pool.Exec(ctx, `
		WITH made AS (
			INSERT INTO bookings (id, version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at,
				status, guests, currency, total, contact, affiliate_id, reseller_reference, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at)
			VALUES ($1, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::text::numeric, $16, $17, $18, 0, 0, 0, '', $19) RETURNING id)
		INSERT INTO booking_history (booking_id, at, kind, call_id, endpoint) SELECT id, $20, 'call', $21, $22 FROM made`,
		b.ID, b.AccountID, b.IntegrationID, b.ActivityID, b.VariationID, b.ProductID, b.OptionID, b.AvailabilityID, b.Zone, b.Start, b.End,
		b.Status, guests, b.Currency, b.Total.String(), contact, idOrNull(b.AffiliateID), b.ResellerReference, b.CreatedAt,
		reserve.At, reserve.ID, reserve.Endpoint)
	return err
}

// idTaken is what is wrong where two bookings have one id (CNF-2).
const idTaken = "externalBookingId: want one that no other booking has: to cancel the one would be to cancel the other"

// saveStatement writes a change, all of it where the booking is of the version that was
// read, and nothing else.
const saveStatement = `
	WITH moved AS (
		UPDATE bookings SET version = version + 1, status = $3, reason = $4, code = $5, expires_at = $6, payment_reference = $7, external_booking_id = $8, tickets = $9,
			confirm_call = $10, confirm_tries = $11, release = $12, release_tries = $13, release_since = $14, cancellation = $15, cancel_tries = $16, cancel_since = $17, cancel_reason = $18, confirm_doubted = $43
		WHERE id = $1 AND version = $2 RETURNING *
	), paid AS (
		INSERT INTO booking_payments (booking_id, reference, succeeded, at)
		SELECT id, $20, $21, $19 FROM moved WHERE $20::text IS NOT NULL ON CONFLICT DO NOTHING
	), told AS (
		INSERT INTO booking_history (booking_id, at, kind, from_status, to_status, why, call_id, endpoint)
		SELECT moved.id, new.at, new.kind, new.from_status, new.to_status, new.why, new.call_id, new.endpoint
		FROM moved, unnest($22::timestamptz[], $23::text[], $24::text[], $25::text[], $26::text[], $27::uuid[], $28::text[]) AS new (at, kind, from_status, to_status, why, call_id, endpoint)
	), ended AS (
		UPDATE booking_history h SET status = $30, duration_ms = $31, error = $32 FROM moved WHERE h.call_id = $29 AND h.booking_id = moved.id
	), settled AS (
		UPDATE booking_attention a SET settled_at = $19 FROM moved WHERE a.booking_id = moved.id AND a.settled_at IS NULL AND a.reason <> ALL($33::text[])
	), raised AS (
		INSERT INTO booking_attention AS a (booking_id, reason, since, message)
		SELECT moved.id, new.reason, new.since, new.message FROM moved, unnest($33::text[], $34::timestamptz[], $35::text[]) AS new (reason, since, message)
		ON CONFLICT (booking_id, reason) DO UPDATE SET since = EXCLUDED.since, message = EXCLUDED.message, settled_at = NULL
		WHERE a.settled_at IS NOT NULL OR a.since <> EXCLUDED.since OR a.message <> EXCLUDED.message
	), accrued AS (
		INSERT INTO affiliate_commissions (booking_id, affiliate_id, currency, amount, accrued_at)
		SELECT id, affiliate_id, currency, $36::text::numeric, $19 FROM moved WHERE affiliate_id IS NOT NULL AND $36 IS NOT NULL
	), reversed AS (
		UPDATE affiliate_commissions c SET reversed_at = $19 FROM moved WHERE c.booking_id = moved.id AND $37
	), answered AS (
		UPDATE idempotency_keys k SET status = $41, answer = $42 FROM moved WHERE k.account_id = moved.account_id AND k.key = $40 AND k.booking_id = moved.id
	), broken AS (
		INSERT INTO integration_breaches (integration_id, booking_id, at, endpoint, message)
		SELECT moved.integration_id, moved.id, $19, new.endpoint, new.message FROM moved, unnest($38::text[], $39::text[]) AS new (endpoint, message)
	), repeated AS (
		INSERT INTO integration_breaches (integration_id, booking_id, at, endpoint, message)
		SELECT moved.integration_id, moved.id, $19, $44, $45 FROM moved JOIN bookings before ON before.id = moved.id AND before.external_booking_id IS DISTINCT FROM moved.external_booking_id
		WHERE EXISTS (SELECT FROM bookings other WHERE other.external_booking_id = moved.external_booking_id AND other.integration_id = moved.integration_id AND other.id <> moved.id)
	) SELECT count(*) FROM moved`

// SaveBooking writes a change with its jobs, or returns booking.ErrStale.
func (s *Store) SaveBooking(ctx context.Context, c booking.Change, version int64) error {
	args, err := saveArguments(c, version)
	if err != nil {
		return err
	}
	if len(c.Jobs) == 0 {
		return saved(s.pool.QueryRow(ctx, saveStatement, args...))
	}
	return s.transaction(ctx, func(tx pgx.Tx) error {
		if err := saved(tx.QueryRow(ctx, saveStatement, args...)); err != nil {
			return err
		}
		jobs := make([]newJob, len(c.Jobs))
		for i, j := range c.Jobs {
			jobs[i] = newJob{args: bookingJob(j)}
			if j.At.After(c.At) { // else at once: the queue looks for what it has to wait for every few seconds only
				jobs[i].at = j.At
			}
		}
		return s.insertJobs(ctx, tx, jobs...)
	})
}

func bookingJob(j booking.Job) river.JobArgs {
	switch j.Kind {
	case booking.ConfirmJob:
		return job.Confirm{Booking: j.Booking}
	case booking.ReleaseJob:
		return job.Release{Booking: j.Booking}
	default:
		return job.Cancel{Booking: j.Booking}
	}
}

// dataException is the class of PostgreSQL's codes for a value that no column takes,
// such as a text with a NUL.
const dataException = "22"

func saved(row pgx.Row) error {
	var moved int
	if err := row.Scan(&moved); err != nil {
		if violates(err, "bookings_code_key") {
			return &marketplace.Error{Code: marketplace.Conflict, Message: "the partner gave a code twice", Cause: err}
		}
		if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && strings.HasPrefix(refused.Code, dataException) {
			return &marketplace.Error{Code: marketplace.PartnerFailed, Message: "the partner's answer has characters that cannot be stored", Cause: err}
		}
		return err
	}
	if moved == 0 {
		return booking.ErrStale
	}
	return nil
}

func saveArguments(c booking.Change, version int64) ([]any, error) {
	b := c.Booking
	var tickets []byte
	if b.Tickets != nil {
		var err error
		if tickets, err = json.Marshal(b.Tickets); err != nil {
			return nil, err
		}
	}
	var reference *string
	var succeeded bool
	if c.Payment != nil {
		reference, succeeded = &c.Payment.Reference, c.Payment.Succeeded
	}
	var at []time.Time
	var kind, endpoint []string
	var from, to, why []*string
	var calls []*uuid.UUID
	for _, entry := range c.History {
		at, kind, endpoint, calls = append(at, entry.At), append(kind, string(entry.Kind)), append(endpoint, ""), append(calls, nil)
		from, to, why = append(from, textOrNull(string(entry.From))), append(to, textOrNull(string(entry.To))), append(why, textOrNull(entry.Why))
	}
	if c.Begins != nil {
		at, kind, endpoint, calls = append(at, c.Begins.At), append(kind, string(marketplace.CallKind)), append(endpoint, string(c.Begins.Endpoint)), append(calls, &c.Begins.ID)
		from, to, why = append(from, nil), append(to, nil), append(why, nil)
	}
	endpoints := make([]*string, len(endpoint))
	for i := range endpoint {
		endpoints[i] = textOrNull(endpoint[i])
	}
	var ended *uuid.UUID
	var status *int
	var took *int64
	var failed *string
	if c.Ends != nil {
		ended, failed = &c.Ends.ID, textOrNull(c.Ends.Error)
		status, took = c.Ends.Known()
	}
	reasons, sinces, messages := []string{}, []time.Time{}, []string{}
	for _, a := range b.Attention {
		reasons, sinces, messages = append(reasons, string(a.Reason)), append(sinces, a.Since), append(messages, a.Message)
	}
	var commission *string
	if c.Commission != nil {
		amount := c.Commission.String()
		commission = &amount
	}
	var places, breaches []string
	for _, breach := range c.Breaches {
		places, breaches = append(places, string(breach.Endpoint)), append(breaches, breach.Message)
	}
	var key *string
	var answer booking.Answer
	if c.Answers != nil {
		key, answer = &c.Answers.Key, c.Answers.Answer
	}
	return []any{
		b.ID, version, b.Status, textOrNull(string(b.Reason)), textOrNull(b.Code), timeOrNull(b.ExpiresAt), textOrNull(b.PaymentReference), textOrNull(b.ExternalBookingID), tickets,
		idOrNull(b.ConfirmCall), b.ConfirmTries, textOrNull(string(b.Release)), b.ReleaseTries, timeOrNull(b.ReleaseSince),
		textOrNull(string(b.Cancellation)), b.CancelTries, timeOrNull(b.CancelSince), b.CancelReason, c.At,
		reference, succeeded, at, kind, from, to, why, calls, endpoints, ended, status, took, failed,
		reasons, sinces, messages, commission, c.Reverses, places, breaches, key, answer.Status, answer.Body, b.Doubted, partnerapi.Confirm, idTaken,
	}, nil
}

func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

func timeOrNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// bookingColumns reads a booking with what is needed to move it.
const bookingColumns = `
	SELECT b.id, b.version, b.account_id, b.integration_id, b.activity_id, b.variation_id, b.product_id, b.option_id, b.availability_id, b.zone, b.starts_at, b.ends_at,
		b.status, coalesce(b.reason, ''), b.guests, b.currency, b.total::text, b.contact, b.affiliate_id, b.reseller_reference, coalesce(b.code, ''), b.expires_at,
		coalesce(b.payment_reference, ''), coalesce(b.external_booking_id, ''), b.tickets, b.confirm_call, b.confirm_tries, b.confirm_doubted,
		coalesce(b.release, ''), b.release_tries, b.release_since, coalesce(b.cancellation, ''), b.cancel_tries, b.cancel_since, b.cancel_reason, b.created_at,
		(SELECT json_agg(json_build_object('reason', t.reason, 'since', t.since, 'message', t.message) ORDER BY t.since, t.reason)
			FROM booking_attention t WHERE t.booking_id = b.id AND t.settled_at IS NULL),
		(SELECT json_agg(json_build_object('Reference', p.reference, 'Succeeded', p.succeeded, 'At', p.at) ORDER BY p.at) FROM booking_payments p WHERE p.booking_id = b.id),
		` + bookedIntegration + `
	FROM bookings b JOIN integrations i ON i.id = b.integration_id JOIN integration_health h ON h.integration_id = b.integration_id `

// Booking returns a booking with what is needed to move it, or NotFound.
func (s *Store) Booking(ctx context.Context, id uuid.UUID) (booking.Record, error) {
	rows, err := s.pool.Query(ctx, bookingColumns+`WHERE b.id = $1`, id)
	if err != nil {
		return booking.Record{}, err
	}
	r, err := pgx.CollectExactlyOneRow(rows, scanBooking)
	return r, notFound(err, "booking")
}

func scanBooking(row pgx.CollectableRow) (r booking.Record, err error) {
	var guests, contact, tickets, attention, payments []byte
	var total, base string
	var affiliate, call *uuid.UUID
	var expires, released, cancelled *time.Time
	b, i := &r.Booking, &r.Integration
	if err := row.Scan(&b.ID, &r.Version, &b.AccountID, &b.IntegrationID, &b.ActivityID, &b.VariationID, &b.ProductID, &b.OptionID, &b.AvailabilityID, &b.Zone, &b.Start, &b.End,
		&b.Status, &b.Reason, &guests, &b.Currency, &total, &contact, &affiliate, &b.ResellerReference, &b.Code, &expires,
		&b.PaymentReference, &b.ExternalBookingID, &tickets, &call, &b.ConfirmTries, &b.Doubted,
		&b.Release, &b.ReleaseTries, &released, &b.Cancellation, &b.CancelTries, &cancelled, &b.CancelReason, &b.CreatedAt, &attention, &payments,
		&i.ID, &i.AccountID, &i.Name, &base, &i.AuthType, &i.AuthKey, &i.HandlesTicketDelivery, &r.Health); err != nil {
		return r, err
	}
	for _, at := range []struct {
		from *time.Time
		into *time.Time
	}{{expires, &b.ExpiresAt}, {released, &b.ReleaseSince}, {cancelled, &b.CancelSince}} {
		if at.from != nil {
			*at.into = *at.from
		}
	}
	if affiliate != nil {
		b.AffiliateID = *affiliate
	}
	if call != nil {
		b.ConfirmCall = *call
	}
	if b.Total.Decimal, err = decimal.NewFromString(total); err != nil {
		return r, err
	}
	for what, part := range map[string]struct {
		text []byte
		into any
	}{"guests": {guests, &b.Guests}, "contact": {contact, &b.Contact}, "tickets": {tickets, &b.Tickets}, "attention": {attention, &b.Attention}, "payments": {payments, &r.Payments}} {
		if part.text == nil {
			continue
		}
		if err := json.Unmarshal(part.text, part.into); err != nil {
			return r, fmt.Errorf("read the %s of booking %s: %w", what, b.ID, err)
		}
	}
	i.BaseURL, err = url.Parse(base)
	return r, err
}

// DueBookings returns what a sweep has to see to, at most so many of each kind.
func (s *Store) DueBookings(ctx context.Context, now, stale time.Time, most int) (d booking.Due, err error) {
	batch := &pgx.Batch{}
	for _, holds := range []struct {
		query string
		into  *[]uuid.UUID
	}{
		{`SELECT id FROM bookings WHERE status = 'HELD' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`, &d.Expired},
		{`SELECT b.id FROM integrations i JOIN bookings b ON b.integration_id = i.id WHERE i.deleted_at <= $1 AND b.status = 'HELD' LIMIT $2`, &d.Withdrawn},
	} {
		batch.Queue(holds.query, now, most).Query(func(rows pgx.Rows) (err error) {
			*holds.into, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			return err
		})
	}
	for _, calls := range []struct {
		query string
		into  *[]booking.CallOf
	}{
		{`SELECT h.booking_id AS booking, h.call_id AS call FROM bookings b JOIN booking_history h ON h.booking_id = b.id AND h.endpoint = 'reserve'
			WHERE b.status = 'RESERVING' AND b.created_at <= $1 ORDER BY b.created_at LIMIT $2`, &d.Reserves},
		{`SELECT booking_id AS booking, call_id AS call FROM booking_history
			WHERE endpoint = 'confirm' AND duration_ms IS NULL AND error IS NULL AND at <= $1 ORDER BY at LIMIT $2`, &d.Confirms},
	} {
		batch.Queue(calls.query, stale, most).Query(func(rows pgx.Rows) (err error) {
			*calls.into, err = pgx.CollectRows(rows, pgx.RowToStructByName[booking.CallOf])
			return err
		})
	}
	batch.Queue(droppedJobs, most).Query(func(rows pgx.Rows) (err error) {
		d.Dropped, err = pgx.CollectRows(rows, pgx.RowToStructByName[booking.DroppedJob])
		return err
	})
	return d, s.pool.SendBatch(ctx, batch).Close()
}

// droppedJobs are those of bookings that still wait for them, and for no other job.
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
