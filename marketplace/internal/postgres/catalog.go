package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
)

// Catalog stores what partners sell: activities, the slots of their options, and the progress of
// pulling both. It is a catalog.Store, SlotStore and NotifyStore.
type Catalog struct{ database }

// positionQuery selects the state of a live integration's catalog.
const positionQuery = `
	SELECT i.last_sync_at, i.catalog_hash, i.catalog_rules, i.guarded_hash, coalesce((
		SELECT s.synced FROM syncs s WHERE s.integration_id = i.id AND s.mode = 'full' ORDER BY s.started_at DESC LIMIT 1), 0)
	FROM integrations i WHERE i.id = $1 AND i.deleted_at IS NULL`

// Position returns how far the catalog of the integration is synced.
func (c *Catalog) Position(ctx context.Context, integration uuid.UUID) (catalog.Position, error) {
	return one(ctx, c.pool, "integration", scanPosition, positionQuery, integration)
}

func scanPosition(row pgx.CollectableRow) (p catalog.Position, err error) {
	var hash, guarded []byte
	err = row.Scan((*zeronull.Timestamptz)(&p.SentAt), &hash, (*zeronull.Text)(&p.Rules), &guarded, &p.Synced)
	copy(p.Hash[:], hash)
	copy(p.Guarded[:], guarded)
	return p, err
}

// UpdateCatalog writes what decide returns, in one transaction, unless a later sync has been
// stored.
func (c *Catalog) UpdateCatalog(ctx context.Context, integration uuid.UUID, sent time.Time, decide func(catalog.Position, catalog.Stored) (*catalog.Update, error)) error {
	return c.transaction(ctx, func(tx pgx.Tx) error {
		position, err := one(ctx, tx, "integration", scanPosition, positionQuery+" FOR NO KEY UPDATE OF i", integration)
		if err != nil {
			return err
		}
		if position.SentAt.After(sent) {
			return &domain.Error{Code: domain.Conflict, Message: "a later sync has been stored"}
		}
		ctx := withoutTimeout(ctx) // a large catalog takes a while
		stored, err := storedCatalog(ctx, tx, integration)
		if err != nil {
			return err
		}
		update, err := decide(position, stored)
		if err != nil {
			return err
		}
		if err := writeCatalog(ctx, tx, integration, update); err != nil {
			return err
		}
		return c.askForSlots(ctx, tx, integration, update.Record.FinishedAt, !update.Changes.IsEmpty())
	})
}

func storedCatalog(ctx context.Context, tx pgx.Tx, integration uuid.UUID) (catalog.Stored, error) {
	stored := catalog.Stored{}
	byID := map[uuid.UUID]map[string]catalog.StoredVariation{}
	rows, err := tx.Query(ctx, `SELECT id, external_product_id, product_hash, partner_active FROM activities WHERE integration_id = $1`, integration)
	if err != nil {
		return nil, err
	}
	var id uuid.UUID
	var external string
	var hash []byte
	var active bool
	if _, err := pgx.ForEachRow(rows, []any{&id, &external, &hash, &active}, func() error {
		byID[id] = map[string]catalog.StoredVariation{}
		stored[external] = catalog.StoredActivity{ID: id, Hash: catalog.Hash(hash), Active: active, Variations: byID[id]}
		return nil
	}); err != nil {
		return nil, err
	}
	rows, err = tx.Query(ctx, `
		SELECT v.activity_id, v.id, v.external_option_id, v.sort, v.option_hash, v.partner_active
		FROM variations v JOIN activities a ON a.id = v.activity_id WHERE a.integration_id = $1`, integration)
	if err != nil {
		return nil, err
	}
	var activity uuid.UUID
	var sort int
	_, err = pgx.ForEachRow(rows, []any{&activity, &id, &external, &sort, &hash, &active}, func() error {
		byID[activity][external] = catalog.StoredVariation{ID: id, Sort: sort, Hash: catalog.Hash(hash), Active: active}
		return nil
	})
	return stored, err
}

// writeCatalog writes the rows that differ, each kind in one statement. New rows are copied, which
// is fastest. No other writer adds rows, because the integration's row is locked.
func writeCatalog(ctx context.Context, tx pgx.Tx, integration uuid.UUID, u *catalog.Update) error {
	batch := &pgx.Batch{}
	madeActivities := activityRows(batch, integration, u.Changes.Activities, u.Record.StartedAt)
	madeVariations := variationRows(batch, u.Changes.Variations)
	if err := copyRows(ctx, tx, "activities", madeActivities,
		"id", "integration_id", "external_product_id", "created_at", "title", "product", "product_hash", "partner_active", "operator_active", "details"); err != nil {
		return err
	}
	if err := copyRows(ctx, tx, "variations", madeVariations,
		"id", "activity_id", "external_option_id", "sort", "title", "option", "option_hash", "partner_active", "details"); err != nil {
		return err
	}
	if len(u.Changes.Gone) > 0 {
		batch.Queue(`UPDATE activities SET partner_active = false WHERE id = ANY($1)`, u.Changes.Gone)
	}
	if len(u.Changes.GoneOptions) > 0 {
		batch.Queue(`UPDATE variations SET partner_active = false WHERE id = ANY($1)`, u.Changes.GoneOptions)
	}
	p := u.Position
	batch.Queue(`UPDATE integrations SET last_sync_at = $2, catalog_hash = $3, catalog_rules = $4, guarded_hash = $5 WHERE id = $1`,
		integration, p.SentAt, hashOrNull(p.Hash), zeronull.Text(p.Rules), hashOrNull(p.Guarded))
	queueSync(batch, integration, u.Record)
	return tx.SendBatch(ctx, batch).Close()
}

func copyRows(ctx context.Context, tx pgx.Tx, table string, rows [][]any, columns ...string) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
	return err
}

// nothing is the empty set of operators' fields, for a new activity or variation.
var nothing = []byte("{}")

// activityRows queues updates of known activities and returns the new ones.
func activityRows(batch *pgx.Batch, integration uuid.UUID, rows []catalog.ActivityRow, now time.Time) (made [][]any) {
	var ids []uuid.UUID
	var products []string
	var hashes [][]byte
	for _, row := range rows {
		if row.New {
			// As 16 bytes, because the library's type would be sent as text.
			made = append(made, []any{[16]byte(row.ID), [16]byte(integration), row.ExternalID, now, row.Title, []byte(row.Product), row.Hash[:], true, true, nothing})
			continue
		}
		ids, products, hashes = append(ids, row.ID), append(products, string(row.Product)), append(hashes, row.Hash[:])
	}
	if len(ids) > 0 {
		batch.Queue(`
			UPDATE activities SET product = changed.product::jsonb, product_hash = changed.hash, partner_active = true
			FROM unnest($1::uuid[], $2::text[], $3::bytea[]) AS changed (id, product, hash) WHERE activities.id = changed.id`,
			ids, products, hashes)
	}
	return made
}

// variationRows queues updates of known variations and returns the new ones.
func variationRows(batch *pgx.Batch, rows []catalog.VariationRow) (made [][]any) {
	var ids []uuid.UUID
	var options []string
	var hashes [][]byte
	for _, row := range rows {
		if row.New {
			made = append(made, []any{[16]byte(row.ID), [16]byte(row.ActivityID), row.ExternalID, int32(row.Sort), row.Title, []byte(row.Option), row.Hash[:], true, nothing})
			continue
		}
		ids, options, hashes = append(ids, row.ID), append(options, string(row.Option)), append(hashes, row.Hash[:])
	}
	if len(ids) > 0 {
		batch.Queue(`
			UPDATE variations SET option = changed.option::jsonb, option_hash = changed.hash, partner_active = true
			FROM unnest($1::uuid[], $2::text[], $3::bytea[]) AS changed (id, option, hash) WHERE variations.id = changed.id`,
			ids, options, hashes)
	}
	return made
}

func queueSync(batch *pgx.Batch, integration uuid.UUID, r catalog.Sync) {
	batch.Queue(`
		INSERT INTO syncs (id, integration_id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside, guard)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		r.ID, integration, r.Mode, r.Cause, r.StartedAt, r.FinishedAt, r.Synced, r.Created, r.Updated, r.Deactivated, append([]catalog.SetAside{}, r.SetAside...), r.Guard)
}

func hashOrNull(hash catalog.Hash) []byte {
	if hash == (catalog.Hash{}) {
		return nil
	}
	return hash[:]
}

var syncList = list[catalog.Sync]{
	columns: `SELECT id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside, guard FROM syncs`,
	rows:    "syncs", at: "started_at", id: "id", newest: true,
	scan:   scanSync,
	cursor: func(s catalog.Sync) domain.Cursor { return domain.Cursor{At: s.StartedAt, ID: s.ID} },
}

func scanSync(row pgx.CollectableRow) (r catalog.Sync, err error) {
	err = row.Scan(syncTargets(&r)...)
	return r, err
}

// syncTargets returns the scan targets for a row of syncList.
func syncTargets(s *catalog.Sync) []any {
	return []any{&s.ID, &s.Mode, &s.Cause, &s.StartedAt, &s.FinishedAt, &s.Synced, &s.Created, &s.Updated, &s.Deactivated, &s.SetAside, &s.Guard}
}

// recentSyncs are the last syncs of integrations, by kind.
type recentSyncs struct{ last, full, skipped map[uuid.UUID]catalog.Sync }

func (r *recentSyncs) queue(batch *pgx.Batch, integrations []uuid.UUID) {
	const last = `
		SELECT i.id, s.* FROM unnest($1::uuid[]) AS i (id), LATERAL (
			%s WHERE integration_id = i.id %s ORDER BY started_at DESC, id DESC LIMIT 1) s`
	r.last, r.full, r.skipped = map[uuid.UUID]catalog.Sync{}, map[uuid.UUID]catalog.Sync{}, map[uuid.UUID]catalog.Sync{}
	batch.Queue(fmt.Sprintf(last, syncList.columns, ""), integrations).Query(syncsInto(r.last, syncTargets))
	batch.Queue(fmt.Sprintf(last, syncList.columns, "AND mode = 'full'"), integrations).Query(syncsInto(r.full, syncTargets))
	batch.Queue(`SELECT integration_id, cause, started_at, finished_at FROM skipped_syncs WHERE integration_id = ANY ($1)`, integrations).
		Query(syncsInto(r.skipped, func(s *catalog.Sync) []any { return []any{&s.Cause, &s.StartedAt, &s.FinishedAt} }))
}

// syncsInto reads one sync of each integration. The integration's id is the first column.
func syncsInto(found map[uuid.UUID]catalog.Sync, targets func(*catalog.Sync) []any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			var id uuid.UUID
			var s catalog.Sync
			if err := rows.Scan(append([]any{&id}, targets(&s)...)...); err != nil {
				return err
			}
			found[id] = s
		}
		return rows.Err()
	}
}

// newestSync returns the last sync, skipped or not; nil before the first. A skipped one has found what
// the last full one did.
func (r *recentSyncs) newestSync(integration uuid.UUID) *catalog.Sync {
	last, anyLast := r.last[integration]
	full, anyFull := r.full[integration]
	skipped, anySkipped := r.skipped[integration]
	switch {
	case !anyLast:
		return nil
	case !anySkipped || !anyFull || !skipped.StartedAt.After(last.StartedAt):
		return &last
	}
	skipped.Mode, skipped.Skipped, skipped.Reason, skipped.Synced, skipped.SetAside = catalog.Full, true, new(catalog.Unchanged), full.Synced, full.SetAside
	return &skipped
}

// Syncs returns a page of an integration's stored syncs, newest first.
func (c *Catalog) Syncs(ctx context.Context, integration uuid.UUID, asked domain.PageRequest) (domain.Page[catalog.Sync], error) {
	f := newFilters()
	f.add("integration_id = @integration", "integration", integration)
	return syncList.page(ctx, c.database, f, asked)
}

// DropOldSyncs deletes syncs except the last keep of each integration and its last full one, with
// which later pulls are compared. It deletes at most most syncs and returns their number.
func (c *Catalog) DropOldSyncs(ctx context.Context, keep, most int) (int64, error) {
	return c.delete(ctx, `
		DELETE FROM syncs WHERE id = ANY (ARRAY(
			SELECT old.id FROM integrations i
				LEFT JOIN LATERAL (SELECT s.id FROM syncs s WHERE s.integration_id = i.id AND s.mode = 'full' ORDER BY s.started_at DESC LIMIT 1) last ON true,
				LATERAL (SELECT s.id FROM syncs s WHERE s.integration_id = i.id ORDER BY s.started_at DESC OFFSET $1) old
			WHERE old.id IS DISTINCT FROM last.id LIMIT $2))`, keep, most)
}
