package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

const slotColumns = `SELECT s.variation_id, s.availability_id, s.local_date, s.starts_at, s.ends_at, s.status, s.vacancies, s.capacity, s.unit_pricing, ` + slotAge + ` FROM slots s `

func scanSlot(row pgx.CollectableRow) (slot domain.Slot, err error) {
	err = row.Scan(&slot.VariationID, &slot.ID, &slot.LocalDate, &slot.Start, (*zeronull.Timestamptz)(&slot.End), &slot.Status, &slot.Vacancies, &slot.Capacity, &slot.UnitPricing, &slot.SentAt)
	return slot, err
}

// OptionsToPull returns an integration's options in the order of their variations' ids, after that
// one. It returns at most most options of the partner's catalog whose last complete slot pull was
// sent before askedAt, or that have none.
func (c *Catalog) OptionsToPull(ctx context.Context, integration uuid.UUID, askedAt time.Time, after uuid.UUID, most int) ([]catalog.SlotOption, error) {
	return queryAll(ctx, c.pool, func(row pgx.CollectableRow) (o catalog.SlotOption, err error) {
		var days []byte
		err = row.Scan(&o.VariationID, &o.ProductID, &o.TimeZone, &o.Option, &days, &o.Stored.Currencies, &o.Stored.Capacity, &o.Stored.Edited)
		o.Stored.Days = catalog.ReadSlotDays(days)
		return o, err
	}, `
		WITH due AS MATERIALIZED ( -- otherwise the order lets PostgreSQL go through the options of all partners
			SELECT v.id FROM activities a JOIN variations v ON v.activity_id = a.id LEFT JOIN slot_pulls p ON p.variation_id = v.id
			WHERE a.integration_id = $1 AND a.partner_active AND v.partner_active AND (p.sent_at IS NULL OR p.sent_at < $2)
		)
		SELECT v.id, a.external_product_id, a.product ->> 'timeZone', v.option, p.days, p.currencies, v.capacity,
			ARRAY(SELECT e.local_date FROM slot_edits e WHERE e.variation_id = v.id)
		FROM (SELECT id FROM due WHERE id > $3 ORDER BY id LIMIT $4) AS next JOIN variations v ON v.id = next.id JOIN activities a ON a.id = v.activity_id
			LEFT JOIN slot_pulls p ON p.variation_id = v.id
		ORDER BY v.id`, integration, askedAt, after, most)
}

// StoreSlots writes the slots that differ and closes missing ones. Older data never replaces newer
// data.
func (c *Catalog) StoreSlots(ctx context.Context, pull catalog.SlotPull) (changes catalog.SlotChanges, err error) {
	rows, err := slotArrays(pull.Answer.Slots)
	if err != nil {
		return changes, err
	}
	count := func(into *int) func(pgconn.CommandTag) error {
		return func(done pgconn.CommandTag) error { *into += int(done.RowsAffected()); return nil }
	}
	stored, days, largest := 0, pull.Days.Bytes(), largestCapacity(pull.Answer.Slots)
	// The option's row is locked first, to serialize writers of its slots. Unchanged rows are not
	// even locked.
	batch := &pgx.Batch{}
	batch.Queue(beginPull, pull.VariationID)
	batch.Queue(storePull, pull.VariationID, pull.SentAt, pull.Answer.SetAside, pull.Currencies, days, pull.Skipped, pull.Before.Days.Bytes()).Exec(count(&stored))
	if len(pull.Skipped) == 0 || len(pull.Before.Edited) > 0 {
		batch.Queue(dropEdits, pull.VariationID, pull.SentAt, days, pull.Skipped)
	}
	if len(pull.Answer.Slots) > 0 {
		batch.Queue(storeSlots, append([]any{pull.VariationID, pull.SentAt, days}, rows...)...).Exec(count(&changes.Written))
	}
	if !pull.Answer.HasUnreadableID {
		for _, read := range pull.Read {
			batch.Queue(closeSlots, pull.VariationID, pull.SentAt, days, read.From, read.To, rows[0], pull.Answer.Kept).Exec(count(&changes.Closed))
		}
	}
	if len(pull.Answer.Kept) > 0 {
		batch.Queue(editKept, pull.VariationID, pull.SentAt, days, pull.Answer.Kept)
	}
	if len(pull.Read) > 0 && (len(pull.Skipped) == 0 || largest != pull.Before.Capacity) {
		batch.Queue(setCapacity, pull.VariationID, largest)
	}
	if err := c.pool.SendBatch(ctx, batch).Close(); err != nil { // without a transaction, a batch is one
		return catalog.SlotChanges{}, err
	}
	if stored == 1 {
		return changes, nil
	}
	err = c.pool.QueryRow(ctx, `SELECT coalesce(sent_at > $2, false) FROM slot_pulls WHERE variation_id = $1`, pull.VariationID, pull.SentAt).Scan(&changes.Late)
	if err == nil && !changes.Late {
		err = domain.Errorf(domain.Conflict, "the option's slots have changed during the pull")
	}
	return changes, err
}

// beginPull locks the option's row: a statement sees what was committed before it began, so the
// statements that follow see what the row's other writers have done. It says to the triggers of slots
// that the transaction's own changes are not edits. Most pulls write a few rows, for which planning
// again would take longer than the statements.
const beginPull = `
	WITH locked AS (SELECT FROM slot_pulls WHERE variation_id = $1 FOR NO KEY UPDATE)
	SELECT count(*), set_config('marketplace.slot_pull', 'on', true), set_config('plan_cache_mode', 'force_generic_plan', true) FROM locked`

// storePull stores that an option was pulled, unless a later pull was stored, or the slots of the
// skipped days have changed since its row and edits were read. Edits that are newer than the pull
// stay for the next one.
const storePull = `
	INSERT INTO slot_pulls AS p (variation_id, sent_at, set_aside, currencies, days)
	SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT FROM slot_edits e WHERE e.variation_id = $1 AND e.at <= $2 AND e.local_date = ANY ($6::date[]))
	ON CONFLICT (variation_id) DO UPDATE SET sent_at = EXCLUDED.sent_at, set_aside = EXCLUDED.set_aside, currencies = EXCLUDED.currencies, days = EXCLUDED.days
	WHERE (p.sent_at IS NULL OR p.sent_at <= EXCLUDED.sent_at) AND (cardinality($6::date[]) = 0 OR p.days = $7)`

// isLast is true if this pull was stored, and no later one.
const isLast = `EXISTS (SELECT FROM slot_pulls p WHERE p.variation_id = $1 AND p.sent_at = $2 AND p.days IS NOT DISTINCT FROM $3)`

// dropEdits deletes the edits of days that are read. It comes before they are stored, so that what
// is deleted is also seen.
const dropEdits = `
	DELETE FROM slot_edits e WHERE e.variation_id = $1 AND e.at <= $2 AND NOT e.local_date = ANY ($4::date[]) AND ` + isLast

// editKept has the next pull read the days of slots that stay as they are because the answer's are
// invalid.
const editKept = `
	INSERT INTO slot_edits (variation_id, local_date, at)
	SELECT s.variation_id, s.local_date, $2 FROM slots s
	WHERE s.variation_id = $1 AND s.availability_id = ANY ($4::text[]) AND s.status <> 'CLOSED' AND ` + isLast

const (
	insertSlots = `INSERT INTO slots AS s (variation_id, availability_id, local_date, starts_at, ends_at, status, vacancies, capacity, unit_pricing, news_at, answered_at)`
	replaceSlot = `
		ON CONFLICT (variation_id, availability_id) DO UPDATE
		SET local_date = EXCLUDED.local_date, starts_at = EXCLUDED.starts_at, ends_at = EXCLUDED.ends_at, status = EXCLUDED.status,
			vacancies = EXCLUDED.vacancies, capacity = EXCLUDED.capacity, unit_pricing = EXCLUDED.unit_pricing, news_at = EXCLUDED.news_at, answered_at = EXCLUDED.answered_at`
)

// slotAge is when a slot's row last changed, by a partner's answer or by a booking.
const slotAge = `greatest(s.news_at, s.changed_at)`

// storeSlots writes slots that are new, or that differ and are not newer than the pull. The
// differences are found first, because a conflict's WHERE would lock and log every row.
const storeSlots = insertSlots + `
	SELECT $1, n.*, $2, $2
	FROM (
		SELECT id, local_date, starts_at, ends_at, status, vacancies, capacity, unit_pricing::jsonb
		FROM unnest($4::text[], $5::date[], $6::timestamptz[], $7::timestamptz[], $8::text[], $9::int[], $10::int[], $11::text[])
			AS n (id, local_date, starts_at, ends_at, status, vacancies, capacity, unit_pricing)
	) AS n LEFT JOIN slots s ON s.variation_id = $1 AND s.availability_id = n.id
	WHERE ` + isLast + ` AND (s.availability_id IS NULL OR ` + slotAge + ` <= $2 AND
		(s.local_date, s.starts_at, s.ends_at, s.status, s.vacancies, s.capacity, s.unit_pricing) IS DISTINCT FROM
		(n.local_date, n.starts_at, n.ends_at, n.status, n.vacancies, n.capacity, n.unit_pricing))` + replaceSlot

// closeSlots closes the slots of days that were read and that a pull no longer contains.
const closeSlots = `
	UPDATE slots s SET status = 'CLOSED', news_at = $2
	WHERE s.variation_id = $1 AND s.local_date BETWEEN $4 AND $5 AND s.status <> 'CLOSED' AND ` + slotAge + ` <= $2
		AND NOT EXISTS (SELECT FROM unnest($6::text[] || $7::text[]) AS kept (id) WHERE kept.id = s.availability_id) AND ` + isLast

// setCapacity stores the largest capacity of a variation's slots, of which $2 is one. It reads them
// all only if none has the stored one any longer.
const setCapacity = `
	UPDATE variations v SET capacity = (SELECT coalesce(max(s.capacity), 0) FROM slots s WHERE s.variation_id = $1)
	WHERE v.id = $1 AND (v.capacity < $2 OR v.capacity > 0 AND NOT EXISTS (SELECT FROM slots s WHERE s.variation_id = $1 AND s.capacity >= v.capacity))`

// largestCapacity returns the largest capacity of slots; 0 without one.
func largestCapacity(slots []domain.Slot) (largest int) {
	for _, slot := range slots {
		if slot.Capacity != nil {
			largest = max(largest, *slot.Capacity)
		}
	}
	return largest
}

// slotArrays converts slots to the arrays of storeSlots.
func slotArrays(slots []domain.Slot) ([]any, error) {
	n := len(slots)
	ids, dates, starts, ends := make([]string, n), make([]time.Time, n), make([]time.Time, n), make([]time.Time, n)
	statuses, vacancies, capacities, pricings := make([]string, n), make([]*int, n), make([]*int, n), make([]*string, n)
	for i, slot := range slots {
		ids[i], dates[i], starts[i], ends[i] = slot.ID, slot.LocalDate, slot.Start, slot.End
		statuses[i], vacancies[i], capacities[i] = string(slot.Status), slot.Vacancies, slot.Capacity
		var err error
		if pricings[i], err = pricingText(slot.UnitPricing); err != nil {
			return nil, err
		}
	}
	return []any{ids, dates, starts, ends, statuses, vacancies, capacities, pricings}, nil
}

// pricingText encodes a slot's own prices; nil without any.
func pricingText(prices []partnerapi.UnitPricing) (*string, error) {
	if prices == nil {
		return nil, nil
	}
	text, err := json.Marshal(prices)
	stored := string(text)
	return &stored, err
}

// mostOptionsAside limits the options that are listed with slots that were set aside.
const mostOptionsAside = 10

// Standings returns the state of integrations' catalogs and slots.
func (c *Catalog) Standings(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]catalog.Standing, error) {
	found := make(map[uuid.UUID]catalog.Standing, len(integrations))
	batch := &pgx.Batch{}
	batch.Queue(`SELECT id, guarded_hash IS NOT NULL FROM integrations WHERE id = ANY ($1)`, integrations).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var guarded bool
		_, err := pgx.ForEachRow(rows, []any{&id, &guarded}, func() error {
			found[id] = catalog.Standing{Guarded: guarded, Slots: catalog.SlotsKnown{SetAside: []catalog.OptionSlotSetAside{}}}
			return nil
		})
		return err
	})
	recent := recentSyncs{}
	recent.queue(batch, integrations)
	running := map[uuid.UUID]catalog.RunningSync{}
	queueRunningSyncs(batch, integrations, running)
	queueSlotsKnown(batch, found, integrations)
	if err := c.pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	for id, s := range found {
		s.LastSync = recent.newestSync(id)
		if sync, is := running[id]; is {
			s.Running = &sync
		}
		found[id] = s
	}
	return found, nil
}

// queueSlotsKnown adds queries to a batch for how many options have loaded slots.
func queueSlotsKnown(batch *pgx.Batch, found map[uuid.UUID]catalog.Standing, integrations []uuid.UUID) {
	const options = `
		FROM activities a JOIN variations v ON v.activity_id = a.id LEFT JOIN slot_pulls p ON p.variation_id = v.id
		WHERE a.integration_id = i.id AND a.partner_active AND v.partner_active`
	batch.Queue(`
		SELECT i.id, o.* FROM unnest($1::uuid[]) AS i (id), LATERAL (SELECT count(*), count(p.sent_at), min(p.sent_at)`+options+`) o`, integrations).
		Query(func(rows pgx.Rows) error {
			var id uuid.UUID
			var known catalog.SlotsKnown
			_, err := pgx.ForEachRow(rows, []any{&id, &known.Options, &known.Pulled, &known.OldestPullAt}, func() error {
				s := found[id]
				s.Slots.Options, s.Slots.Pulled, s.Slots.OldestPullAt = known.Options, known.Pulled, known.OldestPullAt
				found[id] = s
				return nil
			})
			return err
		})
	batch.Queue(`
		SELECT i.id, o.product, o.option, o.set_aside FROM unnest($1::uuid[]) AS i (id), LATERAL (
			SELECT v.id, a.external_product_id AS product, v.external_option_id AS option, p.set_aside`+options+` AND p.set_aside IS NOT NULL ORDER BY v.id LIMIT $2) o
		ORDER BY o.id`, integrations, mostOptionsAside).
		Query(func(rows pgx.Rows) error {
			var id uuid.UUID
			var product, option string
			var aside []catalog.SlotSetAside
			_, err := pgx.ForEachRow(rows, []any{&id, &product, &option, &aside}, func() error {
				s := found[id]
				for _, slot := range aside {
					s.Slots.SetAside = append(s.Slots.SetAside, catalog.OptionSlotSetAside{ProductID: product, OptionID: option, SlotSetAside: slot})
				}
				found[id], aside = s, nil
				return nil
			})
			return err
		})
}

// UpdateSlot writes what decide returns for the slot that a notification names, in one transaction.
func (c *Catalog) UpdateSlot(ctx context.Context, integration uuid.UUID, n catalog.Notification, decide func(catalog.KnownSlot) (*domain.Slot, error)) error {
	return c.transaction(ctx, func(tx pgx.Tx) error {
		known, err := knownSlot(ctx, tx, integration, n)
		if err != nil {
			return err
		}
		slot, err := decide(known)
		if err != nil || slot == nil {
			return err
		}
		return writeSlot(ctx, tx, *slot)
	})
}

// knownSlot locks the option's row and reads what is stored about a slot.
func knownSlot(ctx context.Context, tx pgx.Tx, integration uuid.UUID, n catalog.Notification) (known catalog.KnownSlot, err error) {
	if err := tx.QueryRow(ctx, `
		SELECT v.id, a.product ->> 'timeZone', a.partner_active AND v.partner_active
		FROM activities a JOIN variations v ON v.activity_id = a.id
		WHERE a.integration_id = $1 AND a.external_product_id = $2 AND v.external_option_id = $3`, integration, n.ProductID, n.OptionID).
		Scan(&known.VariationID, &known.TimeZone, &known.Active); err != nil {
		return known, notFound(err, "option")
	}
	var pulled time.Time
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO slot_pulls (variation_id) VALUES ($1) ON CONFLICT DO NOTHING`, known.VariationID)
	batch.Queue(`SELECT sent_at FROM slot_pulls WHERE variation_id = $1 FOR UPDATE`, known.VariationID).
		QueryRow(func(row pgx.Row) error { return row.Scan((*zeronull.Timestamptz)(&pulled)) })
	batch.Queue(slotColumns+`WHERE s.variation_id = $1 AND s.availability_id = $2`, known.VariationID, n.ID).
		Query(func(rows pgx.Rows) error {
			slots, err := pgx.CollectRows(rows, scanSlot)
			if len(slots) == 1 {
				known.Slot, known.KnownAt = &slots[0], slots[0].SentAt
			}
			return err
		})
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return known, err
	}
	if pulled.After(known.KnownAt) {
		known.KnownAt = pulled
	}
	return known, nil
}

func writeSlot(ctx context.Context, tx pgx.Tx, slot domain.Slot) error {
	batch := &pgx.Batch{}
	batch.Queue(insertSlots+` VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL)`+replaceSlot,
		slot.VariationID, slot.ID, slot.LocalDate, slot.Start, zeronull.Timestamptz(slot.End), slot.Status, slot.Vacancies, slot.Capacity, slot.UnitPricing, slot.SentAt)
	batch.Queue(setCapacity, slot.VariationID, largestCapacity([]domain.Slot{slot}))
	if own := catalog.OwnCurrencies(slot); own != nil {
		batch.Queue(`
			UPDATE slot_pulls SET currencies = ARRAY(SELECT DISTINCT unnest(currencies || $2) ORDER BY 1)
			WHERE variation_id = $1 AND NOT coalesce(currencies @> $2, false)`, slot.VariationID, own)
	}
	return tx.SendBatch(ctx, batch).Close()
}

// DeletePastSlots deletes at most most slots before that date and returns their number. It skips
// locked rows, which are deleted later.
func (c *Catalog) DeletePastSlots(ctx context.Context, before time.Time, most int) (int64, error) {
	return c.delete(ctx, `
		DELETE FROM slots WHERE ctid = ANY (ARRAY(SELECT ctid FROM slots WHERE local_date < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, before, most)
}

// ForgetSlotEdits deletes at most about most edits from before that time, of options that are no longer
// pulled, and returns their number. If such an option is pulled again, every slot is read.
func (c *Catalog) ForgetSlotEdits(ctx context.Context, before time.Time, most int) (int64, error) {
	return c.delete(ctx, `
		WITH old AS (SELECT DISTINCT variation_id FROM (SELECT variation_id FROM slot_edits WHERE at < $1 LIMIT $2) AS batch),
			forgotten AS (UPDATE slot_pulls SET days = NULL WHERE variation_id IN (SELECT variation_id FROM old))
		DELETE FROM slot_edits WHERE at < $1 AND variation_id IN (SELECT variation_id FROM old)`, before, most)
}
