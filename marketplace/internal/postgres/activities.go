package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/domain"
)

// activityColumns selects a complete activity in one row, so that no reader sees half of a change.
// The names of a variation's parts are those of the domain's fields.
const activityColumns = `
	SELECT a.id, a.integration_id, i.name, i.mode, a.created_at, a.title, a.product, a.partner_active, a.operator_active, a.details, (
		SELECT coalesce(json_agg(json_build_object('ID', v.id, 'Sort', v.sort, 'Title', v.title, 'Option', v.option, 'Active', v.partner_active,
			'Capacity', v.capacity, 'Details', v.details) ORDER BY v.sort, v.id), '[]')
		FROM variations v WHERE v.activity_id = a.id)
	FROM activities a JOIN integrations i ON i.id = a.integration_id `

// active is the condition for activities that their partner and the operators sell. listed is the
// condition for activities that resellers see: activities of an integration without a required
// certificate are withheld. Deleting an integration deactivates its activities.
const (
	active = `(a.partner_active AND a.operator_active)`
	listed = active + ` AND i.deleted_at IS NULL AND NOT i.withheld`
)

func scanActivity(row pgx.CollectableRow) (a domain.Activity, err error) {
	err = row.Scan(&a.ID, &a.IntegrationID, &a.PartnerName, &a.Mode, &a.CreatedAt, &a.Title, &a.Product, &a.PartnerActive, &a.OperatorActive, &a.Details, &a.Variations)
	return a, err
}

var activityList = list[domain.Activity]{
	columns: activityColumns, rows: `activities a`, at: "a.created_at", id: "a.id", scan: scanActivity,
	cursor: func(a domain.Activity) domain.Cursor { return domain.Cursor{At: a.CreatedAt, ID: a.ID} },
}

// Activities returns a page of all activities, listed or not, in order of creation.
func (c *Catalog) Activities(ctx context.Context, by domain.ActivityFilter, asked domain.PageRequest) (domain.Page[domain.Activity], error) {
	f := newFilters()
	if by.Words != "" {
		f.search("left(lower(a.title), 500)", " OR a.external_product_id = @words", by.Words)
	}
	if by.Integration != uuid.Nil {
		f.add("a.integration_id = @integration", "integration", by.Integration)
	}
	if by.Listed != nil {
		f.conditions = append(f.conditions, map[bool]string{true: active, false: "NOT " + active}[*by.Listed])
	}
	if by.Mode != "" {
		f.add("(SELECT mode FROM integrations WHERE id = a.integration_id) = @mode", "mode", by.Mode)
	}
	return activityList.page(ctx, c.database, f, asked)
}

// Activity returns the activity with that id, listed or not, or NotFound.
func (c *Catalog) Activity(ctx context.Context, id uuid.UUID) (domain.Activity, error) {
	return activityIn(ctx, c.pool, id)
}

func activityIn(ctx context.Context, in querier, id uuid.UUID) (domain.Activity, error) {
	return one(ctx, in, "activity", scanActivity, activityColumns+`WHERE a.id = $1`, id)
}

// EditActivity lets edit change the operators' fields of an activity, and returns it. Concurrent
// edits are serialized. The error is NotFound or edit's; nothing is written then.
func (c *Catalog) EditActivity(ctx context.Context, id uuid.UUID, edit func(*domain.Activity) error) (a domain.Activity, err error) {
	err = c.transaction(ctx, func(tx pgx.Tx) error {
		// The lock comes before the read: a statement that waits for the row would read old
		// variations.
		if _, err := tx.Exec(ctx, `SELECT FROM activities WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		if a, err = activityIn(ctx, tx, id); err != nil {
			return err
		}
		if err := edit(&a); err != nil {
			return err
		}
		return writeEdited(ctx, tx, a)
	})
	return a, err
}

// writeEdited writes the rows that differ.
func writeEdited(ctx context.Context, tx pgx.Tx, a domain.Activity) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		UPDATE activities SET title = $2, operator_active = $3, details = $4
		WHERE id = $1 AND (title, operator_active, details) IS DISTINCT FROM ($2, $3, $4::jsonb)`, a.ID, a.Title, a.OperatorActive, a.Details)
	for _, v := range a.Variations {
		batch.Queue(`
			UPDATE variations SET sort = $2, title = $3, details = $4
			WHERE id = $1 AND (sort, title, details) IS DISTINCT FROM ($2, $3, $4::jsonb)`, v.ID, v.Sort, v.Title, v.Details)
	}
	return tx.SendBatch(ctx, batch).Close()
}
