package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/storefront"
)

// Storefront keeps what resellers see, and the terms of its prices.
type Storefront struct{ database }

// rowColumns are what the storefront's index holds of an activity.
const rowColumns = `
	SELECT a.id, a.created_at, ` + listed + `, left(a.title, 300), left(a.details->>'main_promo_title', 300), left(a.details->>'short_description', 1000),
		a.details#>>'{location,country,id}', a.details#>>'{location,country,name}', a.details#>>'{location,city}', a.details#>>'{location,region}',
		jsonb_path_query_array(a.details, '$.categories[*] ? (@.type() == "string")'), jsonb_path_query_array(a.details, '$.tags[*] ? (@.type() == "string")'),
		jsonb_path_query_array(a.details, '$.translation.*.activity_title ? (@.type() == "string")')
	FROM activities a JOIN integrations i ON i.id = a.integration_id `

// AllRows returns every activity that resellers may see, in the order of the list.
func (s *Storefront) AllRows(ctx context.Context) ([]storefront.Row, error) {
	return all(ctx, s.pool, scanRow, rowColumns+`WHERE `+listed+` ORDER BY a.created_at, a.id`)
}

// Rows returns those activities and all of those integrations, listed or not, in the
// order of the list.
func (s *Storefront) Rows(ctx context.Context, activities, integrations []uuid.UUID) ([]storefront.Row, error) {
	return all(ctx, s.pool, scanRow, rowColumns+`WHERE a.id = ANY($1) OR a.integration_id = ANY($2) ORDER BY a.created_at, a.id`, activities, integrations)
}

func scanRow(row pgx.CollectableRow) (r storefront.Row, err error) {
	err = row.Scan(&r.ID, &r.CreatedAt, &r.Listed, &r.Title, (*zeronull.Text)(&r.PromoTitle), (*zeronull.Text)(&r.ShortDescription),
		(*zeronull.Text)(&r.CountryID), (*zeronull.Text)(&r.Country), (*zeronull.Text)(&r.City), (*zeronull.Text)(&r.Region), &r.Categories, &r.Tags, &r.TranslatedTitles)
	return r, err
}

// ListedActivities returns those of the activities that resellers may see, in no order.
func (s *Storefront) ListedActivities(ctx context.Context, ids []uuid.UUID) ([]marketplace.Activity, error) {
	return all(ctx, s.pool, scanActivity, activityColumns+`WHERE a.id = ANY($1) AND `+listed, ids)
}

// Slots returns a variation's slots of some days, both inclusive, in the order of their
// starts, closed ones too. Dates are as marketplace.DateIn has them.
func (s *Storefront) Slots(ctx context.Context, variation uuid.UUID, from, to time.Time) ([]marketplace.Slot, error) {
	return all(ctx, s.pool, scanSlot, slotColumns+`
		WHERE s.variation_id = $1 AND s.local_date BETWEEN $2 AND $3 ORDER BY s.starts_at, s.availability_id`, variation, from, to)
}

// channel is where the triggers of the migrations tell what has changed.
const channel = "storefront"

// The first words of what is told there.
const (
	tellsActivities  = "activities"
	tellsIntegration = "integration"
	tellsTerms       = "terms"
	tellsMark        = "mark"
)

// Announce puts a mark among the news, after all that has been committed before.
func (s *Storefront) Announce(ctx context.Context, mark string) error {
	_, err := s.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, tellsMark+" "+mark)
	return err
}

// feed is a connection of its own that listens.
type feed struct{ conn *pgx.Conn }

// Listen returns what is told from now on.
func (s *Storefront) Listen(ctx context.Context) (storefront.Feed, error) {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		closeSoon(conn)
		return nil, err
	}
	return &feed{conn}, nil
}

// closeTime bounds a farewell to a database that may be gone.
const closeTime = time.Second

func closeSoon(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = conn.Close(ctx) // nobody needs it any more
}

// Close ends it.
func (f *feed) Close() { closeSoon(f.conn) }

// Next waits for what is told next.
func (f *feed) Next(ctx context.Context) (storefront.News, error) {
	told, err := f.conn.WaitForNotification(ctx)
	if err != nil {
		return storefront.News{}, err
	}
	return readNews(told.Payload), nil
}

// readNews reads a notification. One that is not known, of a newer replica perhaps, may
// mean anything: it is taken for the most.
func readNews(payload string) (n storefront.News) {
	kind, rest, _ := strings.Cut(payload, " ")
	switch kind {
	case tellsMark:
		return storefront.News{Marks: []string{rest}}
	case tellsTerms:
		return storefront.News{Terms: true}
	case tellsActivities, tellsIntegration:
		var ids []uuid.UUID
		for _, text := range strings.Fields(rest) {
			id, err := uuid.Parse(text)
			if err != nil {
				return storefront.News{All: true}
			}
			ids = append(ids, id)
		}
		if kind == tellsIntegration {
			return storefront.News{Integrations: ids}
		}
		return storefront.News{Activities: ids}
	default: // "all" among them
		return storefront.News{All: true}
	}
}
