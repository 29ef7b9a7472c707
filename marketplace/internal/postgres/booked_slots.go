package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/booking"
)

// KeepFresh stores a partner's answer about a slot at a checkout.
func (b *Bookings) KeepFresh(ctx context.Context, f booking.Fresh) error {
	batch := &pgx.Batch{}
	if err := queueFresh(batch, f); err != nil {
		return err
	}
	return b.pool.SendBatch(ctx, batch).Close()
}

// notPulledSince is true if no later complete pull of the option was stored.
const notPulledSince = `NOT EXISTS (SELECT FROM slot_pulls p WHERE p.variation_id = @variation AND p.sent_at > @at)`

// queueFresh adds a write of one slot to a batch, by the age rule of pulls. It writes an unchanged
// slot too, so that an older running pull does not overwrite it. It locks only the slot's row, not
// its option's, and does not wait for a lock: it could deadlock with a pull that writes many slots.
func queueFresh(batch *pgx.Batch, f booking.Fresh) error {
	args := named{"variation": f.Variation, "at": f.At, "asked": f.Asked}
	if f.Gone {
		batch.Queue(`
			UPDATE slots s SET status = 'CLOSED', news_at = @at WHERE ctid = ANY (ARRAY(
				SELECT s.ctid FROM slots s WHERE s.variation_id = @variation AND s.availability_id = @asked AND s.status <> 'CLOSED'
					AND `+slotAge+` <= @at AND `+notPulledSince+` FOR NO KEY UPDATE SKIP LOCKED))`, args)
	}
	if f.Slot == nil {
		return nil
	}
	prices, err := pricingText(f.Slot.UnitPricing)
	if err != nil {
		return err
	}
	for name, value := range map[string]any{
		"id": f.Slot.ID, "date": f.Slot.LocalDate, "start": f.Slot.Start, "end": f.Slot.End, "status": f.Slot.Status,
		"vacancies": f.Slot.Vacancies, "capacity": f.Slot.Capacity, "prices": prices,
	} {
		args[name] = value
	}
	batch.Queue(insertSlots+`
		SELECT @variation, @id, @date, @start, @end, @status, @vacancies::int, @capacity::int, @prices::jsonb, @at, @at
		WHERE `+notPulledSince+replaceSlot+` WHERE `+slotAge+` <= EXCLUDED.news_at`, args)
	batch.Queue(`UPDATE variations SET capacity = @capacity WHERE id = @variation AND capacity < @capacity`, args)
	return nil
}

// left is the number of free seats after a change of a booking.
const left = `greatest(0, least(s.vacancies + @free, greatest(s.vacancies, coalesce(s.capacity, s.vacancies + @free))))`

// seats adds a statement that counts the seats that a change takes or frees, if the partner counts
// seats and has not reported them since.
func (s saving) seats(c *booking.SeatsChange) {
	if c == nil {
		return
	}
	s.queue(`
		UPDATE slots s SET vacancies = `+left+`, changed_at = greatest(s.changed_at, @seen),
			status = CASE WHEN `+left+` = 0 AND s.status IN ('AVAILABLE', 'LIMITED') THEN 'SOLD_OUT'
				WHEN `+left+` > 0 AND s.vacancies = 0 AND s.status = 'SOLD_OUT' THEN 'LIMITED' ELSE s.status END
		FROM bookings b JOIN activities a ON a.id = b.activity_id
		WHERE b.id = @id AND b.version = @version`+s.owner+` AND s.variation_id = b.variation_id AND s.availability_id = b.availability_id
			AND s.vacancies IS NOT NULL AND s.news_at <= @seen AND NOT coalesce((a.product ->> 'allowFreesale')::boolean, false)
			AND NOT EXISTS (SELECT FROM slot_pulls p WHERE p.variation_id = b.variation_id AND p.sent_at > @seen)`,
		named{"seen": c.At, "free": c.Free})
}
