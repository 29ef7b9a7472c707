package storefront

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// OperatorActivity is an activity as operators read it: the operators' fields and the partner's
// fields side by side, with the partner's prices.
type OperatorActivity struct {
	ID             uuid.UUID   `json:"_id"`
	IntegrationID  uuid.UUID   `json:"integration_id"`
	Mode           domain.Mode `json:"mode"`
	CreatedAt      time.Time   `json:"created_at"`
	Title          string      `json:"activity_title"`
	Status         string      `json:"status"`          // Active if the next two are
	PartnerStatus  string      `json:"partner_status"`  // Active while the partner's catalog contains it
	OperatorStatus string      `json:"operator_status"` // set by operators
	domain.ActivityDetails
	Currency   domain.Currency          `json:"currency"` // of the partner's first price
	Product    operatorProduct          `json:"external_sync"`
	Variations []operatorVariation      `json:"variations"`
	Texts      map[string]domain.Object `json:"translation"` // replaces ActivityDetails' field, which may be null
}

// operatorProduct is a partner's product as last received.
type operatorProduct struct {
	ID            string `json:"external_product_id"`
	InternalName  string `json:"internal_name"`
	Reference     string `json:"reference"`
	Locale        string `json:"locale"`
	TimeZone      string `json:"time_zone"`
	Instant       bool   `json:"instant_confirmation"`
	AllowFreesale bool   `json:"allow_freesale"`
}

// operatorVariation is a variation as operators read it.
type operatorVariation struct {
	ID               uuid.UUID                   `json:"_id"`
	Title            string                      `json:"title"`
	Sort             int                         `json:"sort"`
	Status           string                      `json:"status"` // Active while the product contains it
	AvailabilityType partnerapi.AvailabilityType `json:"availability_type"`
	Capacity         int                         `json:"capacity"`
	Cancellation     string                      `json:"cancellation_policy"`
	Restrictions     restrictions                `json:"restrictions"`
	Pricing          operatorPricing             `json:"pricing"`
	Option           operatorOption              `json:"external_sync"`
	domain.VariationDetails
	GroupPrice *struct{} `json:"group_price,omitempty"` // always omitted here: it is in the pricing
}

// operatorOption is a partner's option.
type operatorOption struct {
	ID           string `json:"external_option_id"`
	InternalName string `json:"internal_name"`
}

// operatorPricing is the price before percentages and fees: an operator's group price, otherwise
// the partner's prices.
type operatorPricing struct {
	GroupPrice *domain.Number   `json:"group_price"`
	Currency   *domain.Currency `json:"currency"` // of the group price
	Units      []operatorUnit   `json:"units"`
}

// operatorUnit is a guest type with the partner's prices.
type operatorUnit struct {
	ID     string              `json:"external_unit_id"`
	Type   partnerapi.UnitType `json:"type"`
	Label  string              `json:"label"`
	Prices []operatorPrice     `json:"prices"`
}

// operatorPrice is a price in one currency, in its major unit.
type operatorPrice struct {
	Currency domain.Currency `json:"currency"`
	Original domain.Number   `json:"original"`
	Retail   *domain.Number  `json:"retail"`
	Net      *domain.Number  `json:"net"`
}

// ForOperators returns an activity as operators read it.
func ForOperators(a domain.Activity) OperatorActivity {
	p := a.Product
	shown := OperatorActivity{
		ID: a.ID, IntegrationID: a.IntegrationID, Mode: a.Mode, CreatedAt: a.CreatedAt, Title: a.Title,
		Status: statusOf(a.IsListed()), PartnerStatus: statusOf(a.PartnerActive), OperatorStatus: statusOf(a.OperatorActive),
		ActivityDetails: a.Details, Currency: a.Currency(), Variations: []operatorVariation{}, Texts: map[string]domain.Object{},
		Product: operatorProduct{p.ID, p.InternalName, p.Reference, p.Locale, p.TimeZone, p.InstantConfirmation, p.AllowFreesale},
	}
	if a.Details.Translation != nil {
		shown.Texts = a.Details.Translation
	}
	shown.PartnerDetails.Name = a.PartnerName
	for _, v := range a.Variations {
		shown.Variations = append(shown.Variations, operatorVariation{
			ID: v.ID, Title: v.Title, Sort: v.Sort, Status: statusOf(v.Active), AvailabilityType: v.Option.AvailabilityType, Capacity: v.Capacity,
			Cancellation: v.Option.CancellationCutoff, Restrictions: showRestrictions(v.Option.Restrictions), Pricing: pricesOf(v), Option: operatorOption{v.Option.ID, v.Option.InternalName},
			VariationDetails: v.Details,
		})
	}
	return shown
}

func statusOf(active bool) string {
	if active {
		return Active
	}
	return Inactive
}

func pricesOf(v domain.Variation) operatorPricing {
	shown := operatorPricing{Units: []operatorUnit{}}
	if group := v.Details.GroupPrice; group != nil {
		shown.GroupPrice, shown.Currency = &domain.Number{Decimal: group.Amount}, &group.Currency
	}
	for _, unit := range v.Option.Units {
		prices := []operatorPrice{}
		for _, entry := range unit.PricingFrom {
			inMajor := func(amount int64) *domain.Number {
				return new(minorAmount(amount, entry.CurrencyPrecision, entry.Currency).Number())
			}
			price := operatorPrice{Currency: domain.Currency(entry.Currency), Original: *inMajor(entry.Original)}
			if entry.Retail != nil {
				price.Retail = inMajor(*entry.Retail)
			}
			if entry.Net != nil {
				price.Net = inMajor(*entry.Net)
			}
			prices = append(prices, price)
		}
		shown.Units = append(shown.Units, operatorUnit{unit.ID, unit.Type, unit.InternalName, prices})
	}
	return shown
}
