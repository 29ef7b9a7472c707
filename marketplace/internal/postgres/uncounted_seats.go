package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/schemas/partnerapi"
)

// seatsTime is how long a partner may take to count a seat, and how long its answers must be wrong. A
// hold's time is when it was requested, and the answer may have taken a minute.
const seatsTime, reserveTime = 2 * time.Minute, time.Minute

// uncountedSeats notes the slots of which a partner's availability states fewer taken seats than the
// marketplace's own holds and bookings take, and returns those with a new such answer more than
// seatsTime after the first in a row. Only what is certain counts:
//   - The numbers are from availability, and no booking has changed them since. The slot is on sale,
//     and has seats left: a partner that sold more than its present capacity states 0.
//   - A hold counts while it is live, at a partner that holds seats. A booking counts from its
//     confirmation on. Both were made at the partner's present address, for the slot's present time.
//   - Infants may take no seat. With a price for the group, a booking takes one of them at least.
//
// Seats that were sold elsewhere, or that other slots share, only add to the taken ones.
const uncountedSeats = `
	WITH own AS (
		SELECT b.variation_id, b.availability_id, b.starts_at, b.integration_id, b.product_id, b.option_id, b.guests,
			CASE WHEN b.status = 'HELD' THEN b.created_at + @reserve::interval
				ELSE (SELECT max(h.at) FROM booking_history h WHERE h.booking_id = b.id AND h.to_status = 'CONFIRMED') END AS taken_at,
			CASE WHEN b.status = 'HELD' THEN b.expires_at ELSE 'infinity' END AS taken_until
		FROM bookings b JOIN integrations i ON i.id = b.integration_id
		WHERE b.starts_at > @now AND i.deleted_at IS NULL AND b.created_at >= i.moved_at
			AND (b.status = 'CONFIRMED' OR b.status = 'HELD' AND b.expires_at <= b.created_at + @longest::interval)
	), stated AS (
		SELECT o.integration_id, o.product_id, o.option_id, s.variation_id, s.availability_id, s.starts_at, s.capacity, s.vacancies, n.at,
			sum(CASE WHEN s.unit_pricing = '[]' THEN 1 ELSE g.seats END) AS own
		FROM own o JOIN slots s ON s.variation_id = o.variation_id AND s.availability_id = o.availability_id AND s.starts_at = o.starts_at
			JOIN variations v ON v.id = s.variation_id JOIN activities a ON a.id = v.activity_id
			LEFT JOIN slot_pulls p ON p.variation_id = s.variation_id AND p.set_aside IS NULL AND p.sent_at >= s.news_at
				AND s.local_date < p.sent_at::date + @window::integer,
			LATERAL (SELECT greatest(p.sent_at, CASE WHEN s.answered_at = s.news_at THEN s.news_at END) AS at) n,
			LATERAL (SELECT coalesce(sum((g ->> 'quantity')::integer), 0) AS seats FROM jsonb_array_elements(o.guests) g WHERE g ->> 'type' <> @infant) g
		WHERE s.status IN ('AVAILABLE', 'LIMITED') AND s.vacancies BETWEEN 1 AND s.capacity AND n.at > coalesce(s.changed_at, '-infinity')
			AND NOT coalesce((a.product ->> 'allowFreesale')::boolean, false) AND o.taken_at + @patience::interval < n.at AND o.taken_until > n.at
		GROUP BY o.integration_id, o.product_id, o.option_id, s.variation_id, s.availability_id, n.at
	), uncounted AS (
		SELECT * FROM stated WHERE own > capacity - vacancies
	), cleared AS (
		DELETE FROM uncounted_seats u WHERE (u.variation_id, u.availability_id) NOT IN (SELECT variation_id, availability_id FROM uncounted)
			AND ((u.variation_id, u.availability_id) IN (SELECT variation_id, availability_id FROM stated)
				OR (u.variation_id, u.availability_id) NOT IN (SELECT variation_id, availability_id FROM own))
	), noted AS (
		INSERT INTO uncounted_seats AS u (variation_id, availability_id, since, answered_at) SELECT variation_id, availability_id, at, at FROM uncounted
		ON CONFLICT (variation_id, availability_id) DO UPDATE SET answered_at = EXCLUDED.answered_at WHERE EXCLUDED.answered_at > u.answered_at
		RETURNING variation_id, availability_id, since, answered_at
	)
	SELECT u.integration_id, u.product_id, u.option_id, u.availability_id, u.starts_at, u.capacity, u.vacancies, u.own, n.since, n.answered_at
	FROM noted n JOIN uncounted u USING (variation_id, availability_id) WHERE n.answered_at > n.since + @patience::interval
	ORDER BY n.answered_at, u.variation_id, u.availability_id`

// The longest hold at a partner that holds seats (RSV-8, with a margin for its clock), and the days
// after a pull that its window surely has.
const (
	longestHold  = 2*time.Hour + 2*time.Minute
	surelyPulled = partnerapi.LookaheadDays - 1
)

// UncountedSeats returns a breach for each slot of which a partner's new answers do not count the
// marketplace's holds and bookings. Each answer is returned once.
func (p *Partners) UncountedSeats(ctx context.Context, now time.Time) ([]conformance.Breach, error) {
	rows, err := p.pool.Query(ctx, uncountedSeats, named{
		"now": now, "reserve": reserveTime, "longest": longestHold, "window": surelyPulled, "infant": partnerapi.Infant, "patience": seatsTime,
	})
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (b conformance.Breach, err error) {
		var product, option, slot string
		var starts time.Time
		var capacity, vacancies, own int
		b = conformance.UncountedSeats
		if err = row.Scan(&b.Integration, &product, &option, &slot, &starts, &capacity, &vacancies, &own, &b.FirstSeen, &b.LastSeen); err == nil {
			b.Message = fmt.Sprintf("Slot %q of product %q, option %q, at %s: availability states capacity %d and vacancies %d, so %s taken, for more than %d minutes; the marketplace alone has %d reserved or booked",
				slot, product, option, starts.UTC().Format(time.RFC3339), capacity, vacancies, isTaken(capacity-vacancies), int(seatsTime.Minutes()), own)
		}
		return b, err
	})
}

func isTaken(seats int) string {
	if seats == 1 {
		return "1 seat is"
	}
	return fmt.Sprintf("%d seats are", seats)
}
