package domain

import (
	"slices"

	"github.com/google/uuid"
)

// EventType is the type of an event for resellers.
type EventType string

// The types of events. Resellers receive events about their own bookings, and those about the
// catalog that they subscribe to.
const (
	BookingConfirmed EventType = "booking.confirmed"
	BookingCancelled EventType = "booking.cancelled"
	BookingReleased  EventType = "booking.released"
	BookingAttention EventType = "booking.attention" // a new attention reason
	ActivityChanged  EventType = "activity.changed"
	ActivityRemoved  EventType = "activity.removed"
	SlotChanged      EventType = "slot.changed"
)

// EventTypes returns all types.
func EventTypes() []EventType {
	return []EventType{BookingConfirmed, BookingCancelled, BookingReleased, BookingAttention, ActivityChanged, ActivityRemoved, SlotChanged}
}

// BookingEvent is the data of an event about a booking. It contains nothing about the guest, whose
// data can be erased.
type BookingEvent struct {
	BookingID         uuid.UUID             `json:"booking_id"`
	ResellerReference string                `json:"reseller_reference"`
	Status            BookingStatus         `json:"status"`
	ReleaseReason     *ReleaseReason        `json:"release_reason"`
	ActivityID        uuid.UUID             `json:"activity_id"`
	VariationID       uuid.UUID             `json:"variation_id"`
	RescheduledFrom   *uuid.UUID            `json:"rescheduled_from"`
	RescheduledTo     *uuid.UUID            `json:"rescheduled_to"`
	Attention         List[AttentionReason] `json:"attention"`
}

// NewBookingEvent returns the event data for a booking.
func NewBookingEvent(b Booking) BookingEvent {
	event := BookingEvent{BookingID: b.ID, ResellerReference: b.ResellerReference, Status: b.Status, ActivityID: b.ActivityID, VariationID: b.VariationID}
	if b.Reason != "" {
		event.ReleaseReason = &b.Reason
	}
	if b.RescheduledFrom != uuid.Nil {
		event.RescheduledFrom = &b.RescheduledFrom
	}
	if b.RescheduledTo != uuid.Nil {
		event.RescheduledTo = &b.RescheduledTo
	}
	for _, a := range b.Attention {
		event.Attention = append(event.Attention, a.Reason)
	}
	return event
}

// BookingEvents returns the types of events for a booking's change, in order. A checkout without a
// booking has no events.
func BookingEvents(before, after Booking) (list []EventType) {
	if !slices.Contains(BookingStatuses(), after.Status) {
		return nil
	}
	entered := map[BookingStatus]EventType{Confirmed: BookingConfirmed, Cancelled: BookingCancelled, Released: BookingReleased}
	if kind, is := entered[after.Status]; is && before.Status != after.Status {
		list = append(list, kind)
	}
	if len(NewAttention(before, after)) > 0 {
		list = append(list, BookingAttention)
	}
	return list
}

// NewAttention returns the attention reasons that a change has added.
func NewAttention(before, after Booking) (list []Attention) {
	for _, a := range after.Attention {
		if !slices.ContainsFunc(before.Attention, func(known Attention) bool { return known.Reason == a.Reason }) {
			list = append(list, a)
		}
	}
	return list
}
