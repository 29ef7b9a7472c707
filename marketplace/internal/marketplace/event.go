package marketplace

import (
	"slices"

	"github.com/google/uuid"
)

// EventType is what an event tells a reseller.
type EventType string

// The types of events. A reseller is told of its own bookings, and of the catalog what it
// asks for.
const (
	BookingConfirmed EventType = "booking.confirmed"
	BookingCancelled EventType = "booking.cancelled"
	BookingReleased  EventType = "booking.released"
	BookingAttention EventType = "booking.attention" // there is a new reason why it needs an operator
	ActivityChanged  EventType = "activity.changed"
	ActivityRemoved  EventType = "activity.removed"
	SlotChanged      EventType = "slot.changed"
)

// EventTypes lists them.
func EventTypes() []EventType {
	return []EventType{BookingConfirmed, BookingCancelled, BookingReleased, BookingAttention, ActivityChanged, ActivityRemoved, SlotChanged}
}

// BookingEvent is what an event tells of a booking. It holds nothing of the guest, whose
// erasure would have to find it.
type BookingEvent struct {
	BookingID         uuid.UUID             `json:"booking_id"`
	ResellerReference string                `json:"reseller_reference"`
	Status            BookingStatus         `json:"status"`
	ReleaseReason     *ReleaseReason        `json:"release_reason"`
	ActivityID        uuid.UUID             `json:"activity_id"`
	VariationID       uuid.UUID             `json:"variation_id"`
	Attention         List[AttentionReason] `json:"attention"`
}

// NewBookingEvent returns what an event tells of a booking as it stands.
func NewBookingEvent(b Booking) BookingEvent {
	told := BookingEvent{BookingID: b.ID, ResellerReference: b.ResellerReference, Status: b.Status, ActivityID: b.ActivityID, VariationID: b.VariationID}
	if b.Reason != "" {
		told.ReleaseReason = &b.Reason
	}
	for _, a := range b.Attention {
		told.Attention = append(told.Attention, a.Reason)
	}
	return told
}

// BookingEvents lists what a reseller is told of a change of its booking, in order. A
// checkout that has made no booking tells nothing.
func BookingEvents(before, after Booking) (list []EventType) {
	if !slices.Contains(BookingStatuses(), after.Status) {
		return nil
	}
	entered := map[BookingStatus]EventType{Confirmed: BookingConfirmed, Cancelled: BookingCancelled, Released: BookingReleased}
	if told, is := entered[after.Status]; is && before.Status != after.Status {
		list = append(list, told)
	}
	if len(NewAttention(before, after)) > 0 {
		list = append(list, BookingAttention)
	}
	return list
}

// NewAttention lists what a booking needs an operator for since a change of it.
func NewAttention(before, after Booking) (list []Attention) {
	for _, a := range after.Attention {
		if !slices.ContainsFunc(before.Attention, func(known Attention) bool { return known.Reason == a.Reason }) {
			list = append(list, a)
		}
	}
	return list
}
