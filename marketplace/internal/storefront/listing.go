package storefront

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/uuid"
	"golang.org/x/text/language"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// activity is the contract's resource of that name. Every field is present.
type activity struct {
	ID     uuid.UUID `json:"_id"`
	Title  string    `json:"activity_title"`
	Status string    `json:"status"`
	marketplace.ActivityDetails
	Currency   marketplace.Currency          `json:"currency"`
	ServiceFee marketplace.Number            `json:"serviceFee"`
	Variations marketplace.List[variation]   `json:"variations"`
	Texts      map[string]marketplace.Object `json:"translation"` // ActivityDetails' own may be null
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
	ExternalSync     externalSync                `json:"external_sync"`
	marketplace.VariationDetails
	GroupPrice *struct{} `json:"group_price,omitempty"` // never here: it is the pricing's
}

// externalSync names the partner's option.
type externalSync struct {
	ExternalOptionID string `json:"external_option_id"`
}

// The two statuses of an activity.
const (
	Active   = "Active"
	Inactive = "Inactive"
)

// show returns an activity in a currency, or in its partner's where that is "", and in
// the language that fits best among its own and its translations; language.Und is its
// own. The error is Invalid where a rate is missing.
func show(a marketplace.Activity, terms marketplace.Terms, currency marketplace.Currency, wanted language.Tag) (activity, error) {
	if currency == "" {
		currency = a.Currency()
	}
	quote, err := quoteFor(a, terms, currency)
	if err != nil {
		return activity{}, err
	}
	shown := activity{
		ID: a.ID, Title: a.Title, Status: statusOf(a.Listed()), ActivityDetails: a.Details,
		Currency: currency, ServiceFee: quote.roundedFee(), Texts: a.Details.Translation,
	}
	if shown.Texts == nil {
		shown.Texts = map[string]marketplace.Object{}
	}
	shown.PartnerDetails.Name = a.PartnerName
	for _, v := range a.Variations {
		if !v.Active {
			continue
		}
		one, err := showVariation(a, v, quote)
		if err != nil {
			return activity{}, err
		}
		shown.Variations = append(shown.Variations, one)
	}
	return shown.in(wanted), nil
}

func quoteFor(a marketplace.Activity, terms marketplace.Terms, currency marketplace.Currency) (*quote, error) {
	var own percentages
	if p := a.Details.AdminPricePercentage; p != nil {
		own.markup = p.Decimal
	}
	if p := a.Details.AdminDiscountPercentage; p != nil {
		own.discount = p.Decimal
	}
	return newQuote(terms, own, currency)
}

func showVariation(a marketplace.Activity, v marketplace.Variation, quote *quote) (variation, error) {
	priced, err := priceVariation(a, v, nil, quote)
	return variation{
		ID: v.ID, Title: v.Title, Sort: v.Sort, AvailabilityType: v.Option.AvailabilityType, Pricing: priced, Capacity: v.Capacity,
		Instant: a.Product.InstantConfirmation, Cancellation: v.Option.CancellationCutoff, ExternalSync: externalSync{v.Option.ID}, VariationDetails: v.Details,
	}, err
}

// in puts the texts of the best fitting translation over the activity's own.
func (a activity) in(wanted language.Tag) activity {
	if wanted == language.Und || len(a.Texts) == 0 {
		return a
	}
	tags, names := []language.Tag{language.Und}, []string{""} // the activity's own come first
	for _, name := range slices.Sorted(maps.Keys(a.Texts)) {
		if tag, err := language.Parse(name); err == nil {
			tags, names = append(tags, tag), append(names, name)
		}
	}
	_, at, confidence := language.NewMatcher(tags).Match(wanted)
	if confidence == language.No || at == 0 {
		return a
	}
	texts := a.Texts[names[at]]
	for field, into := range map[string]*string{
		"activity_title": &a.Title, "main_promo_title": &a.MainPromoTitle, "short_description": &a.ShortDescription,
		"description": &a.Description, "address": &a.Address,
	} {
		var text string
		if json.Unmarshal(texts[field], &text) == nil && text != "" {
			*into = text
		}
	}
	return a
}
