package offer

import (
	"partnerkit.dev/internal/octo"
	"partnerkit.dev/schemas/partnerapi"
)

// Tickets returns the tickets of a booking: one for the whole party, and one for each guest.
func Tickets(b octo.Booking) (tickets []partnerapi.Ticket) {
	add := func(from *octo.Ticket, method string) {
		if from == nil {
			return
		}
		ticket := partnerapi.Ticket{RedemptionMethod: from.RedemptionMethod}
		for _, form := range from.DeliveryOptions {
			if format, ok := deliveryFormat(form.DeliveryFormat); ok && form.DeliveryValue != "" {
				ticket.DeliveryOptions = append(ticket.DeliveryOptions, partnerapi.DeliveryOption{DeliveryFormat: format, DeliveryMethod: method, DeliveryValue: form.DeliveryValue})
			}
		}
		if len(ticket.DeliveryOptions) > 0 {
			tickets = append(tickets, ticket)
		}
	}
	add(b.Voucher, partnerapi.DeliverVoucher)
	for _, unit := range b.UnitItems {
		add(unit.Ticket, partnerapi.DeliverTicket)
	}
	return tickets
}

// deliveryFormat returns the contract's name of a format, and reports whether it has one.
func deliveryFormat(octoName string) (string, bool) {
	switch octoName {
	case partnerapi.QRCode, partnerapi.PDFURL, "CODE128", "AZTEC", "EAN13":
		return octoName, true
	case "AZTECCODE":
		return "AZTEC", true
	}
	return "", false
}
