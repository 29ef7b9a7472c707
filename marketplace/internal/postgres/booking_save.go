package postgres

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/riverqueue/river"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/schemas/partnerapi"
)

// IsAffiliate reports whether the account with that id is an affiliate.
func (b *Bookings) IsAffiliate(ctx context.Context, id uuid.UUID) (is bool, err error) {
	err = b.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM accounts WHERE id = $1 AND role = 'affiliate')`, id).Scan(&is)
	return is, err
}

// CreateBooking stores a checkout with its reserve and what the partner answered about the slot, in
// one transaction. It changes the old booking of a reschedule, too.
func (b *Bookings) CreateBooking(ctx context.Context, made domain.Booking, reserve booking.Call, k booking.Key, f booking.Fresh) error {
	if made.RescheduledFrom == uuid.Nil {
		return b.create(ctx, b.pool, made, reserve, k, f) // without a transaction, a batch is one
	}
	return b.transaction(ctx, func(tx pgx.Tx) error {
		if err := b.changeOld(ctx, tx, made, reserve.At); err != nil {
			return err
		}
		return b.create(ctx, tx, made, reserve, k, f)
	})
}

// batches is a connection or a transaction.
type batches interface {
	SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
}

func (b *Bookings) create(ctx context.Context, in batches, made domain.Booking, reserve booking.Call, k booking.Key, f booking.Fresh) error {
	batch := &pgx.Batch{}
	owned := named{"account": k.Account, "mode": k.Mode, "key": k.Key, "asked": k.AskedAt}
	if k.Key != "" {
		batch.Queue(`UPDATE idempotency_keys SET made = true WHERE `+ownKey+` AND answer IS NULL`, owned)
	}
	created := false
	batch.Queue(`
		WITH made AS (
			INSERT INTO bookings (id, version, account_id, integration_id, mode, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at, sold,
				status, guests, currency, total, contact, affiliate_id, reseller_reference, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at, rescheduled_from, replaced_total)
			SELECT @id, 1, @account, @integration, @mode, @activity, @variation, @product, @option, @availability, @zone, @start, @end, @sold,
				@status, @guests, @currency, @total, @contact, @affiliate, @reference, 0, 0, 0, '', @created, @rescheduled_from, @replaced_total
			WHERE @key = '' OR EXISTS (SELECT FROM idempotency_keys WHERE `+ownKey+` AND made AND answer IS NULL) RETURNING id)
		INSERT INTO booking_history (booking_id, at, kind, call_id, endpoint) SELECT id, `+now+`, 'call', @call, @endpoint FROM made`,
		named{
			"id": made.ID, "account": made.AccountID, "integration": made.IntegrationID, "mode": made.Mode, "activity": made.ActivityID, "variation": made.VariationID,
			"product": made.ProductID, "option": made.OptionID, "availability": made.AvailabilityID, "zone": made.Zone, "start": made.Start, "end": made.End, "sold": made.Sold,
			"status": made.Status, "guests": made.Guests, "currency": made.Currency, "total": made.Total, "contact": made.Contact,
			"affiliate": zeronull.UUID(made.AffiliateID), "reference": made.ResellerReference, "created": made.CreatedAt,
			"rescheduled_from": zeronull.UUID(made.RescheduledFrom), "replaced_total": made.ReplacedTotal,
			"now": b.now(), "call": reserve.ID, "endpoint": reserve.Endpoint, "key": k.Key, "asked": k.AskedAt,
		}).Exec(func(done pgconn.CommandTag) error {
		created = done.RowsAffected() == 1
		return nil
	})
	if err := queueFresh(batch, f); err != nil {
		return err
	}
	if err := in.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if !created {
		return booking.ErrNotOwner
	}
	return nil
}

// HasCall reports whether the call with that id is stored.
func (b *Bookings) HasCall(ctx context.Context, call uuid.UUID) (is bool, err error) {
	err = b.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM booking_history WHERE call_id = $1)`, call).Scan(&is)
	return is, err
}

// SaveBooking stores a change if the booking still has that version.
func (b *Bookings) SaveBooking(ctx context.Context, c booking.Change, version int64) error {
	if len(c.Jobs) == 0 && !c.SharesID && c.SharesCode == "" && !c.ChangesOld {
		_, err := b.save(ctx, b.pool, c, version) // without a transaction, a batch is one
		return err
	}
	return b.transaction(ctx, func(tx pgx.Tx) error {
		if err := b.saveWithJobs(ctx, tx, c, version); err != nil {
			return err
		}
		if c.SharesID {
			if err := b.changeOthers(ctx, tx, c, sameID, booking.ShareID); err != nil {
				return err
			}
		}
		if c.SharesCode != "" {
			if err := b.changeOthers(ctx, tx, c, sameCode, booking.ShareCode); err != nil {
				return err
			}
		}
		if c.ChangesOld {
			return b.changeOld(ctx, tx, c.Booking, c.At)
		}
		return nil
	})
}

func (b *Bookings) saveWithJobs(ctx context.Context, tx pgx.Tx, c booking.Change, version int64) error {
	at, err := b.save(ctx, tx, c, version)
	if err != nil {
		return err
	}
	jobs := make([]newJob, len(c.Jobs))
	for i, j := range c.Jobs {
		jobs[i] = newJob{args: bookingJob(j)}
		if j.After > 0 { // otherwise immediately: the queue looks for scheduled jobs only every few seconds
			jobs[i].at = at.Add(j.After)
		}
	}
	return b.insertJobs(ctx, tx, jobs...)
}

// sameID selects the other bookings with the booking's id at the partner, and sameCode those with the
// code that its reserve has returned.
const (
	sameID   = `SELECT o.id FROM bookings o WHERE o.external_booking_id = @external AND o.integration_id = @integration AND o.id <> @id`
	sameCode = `SELECT o.id FROM bookings o WHERE o.code = @code AND o.integration_id = @integration AND o.id <> @id`
)

// changeOthers changes the bookings whose id or code a change has received again.
func (b *Bookings) changeOthers(ctx context.Context, tx pgx.Tx, c booking.Change, which string, change func(domain.Booking, time.Time) (booking.Change, error)) error {
	others, err := queryAll(ctx, tx, scanBooking, bookingColumns+`WHERE b.id IN (`+which+`) ORDER BY b.id`,
		named{"external": c.Booking.ExternalBookingID, "code": c.SharesCode, "integration": c.Booking.IntegrationID, "id": c.Booking.ID})
	if err != nil {
		return err
	}
	for _, other := range others {
		changed, err := change(other.Booking, c.At)
		if err != nil {
			return err
		}
		if err := b.saveWithJobs(ctx, tx, changed, other.Version); err != nil {
			return err
		}
	}
	return nil
}

// changeOld changes the booking that a reschedule replaces. A transaction that locks both has locked the
// new one first, or creates it.
func (b *Bookings) changeOld(ctx context.Context, tx pgx.Tx, by domain.Booking, at time.Time) error {
	old, err := one(ctx, tx, "booking", scanBooking, bookingColumns+`WHERE b.id = $1 FOR NO KEY UPDATE OF b`, by.RescheduledFrom)
	if err != nil {
		return err
	}
	c, err := booking.ChangeOld(old.Booking, by, at)
	if err != nil {
		return err
	}
	return b.saveWithJobs(ctx, tx, c, old.Version)
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

// save sends a change's statements in one batch. The first locks the booking's row if it has the
// version that was read. The others find the booking by that version, and do nothing if it has
// changed. The last one increments the version and returns the database's time. A change that
// answers a key finds its booking only while the request owns the key.
func (b *Bookings) save(ctx context.Context, in batches, c booking.Change, version int64) (at time.Time, err error) {
	s := saving{&pgx.Batch{}, named{"id": c.Booking.ID, "version": version, "at": c.At, "now": b.now()}, ""}
	taken := false
	if c.NewID {
		s.known["external"], s.known["integration"] = c.Booking.ExternalBookingID, c.Booking.IntegrationID
		// It is locked before any row, so that of two bookings with one id, the second sees the first.
		s.queue(`SELECT pg_advisory_xact_lock(hashtextextended(@lock, 0))`, named{"lock": c.Booking.IntegrationID.String() + " " + c.Booking.ExternalBookingID})
	}
	if c.NewID && !c.SharesID {
		s.owner = ` AND NOT EXISTS (` + sameID + `)`
		s.queue(`SELECT EXISTS (`+sameID+`)`, nil).QueryRow(func(row pgx.Row) error { return row.Scan(&taken) })
	}
	s.queue(`SELECT FROM bookings WHERE id = @id AND version = @version FOR NO KEY UPDATE`, nil)
	owner := true
	if k := c.Answers; k != nil {
		s.known["account"], s.known["mode"], s.known["key"], s.known["asked"] = k.Account, k.Mode, k.Key, k.AskedAt
		s.owner += ` AND EXISTS (SELECT FROM idempotency_keys WHERE ` + ownKey + `)`
		s.queue(`SELECT FROM idempotency_keys WHERE `+ownKey+` FOR NO KEY UPDATE`, nil).Exec(func(found pgconn.CommandTag) error {
			owner = found.RowsAffected() == 1
			return nil
		})
	}
	s.payment(c)
	s.history(c)
	s.attention(c.Booking.Attention)
	s.commission(c)
	s.answer(c.Answers)
	s.breaches(c)
	s.seats(c.Seats)
	s.events(c)
	s.booking(c.Booking, &at)
	if err := in.SendBatch(ctx, s.batch).Close(); err != nil {
		return at, saveError(err)
	}
	switch {
	case !at.IsZero():
		return at, nil
	case taken:
		return at, booking.ErrIDTaken
	case !owner:
		return at, booking.ErrNotOwner
	default:
		return at, booking.ErrStale
	}
}

// dataException is PostgreSQL's class of error codes for values that a column cannot store, such as
// a text with NUL.
const dataException = "22"

func saveError(err error) error {
	if violates(err, "bookings_code_key") {
		return booking.ErrCodeTaken
	}
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && strings.HasPrefix(refused.Code, dataException) {
		return &domain.Error{Code: domain.PartnerFailed, Message: "the partner's answer has characters that cannot be stored", Cause: err}
	}
	return err
}

// saving is the batch of a change.
type saving struct {
	batch *pgx.Batch
	known named  // values that every statement may use
	owner string // true while the request owns its key, and no other booking has the new id
}

// selectLocked selects the booking that the batch has locked.
func (s saving) selectLocked() string {
	return `FROM bookings b WHERE b.id = @id AND b.version = @version` + s.owner
}

func (s saving) queue(statement string, args named) *pgx.QueuedQuery {
	if args == nil {
		return s.batch.Queue(statement, s.known)
	}
	maps.Copy(args, s.known)
	return s.batch.Queue(statement, args)
}

func (s saving) payment(c booking.Change) {
	if c.Payment != nil {
		s.queue(`INSERT INTO booking_payments (booking_id, reference, succeeded, at) SELECT b.id, @reference, @succeeded, @at `+s.selectLocked()+` ON CONFLICT DO NOTHING`,
			named{"reference": c.Payment.Reference, "succeeded": c.Payment.Succeeded})
	}
}

// notBefore is a time, or that of the newest row of the booking's history if that is later, because
// the clocks of replicas differ, and a transaction that waited for another has begun before it.
func notBefore(at string) string {
	return `greatest(` + at + `, (SELECT newest.at FROM booking_history newest WHERE newest.booking_id = b.id ORDER BY newest.id DESC LIMIT 1))`
}

func (s saving) history(c booking.Change) {
	if c.Ends != nil {
		status, took := c.Ends.StatusAndDuration()
		s.queue(`
			UPDATE booking_history h SET status = @status, duration_ms = @took, error = @error `+s.selectLocked()+` AND h.call_id = @call AND h.booking_id = b.id`,
			named{"call": c.Ends.ID, "status": status, "took": took, "error": zeronull.Text(c.Ends.Error)})
	}
	for _, move := range c.History {
		s.queue(`INSERT INTO booking_history (booking_id, at, kind, from_status, to_status, why) SELECT b.id, `+notBefore(`@moved::timestamptz`)+`, @kind, @from, @to, @why `+s.selectLocked(),
			named{"moved": move.At, "kind": move.Kind, "from": zeronull.Text(move.From), "to": zeronull.Text(move.To), "why": zeronull.Text(move.Why)})
	}
	if c.Begins != nil {
		s.queue(`INSERT INTO booking_history (booking_id, at, kind, call_id, endpoint) SELECT b.id, `+notBefore(now)+`, @kind, @call, @endpoint `+s.selectLocked(),
			named{"kind": domain.CallKind, "call": c.Begins.ID, "endpoint": c.Begins.Endpoint})
	}
}

// attention writes the booking's attention reasons and settles all others.
func (s saving) attention(list []domain.Attention) {
	reasons := []string{}
	for _, a := range list {
		reasons = append(reasons, string(a.Reason))
		s.queue(`
			INSERT INTO booking_attention AS a (booking_id, reason, since, message, refund) SELECT b.id, @reason, @since, @message, @refund::text[] `+s.selectLocked()+`
			ON CONFLICT (booking_id, reason) DO UPDATE SET since = EXCLUDED.since, message = EXCLUDED.message, refund = EXCLUDED.refund, settled_at = NULL
			WHERE a.settled_at IS NOT NULL OR a.since <> EXCLUDED.since OR a.message <> EXCLUDED.message`,
			named{"reason": a.Reason, "since": a.Since, "message": a.Message, "refund": a.Refund})
	}
	s.queue(`UPDATE booking_attention a SET settled_at = @at `+s.selectLocked()+` AND a.booking_id = b.id AND a.settled_at IS NULL AND a.reason <> ALL(@reasons::text[])`,
		named{"reasons": reasons})
}

func (s saving) commission(c booking.Change) {
	if c.Commission != nil {
		s.queue(`
			INSERT INTO affiliate_commissions (booking_id, affiliate_id, currency, amount, accrued_at)
			SELECT b.id, b.affiliate_id, b.currency, @amount, @at `+s.selectLocked()+` AND b.affiliate_id IS NOT NULL`, named{"amount": c.Commission})
	}
	if c.Reverses {
		s.queue(`UPDATE affiliate_commissions c SET reversed_at = @at `+s.selectLocked()+` AND c.booking_id = b.id`, nil)
	}
}

func (s saving) answer(k *booking.Key) {
	if k != nil && k.Answer.Body != nil {
		s.queue(`UPDATE idempotency_keys k SET status = @status, answer = @answer `+s.selectLocked()+` AND k.account_id = @account AND k.mode = @mode AND k.key = @key AND k.booking_id = b.id`,
			named{"status": k.Answer.Status, "answer": k.Answer.Body})
	}
}

// events stores the events for the booking's reseller.
func (s saving) events(c booking.Change) {
	for _, kind := range c.Events {
		s.queue(`INSERT INTO event_outbox (type, account_id, mode, subject_id, data) SELECT @kind, b.account_id, b.mode, b.id, @event `+s.selectLocked(),
			named{"kind": kind, "event": domain.NewBookingEvent(c.Booking)})
	}
}

// idTaken is the message for an id that two bookings have (CNF-2).
const idTaken = "externalBookingId: expected an id that no other booking has, because cancelling one would cancel the other"

const insertBreach = `
	INSERT INTO integration_breaches (integration_id, booking_id, at, endpoint, message) SELECT b.integration_id, b.id, @at, @endpoint, @message `

func (s saving) breaches(c booking.Change) {
	for _, breach := range c.Breaches {
		s.queue(insertBreach+s.selectLocked(), named{"endpoint": breach.Endpoint, "message": breach.Message})
	}
	if c.SharesID {
		s.queue(insertBreach+s.selectLocked(), named{"endpoint": partnerapi.Confirm, "message": idTaken})
	}
}

func (s saving) booking(b domain.Booking, at *time.Time) {
	s.queue(`
		UPDATE bookings SET version = version + 1, status = @status, reason = @reason, code = @code, expires_at = @expires,
			payment_reference = @payment, external_booking_id = @external, tickets = @tickets,
			confirm_call = @confirming, confirm_tries = @confirms, confirm_doubted = @doubted,
			release = @release, release_tries = @releases, release_since = @releasing,
			cancellation = @cancellation, cancel_tries = @cancels, cancel_since = @cancelling, cancel_reason = @cancel_reason,
			rescheduled_to = @rescheduled_to
		WHERE id = @id AND version = @version`+s.owner+` RETURNING `+now, named{
		"status": b.Status, "reason": zeronull.Text(b.Reason), "code": zeronull.Text(b.Code), "expires": zeronull.Timestamptz(b.ExpiresAt),
		"payment": zeronull.Text(b.PaymentReference), "external": zeronull.Text(b.ExternalBookingID), "tickets": b.Tickets,
		"confirming": zeronull.UUID(b.ConfirmCall), "confirms": b.ConfirmTries, "doubted": b.Doubted,
		"release": zeronull.Text(b.Release), "releases": b.ReleaseTries, "releasing": zeronull.Timestamptz(b.ReleaseSince),
		"cancellation": zeronull.Text(b.Cancellation), "cancels": b.CancelTries, "cancelling": zeronull.Timestamptz(b.CancelSince), "cancel_reason": b.CancelReason,
		"rescheduled_to": zeronull.UUID(b.RescheduledTo),
	}).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{at}, func() error { return nil })
		return err
	})
}
