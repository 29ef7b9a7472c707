package client

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// OperatorActivity is an activity as operators read it: the operators' fields and the partner's
// fields side by side, with the partner's prices.
type OperatorActivity struct {
	ID             string         `json:"_id"`
	IntegrationID  string         `json:"integration_id"`
	Mode           string         `json:"mode"` // live or test
	CreatedAt      time.Time      `json:"created_at"`
	Title          string         `json:"activity_title"`
	Status         ActivityStatus `json:"status"`          // Active if the next two are
	PartnerStatus  ActivityStatus `json:"partner_status"`  // Active while the partner's catalog contains it
	OperatorStatus ActivityStatus `json:"operator_status"` // set by operators
	ActivityDetails
	Currency     string `json:"currency"` // of the partner's first price
	ExternalSync struct {
		ExternalProductID   string `json:"external_product_id"`
		InternalName        string `json:"internal_name"`
		Reference           string `json:"reference"`
		Locale              string `json:"locale"`
		TimeZone            string `json:"time_zone"`
		InstantConfirmation bool   `json:"instant_confirmation"`
		AllowFreesale       bool   `json:"allow_freesale"`
	} `json:"external_sync"`
	Variations []OperatorVariation `json:"variations"`
}

// OperatorVariation is a variation as operators read it.
type OperatorVariation struct {
	ID                 string                      `json:"_id"`
	Title              string                      `json:"title"`
	Sort               int                         `json:"sort"`
	Status             ActivityStatus              `json:"status"` // Active while the product contains it
	AvailabilityType   partnerapi.AvailabilityType `json:"availability_type"`
	Capacity           int                         `json:"capacity"`
	CancellationPolicy string                      `json:"cancellation_policy"`
	Restrictions       Restrictions                `json:"restrictions"`
	Pricing            struct {
		GroupPrice Decimal `json:"group_price"`          // set by an operator; "": each guest pays
		Currency   string  `json:"currency" wire:"null"` // of the group price
		Units      []struct {
			ExternalUnitID string              `json:"external_unit_id"`
			Type           partnerapi.UnitType `json:"type"`
			Label          string              `json:"label"`
			Prices         []struct {
				Currency string  `json:"currency"`
				Original Decimal `json:"original"`
				Retail   Decimal `json:"retail"` // "": no retail price
				Net      Decimal `json:"net"`
			} `json:"prices"`
		} `json:"units"`
	} `json:"pricing"`
	ExternalSync struct {
		ExternalOptionID string `json:"external_option_id"`
		InternalName     string `json:"internal_name"`
	} `json:"external_sync"`
	VariationDetails
}

// OperatorActivityQuery filters activities.
type OperatorActivityQuery struct {
	Words         string         // part of the title, or the partner's product id
	Status        ActivityStatus // "": both
	IntegrationID string         // "": all
	Mode          string         // "": both
}

// Activities lists all activities, sold or not, oldest first.
func (o *Operator) Activities(q OperatorActivityQuery) List[OperatorActivity] {
	return List[OperatorActivity]{o.c, path("operator", "activities"), queryOf("q", q.Words, "status", string(q.Status), "integration", q.IntegrationID, "mode", q.Mode)}
}

// Activity reads an activity, sold or not.
func (o *Operator) Activity(ctx context.Context, activity string) (OperatorActivity, error) {
	return call[OperatorActivity](ctx, o.c, get(path("operator", "activities", activity), nil))
}

// PriceQuery is a change of an activity's percentages, and of the group price of one of its variations, to
// preview its prices.
type PriceQuery struct {
	Surcharge          Decimal // in percent; "": the activity's own
	Discount           Decimal // in percent; "": the activity's own
	VariationID        string  // only this variation; "": all; required for the fields of a group price
	GroupPrice         Decimal // in the major unit; "": the variation's own
	GroupPriceCurrency string  // "": the variation's own
	NoGroupPrice       bool    // each guest pays the partner's price; takes precedence over GroupPrice
	Currency           string  // of the prices; "": the partner's
}

// PricePreview compares what customers pay for an activity with what they would pay after a change.
type PricePreview struct {
	Currency             string  `json:"currency"`
	ServiceFee           Decimal `json:"service_fee"` // in the currency; part of every price
	CommissionPercentage Decimal `json:"commission_percentage"`
	Variations           []struct {
		ID     string           `json:"_id"`
		Title  string           `json:"title"`
		Prices []PreviewedPrice `json:"prices"`
	} `json:"variations"` // that the partner's product has
}

// PreviewedPrice is the price of a unit or of a group, now and after a change.
type PreviewedPrice struct {
	UnitID       string              `json:"unit_id" wire:"null"` // "": the price is for a group
	Type         partnerapi.UnitType `json:"type" wire:"null"`
	Label        string              `json:"label"`
	Change       PriceChange         `json:"change"`
	BasePrice    Decimal             `json:"base_price"` // the partner's price, or an operator's group price; the present one if it is kept
	BaseCurrency string              `json:"base_currency"`
	Price        Decimal             `json:"price"`         // now; "": an exchange rate is missing, or the price is added
	ChangedPrice Decimal             `json:"changed_price"` // afterwards; "": an exchange rate is missing, or the price is removed
}

// PriceChange says whether a price is charged before and after a change.
type PriceChange string

// What a change does to a price. A group price replaces the prices of guests, and they replace it.
const (
	PriceKept    PriceChange = "kept"    // charged before and after
	PriceAdded   PriceChange = "added"   // charged only after
	PriceRemoved PriceChange = "removed" // charged only before
)

// PreviewPrices reads what customers would pay for an activity after a change, and changes nothing.
func (o *Operator) PreviewPrices(ctx context.Context, activity string, q PriceQuery) (PricePreview, error) {
	query := queryOf("admin_price_percentage", string(q.Surcharge), "admin_discount_percentage", string(q.Discount),
		"variation_id", q.VariationID, "group_price", string(q.GroupPrice), "group_price_currency", q.GroupPriceCurrency, "currency", q.Currency)
	if q.NoGroupPrice {
		query.Set("group_price", "")
	}
	return call[PricePreview](ctx, o.c, get(path("operator", "activities", activity, "prices"), query))
}

// Patch is a JSON merge patch: an absent field is unchanged, nil clears it, and an object is
// merged.
type Patch map[string]any

// ChangeActivity changes an activity. The patch uses the JSON names of its fields. Variations are
// identified by their ids:
//
//	client.Patch{"activity_title": "Old town walk", "variations": []client.Patch{{"_id": id, "notes": nil}}}
func (o *Operator) ChangeActivity(ctx context.Context, activity string, change Patch) (OperatorActivity, error) {
	return call[OperatorActivity](ctx, o.c, request{method: http.MethodPatch, path: path("operator", "activities", activity), body: change})
}
