package storefront

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func number(text string) *domain.Number { return &domain.Number{Decimal: amount(text)} }

var terms = domain.Terms{
	Fee: amount("1.5"), FeeIn: "EUR",
	Rates: domain.Rates{Base: "EUR", Per: map[domain.Currency]decimal.Decimal{"USD": amount("1.25"), "JPY": amount("160")}},
}

// walk returns an activity without operators' changes.
func walk() domain.Activity {
	precision, oldest := 0, 17
	return domain.Activity{
		ID: uuid.New(), PartnerName: "Old Town Walks", Title: "Walk", PartnerActive: true, OperatorActive: true,
		Product: partnerapi.Product{ID: "walk", InstantConfirmation: true},
		Variations: []domain.Variation{
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

func TestEveryFieldOfTheContractIsPresentWithTheRightType(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(show(walk(), terms, "", ""))
	must(t, err)
	for _, problem := range schemas.Validate(schemas.Activity, text) {
		t.Error(problem)
	}
	if strings.Contains(string(text), "Gone") {
		t.Errorf("want only the options that are in the product, got %s", text)
	}
}

func TestAVariationShowsThePartiesThatThePartnerTakes(t *testing.T) {
	t.Parallel()
	for limits, want := range map[partnerapi.PartyLimits]string{
		{}:                         `{"min_units":null,"max_units":null}`,
		{MinUnits: 2}:              `{"min_units":2,"max_units":null}`,
		{MinUnits: 2, MaxUnits: 9}: `{"min_units":2,"max_units":9}`,
	} {
		a := walk()
		a.Variations[0].Option.Restrictions = limits
		for reader, variation := range map[string]any{"resellers": show(a, terms, "", "").Variations[0], "operators": ForOperators(a).Variations[0]} {
			var shown struct{ Restrictions json.RawMessage }
			text, err := json.Marshal(variation)
			must(t, err)
			must(t, json.Unmarshal(text, &shown))
			if string(shown.Restrictions) != want {
				t.Errorf("%+v, for %s: want %s, got %s", limits, reader, want, shown.Restrictions)
			}
		}
	}
}

func TestPricesAreTheOptionsInTheWantedCurrencyElseItsFirst(t *testing.T) {
	t.Parallel()
	for currency, want := range map[domain.Currency][2]string{
		"":    {"24", "12.5"},   // the partner's currency: 22.50 and 11.00, and 1.50
		"USD": {"30", "15.63"},  // 22.50 and 11.00 x 1.25, and 1.875
		"JPY": {"3840", "2000"}, // 3,600 is the partner's price; 11.00 x 160; and 240
		"EUR": {"24", "12.5"},
	} {
		units := show(walk(), terms, currency, "").Variations[0].Pricing.Units
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
	priced := show(a, terms, "EUR", "").Variations[0].Pricing
	if !priced.Discount.Equal(amount("50")) || !priced.Units[0].Price.Equal(amount("15")) { // 22.50 x 1.2 x 0.5 + 1.50
		t.Errorf("want 15 at a discount of 50, got %s at %s", priced.Units[0].Price, priced.Discount)
	}
}

func TestAGroupPriceStandsForAllGuests(t *testing.T) {
	t.Parallel()
	a := walk()
	a.Variations[0].Details.GroupPrice = &domain.GroupPrice{Amount: amount("200.5"), Currency: "EUR"}
	priced := show(a, terms, "USD", "").Variations[0].Pricing
	if priced.GroupPrice == nil || !priced.GroupPrice.Equal(amount("252.5")) || len(priced.Units) != 0 { // 202 x 1.25
		t.Errorf("want 252.5 for the group and no units, got %+v", priced)
	}
}

// A missing rate affects only the price that needs it.
func TestAUnitWithoutARateIsLeftOut(t *testing.T) {
	t.Parallel()
	a := walk()
	units := a.Variations[0].Option.Units
	units[0].PricingFrom = []partnerapi.PricingEntry{{Original: 9000, Currency: "CHF"}}
	if priced := show(a, terms, "EUR", "").Variations[0].Pricing; len(priced.Units) != 1 || priced.Units[0].Type != partnerapi.Child {
		t.Errorf("want the child's price alone, got %+v", priced.Units)
	}
	units[1].PricingFrom = units[0].PricingFrom
	if priced := show(a, terms, "EUR", "").Variations[0].Pricing; len(priced.Units) != 0 || priced.isSellable() {
		t.Errorf("want no units, got %+v", priced.Units)
	}
	if priced := show(a, terms, "", "").Variations[0].Pricing; len(priced.Units) != 0 { // the fee is in EUR
		t.Errorf("want no price without its fee, got %+v", priced.Units)
	}
	plain := terms
	plain.Fee = decimal.Zero
	if priced := show(a, plain, "", "").Variations[0].Pricing; len(priced.Units) != 2 {
		t.Errorf("want no rate needed for the partner's own currency, got %+v", priced.Units)
	}
	a.Variations[0].Details.GroupPrice = &domain.GroupPrice{Amount: amount("200"), Currency: "CHF"}
	if priced := show(a, terms, "EUR", "").Variations[0].Pricing; priced.GroupPrice != nil || priced.isSellable() {
		t.Errorf("want no group price, got %+v", priced)
	}
}

func TestTheTranslationIsLookedUpAsRFC4647Does(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		locale, has, wanted, want string
	}{
		{"en", "de pt", "pt", "pt"},
		{"en", "de pt", "pt-PT", "pt"},
		{"en", "pt pt-PT", "pt-PT", "pt-PT"},
		{"en", "pt pt-PT", "PT-pt", "pt-PT"},
		{"en", "pt-BR", "pt-PT", ""},
		{"en", "pt-BR", "pt", "pt-BR"},
		{"en", "pt-BR pt-PT", "pt", "pt-BR"},
		{"pt-PT", "pt-BR", "pt", ""}, // the base fields are in this language
		{"pt-PT", "pt", "pt-PT", ""},
		{"pt", "pt-BR", "pt-PT", ""},
		{"en", "es gl", "ca", ""},
		{"en", "zh-Hant zh-Hans", "zh-Hant-TW", "zh-Hant"},
		{"en", "zh-Hant-TW", "zh-Hant", "zh-Hant-TW"},
		{"en", "zh zh-x", "zh-x-private", "zh"},
		{"en", "ptx", "pt", ""},
		{"en", "de", "und", ""},
		{"en", "de", "", ""},
		{"", "de", "de-CH-1996", "de"},
	} {
		translations := map[string]domain.Object{}
		for _, tag := range strings.Fields(c.has) {
			translations[tag] = nil
		}
		if got := lookUp(c.wanted, c.locale, translations); got != c.want {
			t.Errorf("%s of %s and %s: want %q, got %q", c.wanted, c.has, c.locale, c.want, got)
		}
	}
}

func TestATranslationIsPutOverTheTextsOfTheActivityAndItsVariations(t *testing.T) {
	t.Parallel()
	a := walk()
	a.Details.Description = "A walk."
	v := &a.Variations[0]
	v.Details.Includes.Food = domain.List[string]{"Bread"}
	a.Details.Translation = map[string]domain.Object{
		"pt": {"activity_title": json.RawMessage(`"Passeio"`), "description": json.RawMessage(`17`), "mood": json.RawMessage(`["calmo"]`), "variations": json.RawMessage(
			`{"` + v.ID.String() + `":{"title":"Manhã","notes":"","itinerary":[{"title":"Sé","description":"A catedral"}],"includes":{"drinks":["Vinho"]}},"other":{}}`)},
		"de": {"activity_title": json.RawMessage(`"Spaziergang"`), "variations": json.RawMessage(`["Morgen"]`)},
	}
	shown := show(a, terms, "", "pt-PT")
	first := shown.Variations[0]
	if shown.Title != "Passeio" || shown.Description != "A walk." || first.Title != "Manhã" || first.Itinerary[0].Title != "Sé" ||
		first.Includes.Drinks[0] != "Vinho" || first.Includes.Food[0] != "Bread" || first.Cancellation != "24 hours" {
		t.Errorf("want the translated texts, and the others as they are, got %+v", shown)
	}
	if shown := show(a, terms, "", "de"); shown.Title != "Spaziergang" || shown.Variations[0].Title != "Morning" {
		t.Errorf("want what is no map of variations passed over, got %+v", shown)
	}
	a.Details.Categories, a.Details.Tags = domain.List[string]{"Walks", "History"}, domain.List[string]{"old"}
	a.Details.Location = domain.Location{Country: domain.Country{ID: "PT", Name: "Portugal"}, City: "Lisbon"}
	v.Details.Pickup = domain.Pickup{Type: "hotel", PickUpAddress: domain.Place{Address: "Rossio Square", Lat: *number("38.7123456789012345")}}
	v.Details.TourGuides = domain.List[domain.TourGuide]{{ID: "g-1", Name: "Inês"}}
	a.Details.Translation["es"] = domain.Object{
		"categories": json.RawMessage(`["Paseos"]`), "tags": json.RawMessage(`["viejo", 7]`), "activity_type": json.RawMessage(`{"name":"Paseo"}`),
		"location": json.RawMessage(`{"city":"Lisboa","region":7,"country":{"name":"Portugal "}}`), "media": json.RawMessage(`[{"imageUrl":"https://x.example/es.jpg"}]`),
		"partner_details": json.RawMessage(`{"name":"Other","partner_category":"Operador","companyDetails":{"motto":"Sí"}}`), "currency": json.RawMessage(`"USD"`), "status": json.RawMessage(`"Inactivo"`),
		"variations": json.RawMessage(`{"` + v.ID.String() + `":{"pickup":{"pick_up_address":{"address":"Plaza del Rossio"}},"media":{"imageUrl":"https://x.example/v.jpg"},"tourGuides":[{"tour_guide_id":"g-1","name":"Inés"}],"capacity":1}}`),
	}
	es := show(a, terms, "", "es-MX")
	first = es.Variations[0]
	if es.Categories[0] != "Paseos" || len(es.Categories) != 1 || es.Tags[0] != "old" || es.ActivityType.Name != "Paseo" || es.Location.City != "Lisboa" || es.Location.Country.ID != "PT" ||
		es.Location.Country.Name != "Portugal " || es.Location.Region != "" || es.Media[0].ImageURL == "" || es.PartnerDetails.PartnerCategory != "Operador" || string(es.PartnerDetails.CompanyDetails["motto"]) != `"Sí"` {
		t.Errorf("want all that the translation has, except what has another type, got %+v", es)
	}
	if es.PartnerDetails.Name != a.PartnerName || es.Currency != "EUR" || es.Status != Active || first.Capacity != a.Variations[0].Capacity {
		t.Errorf("want what no translation changes, got %+v", es)
	}
	if p := first.Pickup; p.Type != "hotel" || p.PickUpAddress.Address != "Plaza del Rossio" || p.PickUpAddress.Lat.String() != "38.7123456789012345" || first.Media.ImageURL == "" || first.TourGuides[0].Name != "Inés" {
		t.Errorf("want the translated pickup, picture and guides, got %+v", first)
	}
	if a.Details.Categories[0] != "Walks" || v.Details.Itinerary != nil || v.Title != "Morning" {
		t.Errorf("want the activity itself unchanged, got %+v", v)
	}
}
