package supplier

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// products answers GET /products.
func products(c call) (any, error) {
	listing, err := c.business().Listing(catalog.Filter{})
	if err != nil {
		return nil, err
	}
	var sold []partnerapi.Product
	if err := json.Unmarshal(listing, &sold); err != nil {
		return nil, err
	}
	shown := make([]octo.Product, 0, len(sold))
	for _, product := range sold {
		shown = append(shown, c.showProduct(product))
	}
	return shown, nil
}

// product answers GET /products/{id}.
func product(c call) (any, error) {
	id := mux.Vars(c.Request)["id"]
	known, ok := c.business().Catalog().Product(id)
	if !ok {
		return nil, unknownProduct(id)
	}
	return c.showProduct(known.Product), nil
}

func (c call) showProduct(p partnerapi.Product) octo.Product {
	shown := octo.Product{
		ID:                   p.ID,
		InternalName:         p.InternalName,
		Reference:            nullable(p.Reference),
		Locale:               p.Locale,
		TimeZone:             p.TimeZone,
		AllowFreesale:        p.AllowFreesale,
		InstantConfirmation:  p.InstantConfirmation,
		InstantDelivery:      true,
		AvailabilityRequired: true,
		AvailabilityType:     string(p.Options[0].AvailabilityType), // OCTO has one for all options
		DeliveryFormats:      []string{partnerapi.QRCode, partnerapi.PDFURL},
		DeliveryMethods:      []string{partnerapi.DeliverTicket, partnerapi.DeliverVoucher},
		RedemptionMethod:     "DIGITAL",
	}
	for i, option := range p.Options {
		shown.Options = append(shown.Options, c.showOption(p.ID, option, i == 0))
	}
	if c.isPriced() {
		shown.PricingPer = "UNIT"
		for _, option := range p.Options {
			for _, unit := range option.Units {
				for _, price := range unit.PricingFrom {
					if !slices.Contains(shown.AvailableCurrencies, price.Currency) {
						shown.AvailableCurrencies = append(shown.AvailableCurrencies, price.Currency)
					}
				}
			}
		}
		if len(shown.AvailableCurrencies) > 0 {
			shown.DefaultCurrency = shown.AvailableCurrencies[0]
		}
	}
	return shown
}

func (c call) showOption(productID string, o partnerapi.Option, first bool) octo.Option {
	shown := octo.Option{
		ID:                          o.ID,
		Default:                     first,
		InternalName:                o.InternalName,
		AvailabilityLocalStartTimes: []string{"00:00"},
		CancellationCutoff:          o.CancellationCutoff,
		CancellationCutoffUnit:      "hour",
		RequiredContactFields:       []string{},
		Restrictions:                octo.OptionRestrictions{MinUnits: new(max(o.Restrictions.MinUnits, 1))},
	}
	if option, err := c.business().Option(productID, o.ID); err == nil && o.AvailabilityType == partnerapi.StartTime {
		shown.AvailabilityLocalStartTimes = nil
		for _, minute := range option.Starts {
			shown.AvailabilityLocalStartTimes = append(shown.AvailabilityLocalStartTimes, timeOfDay(minute))
		}
	}
	if most := o.Restrictions.MaxUnits; most > 0 {
		shown.Restrictions.MaxUnits = &most
	}
	for _, unit := range o.Units {
		shown.Units = append(shown.Units, c.showUnit(unit))
	}
	return shown
}

func (c call) showUnit(u partnerapi.Unit) octo.Unit {
	shown := octo.Unit{
		ID:                    unitID(u.ID),
		InternalName:          u.InternalName,
		Type:                  string(u.Type),
		Restrictions:          octo.UnitRestrictions{PaxCount: 1, AccompaniedBy: []string{}},
		RequiredContactFields: []string{},
	}
	if u.Restrictions != nil {
		shown.Restrictions.MinAge, shown.Restrictions.MaxAge = u.Restrictions.MinAge, u.Restrictions.MaxAge
	}
	if c.isPriced() {
		for _, price := range u.PricingFrom {
			shown.PricingFrom = append(shown.PricingFrom, octo.Price{
				Original: number(price.Original), Retail: optional(price.Retail), Net: optional(price.Net),
				Currency: price.Currency, CurrencyPrecision: decimals(price.CurrencyPrecision), IncludedTaxes: []json.RawMessage{},
			})
		}
	}
	return shown
}

// unitID returns OCTO's id of a unit: that of the catalog, without the prefix that the contract
// requires of most.
func unitID(id string) string { return strings.TrimPrefix(id, "unit-") }

// soldUnits returns the option's units with those ids of OCTO.
func soldUnits(option *catalog.IndexedOption, wanted []octo.UnitQuantity) (units []partnerapi.UnitQuantity, err error) {
	for _, one := range wanted {
		at := slices.IndexFunc(option.Units, func(u partnerapi.Unit) bool { return unitID(u.ID) == one.ID })
		if at < 0 {
			return nil, refusal{octo.Error{Code: octo.InvalidUnitID, Message: fmt.Sprintf("the option %q has no unit %q", option.ID, one.ID), UnitID: one.ID}}
		}
		units = append(units, partnerapi.UnitQuantity{ID: option.Units[at].ID, Quantity: one.Quantity})
	}
	return units, nil
}

// option returns the option with these ids.
func (c call) option(productID, optionID string) (*catalog.IndexedOption, error) {
	option, err := c.business().Option(productID, optionID)
	if err == nil {
		return option, nil
	}
	if _, ok := c.business().Catalog().Product(productID); ok {
		return nil, refusal{octo.Error{Code: octo.InvalidOptionID, Message: err.Error(), OptionID: optionID}}
	}
	return nil, unknownProduct(productID)
}

func unknownProduct(id string) error {
	return refusal{octo.Error{Code: octo.InvalidProductID, Message: fmt.Sprintf("there is no product %q", id), ProductID: id}}
}

func timeOfDay(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60%24, minute%60) }

func number(amount int64) json.Number { return json.Number(strconv.FormatInt(amount, 10)) }

func optional(amount *int64) *json.Number {
	if amount == nil {
		return nil
	}
	return new(number(*amount))
}

func decimals(precision *int) *int {
	if precision == nil {
		return new(partnerapi.DefaultCurrencyPrecision)
	}
	return precision
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
