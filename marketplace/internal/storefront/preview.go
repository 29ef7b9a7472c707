package storefront

import (
	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// PricePreview compares what customers pay for an activity with what they would pay after a change.
type PricePreview struct {
	Currency   domain.Currency               `json:"currency"`
	ServiceFee domain.Number                 `json:"service_fee"`
	Commission domain.Number                 `json:"commission_percentage"`
	Variations domain.List[variationPreview] `json:"variations"`
}

type variationPreview struct {
	ID     uuid.UUID                `json:"_id"`
	Title  string                   `json:"title"`
	Prices domain.List[unitPreview] `json:"prices"`
}

// unitPreview is the price of a unit or of a group. A price is nil where it is not charged, or without its
// exchange rate.
type unitPreview struct {
	ID           *string              `json:"unit_id"` // nil for a group
	Type         *partnerapi.UnitType `json:"type"`
	Label        string               `json:"label"`
	Change       priceChange          `json:"change"`
	BasePrice    domain.Number        `json:"base_price"`
	BaseCurrency domain.Currency      `json:"base_currency"`
	Price        *domain.Number       `json:"price"`
	Changed      *domain.Number       `json:"changed_price"`
}

// priceChange says whether a price is charged before and after a change.
type priceChange string

const (
	priceKept    priceChange = "kept"
	priceAdded   priceChange = "added"
	priceRemoved priceChange = "removed"
)

// PreviewPrices prices an activity before and after a change, in a currency ("" means its partner's). It
// prices one variation, or all for uuid.Nil.
func PreviewPrices(a, changed domain.Activity, only uuid.UUID, terms domain.Terms, currency domain.Currency) PricePreview {
	if currency == "" {
		currency = a.Currency()
	}
	now, then := quoteFor(a, terms, currency), quoteFor(changed, terms, currency)
	preview := PricePreview{Currency: currency, ServiceFee: now.roundedFee(), Commission: domain.Number{Decimal: terms.Commission}}
	for i, v := range a.Variations {
		if v.Active && (only == uuid.Nil || only == v.ID) {
			other := changed.Variations[i]
			prices := previewVariation(v, other.Details.GroupPrice, priceVariation(a, v, nil, now), priceVariation(changed, other, nil, then), currency)
			preview.Variations = append(preview.Variations, variationPreview{v.ID, v.Title, prices})
		}
	}
	return preview
}

func previewVariation(v domain.Variation, changed *domain.GroupPrice, now, then Pricing, currency domain.Currency) (list []unitPreview) {
	group, byGroup, byGuest := v.Details.GroupPrice, priceKept, priceKept
	switch {
	case group == nil && changed != nil:
		group, byGroup, byGuest = changed, priceAdded, priceRemoved
	case group != nil && changed == nil:
		byGroup, byGuest = priceRemoved, priceAdded
	}
	if group != nil {
		list = append(list, unitPreview{Change: byGroup, BasePrice: domain.Number{Decimal: group.Amount}, BaseCurrency: group.Currency, Price: now.GroupPrice, Changed: then.GroupPrice})
	}
	if v.Details.GroupPrice != nil && changed != nil {
		return list
	}
	for _, unit := range v.Option.Units {
		base := base(unit, nil, currency)
		shown := unitPreview{ID: &unit.ID, Type: &unit.Type, Label: unit.InternalName, Change: byGuest, BasePrice: base.Number(), BaseCurrency: base.Currency}
		shown.Price, _ = now.UnitPrice(unit.ID) // nil without an exchange rate
		shown.Changed, _ = then.UnitPrice(unit.ID)
		list = append(list, shown)
	}
	return list
}
