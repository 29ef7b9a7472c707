package supplier

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// reserve answers POST /bookings: it makes a hold, or returns the one that the uuid has made.
func reserve(c call) (any, error) {
	wanted, err := read[octo.ReservationRequest](c)
	if err != nil {
		return nil, err
	}
	if wanted.UUID != "" && !uuidForm.MatchString(wanted.UUID) {
		return nil, invalidUUID(wanted.UUID, "uuid: expected a UUID in lower case")
	}
	option, err := c.option(wanted.ProductID, wanted.OptionID)
	if err != nil {
		return nil, err
	}
	units, err := soldUnits(option, countUnits(wanted.UnitItems))
	if err != nil {
		return nil, err
	}
	if len(units) == 0 {
		return nil, refuse(octo.UnprocessableEntity, "unitItems: expected at least one")
	}
	if _, err := c.business().Slot(wanted.ProductID, wanted.OptionID, wanted.AvailabilityID); err != nil {
		return nil, refusal{octo.Error{Code: octo.InvalidAvailabilityID, Message: err.Error(), AvailabilityID: wanted.AvailabilityID}}
	}
	hold, err := c.business().ReserveAs(
		platform.Choice{Code: wanted.UUID, AsUUID: true, HoldFor: time.Duration(wanted.ExpirationMinutes) * time.Minute},
		partnerapi.ReserveRequest{
			ProductID: wanted.ProductID, OptionID: wanted.OptionID, AvailabilityID: wanted.AvailabilityID, Units: units,
			ResellerReference: wanted.ResellerReference,
		}, c.entry.RecordTouched)
	if err != nil {
		return nil, err
	}
	return c.show(hold)
}

// countUnits counts the items of each unit, in the order in which the units come first.
func countUnits(items []octo.UnitItem) (units []octo.UnitQuantity) {
	for _, item := range items {
		at := slices.IndexFunc(units, func(u octo.UnitQuantity) bool { return u.ID == item.UnitID })
		if at < 0 {
			at, units = len(units), append(units, octo.UnitQuantity{ID: item.UnitID})
		}
		units[at].Quantity++
	}
	return units
}

// confirm answers POST /bookings/{uuid}/confirm.
func confirm(c call) (any, error) {
	wanted, err := read[octo.ConfirmationRequest](c)
	if err != nil {
		return nil, err
	}
	request := partnerapi.ConfirmRequest{ReservationConfirmationCode: c.uuid, ResellerReference: wanted.ResellerReference}
	if guest := wanted.Contact; guest != nil {
		request.Contact = &partnerapi.Contact{FullName: nameOf(guest), EmailAddress: text(guest.EmailAddress), PhoneNumber: text(guest.PhoneNumber)}
	}
	booking, err := c.business().Confirm(request, c.entry.RecordTouched)
	if err != nil {
		return nil, invalidUUID(c.uuid, err.Error())
	}
	return c.showBooking(booking)
}

// cancel answers POST and DELETE /bookings/{uuid}/cancel: it releases a hold, or cancels a booking.
func cancel(c call) (any, error) {
	if _, err := read[octo.CancellationRequest](c); err != nil {
		return nil, err
	}
	hold, ok := c.business().FindHold(c.uuid)
	if ok && hold.State == client.Confirmed {
		if c.business().Conduct().Policy.NoCancel {
			return nil, refuse(octo.UnprocessableEntity, "this booking cannot be cancelled")
		}
		c.business().Cancel(hold.BookingID, c.entry.RecordTouched)
	} else if c.business().Release(c.uuid, c.entry.RecordTouched) == platform.HoldUnknown {
		return nil, invalidUUID(c.uuid, "there is no booking with this uuid")
	}
	return booking(c)
}

// extend answers POST and PATCH /bookings/{uuid}/extend.
func extend(c call) (any, error) {
	wanted, err := read[octo.ExtensionRequest](c)
	if err != nil {
		return nil, err
	}
	if wanted.ExpirationMinutes < 1 {
		return nil, refuse(octo.BadRequest, "expirationMinutes: expected at least 1")
	}
	hold, err := c.business().Extend(c.uuid, time.Duration(wanted.ExpirationMinutes)*time.Minute, c.entry.RecordTouched)
	if err != nil {
		return nil, invalidUUID(c.uuid, err.Error())
	}
	return c.show(hold)
}

// booking answers GET /bookings/{uuid}.
func booking(c call) (any, error) {
	hold, ok := c.business().FindHold(c.uuid)
	if !ok {
		return nil, invalidUUID(c.uuid, "there is no booking with this uuid")
	}
	return c.show(hold)
}

// bookings answers GET /bookings: the bookings with a reference of the reseller or the supplier.
func bookings(c call) (any, error) {
	query := c.URL.Query()
	reseller, supplier := query.Get("resellerReference"), query.Get("supplierReference")
	if reseller == "" && supplier == "" {
		return nil, refuse(octo.BadRequest, "the query needs resellerReference or supplierReference")
	}
	found := []octo.Booking{}
	for _, hold := range c.business().Holds() {
		if reseller != "" && hold.ResellerReference != reseller || supplier != "" && hold.BookingID != supplier {
			continue
		}
		shown, err := c.show(hold)
		if err != nil {
			return nil, err
		}
		found = append(found, shown)
	}
	return found, nil
}

// show returns a hold, or the booking that it has become.
func (c call) show(hold client.Hold) (octo.Booking, error) {
	if booked, ok := c.business().FindBooking(hold.BookingID); ok {
		return c.showBooking(booked)
	}
	shown, err := c.showOrder(hold.Code, hold.Order, stateOf(hold.State), hold.CreatedAt, nil)
	switch hold.State {
	case client.Held:
		shown.UTCExpiresAt, shown.Cancellable = new(utc(hold.ExpiresAt)), true
	case client.Released:
		shown.Cancellation = &octo.Cancellation{Refund: "FULL", UTCCancelledAt: utc(hold.EndedAt)}
	}
	if !hold.EndedAt.IsZero() {
		shown.UTCUpdatedAt = utc(hold.EndedAt)
	}
	return shown, err
}

func (c call) showBooking(b client.Booking) (octo.Booking, error) {
	status := octo.Confirmed
	if b.State == client.Cancelled {
		status = octo.Cancelled
	}
	shown, err := c.showOrder(b.Code, b.Order, status, b.ConfirmedAt, b.Tickets)
	shown.SupplierReference, shown.UTCConfirmedAt = &b.ID, new(utc(b.ConfirmedAt))
	shown.Cancellable = status == octo.Confirmed && !c.business().Conduct().Policy.NoCancel
	if status == octo.Cancelled {
		shown.UTCUpdatedAt = utc(b.CancelledAt)
		shown.Cancellation = &octo.Cancellation{Refund: "FULL", UTCCancelledAt: utc(b.CancelledAt)}
	}
	return shown, err
}

// showOrder returns what holds and bookings have in common.
func (c call) showOrder(code string, o client.Order, status string, at time.Time, tickets []partnerapi.Ticket) (octo.Booking, error) {
	shown := octo.Booking{
		ID: code, UUID: code, Status: status, UTCCreatedAt: utc(at), UTCUpdatedAt: utc(at),
		ResellerReference: nullable(o.ResellerReference),
		ProductID:         o.ProductID, OptionID: o.OptionID, AvailabilityID: o.AvailabilityID,
		DeliveryMethods: []string{partnerapi.DeliverTicket, partnerapi.DeliverVoucher},
	}
	if o.Contact != nil {
		shown.Contact = octo.Contact{FullName: nullable(o.Contact.FullName), EmailAddress: nullable(o.Contact.EmailAddress), PhoneNumber: nullable(o.Contact.PhoneNumber)}
	}
	ticket, voucher := deliver(tickets)
	shown.Voucher = voucher
	for _, unit := range o.Units {
		for range unit.Quantity {
			shown.UnitItems = append(shown.UnitItems, octo.BookedUnit{
				UUID: uuid.NewSHA1(unitItems, fmt.Appendf(nil, "%s %d", code, len(shown.UnitItems))).String(), UnitID: unitID(unit.ID), Status: status, Ticket: ticket,
			})
		}
	}
	option, err := c.option(o.ProductID, o.OptionID)
	if err != nil {
		return shown, nil // the catalog has changed
	}
	slot, err := c.business().Slot(o.ProductID, o.OptionID, o.AvailabilityID)
	if err != nil {
		return shown, nil
	}
	when, err := c.showSlot(option, partnerapi.Slot{
		ID: slot.AvailabilityID, LocalDateTimeStart: partnerapi.FormatDateTime(slot.Start), LocalDateTimeEnd: partnerapi.FormatDateTime(slot.End), Status: slot.Status,
	})
	shown.Availability = &when
	return shown, err
}

// unitItems is the namespace of the uuids of unit items.
var unitItems = uuid.MustParse("2f7dc1f4-3a0c-4c9e-9d0e-0c6b8d9b1f55")

// deliver returns the tickets as OCTO delivers them: the guests', and one for the whole party.
func deliver(tickets []partnerapi.Ticket) (ticket, voucher *octo.Ticket) {
	for _, one := range tickets {
		for _, form := range one.DeliveryOptions {
			to := &ticket
			if form.DeliveryMethod == partnerapi.DeliverVoucher {
				to = &voucher
			}
			if *to == nil {
				*to = &octo.Ticket{RedemptionMethod: one.RedemptionMethod}
			}
			(*to).DeliveryOptions = append((*to).DeliveryOptions, octo.DeliveryOption{DeliveryFormat: form.DeliveryFormat, DeliveryValue: form.DeliveryValue})
		}
	}
	return ticket, voucher
}

func stateOf(state client.HoldState) string {
	switch state {
	case client.Held:
		return octo.OnHold
	case client.Expired:
		return octo.Expired
	case client.Released:
		return octo.Cancelled
	}
	return octo.Confirmed
}

// uuidForm is the form of a uuid. Codes are compared exactly, so it has one.
var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func invalidUUID(id, message string) error {
	return refusal{octo.Error{Code: octo.InvalidBookingUUID, Message: message, UUID: id}}
}

func nameOf(c *octo.Contact) string {
	if c.FullName != nil {
		return *c.FullName
	}
	name := text(c.FirstName)
	if last := text(c.LastName); last != "" {
		name += " " + last
	}
	return name
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
