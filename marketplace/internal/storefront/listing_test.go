package storefront

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"golang.org/x/text/language"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func number(text string) *marketplace.Number { return &marketplace.Number{Decimal: amount(text)} }

var terms = marketplace.Terms{
	Fee: amount("1.5"), FeeIn: "EUR",
	Rates: marketplace.Rates{Base: "EUR", Per: map[marketplace.Currency]decimal.Decimal{"USD": amount("1.25"), "JPY": amount("160")}},
}

// walk is an activity of which operators have set nothing.
func walk() marketplace.Activity {
	precision, oldest := 0, 17
	return marketplace.Activity{
		ID: uuid.New(), PartnerName: "Old Town Walks", Title: "Walk", PartnerActive: true, OperatorActive: true,
		Product: partnerapi.Product{ID: "walk", InstantConfirmation: true},
		Variations: []marketplace.Variation{
			{ID: uuid.New(), Sort: 1, Title: "Morning", Active: true, Option: partnerapi.Option{
				ID: "morning", AvailabilityType: partnerapi.StartTime, CancellationCutoff: "24 hours",
				Units: []partnerapi.Unit{
					{ID: "unit-adult", InternalName: "Adult", Type: partnerapi.Adult, PricingFrom: []partnerapi.PricingEntry{
						{Original: 2250, Currency: "EUR"}, {Original: 3600, Currency: "JPY", CurrencyPrecision: &precision},
					}},
					{ID: "unit-child", InternalName: "Child", Type: partnerapi.Child, Restrictions: &partnerapi.Restrictions{MaxAge: &oldest},
						PricingFrom: []partnerapi.PricingEntry{{Original: 1100, Currency: "EUR"}}},
				},
			}},
			{ID: uuid.New(), Sort: 2, Title: "Gone", Option: partnerapi.Option{ID: "gone"}},
		},
	}
}

func shownTo(t *testing.T, a marketplace.Activity, currency marketplace.Currency, wanted language.Tag) activity {
	t.Helper()
	shown, err := show(a, terms, currency, wanted)
	must(t, err)
	return shown
}

func TestEveryFieldOfTheContractIsPresentWithTheRightType(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(shownTo(t, walk(), "", language.Und))
	must(t, err)
	for _, problem := range schemas.Validate(schemas.Activity, text) {
		t.Error(problem)
	}
	if strings.Contains(string(text), "Gone") {
		t.Errorf("want only the options that are in the product, got %s", text)
	}
}

func TestPricesAreTheOptionsInTheWantedCurrencyElseItsFirst(t *testing.T) {
	t.Parallel()
	for currency, want := range map[marketplace.Currency][2]string{
		"":    {"24", "12.5"},   // the partner's own: 22.50 and 11.00, and 1.50
		"USD": {"30", "15.63"},  // 22.50 and 11.00 x 1.25, and 1.875
		"JPY": {"3840", "2000"}, // 3,600 as the partner asks for it, and 11.00 x 160; and 240
		"EUR": {"24", "12.5"},
	} {
		units := shownTo(t, walk(), currency, language.Und).Variations[0].Pricing.Units
		for i, price := range want {
			if !units[i].Price.Equal(amount(price)) {
				t.Errorf("%s: want %s, got %s", currency, price, units[i].Price)
			}
		}
	}
}

func TestTheActivitysOwnPercentagesAreInItsPrices(t *testing.T) {
	t.Parallel()
	a := walk()
	a.Details.AdminPricePercentage, a.Details.AdminDiscountPercentage = number("20"), number("50")
	priced := shownTo(t, a, "EUR", language.Und).Variations[0].Pricing
	if !priced.Discount.Equal(amount("50")) || !priced.Units[0].Price.Equal(amount("15")) { // 22.50 x 1.2 x 0.5 + 1.50
		t.Errorf("want 15 at a discount of 50, got %s at %s", priced.Units[0].Price, priced.Discount)
	}
}

func TestAGroupPriceStandsForAllGuests(t *testing.T) {
	t.Parallel()
	a := walk()
	a.Variations[0].Details.GroupPrice = &marketplace.GroupPrice{Amount: amount("200.5"), Currency: "EUR"}
	priced := shownTo(t, a, "USD", language.Und).Variations[0].Pricing
	if priced.GroupPrice == nil || !priced.GroupPrice.Equal(amount("252.5")) || len(priced.Units) != 0 { // 202 x 1.25
		t.Errorf("want 252.5 for the group and no units, got %+v", priced)
	}
}

func TestTheBestFittingTranslationIsShown(t *testing.T) {
	t.Parallel()
	a := walk()
	a.Details.Description = "A walk."
	a.Details.Translation = map[string]marketplace.Object{
		"pt": {"activity_title": json.RawMessage(`"Passeio"`), "description": json.RawMessage(`""`)},
		"de": {"activity_title": json.RawMessage(`"Spaziergang"`), "description": json.RawMessage(`17`)},
	}
	for wanted, want := range map[string]string{"pt": "Passeio", "pt-BR": "Passeio", "de-CH": "Spaziergang", "ja": "Walk", "und": "Walk"} {
		shown := shownTo(t, a, "", language.MustParse(wanted))
		if shown.Title != want || shown.Description != "A walk." {
			t.Errorf("%s: want %s with the activity's own description, got %s with %q", wanted, want, shown.Title, shown.Description)
		}
	}
}
