package client

import "time"

// Slot is a start, or an opening window, of a variation.
type Slot struct {
	AvailabilityID string     `json:"availability_id"` // what is booked
	Start          time.Time  `json:"start"`           // in the product's zone
	End            time.Time  `json:"end"`
	Status         SlotStatus `json:"status"`
	Bookable       bool       `json:"bookable"`
	Vacancies      *int       `json:"vacancies"` // seats left; nil where they are not known, or not counted
	Capacity       *int       `json:"capacity"`  // seats in all; nil where they are not known
	Currency       string     `json:"currency"`
	Pricing        Pricing    `json:"pricing"` // the slot's own
}

// Day is a date of a variation's calendar.
type Day struct {
	Date      Date       `json:"date"`
	Status    SlotStatus `json:"status"`     // the best of its slots; NoSlot where there is none
	FromPrice Decimal    `json:"from_price"` // the least that an adult, or the group, pays; "" where nothing can be booked
	Currency  string     `json:"currency"`
	Slots     int        `json:"slots"`
	Vacancies *int       `json:"vacancies"` // of what can be booked; nil where seats are not counted
}

// SlotStatus says whether a slot can be booked.
type SlotStatus string

// The statuses.
const (
	Available SlotStatus = "AVAILABLE"
	Freesale  SlotStatus = "FREESALE" // there is no limit
	Limited   SlotStatus = "LIMITED"  // few are left
	SoldOut   SlotStatus = "SOLD_OUT" // shown, and not bookable
	Closed    SlotStatus = "CLOSED"   // never shown: only partners say it, in a notification
	NoSlot    SlotStatus = "NONE"     // of a date without slots
)
