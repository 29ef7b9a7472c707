package postgres

import (
	"context"
	"encoding/json"
	"slices"
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
		err = row.Scan(&o.VariationID, &o.ProductID, &o.TimeZone, &o.Option)
		return o, err
	}, `
		SELECT v.id, a.external_product_id, a.product ->> 'timeZone', v.option
		FROM activities a JOIN variations v ON v.activity_id = a.id LEFT JOIN slot_pulls p ON p.variation_id = v.id
		WHERE a.integration_id = $1 AND a.partner_active AND v.partner_active AND v.id > $3 AND (p.sent_at IS NULL OR p.sent_at < $2)
		ORDER BY v.id LIMIT $4`, integration, askedAt, after, most)
}

// StoreSlots writes the slots that differ and closes missing ones. Older data never replaces newer
// data.
func (c *Catalog) StoreSlots(ctx context.Context, pull catalog.SlotPull) (changes catalog.SlotChanges, err error) {
	rows, err := slotArrays(pull.Answer.Slots)
	if err != nil {
		return changes, err
	}
	count := func(into *int) func(pgconn.CommandTag) error {
		return func(done pgconn.CommandTag) error { *into = int(done.RowsAffected()); return nil }
	}
	stored := 0
	// The option's row is locked first, to serialize writers of its slots. Unchanged rows are not
	// even locked.
	batch := &pgx.Batch{}
	batch.Queue(`
		INSERT INTO slot_pulls (variation_id, sent_at, set_aside, currencies) VALUES ($1, $2, $3, $4)
		ON CONFLICT (variation_id) DO UPDATE SET sent_at = EXCLUDED.sent_at, set_aside = EXCLUDED.set_aside, currencies = EXCLUDED.currencies
		WHERE slot_pulls.sent_at IS NULL OR slot_pulls.sent_at <= EXCLUDED.sent_at`,
		pull.VariationID, pull.SentAt, pull.Answer.SetAside, ownCurrencies(pull.Answer.Slots...)).Exec(count(&stored))
	batch.Queue(storeSlots, append([]any{pull.VariationID, pull.SentAt}, rows...)...).Exec(count(&changes.Written))
	if !pull.Answer.HasUnreadableID {
		batch.Queue(closeSlots, pull.VariationID, pull.SentAt, pull.Window.From, pull.Window.To, rows[0], pull.Answer.Kept).Exec(count(&changes.Closed))
	}
	batch.Queue(setCapacity, pull.VariationID)
	if err := c.pool.SendBatch(ctx, batch).Close(); err != nil { // without a transaction, a batch is one
		return catalog.SlotChanges{}, err
	}
	changes.Late = stored == 0
	return changes, nil
}

// isLast is true if no later pull than this one was stored.
const isLast = `EXISTS (SELECT FROM slot_pulls p WHERE p.variation_id = $1 AND p.sent_at = $2)`

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
		FROM unnest($3::text[], $4::date[], $5::timestamptz[], $6::timestamptz[], $7::text[], $8::int[], $9::int[], $10::text[])
			AS n (id, local_date, starts_at, ends_at, status, vacancies, capacity, unit_pricing)
	) AS n LEFT JOIN slots s ON s.variation_id = $1 AND s.availability_id = n.id
	WHERE ` + isLast + ` AND (s.availability_id IS NULL OR ` + slotAge + ` <= $2 AND
		(s.local_date, s.starts_at, s.ends_at, s.status, s.vacancies, s.capacity, s.unit_pricing) IS DISTINCT FROM
		(n.local_date, n.starts_at, n.ends_at, n.status, n.vacancies, n.capacity, n.unit_pricing))` + replaceSlot

// closeSlots closes the slots of the window that a pull no longer contains.
const closeSlots = `
	UPDATE slots s SET status = 'CLOSED', news_at = $2
	WHERE s.variation_id = $1 AND s.local_date BETWEEN $3 AND $4 AND s.status <> 'CLOSED' AND ` + slotAge + ` <= $2
		AND NOT EXISTS (SELECT FROM unnest($5::text[] || $6::text[]) AS kept (id) WHERE kept.id = s.availability_id) AND ` + isLast

// setCapacity stores the largest capacity of a variation's slots.
const setCapacity = `
	UPDATE variations v SET capacity = largest
	FROM (SELECT coalesce(max(s.capacity), 0) AS largest FROM slots s WHERE s.variation_id = $1) AS known
	WHERE v.id = $1 AND v.capacity <> largest`

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

// ownCurrencies returns the sorted currencies of slots' own prices; nil without own prices.
func ownCurrencies(slots ...domain.Slot) (list []string) {
	for _, slot := range slots {
		for _, price := range slot.UnitPricing {
			if at, known := slices.BinarySearch(list, price.Currency); !known {
				list = slices.Insert(list, at, price.Currency)
			}
		}
	}
	return list
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
	batch.Queue(setCapacity, slot.VariationID)
	if own := ownCurrencies(slot); own != nil {
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
