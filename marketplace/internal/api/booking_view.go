package api

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// bookingView is a booking as its reseller, and operators, see it.
type bookingView struct {
	ID                uuid.UUID                                  `json:"_id"`
	ResellerID        *uuid.UUID                                 `json:"reseller_id,omitempty"`    // for operators alone
	IntegrationID     *uuid.UUID                                 `json:"integration_id,omitempty"` // for operators alone
	Status            marketplace.BookingStatus                  `json:"status"`
	ReleaseReason     *marketplace.ReleaseReason                 `json:"release_reason"`
	ActivityID        uuid.UUID                                  `json:"activity_id"`
	VariationID       uuid.UUID                                  `json:"variation_id"`
	AvailabilityID    string                                     `json:"availability_id"`
	Start             string                                     `json:"start"`
	End               string                                     `json:"end"`
	Units             []unitView                                 `json:"units"`
	Currency          marketplace.Currency                       `json:"currency"`
	Total             marketplace.Number                         `json:"total"`
	Contact           partnerapi.Contact                         `json:"contact"`
	AffiliateCode     *uuid.UUID                                 `json:"affiliate_code"`
	ResellerReference string                                     `json:"reseller_reference"`
	CreatedAt         time.Time                                  `json:"created_at"`
	ExpiresAt         *time.Time                                 `json:"expires_at"`
	ExternalBookingID *string                                    `json:"external_booking_id"`
	Tickets           marketplace.List[partnerapi.Ticket]        `json:"tickets"`
	Attention         *marketplace.Attention                     `json:"attention"`
	Release           *marketplace.Delivery                      `json:"partner_release"`
	Cancellation      *marketplace.Delivery                      `json:"partner_cancellation"`
	History           marketplace.List[marketplace.HistoryEntry] `json:"history"`
}

type unitView struct {
	Type     partnerapi.UnitType `json:"type"`
	Quantity int                 `json:"quantity"`
	Price    *marketplace.Number `json:"price"`
}

func viewBooking(b marketplace.Booking, history []marketplace.HistoryEntry) bookingView {
	zone, err := time.LoadLocation(b.Zone)
	if err != nil {
		zone = time.UTC // a zone that the machine has forgotten
	}
	view := bookingView{
		ID: b.ID, Status: b.Status, ReleaseReason: orNull(b.Reason), ActivityID: b.ActivityID, VariationID: b.VariationID, AvailabilityID: b.AvailabilityID,
		Start: partnerapi.FormatDateTime(b.Start.In(zone)), End: partnerapi.FormatDateTime(b.End.In(zone)),
		Units: []unitView{}, Currency: b.Currency, Total: b.Total, Contact: b.Contact, AffiliateCode: orNull(b.AffiliateID), ResellerReference: b.ResellerReference,
		CreatedAt: b.CreatedAt, ExpiresAt: timeOrNull(b.ExpiresAt), ExternalBookingID: orNull(b.ExternalBookingID), Tickets: b.Tickets,
		Release: orNull(b.Release), Cancellation: orNull(b.Cancellation), History: history,
	}
	for _, g := range b.Guests {
		view.Units = append(view.Units, unitView{g.Type, g.Quantity, g.Price})
	}
	if len(b.Attention) > 0 {
		first := b.Attention[0]
		first.Actions = booking.Actions(b, first.Reason)
		view.Attention = &first
	}
	return view
}
