package client

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Activity is a bookable activity as resellers read it, without its slots.
type Activity struct {
	ID     string         `json:"_id"`
	Title  string         `json:"activity_title"`
	Status ActivityStatus `json:"status"`
	ActivityDetails
	Currency   string      `json:"currency"`   // of every price
	ServiceFee Decimal     `json:"serviceFee"` // part of the prices
	Variations []Variation `json:"variations"`
}

// ActivityDetails are the fields of an activity that operators set.
type ActivityDetails struct {
	ActivityType struct {
		Name string `json:"name"`
	} `json:"activity_type"`
	MainPromoTitle          string   `json:"main_promo_title"`
	ShortDescription        string   `json:"short_description"`
	Description             string   `json:"description"`
	Address                 string   `json:"address"`
	OneTimeActivity         bool     `json:"one_time_activity"`
	AdminPricePercentage    Decimal  `json:"admin_price_percentage"`    // added to the price; "": not set
	AdminDiscountPercentage Decimal  `json:"admin_discount_percentage"` // subtracted from the price; "": not set
	Location                Location `json:"location"`
	Categories              []string `json:"categories"`
	Tags                    []string `json:"tags"`
	Media                   []Image  `json:"media"`
	PartnerDetails          struct {
		Name            string         `json:"name"`
		PartnerCategory string         `json:"partner_category"`
		CompanyDetails  map[string]any `json:"companyDetails"` // free-form
		ProfileImage    string         `json:"profileImage"`
	} `json:"partner_details"`
	Translation map[string]map[string]any `json:"translation"` // by language, then by field
}

// ActivityStatus says whether an activity is sold.
type ActivityStatus string

// The two statuses.
const (
	Active   ActivityStatus = "Active"
	Inactive ActivityStatus = "Inactive"
)

// Variation is one way to take an activity.
type Variation struct {
	ID                  string                      `json:"_id"`
	Title               string                      `json:"title"`
	Sort                int                         `json:"sort"` // variations are sorted by it, smallest first
	AvailabilityType    partnerapi.AvailabilityType `json:"availability_type"`
	Pricing             Pricing                     `json:"pricing"`
	Capacity            int                         `json:"capacity"` // of its largest slot
	InstantConfirmation bool                        `json:"instant_confirmation"`
	CancellationPolicy  string                      `json:"cancellation_policy"`
	Restrictions        Restrictions                `json:"restrictions"`
	ExternalSync        struct {
		ExternalOptionID string `json:"external_option_id" wire:"null"` // "": the marketplace created the variation
	} `json:"external_sync"`
	VariationDetails
}

// Restrictions are the parties that the partner takes, in guests of all types.
type Restrictions struct {
	MinUnits *int `json:"min_units"` // nil if the partner names no limit
	MaxUnits *int `json:"max_units"`
}

// VariationDetails are the fields of a variation that operators set.
type VariationDetails struct {
	Language     []string `json:"language"`
	Description  string   `json:"description"`
	MaxNoBooking int      `json:"max_no_booking"` // guests in one booking; 0: no limit
	Duration     Duration `json:"duration"`
	Itinerary    []struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"itinerary"`
	Includes struct {
		TransportationMethods []string `json:"transportation_methods"`
		Food                  []string `json:"food"`
		Drinks                []string `json:"drinks"`
		Including             []string `json:"including"`
		Excluding             []string `json:"excluding"`
	} `json:"includes"`
	CutOffTime string `json:"cut_off_time"`
	Media      Image  `json:"media"`
	TourGuides []struct {
		ID   string `json:"tour_guide_id"`
		Name string `json:"name"`
	} `json:"tourGuides"`
	Pickup Pickup `json:"pickup"`
	Notes  string `json:"notes"`
}

// Pricing is the price of a variation or of one of its slots: by guest, or by group. Prices are in
// the major unit of the currency and include fees and commission.
type Pricing struct {
	GroupPrice         Decimal `json:"group_price"` // for the whole group; "": each guest pays
	DiscountPercentage Decimal `json:"discount_percentage"`
	Units              []struct {
		UnitID string              `json:"unit_id"`
		Type   partnerapi.UnitType `json:"type"`
		Label  string              `json:"label"`
		MinAge *int                `json:"min_age"` // full years, inclusive; nil if there is no minimum
		MaxAge *int                `json:"max_age"`
		Price  Decimal             `json:"price"`
	} `json:"units"`
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

// Duration is how long a variation takes: days plus hours. Both are 0 if it is not given.
type Duration struct {
	Hours float64 `json:"hours"`
	Days  float64 `json:"days"`
}

// Pickup describes where guests are picked up and dropped off.
type Pickup struct {
	Type           string `json:"type"`
	PickUpAddress  Place  `json:"pick_up_address"`
	DropOffAddress Place  `json:"drop_off_address"`
}

// Place is an address and its position in degrees (WGS 84). Latitude 0 with longitude 0 means that no position
// is given.
type Place struct {
	Address string  `json:"address"`
	Lat     float64 `json:"lat"`
	Lng     float64 `json:"lng"`
}

// Slot is a start, or an opening window, of a variation.
type Slot struct {
	AvailabilityID string                `json:"availability_id"` // of the slot to book
	Start          time.Time             `json:"start"`           // in the product's zone
	End            *time.Time            `json:"end"`             // nil: the partner has not sent it yet
	Status         partnerapi.SlotStatus `json:"status"`
	Bookable       bool                  `json:"bookable"`
	Vacancies      *int                  `json:"vacancies"` // free seats; nil if unknown or unlimited
	Capacity       *int                  `json:"capacity"`  // total seats; nil if unknown
	Currency       string                `json:"currency"`
	Pricing        Pricing               `json:"pricing"` // of this slot
}

// Day is a date of a variation's calendar.
type Day struct {
	Date      Date                  `json:"date"`
	Status    partnerapi.SlotStatus `json:"status"`     // the best status of its slots that have not started; NoSlot if it has none
	FromPrice Decimal               `json:"from_price"` // the lowest price for an adult or for the group; "" if nothing can be booked in the currency
	Currency  string                `json:"currency"`
	Slots     int                   `json:"slots"`
	Vacancies *int                  `json:"vacancies"` // of the bookable slots; nil if seats are unlimited
}

// VariationCalendar is the calendar of one of an activity's variations.
type VariationCalendar struct {
	VariationID string `json:"variation_id"`
	Days        []Day  `json:"days"`
}

// NoSlot is the status of a date without slots.
const NoSlot partnerapi.SlotStatus = "NONE"
