package marketplace

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/schemas/partnerapi"
)

// Activity is a partner's product as the marketplace sells it: what the partner last
// said, and what operators have set, which neither overwrites of the other.
type Activity struct {
	ID             uuid.UUID
	IntegrationID  uuid.UUID
	PartnerName    string // the integration's name
	Mode           Mode   // the integration's
	CreatedAt      time.Time
	Title          string             // seeded by the first product, then an operator's
	Product        partnerapi.Product // as the partner last sent it, without its options
	PartnerActive  bool               // it is in the partner's catalog
	OperatorActive bool               // an operator lets it be sold
	Details        ActivityDetails
	Variations     []Variation // by Sort
}

// Listed reports whether resellers see the activity.
func (a Activity) Listed() bool { return a.PartnerActive && a.OperatorActive }

// Currency is that of the partner's first price.
func (a Activity) Currency() Currency {
	for _, v := range a.Variations {
		for _, unit := range v.Option.Units {
			for _, entry := range unit.PricingFrom {
				return Currency(entry.Currency)
			}
		}
	}
	return "EUR" // nothing of it is sold, and nothing has a price
}

// ActivityFilter narrows a list of activities; what is empty takes everything.
type ActivityFilter struct {
	Words       string    // a part of the title, whatever its capitals, or the partner's id of the product
	Integration uuid.UUID // zero: all
	Listed      *bool     // whether resellers see it
	Mode        Mode      // "": both
}

// Variation is an option of the product.
type Variation struct {
	ID       uuid.UUID
	Sort     int
	Title    string            // seeded by the first option, then an operator's
	Option   partnerapi.Option // as the partner last sent it
	Active   bool              // it is in its product
	Capacity int               // the largest known of its slots; 0 where none is
	Details  VariationDetails
}

// List is an array that JSON never shows as null.
type List[T any] []T

// MarshalJSON writes an empty array for none.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Object is a free-form object that JSON never shows as null.
type Object map[string]json.RawMessage

// MarshalJSON writes an empty object for none.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]json.RawMessage(o))
}

// ActivityDetails are the fields of an activity that operators set, by the contract's
// names.
type ActivityDetails struct {
	ActivityType            Named             `json:"activity_type"`
	MainPromoTitle          string            `json:"main_promo_title"`
	ShortDescription        string            `json:"short_description"`
	Description             string            `json:"description"`
	Address                 string            `json:"address"`
	OneTimeActivity         bool              `json:"one_time_activity"`
	AdminPricePercentage    *Number           `json:"admin_price_percentage"`    // added to the price
	AdminDiscountPercentage *Number           `json:"admin_discount_percentage"` // taken off it
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

// Country is one, by its code and its name.
type Country struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Image is a picture's address.
type Image struct {
	ImageURL string `json:"imageUrl"`
}

// PartnerDetails are what resellers read of a partner.
type PartnerDetails struct {
	Name            string `json:"name"` // always the integration's
	PartnerCategory string `json:"partner_category"`
	CompanyDetails  Object `json:"companyDetails"`
	ProfileImage    string `json:"profileImage"`
}

// VariationDetails are the fields of a variation that operators set, by the contract's
// names.
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

// GroupPrice is what a whole group pays, before the marketplace's terms.
type GroupPrice struct {
	Amount   decimal.Decimal `json:"amount"` // in the major unit
	Currency Currency        `json:"currency"`
}

// Duration is how long a variation takes: days plus hours.
type Duration struct {
	Hours Number `json:"hours"`
	Days  Number `json:"days"`
}

// Step is one of an itinerary.
type Step struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// Includes are what a price includes, and what not.
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

// Pickup is where guests are fetched and brought back.
type Pickup struct {
	Type           string `json:"type"`
	PickUpAddress  Place  `json:"pick_up_address"`
	DropOffAddress Place  `json:"drop_off_address"`
}

// Place is an address and where it lies, in degrees (WGS 84).
type Place struct {
	Address string `json:"address"`
	Lat     Number `json:"lat"`
	Lng     Number `json:"lng"`
}
