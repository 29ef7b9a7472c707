package client

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// SlotState is the internal state of a slot.
type SlotState struct {
	ProductID      string                `json:"productId"`
	OptionID       string                `json:"optionId"`
	AvailabilityID string                `json:"availabilityId"`
	Start          time.Time             `json:"localDateTimeStart"`
	End            time.Time             `json:"localDateTimeEnd"`
	Status         partnerapi.SlotStatus `json:"status"`
	Counted        bool                  `json:"counted"` // false: no limit
	Capacity       int                   `json:"capacity"`
	Vacancies      int                   `json:"vacancies"`
	Shared         int                   `json:"shared,omitempty"` // not for sale, because slots that share seats with it took them
	Elsewhere      int                   `json:"elsewhere"`        // sold through other channels
	Held           int                   `json:"held"`
	Confirmed      int                   `json:"confirmed"`
}

// Violation is a violation of an invariant of the inventory.
type Violation struct {
	Invariant string `json:"law"`     // the violated invariant
	Subject   string `json:"subject"` // the slot, code or booking id
	Message   string `json:"message"`
}

// SlotChange is what SetSlot changes; nil leaves a field unchanged.
type SlotChange struct {
	// Status opens or closes the slot. SOLD_OUT marks the remaining seats as sold elsewhere.
	// FREESALE removes the limit. AVAILABLE and LIMITED require Vacancies if the slot's current
	// number does not match the status.
	Status *partnerapi.SlotStatus `yaml:"status" json:"status,omitempty"`
	// Capacity is the new number of seats; sold seats stay sold.
	Capacity *int `yaml:"capacity" json:"capacity,omitempty"`
	// Vacancies is the new number of remaining seats. All other seats that are not held or
	// confirmed count as sold elsewhere.
	Vacancies *int `yaml:"vacancies" json:"vacancies,omitempty"`
}

// TimerKind is the event that a timer waits for.
type TimerKind string

const (
	// HoldExpires: a live hold expires and its seats return (REL-7).
	HoldExpires TimerKind = "hold-expires"
	// SaleEnds: a slot is CLOSED from then on (AVL-9).
	SaleEnds TimerKind = "sale-ends"
	// DayBegins: a new date begins in the zone of a product. The window of days that callers
	// request moves with it.
	DayBegins TimerKind = "day-begins"
	// SlotChanges: a planned change of a slot is made.
	SlotChanges TimerKind = "slot-changes"
)

// Timer is an event that happens when the clock reaches At.
type Timer struct {
	At   time.Time `json:"at"`
	Kind TimerKind `json:"kind"`
	// Subject is the code of the hold, the id of the slot or the name of the zone.
	Subject string `json:"subject"`
}
