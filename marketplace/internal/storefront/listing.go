package storefront

import (
	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// activity is the contract's resource Activity. Every field is present.
type activity struct {
	ID     uuid.UUID `json:"_id"`
	Title  string    `json:"activity_title"`
	Status string    `json:"status"`
	domain.ActivityDetails
	Currency   domain.Currency          `json:"currency"`
	ServiceFee domain.Number            `json:"serviceFee"`
	Variations domain.List[variation]   `json:"variations"`
	Texts      map[string]domain.Object `json:"translation"` // replaces ActivityDetails' field, which may be null
}

// variation is the contract's ActivityVariation.
type variation struct {
	ID               uuid.UUID                   `json:"_id"`
	Title            string                      `json:"title"`
	Sort             int                         `json:"sort"`
	AvailabilityType partnerapi.AvailabilityType `json:"availability_type"`
	Pricing          Pricing                     `json:"pricing"`
	Capacity         int                         `json:"capacity"`
	Instant          bool                        `json:"instant_confirmation"`
	Cancellation     string                      `json:"cancellation_policy"`
	Restrictions     restrictions                `json:"restrictions"`
	ExternalSync     externalSync                `json:"external_sync"`
	domain.VariationDetails
	GroupPrice *struct{} `json:"group_price,omitempty"` // always omitted here: it is in the pricing
}

// restrictions are the partner's limits of a party, in guests; nil where it declares none.
type restrictions struct {
	MinUnits *int `json:"min_units"`
	MaxUnits *int `json:"max_units"`
}

func showRestrictions(limits partnerapi.PartyLimits) (shown restrictions) {
	if limits.MinUnits > 0 {
		shown.MinUnits = &limits.MinUnits
	}
	if limits.MaxUnits > 0 {
		shown.MaxUnits = &limits.MaxUnits
	}
	return shown
}

// externalSync contains the partner's ids of the option.
type externalSync struct {
	ExternalOptionID string `json:"external_option_id"`
}

// The statuses of an activity.
const (
	Active   = "Active"
	Inactive = "Inactive"
)

// show returns an activity in a currency ("" means its partner's) and in the best matching language
// of its translations ("" means its own).
func show(a domain.Activity, terms domain.Terms, currency domain.Currency, language string) activity {
	if currency == "" {
		currency = a.Currency()
	}
	quote := quoteFor(a, terms, currency)
	shown := activity{
		ID: a.ID, Title: a.Title, Status: statusOf(a.IsListed()), ActivityDetails: a.Details,
		Currency: currency, ServiceFee: quote.roundedFee(), Texts: a.Details.Translation,
	}
	if shown.Texts == nil {
		shown.Texts = map[string]domain.Object{}
	}
	shown.PartnerDetails.Name = a.PartnerName
	for _, v := range a.Variations {
		if !v.Active {
			continue
		}
		shown.Variations = append(shown.Variations, showVariation(a, v, quote))
	}
	if texts := a.Details.Translation[lookUp(language, a.Product.Locale, a.Details.Translation)]; texts != nil {
		shown.translate(texts)
	}
	return shown
}

func quoteFor(a domain.Activity, terms domain.Terms, currency domain.Currency) *quote {
	var own percentages
	if p := a.Details.AdminPricePercentage; p != nil {
		own.markup = p.Decimal
	}
	if p := a.Details.AdminDiscountPercentage; p != nil {
		own.discount = p.Decimal
	}
	return newQuote(terms, own, currency)
}

func showVariation(a domain.Activity, v domain.Variation, quote *quote) variation {
	return variation{
		ID: v.ID, Title: v.Title, Sort: v.Sort, AvailabilityType: v.Option.AvailabilityType, Pricing: priceVariation(a, v, nil, quote), Capacity: v.Capacity,
		Instant: a.Product.InstantConfirmation, Cancellation: v.Option.CancellationCutoff, Restrictions: showRestrictions(v.Option.Restrictions),
		ExternalSync: externalSync{v.Option.ID}, VariationDetails: v.Details,
	}
}
