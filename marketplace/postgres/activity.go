package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace"
)

// activityColumns reads a whole activity in one row, so that nobody sees one half of a
// change. The names of a variation's parts are those of the domain's fields.
const activityColumns = `
	SELECT a.id, a.integration_id, i.name, a.created_at, a.title, a.product, a.partner_active, a.operator_active, a.details, (
		SELECT coalesce(json_agg(json_build_object('ID', v.id, 'Sort', v.sort, 'Title', v.title, 'Option', v.option, 'Active', v.partner_active,
			'Capacity', v.capacity, 'Details', v.details) ORDER BY v.sort, v.id), '[]')
		FROM variations v WHERE v.activity_id = a.id)
	FROM activities a JOIN integrations i ON i.id = a.integration_id `

// listed is what an activity that resellers may see is like.
const listed = `a.partner_active AND a.operator_active AND i.deleted_at IS NULL`

// ListedActivities returns those of the activities that resellers may see, in no order.
func (s *Store) ListedActivities(ctx context.Context, ids []uuid.UUID) ([]marketplace.Activity, error) {
	rows, err := s.pool.Query(ctx, activityColumns+`WHERE a.id = ANY($1) AND `+listed, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanActivity)
}

func scanActivity(row pgx.CollectableRow) (a marketplace.Activity, err error) {
	var product, details, variations []byte
	if err := row.Scan(&a.ID, &a.IntegrationID, &a.PartnerName, &a.CreatedAt, &a.Title, &product, &a.PartnerActive, &a.OperatorActive, &details, &variations); err != nil {
		return a, err
	}
	for what, part := range map[string]struct {
		text []byte
		into any
	}{"product": {product, &a.Product}, "details": {details, &a.Details}, "variations": {variations, &a.Variations}} {
		if err := json.Unmarshal(part.text, part.into); err != nil {
			return a, fmt.Errorf("read the %s of activity %s: %w", what, a.ID, err)
		}
	}
	return a, nil
}
