package partnerapi

// Product is one bookable product of a partner's catalog, the answer of GET /products (PRD-2 and
// following).
type Product struct {
	ID                  string   `json:"id"`                      // permanent, unique in the catalog
	InternalName        string   `json:"internalName"`            // initial title of the activity
	Locale              string   `json:"locale"`                  // BCP 47
	TimeZone            string   `json:"timeZone"`                // IANA zone of all its times
	InstantConfirmation bool     `json:"instantConfirmation"`     // no manual review by the partner
	AllowFreesale       bool     `json:"allowFreesale,omitempty"` // unlimited: vacancies are ignored
	Options             []Option `json:"options"`                 // at least one
	Reference           string   `json:"reference,omitempty"`
	UpdatedAt           string   `json:"updatedAt,omitempty"` // ISO 8601; used by incremental syncs
}

// Option is one form of a product, with its own slots.
type Option struct {
	ID                 string           `json:"id"` // permanent, unique in its product
	InternalName       string           `json:"internalName"`
	AvailabilityType   AvailabilityType `json:"availabilityType"`
	Units              []Unit           `json:"units"`
	CancellationCutoff string           `json:"cancellationCutoff,omitempty"` // text for people, not for machines
	Restrictions       PartyLimits      `json:"restrictions,omitzero"`        // an extension: no partner must send it (EXT-1)
}

// PartyLimits are the smallest and the largest party that an option takes (EXT-1). Every guest of the
// request counts, infants too. 0 stands for no limit.
type PartyLimits struct {
	MinUnits int `json:"minUnits,omitempty"`
	MaxUnits int `json:"maxUnits,omitempty"`
}

// Usable returns the limits that a caller may rely on: without negative ones, and none if the smallest
// party is larger than the largest.
func (l PartyLimits) Usable() PartyLimits {
	l = PartyLimits{max(l.MinUnits, 0), max(l.MaxUnits, 0)}
	if l.MaxUnits > 0 && l.MinUnits > l.MaxUnits {
		return PartyLimits{}
	}
	return l
}

// Unit is a guest type of an option, with its prices.
type Unit struct {
	ID           string         `json:"id"` // fixed for all types but STUDENT, see UnitType.FixedUnitID
	InternalName string         `json:"internalName"`
	Type         UnitType       `json:"type"`
	PricingFrom  []PricingEntry `json:"pricingFrom"` // at least one
	Restrictions *Restrictions  `json:"restrictions,omitempty"`
}

// Restrictions limit a guest's age, in whole years, both inclusive.
type Restrictions struct {
	MinAge *int `json:"minAge,omitempty"`
	MaxAge *int `json:"maxAge,omitempty"`
}

// PricingEntry is a price in one currency. Amounts are integers in the smallest unit: Original /
// 10^CurrencyPrecision is the amount in the major unit.
type PricingEntry struct {
	Original          int64  `json:"original"`
	Currency          string `json:"currency"`                    // ISO 4217
	CurrencyPrecision *int   `json:"currencyPrecision,omitempty"` // default DefaultCurrencyPrecision
	Retail            *int64 `json:"retail,omitempty"`
	Net               *int64 `json:"net,omitempty"`
}
