package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// Catalog keeps what partners sell: activities, the slots of their options, and how far
// both are pulled. It is a catalog.Store, SlotStore and NotifyStore.
type Catalog struct{ database }

// positionQuery reads where a live integration's catalog stands.
const positionQuery = `
	SELECT i.last_sync_at, i.catalog_hash, i.catalog_rules, i.guarded_hash, coalesce((
		SELECT s.synced FROM syncs s WHERE s.integration_id = i.id AND s.mode = 'full' ORDER BY s.started_at DESC LIMIT 1), 0)
	FROM integrations i WHERE i.id = $1 AND i.deleted_at IS NULL`

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

func (c *Catalog) UpdateCatalog(ctx context.Context, integration uuid.UUID, sent time.Time, decide func(catalog.Position, catalog.Stored) (*catalog.Update, error)) error {
	return c.transaction(ctx, func(tx pgx.Tx) error {
		position, err := one(ctx, tx, "integration", scanPosition, positionQuery+" FOR NO KEY UPDATE OF i", integration)
		if err != nil {
			return err
		}
		if position.SentAt.After(sent) {
			return &marketplace.Error{Code: marketplace.Conflict, Message: "a later pull has been stored"}
		}
		ctx := unhurried(ctx) // a large catalog takes a while
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
		return c.askForSlots(ctx, tx, integration, update.Record.FinishedAt, !update.Changes.None())
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

// writeCatalog writes the rows that differ, each kind at once: new ones are copied, which
// is the fastest way in. Nobody else makes any of this integration, whose row is held.
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

// nothing is what operators have set of a new activity or variation.
var nothing = []byte("{}")

// activityRows queues the writing of activities that are known, and returns the new ones.
func activityRows(batch *pgx.Batch, integration uuid.UUID, rows []catalog.ActivityRow, now time.Time) (made [][]any) {
	var ids []uuid.UUID
	var products []string
	var hashes [][]byte
	for _, row := range rows {
		if row.New {
			// As 16 bytes: an id of this library's goes through its text.
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

// variationRows queues the writing of variations that are known, and returns the new ones.
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

func (c *Catalog) KeepSkipped(ctx context.Context, integration uuid.UUID, skipped catalog.Sync) error {
	_, err := c.pool.Exec(ctx, `
		INSERT INTO skipped_syncs AS s (integration_id, cause, started_at, finished_at) SELECT id, $2, $3, $4 FROM integrations WHERE id = $1
		ON CONFLICT (integration_id) DO UPDATE SET cause = EXCLUDED.cause, started_at = EXCLUDED.started_at, finished_at = EXCLUDED.finished_at
		WHERE s.started_at < EXCLUDED.started_at`, integration, skipped.Cause, skipped.StartedAt, skipped.FinishedAt)
	return err
}

var syncList = list[catalog.Sync]{
	columns: `SELECT id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside, guard FROM syncs`,
	rows:    "syncs", at: "started_at", id: "id", newest: true,
	scan:   scanSync,
	cursor: func(s catalog.Sync) marketplace.Cursor { return marketplace.Cursor{At: s.StartedAt, ID: s.ID} },
}

func scanSync(row pgx.CollectableRow) (r catalog.Sync, err error) {
	err = row.Scan(&r.ID, &r.Mode, &r.Cause, &r.StartedAt, &r.FinishedAt, &r.Synced, &r.Created, &r.Updated, &r.Deactivated, &r.SetAside, &r.Guard)
	return r, err
}

// recentSyncs are an integration's last ones, each none or one.
type recentSyncs struct{ last, full, skipped []catalog.Sync }

func (r *recentSyncs) queue(batch *pgx.Batch, integration uuid.UUID) {
	of := syncList.columns + ` WHERE integration_id = $1 `
	batch.Queue(of+`ORDER BY started_at DESC, id DESC LIMIT 1`, integration).Query(into(&r.last, scanSync))
	batch.Queue(of+`AND mode = 'full' ORDER BY started_at DESC, id DESC LIMIT 1`, integration).Query(into(&r.full, scanSync))
	batch.Queue(`SELECT cause, started_at, finished_at FROM skipped_syncs WHERE integration_id = $1`, integration).Query(into(&r.skipped, func(row pgx.CollectableRow) (s catalog.Sync, err error) {
		err = row.Scan(&s.Cause, &s.StartedAt, &s.FinishedAt)
		return s, err
	}))
}

// newest is the last sync, skipped or not; nil where there is none. A skipped one has
// found what the last full one did.
func (r *recentSyncs) newest() *catalog.Sync {
	switch {
	case len(r.last) == 0:
		return nil
	case len(r.skipped) == 0 || len(r.full) == 0 || !r.skipped[0].StartedAt.After(r.last[0].StartedAt):
		return &r.last[0]
	}
	s := r.skipped[0]
	s.Mode, s.Skipped, s.Synced, s.SetAside = catalog.Full, true, r.full[0].Synced, r.full[0].SetAside
	return &s
}

// Syncs returns a page of an integration's stored syncs, the newest first.
func (c *Catalog) Syncs(ctx context.Context, integration uuid.UUID, asked marketplace.PageRequest) (marketplace.Page[catalog.Sync], error) {
	f := newFilters()
	f.add("integration_id = @integration", "integration", integration)
	return syncList.page(ctx, c.database, f, asked)
}

// DropOldSyncs deletes all but an integration's last syncs, so many of each, and returns
// how many. The last full one stays: what is skipped is told by it.
func (c *Catalog) DropOldSyncs(ctx context.Context, keep int) (int64, error) {
	return c.delete(ctx, `
		DELETE FROM syncs s USING (
			SELECT id, mode, row_number() OVER (PARTITION BY integration_id ORDER BY started_at DESC) AS place,
				row_number() OVER (PARTITION BY integration_id, mode ORDER BY started_at DESC) AS of_its_mode
			FROM syncs) r
		WHERE s.id = r.id AND r.place > $1 AND NOT (r.mode = 'full' AND r.of_its_mode = 1)`, keep)
}
