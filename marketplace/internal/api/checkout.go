package api

import (
	"crypto/sha256"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/schemas/partnerapi"
)

// order is the body of a checkout.
type order struct {
	Activity     string `json:"activity_id" validate:"required,max=100"`
	Variation    string `json:"variation_id" validate:"required,max=100"`
	Availability string `json:"availability_id" validate:"required,max=1000"`
	Units        []struct {
		Type     partnerapi.UnitType `json:"type" validate:"required_without=UnitID,omitempty,oneof=ADULT CHILD INFANT SENIOR STUDENT"`
		UnitID   string              `json:"unit_id" validate:"max=1000"`
		Quantity int                 `json:"quantity" validate:"gte=1,lte=1000"`
	} `json:"units" validate:"required,min=1,max=10,dive"`
	Contact struct {
		FullName     string `json:"fullName" validate:"required,max=200"`
		EmailAddress string `json:"emailAddress" validate:"required,max=254,email"`
		PhoneNumber  string `json:"phoneNumber" validate:"max=50"`
	} `json:"contact" validate:"required"`
	Currency          domain.Currency `json:"currency" validate:"omitempty,iso4217"`
	AffiliateCode     string          `json:"affiliate_code" validate:"omitempty,uuid"`
	ResellerReference string          `json:"reseller_reference" validate:"max=200"`
}

func (h bookingHandler) checkOut(w http.ResponseWriter, r *http.Request) error {
	var body order
	text, err := readBodyText(r, &body)
	if err != nil {
		return err
	}
	o, err := body.read(scope(r))
	if err != nil {
		return err
	}
	key, err := readKey(r, text)
	if err != nil {
		return err
	}
	if o.ID, err = uuid.NewV7(); err != nil {
		return err
	}
	return h.writeAnswer(w, func() (booking.Answer, error) {
		return h.service.Checkout(r.Context(), o, key, answerWith(http.StatusCreated))
	})
}

// rescheduling is the body of a reschedule.
type rescheduling struct {
	Availability string `json:"availability_id" validate:"required,max=1000"`
	Reference    string `json:"reference" validate:"omitempty,max=200,headervalue"`
}

func (h bookingHandler) reschedule(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "booking")
	if err != nil {
		return err
	}
	var body rescheduling
	text, err := readBodyText(r, &body)
	if err != nil {
		return err
	}
	key, err := readKey(r, slices.Concat(id[:], text)) // the booking is a part of what is repeated
	if err != nil {
		return err
	}
	q := booking.Reschedule{Scope: scope(r), Booking: id, Slot: body.Availability, Payment: body.Reference}
	if q.ID, err = uuid.NewV7(); err != nil {
		return err
	}
	return h.writeAnswer(w, func() (booking.Answer, error) {
		return h.service.Reschedule(r.Context(), q, key, answerWith(http.StatusOK))
	})
}

// writeAnswer writes the answer of a request that may have been answered before.
func (h bookingHandler) writeAnswer(w http.ResponseWriter, f func() (booking.Answer, error)) error {
	answer, err := f()
	if err != nil {
		return err
	}
	writeRaw(w, answer.Status, answer.Body)
	return nil
}

// read returns the order of a checkout. The error is Invalid or NotFound.
func (body order) read(of domain.Scope) (booking.Order, error) {
	o := booking.Order{
		Account: of.Account, Mode: of.Mode, Slot: body.Availability, Currency: body.Currency, ResellerReference: body.ResellerReference,
		Contact: partnerapi.Contact{FullName: body.Contact.FullName, EmailAddress: body.Contact.EmailAddress, PhoneNumber: body.Contact.PhoneNumber},
	}
	var err error
	if o.Activity, err = uuid.Parse(body.Activity); err != nil {
		return o, &domain.Error{Code: domain.NotFound, Message: "activity not found"}
	}
	if o.Variation, err = uuid.Parse(body.Variation); err != nil {
		return o, &domain.Error{Code: domain.NotFound, Message: "variation not found"}
	}
	if body.AffiliateCode != "" {
		if o.Affiliate = uuid.MustParse(body.AffiliateCode); o.Affiliate == uuid.Nil { // the validation found an id
			return o, &domain.Error{Code: domain.Invalid, Message: "invalid request", Details: []string{"affiliate_code: expected an affiliate's code"}}
		}
	}
	for _, unit := range body.Units {
		o.Guests = append(o.Guests, booking.Party{Type: unit.Type, Unit: unit.UnitID, Quantity: unit.Quantity})
	}
	return o, nil
}

// keyHeader identifies a request, so that it is processed once however often it is sent.
const keyHeader = "Idempotency-Key"

// longestKey limits a key, in bytes.
const longestKey = 200

// readKey returns the request's key with the hash of its body. Its Key is "" if the request has no
// key.
func readKey(r *http.Request, body []byte) (booking.Key, error) {
	k := booking.Key{Key: r.Header.Get(keyHeader), Body: sha256.Sum256(body)}
	given := len(r.Header.Values(keyHeader))
	if given > 1 || given == 1 && (k.Key == "" || len(k.Key) > longestKey || domain.CheckText(k.Key, "headervalue") != "") {
		return k, &domain.Error{Code: domain.Invalid, Message: "invalid request", Details: []string{keyHeader + ": expected one value of 1 to 200 printable ASCII characters"}}
	}
	return k, nil
}

// answerWith returns the function that makes the answer to a checkout or a reschedule, with that status if it
// succeeds. The answer is repeated when the request is retried. It is empty if nothing was done, so that a
// retry starts again.
func answerWith(success int) func(booking.Held, error) booking.Answer {
	return func(held booking.Held, failed error) booking.Answer { return answerOf(success, held, failed) }
}

func answerOf(status int, held booking.Held, failed error) booking.Answer {
	var body any
	switch code := domain.CodeOf(failed); {
	case failed == nil:
		body = storefront.Success{Success: 1, Data: viewBooking(held.Booking, held.History)}
	case domain.ReasonOf(failed) == domain.RescheduleInFlight:
		return booking.Answer{}
	case code == domain.Conflict || code == domain.PartnerFailed || code == domain.PartnerLate:
		p := problemOf(failed).withoutRetry()
		body, status = p, p.Code
	default:
		return booking.Answer{}
	}
	text, err := marshal(body)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return booking.Answer{Status: status, Body: text}
}
