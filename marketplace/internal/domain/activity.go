package domain

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/schemas/partnerapi"
)

// Activity is a partner's product as the marketplace sells it. It contains the partner's fields and
// the operators' fields; neither overwrite the other.
type Activity struct {
	ID             uuid.UUID
	IntegrationID  uuid.UUID
	PartnerName    string // of the integration
	Mode           Mode   // of the integration
	CreatedAt      time.Time
	Title          string             // from the first product, afterwards set by operators
	Product        partnerapi.Product // as last received, without its options
	PartnerActive  bool               // the partner's catalog contains it
	OperatorActive bool               // operators allow its sale
	Details        ActivityDetails
	Variations     []Variation // ordered by Sort
}

// IsListed reports whether resellers see the activity.
func (a Activity) IsListed() bool { return a.PartnerActive && a.OperatorActive }

// Currency returns the currency of the partner's first price.
func (a Activity) Currency() Currency {
	for _, v := range a.Variations {
		for _, unit := range v.Option.Units {
			for _, entry := range unit.PricingFrom {
				return Currency(entry.Currency)
			}
		}
	}
	return "EUR" // nothing has a price
}

// ActivityFilter filters activities. Empty fields match everything.
type ActivityFilter struct {
	Words       string    // part of the title, ignoring case, or the partner's product id
	Integration uuid.UUID // zero: all
	Listed      *bool     // whether resellers see it
	Mode        Mode      // "": both
}

// Variation is an option of the product.
type Variation struct {
	ID       uuid.UUID
	Sort     int
	Title    string            // from the first option, afterwards set by operators
	Option   partnerapi.Option // as last received
	Active   bool              // the product contains it
	Capacity int               // the largest known of its slots; 0 if unknown
	Details  VariationDetails
}

// List is a list whose JSON is never null.
type List[T any] []T

// MarshalJSON returns an empty array for nil.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Object is a free-form object whose JSON is never null.
type Object map[string]json.RawMessage

// MarshalJSON returns an empty object for nil.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]json.RawMessage(o))
}

// ActivityDetails are the fields of an activity that operators set, with the contract's names.
type ActivityDetails struct {
	ActivityType            Named             `json:"activity_type"`
	MainPromoTitle          string            `json:"main_promo_title"`
	ShortDescription        string            `json:"short_description"`
	Description             string            `json:"description"`
	Address                 string            `json:"address"`
	OneTimeActivity         bool              `json:"one_time_activity"`
	AdminPricePercentage    *Number           `json:"admin_price_percentage"`    // added to the price
	AdminDiscountPercentage *Number           `json:"admin_discount_percentage"` // subtracted from the price
	Location                Location          `json:"location"`
	Categories              List[string]      `json:"categories"`
	Tags                    List[string]      `json:"tags"`
	Media                   List[Image]       `json:"media"`
	PartnerDetails          PartnerDetails    `json:"partner_details"`
	Translation             map[string]Object `json:"translation"` // by language, then by field
}

// Named is something that has a name.
type Named struct {
	Name string `json:"name"`
}

// Location is where an activity takes place.
type Location struct {
	Country Country `json:"country"`
	City    string  `json:"city"`
	Region  string  `json:"region"`
}

// Country is a country's code and name.
type Country struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Image is the address of a picture.
type Image struct {
	ImageURL string `json:"imageUrl"`
}

// PartnerDetails are the facts about a partner that resellers read.
type PartnerDetails struct {
	Name            string `json:"name"` // always the integration's name
	PartnerCategory string `json:"partner_category"`
	CompanyDetails  Object `json:"companyDetails"`
	ProfileImage    string `json:"profileImage"`
}

// VariationDetails are the fields of a variation that operators set, with the contract's names.
type VariationDetails struct {
	Language     List[string]    `json:"language"`
	Description  string          `json:"description"`
	GroupPrice   *GroupPrice     `json:"group_price"` // nil: each guest pays
	MaxNoBooking int             `json:"max_no_booking"`
	Duration     Duration        `json:"duration"`
	Itinerary    List[Step]      `json:"itinerary"`
	Includes     Includes        `json:"includes"`
	CutOffTime   string          `json:"cut_off_time"`
	Media        Image           `json:"media"`
	TourGuides   List[TourGuide] `json:"tourGuides"`
	Pickup       Pickup          `json:"pickup"`
	Notes        string          `json:"notes"`
}

// GroupPrice is the price for a whole group before percentages and fees.
type GroupPrice struct {
	Amount   decimal.Decimal `json:"amount"` // in the major unit
	Currency Currency        `json:"currency"`
}

// Duration is how long a variation takes: days plus hours.
type Duration struct {
	Hours Number `json:"hours"`
	Days  Number `json:"days"`
}

// Step is one step of an itinerary.
type Step struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// Includes lists what a price includes and what it excludes.
type Includes struct {
	TransportationMethods List[string] `json:"transportation_methods"`
	Food                  List[string] `json:"food"`
	Drinks                List[string] `json:"drinks"`
	Including             List[string] `json:"including"`
	Excluding             List[string] `json:"excluding"`
}

// TourGuide leads guests.
type TourGuide struct {
	ID   string `json:"tour_guide_id"`
	Name string `json:"name"`
}

// Pickup describes where guests are picked up and dropped off.
type Pickup struct {
	Type           string `json:"type"`
	PickUpAddress  Place  `json:"pick_up_address"`
	DropOffAddress Place  `json:"drop_off_address"`
}

// Place is an address and its position in degrees (WGS 84).
type Place struct {
	Address string `json:"address"`
	Lat     Number `json:"lat"`
	Lng     Number `json:"lng"`
}
