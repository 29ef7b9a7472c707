package client

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Slot is a start, or an opening window, of a variation.
type Slot struct {
	AvailabilityID string                `json:"availability_id"` // what is booked
	Start          time.Time             `json:"start"`           // in the product's zone
	End            time.Time             `json:"end"`
	Status         partnerapi.SlotStatus `json:"status"`
	Bookable       bool                  `json:"bookable"`
	Vacancies      *int                  `json:"vacancies"` // seats left; nil where they are not known, or not counted
	Capacity       *int                  `json:"capacity"`  // seats in all; nil where they are not known
	Currency       string                `json:"currency"`
	Pricing        Pricing               `json:"pricing"` // the slot's own
}

// Day is a date of a variation's calendar.
type Day struct {
	Date      Date                  `json:"date"`
	Status    partnerapi.SlotStatus `json:"status"`     // the best of its slots; NoSlot where there is none
	FromPrice Decimal               `json:"from_price"` // the least that an adult, or the group, pays; "" where nothing can be booked
	Currency  string                `json:"currency"`
	Slots     int                   `json:"slots"`
	Vacancies *int                  `json:"vacancies"` // of what can be booked; nil where seats are not counted
}

// NoSlot is the status of a date without slots.
const NoSlot partnerapi.SlotStatus = "NONE"
