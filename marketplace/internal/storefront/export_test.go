package storefront

import "partnerkit.dev/marketplace/internal/domain"

// What the model of the list uses: an activity and its slots as answers show them.
var (
	Show      = show
	ShowSlots = showSlots
)

// Variation is a variation as answers show it.
type Variation = variation

// LeadingPrice returns the price of a variation or of its slot that a calendar shows.
func LeadingPrice(v domain.Variation, priced Pricing) *domain.Number {
	return (&pricer{variation: v}).leadingPrice(priced)
}
