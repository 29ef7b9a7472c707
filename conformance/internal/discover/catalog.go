// Package discover reads a partner's answers leniently and selects what to test. A catalog with one
// invalid price still has products, options and units: its own rule judges the price, which must
// not hide the rest.
//
// Nothing here sends a request.
package discover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Product is what the suite needs of a product.
type Product struct {
	ID            string
	Zone          *time.Location // UTC if the catalog names no existing zone
	ZoneKnown     bool
	AllowFreesale bool
	UpdatedAt     time.Time // zero if it is missing
	Options       []Option
}

// Option is an option of a product, as far as it can be read.
type Option struct {
	ID     string
	Units  []Unit
	Limits Limits // of a party, as the option declares them
	Least  int64  // the smallest party that the partner takes, as it declares or as was found out; 0: one guest
}

// Unit is a guest type of an option, as far as it can be read.
type Unit struct {
	ID             string
	Type           partnerapi.UnitType
	MinAge, MaxAge *int64
	Prices         []Price
}

// Price is a price of a unit, without its amount.
type Price struct {
	Currency  string
	Precision int64 // partnerapi.DefaultCurrencyPrecision if the entry has none
}

// Products splits the answer of GET /products into its products, undecoded. The answer is an array,
// or an object whose "products" is an array. Any other shape is an ErrShape (PRD-1).
func Products(raw []byte) ([]json.RawMessage, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return Elements(raw)
	}
	if err := wellFormed(raw); err != nil {
		return nil, err
	}
	// Unlike a struct, a map does not accept "Products" for "products".
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, err
	}
	products, ok := object["products"]
	if !ok {
		return nil, fmt.Errorf("%w: the object has no products", ErrShape)
	}
	elements, err := Elements(products)
	if err != nil {
		return nil, fmt.Errorf("products: %w", err)
	}
	return elements, nil
}

// mostUnits is the maximum number of units of an option that are read. There are five guest types.
const mostUnits = 1000

// ReadProduct reads a decoded product leniently. What is missing or of the wrong type is left
// empty.
func ReadProduct(value any) Product {
	object, _ := value.(map[string]any)
	product := Product{ID: text(object, "id"), Zone: time.UTC}
	product.AllowFreesale, _ = object["allowFreesale"].(bool)
	product.UpdatedAt, _ = partnerapi.ParseDateTime(text(object, "updatedAt"))
	if zone, err := schemas.LoadZone(text(object, "timeZone")); err == nil {
		product.Zone, product.ZoneKnown = zone, true
	}
	for _, option := range list(object, "options") {
		read := Option{ID: text(option, "id"), Limits: readLimits(option["restrictions"])}
		if read.Limits.Min > 1 {
			read.Least = read.Limits.Min
		}
		units := list(option, "units")
		for _, unit := range units[:min(len(units), mostUnits)] {
			read.Units = append(read.Units, readUnit(unit))
		}
		product.Options = append(product.Options, read)
	}
	return product
}

func readUnit(object map[string]any) Unit {
	unit := Unit{ID: text(object, "id"), Type: partnerapi.UnitType(text(object, "type"))}
	if restrictions, ok := object["restrictions"].(map[string]any); ok {
		unit.MinAge, unit.MaxAge = integer(restrictions, "minAge"), integer(restrictions, "maxAge")
	}
	for _, entry := range list(object, "pricingFrom") {
		price := Price{Currency: text(entry, "currency"), Precision: partnerapi.DefaultCurrencyPrecision}
		if precision := integer(entry, "currencyPrecision"); precision != nil {
			price.Precision = *precision
		}
		unit.Prices = append(unit.Prices, price)
	}
	return unit
}

// Lead returns the unit that requests for the option use: the adult, else its first unit (PRD-15).
// It returns "" if the option has no units.
func (o Option) Lead() string {
	lead := ""
	for _, unit := range o.Units {
		if unit.ID == partnerapi.AdultUnitID {
			return unit.ID
		}
		if lead == "" {
			lead = unit.ID
		}
	}
	return lead
}

// Unit returns the option's unit with that id, or the zero Unit.
func (o Option) Unit(id string) Unit {
	for _, unit := range o.Units {
		if unit.ID == id {
			return unit
		}
	}
	return Unit{}
}

// FixedIDs reports whether the units have the ids that their types require, and no other unit has
// such an id (PRD-12).
func (o Option) FixedIDs() bool {
	for _, unit := range o.Units {
		fixed, has := unit.Type.FixedUnitID()
		if has && unit.ID != fixed {
			return false
		}
		for _, other := range partnerapi.UnitTypes() {
			if id, has := other.FixedUnitID(); has && id == unit.ID && unit.Type != "" && other != unit.Type {
				return false
			}
		}
	}
	return true
}

// Fit returns the size of the party nearest to that many guests that the option takes, as far as is known.
func (o Option) Fit(guests int64) int64 {
	guests = max(guests, o.Least)
	if o.Limits.Max > 0 {
		guests = min(guests, o.Limits.Max)
	}
	return guests
}

// Infant returns the unit of infants, who may take no seat. It returns false if there is no such
// unit other than the lead (RSV-9).
func (o Option) Infant() (string, bool) { return o.besideLead(true) }

// Companion returns a second unit, other than the lead, that takes a seat of its own. It returns
// false if there is no such unit (RSV-9).
func (o Option) Companion() (string, bool) { return o.besideLead(false) }

func (o Option) besideLead(infant bool) (string, bool) {
	lead := o.Lead()
	for _, unit := range o.Units {
		if unit.ID != "" && unit.ID != lead && (unit.Type == partnerapi.Infant) == infant {
			return unit.ID, true
		}
	}
	return "", false
}
