package partnerapi

// Contact is the guest who books.
type Contact struct {
	FullName     string `json:"fullName,omitempty"`
	EmailAddress string `json:"emailAddress,omitempty"`
	PhoneNumber  string `json:"phoneNumber,omitempty"`
}

// ReserveRequest is the body of POST /bookings/reserve (RSV-1).
type ReserveRequest struct {
	ProductID         string         `json:"productId"`
	OptionID          string         `json:"optionId"`
	AvailabilityID    string         `json:"availabilityId"`
	Units             []UnitQuantity `json:"units"`
	Contact           *Contact       `json:"contact,omitempty"`
	ResellerReference string         `json:"resellerReference,omitempty"` // the marketplace's booking id
}

// ReserveAnswer is the answer of a successful reserve (RSV-2).
type ReserveAnswer struct {
	ReservationConfirmationCode string `json:"reservationConfirmationCode"` // opaque, never reused
	ExpiresAt                   string `json:"expiresAt"`                   // ISO 8601 with offset
}

// ConfirmRequest is the body of POST /bookings/confirm (CNF-1).
type ConfirmRequest struct {
	ReservationConfirmationCode string   `json:"reservationConfirmationCode"`
	Contact                     *Contact `json:"contact,omitempty"`
	ResellerReference           string   `json:"resellerReference,omitempty"`
}

// ConfirmAnswer is the answer of a successful confirm (CNF-2).
type ConfirmAnswer struct {
	ExternalBookingID string   `json:"externalBookingId"` // opaque, never reused
	Status            string   `json:"status"`            // should be StatusConfirmed
	UUID              string   `json:"uuid,omitempty"`
	ProductID         string   `json:"productId,omitempty"`
	OptionID          string   `json:"optionId,omitempty"`
	AvailabilityID    string   `json:"availabilityId,omitempty"`
	Contact           *Contact `json:"contact,omitempty"`
	Tickets           []Ticket `json:"tickets,omitempty"`
}

// Ticket is what a guest shows at the entrance.
type Ticket struct {
	RedemptionMethod string           `json:"redemptionMethod"` // such as DIGITAL or PRINT
	DeliveryOptions  []DeliveryOption `json:"deliveryOptions"`
}

// DeliveryOption is one form of a ticket.
type DeliveryOption struct {
	DeliveryFormat string `json:"deliveryFormat"` // such as QRCODE
	DeliveryMethod string `json:"deliveryMethod"` // TICKET or VOUCHER
	DeliveryValue  string `json:"deliveryValue"`  // barcode data, or the URL of a PDF
}

// ReleaseRequest is the optional body of DELETE /bookings/{reservationCode} (REL-1).
type ReleaseRequest struct {
	ReservationConfirmationCode string `json:"reservationConfirmationCode"`
}

// CancelRequest is the optional body of POST /bookings/{externalBookingId}/cancel (CAN-1).
type CancelRequest struct {
	Reason string `json:"reason,omitempty"`
}

// Done is the answer of release and of cancel (REL-2, CAN-2).
type Done struct {
	Success bool   `json:"success"`
	Message string `json:"message,omitempty"`
}

// Refusal is the answer of a refused reserve or confirm (RSV-5, CNF-5). The marketplace shows
// Message to the customer.
type Refusal struct {
	Message string `json:"message"`
}
