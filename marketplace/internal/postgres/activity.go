package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/marketplace"
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

// Activities returns a page of all activities, listed or not, in the order of their
// making, and how many there are in all.
func (s *Store) Activities(ctx context.Context, by marketplace.ActivityFilter, skip int64, size int) (list []marketplace.Activity, total int, err error) {
	const where = `
		WHERE ($1 = '' OR position(lower($1) IN lower(a.title)) > 0 OR a.external_product_id = $1)
			AND ($2::uuid = '00000000-0000-0000-0000-000000000000' OR a.integration_id = $2)
			AND ($3::boolean IS NULL OR (` + listed + `) = $3) `
	err = s.pool.QueryRow(ctx, `SELECT count(*) FROM activities a JOIN integrations i ON i.id = a.integration_id`+where, by.Words, by.Integration, by.Listed).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	rows, err := s.pool.Query(ctx, activityColumns+where+`ORDER BY a.created_at, a.id OFFSET $4 LIMIT $5`, by.Words, by.Integration, by.Listed, skip, size)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, scanActivity)
	return list, total, err
}

// Activity returns the activity of that id, listed or not, or NotFound.
func (s *Store) Activity(ctx context.Context, id uuid.UUID) (marketplace.Activity, error) {
	return activityIn(ctx, s.pool, id)
}

// querier is a pool, or a transaction.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

func activityIn(ctx context.Context, in querier, id uuid.UUID) (marketplace.Activity, error) {
	rows, err := in.Query(ctx, activityColumns+`WHERE a.id = $1`, id)
	if err != nil {
		return marketplace.Activity{}, err
	}
	a, err := pgx.CollectExactlyOneRow(rows, scanActivity)
	return a, notFound(err, "activity")
}

// EditActivity has edit change what operators may change of an activity, and returns
// it. Edits at the same time come one after the other. The error is NotFound, or edit's,
// and nothing is written then.
func (s *Store) EditActivity(ctx context.Context, id uuid.UUID, edit func(*marketplace.Activity) error) (a marketplace.Activity, err error) {
	err = s.transaction(ctx, func(tx pgx.Tx) error {
		// Held before it is read: a statement that waits for the row reads the
		// variations as they were before.
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
func writeEdited(ctx context.Context, tx pgx.Tx, a marketplace.Activity) error {
	details, err := json.Marshal(a.Details)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	var sorts []int32
	var titles, each []string
	for _, v := range a.Variations {
		text, err := json.Marshal(v.Details)
		if err != nil {
			return err
		}
		ids, sorts, titles, each = append(ids, v.ID), append(sorts, int32(v.Sort)), append(titles, v.Title), append(each, string(text))
	}
	batch := &pgx.Batch{}
	batch.Queue(`
		UPDATE activities SET title = $2, operator_active = $3, details = $4
		WHERE id = $1 AND (title, operator_active, details) IS DISTINCT FROM ($2, $3, $4)`, a.ID, a.Title, a.OperatorActive, details)
	batch.Queue(`
		UPDATE variations v SET sort = n.sort, title = n.title, details = n.details::jsonb
		FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[]) AS n (id, sort, title, details)
		WHERE v.id = n.id AND (v.sort, v.title, v.details) IS DISTINCT FROM (n.sort, n.title, n.details::jsonb)`, ids, sorts, titles, each)
	return tx.SendBatch(ctx, batch).Close()
}
