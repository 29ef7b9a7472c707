package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/storefront"
)

// rowColumns are what the storefront's index holds of an activity.
const rowColumns = `
	SELECT a.id, a.created_at, ` + listed + `, left(a.title, 300), left(a.details->>'main_promo_title', 300), left(a.details->>'short_description', 1000),
		a.details#>>'{location,country,id}', a.details#>>'{location,country,name}', a.details#>>'{location,city}', a.details#>>'{location,region}',
		jsonb_path_query_array(a.details, '$.categories[*] ? (@.type() == "string")'), jsonb_path_query_array(a.details, '$.tags[*] ? (@.type() == "string")'),
		jsonb_path_query_array(a.details, '$.translation.*.activity_title ? (@.type() == "string")')
	FROM activities a JOIN integrations i ON i.id = a.integration_id `

// AllRows returns every activity that resellers may see, in the order of the list.
func (s *Store) AllRows(ctx context.Context) ([]storefront.Row, error) {
	rows, err := s.pool.Query(ctx, rowColumns+`WHERE `+listed+` ORDER BY a.created_at, a.id`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanRow)
}

// Rows returns those activities and all of those integrations, listed or not, in the
// order of the list.
func (s *Store) Rows(ctx context.Context, activities, integrations []uuid.UUID) ([]storefront.Row, error) {
	rows, err := s.pool.Query(ctx, rowColumns+`WHERE a.id = ANY($1) OR a.integration_id = ANY($2) ORDER BY a.created_at, a.id`, activities, integrations)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanRow)
}

func scanRow(row pgx.CollectableRow) (r storefront.Row, err error) {
	var promo, short, countryID, country, city, region *string
	err = row.Scan(&r.ID, &r.CreatedAt, &r.Listed, &r.Title, &promo, &short, &countryID, &country, &city, &region, &r.Categories, &r.Tags, &r.TranslatedTitles)
	for _, text := range []struct {
		from *string
		into *string
	}{{promo, &r.PromoTitle}, {short, &r.ShortDescription}, {countryID, &r.CountryID}, {country, &r.Country}, {city, &r.City}, {region, &r.Region}} {
		if text.from != nil {
			*text.into = *text.from
		}
	}
	return r, err
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
func (s *Store) Announce(ctx context.Context, mark string) error {
	_, err := s.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, tellsMark+" "+mark)
	return err
}

// feed is a connection of its own that listens.
type feed struct{ conn *pgx.Conn }

// Listen returns what is told from now on.
func (s *Store) Listen(ctx context.Context) (storefront.Feed, error) {
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
