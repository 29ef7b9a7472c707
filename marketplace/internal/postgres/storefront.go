package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
)

// Storefront stores what resellers see and the terms of prices. It is a storefront.Store.
type Storefront struct{ database }

// rowColumns selects what the storefront's index needs of an activity.
const rowColumns = `
	SELECT a.id, i.mode, a.created_at, ` + listed + `, left(a.title, 300), left(a.details->>'main_promo_title', 300), left(a.details->>'short_description', 1000),
		left(a.details->>'description', 2000), left(a.details->>'address', 1000),
		a.details#>>'{location,country,id}', a.details#>>'{location,country,name}', a.details#>>'{location,city}', a.details#>>'{location,region}',
		jsonb_path_query_array(a.details, '$.categories[*] ? (@.type() == "string")'), jsonb_path_query_array(a.details, '$.tags[*] ? (@.type() == "string")'),
		ARRAY(SELECT left(v.title, 300) FROM variations v WHERE v.activity_id = a.id AND v.partner_active ORDER BY v.sort, v.id),
		jsonb_path_query_array(a.details, '$.translation.*.keyvalue() ? (@.key == "main_promo_title" || @.key == "short_description" || @.key == "description" || @.key == "address" || @.key == "categories" || @.key == "tags").value ? (@.type() == "string")')
			|| jsonb_path_query_array(a.details, '$.translation.*.location.** ? (@.type() == "string")')
			|| jsonb_path_query_array(a.details, '$.translation.*.variations.*.title ? (@.type() == "string")'),
		coalesce(a.product->>'locale', ''),
		CASE jsonb_typeof(a.details->'translation') WHEN 'object' THEN
			(SELECT jsonb_object_agg(t.key, CASE jsonb_typeof(t.value->'activity_title') WHEN 'string' THEN left(t.value->>'activity_title', 300) ELSE '' END) FROM jsonb_each(a.details->'translation') t) END,
		coalesce((SELECT v.option#>>'{units,0,pricingFrom,0,currency}' FROM variations v WHERE v.activity_id = a.id ORDER BY v.sort, v.id LIMIT 1), 'EUR'),
		coalesce(a.details->>'admin_price_percentage', ''), coalesce(a.details->>'admin_discount_percentage', '')
	FROM activities a JOIN integrations i ON i.id = a.integration_id `

// AllRows returns the listed activities in order.
func (s *Storefront) AllRows(ctx context.Context) ([]storefront.Row, error) {
	return queryAll(withoutTimeout(ctx), s.pool, scanRow, rowColumns+`WHERE `+listed+` ORDER BY a.created_at, a.id`)
}

// Rows returns the given activities and those of the given integrations, listed or not, in the
// order of the list.
func (s *Storefront) Rows(ctx context.Context, activities, integrations []uuid.UUID) ([]storefront.Row, error) {
	return queryAll(withoutTimeout(ctx), s.pool, scanRow, rowColumns+`WHERE a.id = ANY($1) OR a.integration_id = ANY($2) ORDER BY a.created_at, a.id`, activities, integrations)
}

func scanRow(row pgx.CollectableRow) (r storefront.Row, err error) {
	err = row.Scan(&r.ID, &r.Mode, &r.CreatedAt, &r.Listed, &r.Title, (*zeronull.Text)(&r.PromoTitle), (*zeronull.Text)(&r.ShortDescription), (*zeronull.Text)(&r.Description), (*zeronull.Text)(&r.Address),
		(*zeronull.Text)(&r.CountryID), (*zeronull.Text)(&r.Country), (*zeronull.Text)(&r.City), (*zeronull.Text)(&r.Region), &r.Categories, &r.Tags, &r.VariationTitles, &r.TranslatedTexts,
		&r.Locale, &r.Titles, &r.Currency, &r.Markup, &r.Discount)
	return r, err
}

// offersOf reads what activities that match a condition sell: a row for each variation and price.
const offersOf = `
	SELECT a.id, v.option->'units', v.details->'group_price', o.unit_pricing, o.days, o.starts
	FROM activities a JOIN integrations i ON i.id = a.integration_id JOIN variations v ON v.activity_id = a.id
		LEFT JOIN LATERAL (
			SELECT unit_pricing, array_agg(local_date - '1970-01-01'::date) AS days, array_agg(extract(epoch FROM last_start)::bigint) AS starts
			FROM (
				SELECT s.unit_pricing, s.local_date, max(s.starts_at) AS last_start
				FROM slots s WHERE s.variation_id = v.id AND s.status IN ('AVAILABLE', 'FREESALE', 'LIMITED') AND s.starts_at > $1
				GROUP BY s.unit_pricing, s.local_date) AS days
			GROUP BY unit_pricing) o ON true
	WHERE ` + listed + ` AND v.partner_active`

// EachOffer calls take with what each listed activity among these sells.
func (s *Storefront) EachOffer(ctx context.Context, activities []uuid.UUID, now time.Time, take func(storefront.Offer)) error {
	rows, err := s.pool.Query(withoutTimeout(ctx), offersOf+` AND a.id = ANY($2) ORDER BY a.id`, now, activities)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var o storefront.Offer
		if err := rows.Scan(&o.Activity, &o.Units, &o.Group, &o.Own, &o.Days, &o.Starts); err != nil {
			return err
		}
		take(o)
	}
	return rows.Err()
}

// ListedActivities returns the activities among the ids that are listed in the mode.
func (s *Storefront) ListedActivities(ctx context.Context, mode domain.Mode, ids []uuid.UUID) ([]domain.Activity, error) {
	return readStale(ctx, s.database, func(from connections) ([]domain.Activity, error) {
		return queryAll(ctx, from, scanActivity, activityColumns+`WHERE a.id = ANY($1) AND i.mode = $2 AND `+listed, ids, mode)
	})
}

// Slots returns the slots of variations that start in a period, one variation after another. One query
// for all of them could read every slot of the period.
func (s *Storefront) Slots(ctx context.Context, variations []uuid.UUID, from, to time.Time) ([]domain.Slot, error) {
	return readStale(ctx, s.database, func(in connections) (slots []domain.Slot, err error) {
		batch := &pgx.Batch{}
		for _, variation := range variations {
			batch.Queue(slotColumns+`
				WHERE s.variation_id = $1 AND s.local_date BETWEEN $2 AND $3 ORDER BY s.starts_at, s.availability_id`, variation, from, to).
				Query(func(rows pgx.Rows) error {
					found, err := pgx.CollectRows(rows, scanSlot)
					slots = append(slots, found...)
					return err
				})
		}
		err = in.SendBatch(ctx, batch).Close()
		return slots, err
	})
}

// The notification channels of the migrations' triggers. A notification of slotChannel lists
// activities. Replicas of the first migrations listen to the other channel only.
const (
	channel     = "storefront"
	slotChannel = "storefront_slots"
)

// The first words of notifications.
const (
	notifyActivities  = "activities"
	notifyIntegration = "integration"
	notifyTerms       = "terms"
	notifyMark        = "mark"
)

// Announce sends a mark to all feeds. It arrives after all earlier commits.
func (s *Storefront) Announce(ctx context.Context, mark string) error {
	_, err := s.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, notifyMark+" "+mark)
	return err
}

// feed is a separate connection that listens.
type feed struct{ conn *pgx.Conn }

// Listen returns a feed of the changes from now on.
func (s *Storefront) Listen(ctx context.Context) (storefront.Feed, error) {
	conn, err := pgx.ConnectConfig(ctx, s.sessions.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+channel+"; LISTEN "+slotChannel); err != nil {
		closeSoon(conn)
		return nil, err
	}
	return &feed{conn}, nil
}

// closeTime limits closing a connection to a database that may be gone.
const closeTime = time.Second

func closeSoon(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = conn.Close(ctx) // it is no longer needed
}

func (f *feed) Close() { closeSoon(f.conn) }

func (f *feed) Next(ctx context.Context) (storefront.Change, error) {
	notification, err := f.conn.WaitForNotification(ctx)
	if err != nil {
		return storefront.Change{}, err
	}
	if notification.Channel == slotChannel {
		return readSlotNotification(notification.Payload), nil
	}
	return readNotification(notification.Payload), nil
}

func readSlotNotification(payload string) storefront.Change {
	ids, err := readIDs(payload)
	return storefront.Change{Slots: ids, All: err != nil}
}

func readIDs(text string) (ids []uuid.UUID, err error) {
	for word := range strings.FieldsSeq(text) {
		id, err := uuid.Parse(word)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// readNotification parses a notification. An unknown one, perhaps from a newer replica, counts as a change
// of everything.
func readNotification(payload string) (n storefront.Change) {
	kind, rest, _ := strings.Cut(payload, " ")
	switch kind {
	case notifyMark:
		return storefront.Change{Marks: []string{rest}}
	case notifyTerms:
		return storefront.Change{Terms: true}
	case notifyActivities, notifyIntegration:
		ids, err := readIDs(rest)
		if err != nil {
			return storefront.Change{All: true}
		}
		if kind == notifyIntegration {
			return storefront.Change{Integrations: ids}
		}
		return storefront.Change{Activities: ids}
	default: // includes "all"
		return storefront.Change{All: true}
	}
}
