package storefront

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Activity returns a listed activity in a currency and a language, as in Query. The error is
// NotFound, or Invalid if a rate is missing.
func (f *Front) Activity(ctx context.Context, mode domain.Mode, id uuid.UUID, currency domain.Currency, in string) (*Answer, error) {
	a, err := f.findPriced(ctx, mode, id, currency)
	if err != nil {
		return nil, err
	}
	return newAnswer(Success{Data: show(a, f.terms(), currency, in)})
}

// VariationID identifies a variation of a listed activity in a mode.
type VariationID struct {
	Mode                domain.Mode
	Activity, Variation uuid.UUID
}

// Calendar returns a row for each date of a range, both ends inclusive, in the product's zone. The
// error is NotFound, or Invalid if a rate is missing.
func (f *Front) Calendar(ctx context.Context, of VariationID, from, to time.Time, currency domain.Currency) (*Answer, error) {
	a, v, slots, err := f.slots(ctx, of, from, to, currency)
	if err != nil {
		return nil, err
	}
	return answer(showCalendar(a, v, slots, from, to, f.terms(), currency, f.now()))
}

// variationCalendar is the calendar of one of an activity's variations.
type variationCalendar struct {
	ID   uuid.UUID `json:"variation_id"`
	Days []day     `json:"days"`
}

// Calendars returns the calendars of an activity's variations, in order. The error is NotFound, or
// Invalid if a rate is missing.
func (f *Front) Calendars(ctx context.Context, mode domain.Mode, activity uuid.UUID, from, to time.Time, currency domain.Currency) (*Answer, error) {
	a, err := f.findPriced(ctx, mode, activity, currency)
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	for _, v := range a.Variations {
		ids = append(ids, v.ID)
	}
	slots, err := f.store.Slots(ctx, ids, from, to)
	if err != nil {
		return nil, err
	}
	byVariation := map[uuid.UUID][]domain.Slot{}
	for _, slot := range slots {
		byVariation[slot.VariationID] = append(byVariation[slot.VariationID], slot)
	}
	shown, terms, now := []variationCalendar{}, f.terms(), f.now()
	for _, v := range a.Variations {
		if !v.Active {
			continue
		}
		days, err := showCalendar(a, v, byVariation[v.ID], from, to, terms, currency, now)
		if err != nil {
			return nil, err
		}
		shown = append(shown, variationCalendar{v.ID, days})
	}
	return newAnswer(Success{Data: shown})
}

// Day returns the slots of a date in the product's zone, in order. The error is NotFound, or
// Invalid if a rate is missing.
func (f *Front) Day(ctx context.Context, of VariationID, date time.Time, currency domain.Currency) (*Answer, error) {
	a, v, slots, err := f.slots(ctx, of, date, date, currency)
	if err != nil {
		return nil, err
	}
	return answer(showSlots(a, v, slots, f.terms(), currency, f.now()))
}

func (f *Front) terms() domain.Terms { return *f.current.Load().book.terms }

func (f *Front) findListed(ctx context.Context, mode domain.Mode, id uuid.UUID) (domain.Activity, error) {
	found, err := f.store.ListedActivities(ctx, mode, []uuid.UUID{id})
	if err != nil {
		return domain.Activity{}, err
	}
	if len(found) == 0 {
		return domain.Activity{}, &domain.Error{Code: domain.NotFound, Message: "activity not found"}
	}
	return found[0], nil
}

// findPriced returns a listed activity that can be priced in the currency.
func (f *Front) findPriced(ctx context.Context, mode domain.Mode, id uuid.UUID, currency domain.Currency) (domain.Activity, error) {
	a, err := f.findListed(ctx, mode, id)
	if err != nil {
		return a, err
	}
	return a, CanPrice(a, f.terms(), currency)
}

// slots returns the slots of some dates with their activity and variation, if these can be priced
// in the currency.
func (f *Front) slots(ctx context.Context, of VariationID, from, to time.Time, currency domain.Currency) (domain.Activity, domain.Variation, []domain.Slot, error) {
	a, err := f.findPriced(ctx, of.Mode, of.Activity, currency)
	if err != nil {
		return a, domain.Variation{}, nil, err
	}
	for _, v := range a.Variations {
		if v.ID == of.Variation && v.Active {
			slots, err := f.store.Slots(ctx, []uuid.UUID{v.ID}, from, to)
			return a, v, slots, err
		}
	}
	return a, domain.Variation{}, nil, &domain.Error{Code: domain.NotFound, Message: "variation not found"}
}
