package storefront

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// Pricing is the contract's PublicVariationPricing, in major units.
type Pricing struct {
	GroupPrice *domain.Number    `json:"group_price"`
	Discount   domain.Number     `json:"discount_percentage"`
	Units      domain.List[unit] `json:"units"`
	lacks      error             // the first missing exchange rate; nil: no rate is missing
}

// isSellable reports whether at least one price is available.
func (p Pricing) isSellable() bool { return p.lacks == nil || p.GroupPrice != nil || len(p.Units) > 0 }

// UnitPrice returns the price of a unit; nil without a price. The error is Invalid if an exchange rate is
// missing.
func (p Pricing) UnitPrice(unitID string) (*domain.Number, error) {
	for i := range p.Units {
		if p.Units[i].ID == unitID {
			return &p.Units[i].Price, nil
		}
	}
	return nil, p.lacks
}

// unit is the contract's PricingUnit.
type unit struct {
	ID     string              `json:"unit_id"`
	Type   partnerapi.UnitType `json:"type"`
	Label  string              `json:"label"`
	MinAge *int                `json:"min_age"`
	MaxAge *int                `json:"max_age"`
	Price  domain.Number       `json:"price"`
}

// priceVariation returns the prices of a variation or of one of its slots. A slot's own prices take
// precedence over the option's (AVL-6). With a group price there are no unit prices. Prices with a
// missing exchange rate are omitted.
func priceVariation(a domain.Activity, v domain.Variation, slot []partnerapi.UnitPricing, quote *quote) (priced Pricing) {
	if p := a.Details.AdminDiscountPercentage; p != nil {
		priced.Discount = *p
	}
	if group := v.Details.GroupPrice; group != nil {
		price, err := quote.price(majorAmount(group.Amount, group.Currency))
		if priced.lacks = err; err == nil {
			priced.GroupPrice = &price
		}
		return priced
	}
	for _, guest := range v.Option.Units {
		price, err := quote.price(base(guest, slot, quote.currency))
		if err != nil {
			priced.lacks = cmp.Or(priced.lacks, err)
			continue
		}
		shown := unit{ID: guest.ID, Type: guest.Type, Label: guest.InternalName, Price: price}
		if guest.Restrictions != nil {
			shown.MinAge, shown.MaxAge = guest.Restrictions.MinAge, guest.Restrictions.MaxAge
		}
		priced.Units = append(priced.Units, shown)
	}
	return priced
}

// base returns the partner's price for a unit in the wanted currency, otherwise its first (PRD-8).
func base(unit partnerapi.Unit, slot []partnerapi.UnitPricing, wanted domain.Currency) domain.Minor {
	return inCurrency(bases(unit, slot), wanted)
}

// bases returns the partner's prices for a unit: the slot's own, otherwise the option's, of which the
// schema requires at least one.
func bases(unit partnerapi.Unit, slot []partnerapi.UnitPricing) []domain.Minor {
	for _, own := range slot {
		if own.UnitID == unit.ID {
			return []domain.Minor{minorAmount(own.Original, own.CurrencyPrecision, own.Currency)}
		}
	}
	prices := make([]domain.Minor, len(unit.PricingFrom))
	for i, entry := range unit.PricingFrom {
		prices[i] = minorAmount(entry.Original, entry.CurrencyPrecision, entry.Currency)
	}
	return prices
}

// inCurrency returns the price in the wanted currency, otherwise the first one.
func inCurrency(prices []domain.Minor, wanted domain.Currency) domain.Minor {
	return prices[max(0, slices.IndexFunc(prices, func(m domain.Minor) bool { return m.Currency == wanted }))]
}

func minorAmount(amount int64, precision *int, currency string) domain.Minor {
	m := domain.Minor{Amount: amount, Precision: partnerapi.DefaultCurrencyPrecision, Currency: domain.Currency(currency)}
	if precision != nil {
		m.Precision = *precision
	}
	return m
}

// majorAmount returns an amount in major units in a partner's notation.
func majorAmount(amount decimal.Decimal, currency domain.Currency) domain.Minor {
	if exponent := amount.Exponent(); exponent < 0 {
		return domain.Minor{Amount: amount.Coefficient().Int64(), Precision: int(-exponent), Currency: currency}
	}
	return domain.Minor{Amount: amount.IntPart(), Currency: currency}
}

// PriceOf returns the prices of a slot in a currency ("" means the partner's) and the currency. The
// error is Invalid if an exchange rate is missing.
func PriceOf(a domain.Activity, v domain.Variation, slot domain.Slot, terms domain.Terms, currency domain.Currency) (Pricing, domain.Currency, error) {
	pricer, err := newPricer(a, v, terms, currency)
	if err != nil {
		return Pricing{}, "", err
	}
	priced := pricer.price(slot)
	if !priced.isSellable() {
		err = priced.lacks
	}
	return priced, pricer.quote.currency, err
}

// CanPrice returns an error if an activity cannot be priced in the currency. It returns nil for "",
// its own currency. A single price may still lack a rate.
func CanPrice(a domain.Activity, terms domain.Terms, currency domain.Currency) error {
	if currency == a.Currency() {
		return nil
	}
	return checkCurrency(&terms, currency)
}
