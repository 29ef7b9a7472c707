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
	a, err := f.findListed(ctx, mode, id)
	if err != nil {
		return nil, err
	}
	terms := f.terms()
	if err := CanPrice(a, terms, currency); err != nil {
		return nil, err
	}
	return newAnswer(Success{Data: show(a, terms, currency, in)})
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

// Day returns the slots of a date in the product's zone, in order. The error is NotFound, or
// Invalid if a rate is missing.
func (f *Front) Day(ctx context.Context, of VariationID, date time.Time, currency domain.Currency) (*Answer, error) {
	a, v, slots, err := f.slots(ctx, of, date, date, currency)
	if err != nil {
		return nil, err
	}
	return answer(showSlots(a, v, slots, f.terms(), currency, f.now()))
}

func (f *Front) terms() domain.Terms { return *f.current.Load().terms }

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

// slots returns the slots of some dates with their activity and variation, if these can be priced
// in the currency.
func (f *Front) slots(ctx context.Context, of VariationID, from, to time.Time, currency domain.Currency) (domain.Activity, domain.Variation, []domain.Slot, error) {
	a, err := f.findListed(ctx, of.Mode, of.Activity)
	if err == nil {
		err = CanPrice(a, f.terms(), currency)
	}
	if err != nil {
		return a, domain.Variation{}, nil, err
	}
	for _, v := range a.Variations {
		if v.ID == of.Variation && v.Active {
			slots, err := f.store.Slots(ctx, v.ID, from, to)
			return a, v, slots, err
		}
	}
	return a, domain.Variation{}, nil, &domain.Error{Code: domain.NotFound, Message: "variation not found"}
}
