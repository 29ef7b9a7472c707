package postgres

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
)

var bookingList = list[domain.Booking]{
	columns: bookingColumns, rows: "bookings b", at: "b.created_at", id: "b.id", newest: true,
	scan: func(row pgx.CollectableRow) (domain.Booking, error) {
		r, err := scanBooking(row)
		return r.Booking, err
	},
	cursor: func(b domain.Booking) domain.Cursor { return domain.Cursor{At: b.CreatedAt, ID: b.ID} },
}

// List returns a page of bookings, newest first.
func (b *Bookings) List(ctx context.Context, by booking.Filter, asked domain.PageRequest) (domain.Page[domain.Booking], error) {
	f := newFilters()
	f.addScope(by.Scope, "b.")
	for _, id := range []struct {
		column string
		is     uuid.UUID
	}{{"activity_id", by.Activity}, {"integration_id", by.Integration}} {
		if id.is != uuid.Nil {
			f.add("b."+id.column+" = @"+id.column, id.column, id.is)
		}
	}
	if by.Status != "" { // as a literal: states are few and uneven, and each needs its own plan
		f.conditions = append(f.conditions, "b.status = '"+strings.ReplaceAll(string(by.Status), "'", "''")+"'")
	}
	if by.Reference != "" {
		f.add("b.reseller_reference = @reference AND b.reseller_reference <> ''", "reference", by.Reference)
	}
	if !by.Checkouts && by.Status == "" { // a state that resellers can filter by implies a booking
		f.conditions = append(f.conditions, "b.code IS NOT NULL")
	}
	if by.Attention {
		f.conditions = append(f.conditions, "b.needs_attention")
	}
	if by.Reason != "" {
		f.add("b.id = ANY (ARRAY(SELECT booking_id FROM booking_attention WHERE settled_at IS NULL AND reason = @reason))", "reason", string(by.Reason))
		f.scattered, f.along = true, ""
	}
	f.addPeriod("b.created_at", "created", by.Created)
	if by.Start != (booking.Period{}) {
		f.addPeriod("b.starts_at", "start", by.Start)
		f.scattered, f.along = true, " ORDER BY b.starts_at"
	}
	f.words = by.Query
	return bookingList.page(ctx, b.database, f, asked)
}

// addPeriod adds the conditions of a period, whose arguments have this name with a suffix.
func (f *filters) addPeriod(column, name string, p booking.Period) {
	if !p.From.IsZero() {
		f.add(column+" >= @"+name+"_from", name+"_from", p.From)
	}
	if !p.To.IsZero() {
		f.add(column+" <= @"+name+"_to", name+"_to", p.To)
	}
}

// Histories returns the history of bookings, oldest first.
func (b *Bookings) Histories(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]domain.HistoryEntry, error) {
	return readStale(ctx, b.database, func(from connections) (map[uuid.UUID][]domain.HistoryEntry, error) {
		return readHistories(ctx, from, ids)
	})
}

func readHistories(ctx context.Context, from connections, ids []uuid.UUID) (map[uuid.UUID][]domain.HistoryEntry, error) {
	rows, err := from.Query(ctx, `
		SELECT booking_id, at, kind, from_status, to_status, why, endpoint, status, duration_ms, error
		FROM booking_history WHERE booking_id = ANY($1) ORDER BY id`, ids)
	if err != nil {
		return nil, err
	}
	histories := map[uuid.UUID][]domain.HistoryEntry{}
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		var h domain.HistoryEntry
		if err := rows.Scan(&id, &h.At, &h.Kind, (*zeronull.Text)(&h.From), (*zeronull.Text)(&h.To), (*zeronull.Text)(&h.Why),
			(*zeronull.Text)(&h.Endpoint), &h.Status, &h.Duration, (*zeronull.Text)(&h.Error)); err != nil {
			return nil, err
		}
		histories[id] = append(histories[id], h)
	}
	return histories, rows.Err()
}

var commissionList = list[booking.Commission]{
	columns: `SELECT booking_id, currency, amount, accrued_at, reversed_at FROM affiliate_commissions`,
	rows:    "affiliate_commissions", at: "accrued_at", id: "booking_id", newest: true,
	scan: func(row pgx.CollectableRow) (c booking.Commission, err error) {
		err = row.Scan(&c.Booking, &c.Currency, &c.Amount, &c.AccruedAt, (*zeronull.Timestamptz)(&c.ReversedAt))
		return c, err
	},
	cursor: func(c booking.Commission) domain.Cursor {
		return domain.Cursor{At: c.AccruedAt, ID: c.Booking}
	},
}

// Commissions returns a page of an affiliate's commissions in a mode, newest first.
func (b *Bookings) Commissions(ctx context.Context, of domain.Scope, asked domain.PageRequest) (domain.Page[booking.Commission], error) {
	f := newFilters()
	f.add("affiliate_id = @affiliate", "affiliate", of.Account)
	f.add("(SELECT mode FROM bookings b WHERE b.id = booking_id) = @mode", "mode", of.Mode)
	return commissionList.page(ctx, b.database, f, asked)
}
