// Package octo has the wire types of OCTO, the open standard for tours and activities (octo.travel):
// what a supplier answers and a reseller sends, with the pricing capability. The mock partner serves
// them, and the bridge reads them.
//
// Fields that neither of the two uses are left out. A pointer is nil where the standard has null.
package octo

import "encoding/json"

// The headers and the capability that carries prices.
const (
	CapabilitiesHeader = "Octo-Capabilities"
	Pricing            = "octo/pricing"
)

// Product is one product of GET /products.
type Product struct {
	ID                   string   `json:"id"`
	InternalName         string   `json:"internalName"`
	Reference            *string  `json:"reference"`
	Locale               string   `json:"locale"`
	TimeZone             string   `json:"timeZone"`
	AllowFreesale        bool     `json:"allowFreesale"` // it can be booked without a look at its availability
	InstantConfirmation  bool     `json:"instantConfirmation"`
	InstantDelivery      bool     `json:"instantDelivery"` // tickets come with the confirmation
	AvailabilityRequired bool     `json:"availabilityRequired"`
	AvailabilityType     string   `json:"availabilityType"` // START_TIME or OPENING_HOURS
	DeliveryFormats      []string `json:"deliveryFormats"`
	DeliveryMethods      []string `json:"deliveryMethods"`
	RedemptionMethod     string   `json:"redemptionMethod"`
	Options              []Option `json:"options"`

	// With octo/pricing.
	DefaultCurrency     string   `json:"defaultCurrency,omitempty"`
	AvailableCurrencies []string `json:"availableCurrencies,omitempty"`
	PricingPer          string   `json:"pricingPer,omitempty"` // UNIT or BOOKING
}

// PricedPerBooking is the PricingPer of a product that costs the same whatever the party.
const PricedPerBooking = "BOOKING"

// Option is one form of a product.
type Option struct {
	ID                          string             `json:"id"`
	Default                     bool               `json:"default"`
	InternalName                string             `json:"internalName"`
	Reference                   *string            `json:"reference"`
	AvailabilityLocalStartTimes []string           `json:"availabilityLocalStartTimes"`
	CancellationCutoff          string             `json:"cancellationCutoff"` // text for people
	CancellationCutoffAmount    int                `json:"cancellationCutoffAmount"`
	CancellationCutoffUnit      string             `json:"cancellationCutoffUnit"` // minute, hour or day
	RequiredContactFields       []string           `json:"requiredContactFields"`
	Restrictions                OptionRestrictions `json:"restrictions"`
	Units                       []Unit             `json:"units"`
	PricingFrom                 []Price            `json:"pricingFrom,omitempty"` // octo/pricing, of products priced per booking
}

// OptionRestrictions limit the number of units in one booking.
type OptionRestrictions struct {
	MinUnits *int `json:"minUnits"`
	MaxUnits *int `json:"maxUnits"`
}

// Unit is a guest type of an option.
type Unit struct {
	ID                    string           `json:"id"`
	InternalName          string           `json:"internalName"`
	Reference             *string          `json:"reference"`
	Type                  string           `json:"type"` // such as ADULT, YOUTH or FAMILY
	Restrictions          UnitRestrictions `json:"restrictions"`
	RequiredContactFields []string         `json:"requiredContactFields"`
	PricingFrom           []Price          `json:"pricingFrom,omitempty"` // octo/pricing
}

// UnitRestrictions limit who may book a unit, and how many of it.
type UnitRestrictions struct {
	MinAge        *int     `json:"minAge"`
	MaxAge        *int     `json:"maxAge"`
	IDRequired    bool     `json:"idRequired"`
	MinQuantity   *int     `json:"minQuantity"`
	MaxQuantity   *int     `json:"maxQuantity"`
	PaxCount      int      `json:"paxCount"`
	AccompaniedBy []string `json:"accompaniedBy"` // ids of units
}

// Price is a price in one currency. Amounts are integers in the currency's smallest unit.
type Price struct {
	UnitID            string            `json:"unitId,omitempty"` // only in the prices of an availability
	Original          json.Number       `json:"original"`
	Retail            *json.Number      `json:"retail"`
	Net               *json.Number      `json:"net"`
	Currency          string            `json:"currency"`
	CurrencyPrecision *int              `json:"currencyPrecision"`
	IncludedTaxes     []json.RawMessage `json:"includedTaxes"`
}

// AvailabilityRequest is the body of POST /availability. Both dates are included.
type AvailabilityRequest struct {
	ProductID       string         `json:"productId"`
	OptionID        string         `json:"optionId"`
	LocalDateStart  string         `json:"localDateStart,omitempty"`
	LocalDateEnd    string         `json:"localDateEnd,omitempty"`
	AvailabilityIDs []string       `json:"availabilityIds,omitempty"` // in place of dates
	Units           []UnitQuantity `json:"units,omitempty"`
}

// UnitQuantity is a number of one unit.
type UnitQuantity struct {
	ID       string `json:"id"`
	Quantity int    `json:"quantity"`
}

// Availability is one slot.
type Availability struct {
	ID                 string  `json:"id"`
	LocalDateTimeStart string  `json:"localDateTimeStart"`
	LocalDateTimeEnd   string  `json:"localDateTimeEnd"`
	AllDay             bool    `json:"allDay"` // start and end are the day's; see OpeningHours
	Available          bool    `json:"available"`
	Status             string  `json:"status"`
	Vacancies          *int    `json:"vacancies"`
	Capacity           *int    `json:"capacity"`
	MaxUnits           *int    `json:"maxUnits"`
	UTCCutoffAt        string  `json:"utcCutoffAt"`
	OpeningHours       []Hours `json:"openingHours"`

	// With octo/pricing.
	UnitPricing []Price `json:"unitPricing,omitempty"`
	Pricing     []Price `json:"pricing,omitempty"` // of products priced per booking
}

// Hours is a time of day, HH:MM, from which and until which a product is open.
type Hours struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ReservationRequest is the body of POST /bookings.
type ReservationRequest struct {
	UUID              string     `json:"uuid,omitempty"` // the reseller's choice: a repeat makes no second booking
	ProductID         string     `json:"productId"`
	OptionID          string     `json:"optionId"`
	AvailabilityID    string     `json:"availabilityId"`
	ExpirationMinutes int        `json:"expirationMinutes,omitempty"`
	Notes             string     `json:"notes,omitempty"`
	UnitItems         []UnitItem `json:"unitItems"`
	ResellerReference string     `json:"resellerReference,omitempty"`
}

// UnitItem is one guest of a reservation.
type UnitItem struct {
	UnitID string `json:"unitId"`
}

// ConfirmationRequest is the body of POST /bookings/{uuid}/confirm.
type ConfirmationRequest struct {
	EmailReceipt      bool     `json:"emailReceipt"`
	ResellerReference string   `json:"resellerReference,omitempty"`
	Contact           *Contact `json:"contact,omitempty"`
}

// Contact is the guest who books.
type Contact struct {
	FullName     *string `json:"fullName"`
	FirstName    *string `json:"firstName"`
	LastName     *string `json:"lastName"`
	EmailAddress *string `json:"emailAddress"`
	PhoneNumber  *string `json:"phoneNumber"`
}

// CancellationRequest is the body of POST or DELETE /bookings/{uuid}/cancel.
type CancellationRequest struct {
	Reason string `json:"reason,omitempty"`
}

// ExtensionRequest is the body of POST or PATCH /bookings/{uuid}/extend.
type ExtensionRequest struct {
	ExpirationMinutes int `json:"expirationMinutes"`
}

// The states of a booking.
const (
	OnHold    = "ON_HOLD"
	Expired   = "EXPIRED"
	Confirmed = "CONFIRMED"
	Cancelled = "CANCELLED"
	Pending   = "PENDING" // the supplier has yet to accept it
	Redeemed  = "REDEEMED"
)

// Booking is a reservation, and what becomes of it. Times are in UTC.
type Booking struct {
	ID                string        `json:"id"`
	UUID              string        `json:"uuid"`
	TestMode          bool          `json:"testMode"`
	ResellerReference *string       `json:"resellerReference"`
	SupplierReference *string       `json:"supplierReference"`
	Status            string        `json:"status"`
	UTCCreatedAt      string        `json:"utcCreatedAt"`
	UTCUpdatedAt      string        `json:"utcUpdatedAt"`
	UTCExpiresAt      *string       `json:"utcExpiresAt"`
	UTCRedeemedAt     *string       `json:"utcRedeemedAt"`
	UTCConfirmedAt    *string       `json:"utcConfirmedAt"`
	ProductID         string        `json:"productId"`
	OptionID          string        `json:"optionId"`
	Cancellable       bool          `json:"cancellable"`
	Cancellation      *Cancellation `json:"cancellation"`
	Freesale          bool          `json:"freesale"`
	AvailabilityID    string        `json:"availabilityId"`
	Availability      *Availability `json:"availability"`
	Contact           Contact       `json:"contact"`
	Notes             *string       `json:"notes"`
	DeliveryMethods   []string      `json:"deliveryMethods"`
	Voucher           *Ticket       `json:"voucher"`
	UnitItems         []BookedUnit  `json:"unitItems"`
}

// Cancellation says how a booking was cancelled.
type Cancellation struct {
	Refund         string  `json:"refund"` // FULL, PARTIAL or NONE
	Reason         *string `json:"reason"`
	UTCCancelledAt string  `json:"utcCancelledAt"`
}

// BookedUnit is one guest of a booking.
type BookedUnit struct {
	UUID              string  `json:"uuid"`
	ResellerReference *string `json:"resellerReference"`
	SupplierReference *string `json:"supplierReference"`
	UnitID            string  `json:"unitId"`
	Status            string  `json:"status"`
	UTCRedeemedAt     *string `json:"utcRedeemedAt"`
	Contact           Contact `json:"contact"`
	Ticket            *Ticket `json:"ticket"`
}

// Ticket is what a guest, or with a voucher the party, shows at the entrance.
type Ticket struct {
	RedemptionMethod string           `json:"redemptionMethod"`
	UTCRedeemedAt    *string          `json:"utcRedeemedAt"`
	DeliveryOptions  []DeliveryOption `json:"deliveryOptions"`
}

// DeliveryOption is one form of a ticket.
type DeliveryOption struct {
	DeliveryFormat string `json:"deliveryFormat"`
	DeliveryValue  string `json:"deliveryValue"`
}

// ErrorCode says why a request was refused.
type ErrorCode string

// The error codes.
const (
	InvalidProductID      ErrorCode = "INVALID_PRODUCT_ID"
	InvalidOptionID       ErrorCode = "INVALID_OPTION_ID"
	InvalidUnitID         ErrorCode = "INVALID_UNIT_ID"
	InvalidAvailabilityID ErrorCode = "INVALID_AVAILABILITY_ID"
	InvalidBookingUUID    ErrorCode = "INVALID_BOOKING_UUID" // unknown, in use, or expired
	BadRequest            ErrorCode = "BAD_REQUEST"
	UnprocessableEntity   ErrorCode = "UNPROCESSABLE_ENTITY" // such as a slot without enough seats
	InternalServerError   ErrorCode = "INTERNAL_SERVER_ERROR"
	Unauthorized          ErrorCode = "UNAUTHORIZED" // no key
	Forbidden             ErrorCode = "FORBIDDEN"    // another key
)

// Error is the body of every refusal.
type Error struct {
	Code    ErrorCode `json:"error"`
	Message string    `json:"errorMessage"`

	ProductID      string `json:"productId,omitempty"`
	OptionID       string `json:"optionId,omitempty"`
	UnitID         string `json:"unitId,omitempty"`
	AvailabilityID string `json:"availabilityId,omitempty"`
	UUID           string `json:"uuid,omitempty"`
}
