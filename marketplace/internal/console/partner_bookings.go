package console

import (
	"net/url"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/format"
)

// bookingsShown is the number of bookings on a platform's page.
const bookingsShown = "10"

// partnersBooking is a booking as its partner sees it.
type partnersBooking struct{ client.PartnerBooking }

// Slot returns the beginning of the slot with its own offset.
func (b partnersBooking) Slot() format.Period { return format.FormatSlot("", b.Start, time.Time{}) }

// bookings reads a page of the integration's bookings, newest first.
func (i integrationCalls) bookings(asked url.Values) ([]partnersBooking, client.Pagination, error) {
	return read[[]partnersBooking](i, i.path()+"/bookings", asked)
}

// partnersBookingsPage lists the bookings of a partner's platform.
type partnersBookingsPage struct {
	listPage[partnersBooking]
	Of integrationView
}

func listPartnersBookings(x *exchange) error {
	of, err := x.integration()
	if err != nil {
		return err
	}
	query := x.queryValues("status")
	f := newForm(query, anyOf("status", "Status", "all", "HELD", "PAID", "CONFIRMED", "RELEASED", "CANCELLED"))
	list, part, err := x.parts().bookings(query)
	status, err := f.status(err)
	if err != nil {
		return err
	}
	pages := x.newPager(part, of.Address()+"/bookings", query)
	pages.Newest = true
	frame := frame{Page: "Bookings of " + of.Name, Section: "integrations"}
	return x.show(status, "partner-bookings.html", &partnersBookingsPage{listPage[partnersBooking]{frame, list, pages, f, len(query) > 0, query}, of})
}
