package booking

import (
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// longestHold is the latest expiry of a hold at a partner that takes seats at reserve. With a later
// expiry, the partner takes seats only at confirm. It is measured from before reserve was sent,
// hence the margin.
const longestHold = 2*time.Hour + 2*time.Minute

// isFull reports whether the partner has stated fewer seats than a booking needs. With a group
// price, a booking may need only one.
func isFull(slot domain.Slot, product partnerapi.Product, b domain.Booking) bool {
	if product.AllowFreesale || slot.Status == partnerapi.StatusFreesale || slot.Vacancies == nil {
		return false
	}
	needed := max(1, partySeats(b))
	if b.Guests[0].Price == nil {
		needed = 1
	}
	return *slot.Vacancies < needed
}

// partySeats estimates how many seats a party needs. An infant may need none.
func partySeats(b domain.Booking) (seats int) {
	for _, g := range b.Guests {
		if g.Type != partnerapi.Infant {
			seats += g.Quantity
		}
	}
	return seats
}

// seatsOf estimates how many seats the partner takes for a booking.
func seatsOf(b domain.Booking) int {
	holds := b.Code != "" && b.Release != domain.Done && b.ExpiresAt.Sub(b.CreatedAt) <= longestHold
	booked := b.ExternalBookingID != "" && b.Cancellation != domain.Done
	if b.ExternalBookingID == "" && holds || booked {
		return partySeats(b)
	}
	return 0
}

// seatsChange returns the effect of a change on its slot, or nil if it has no effect. Its time is
// when the call that ended was sent. The partner may have released an expired hold by itself.
func seatsChange(before domain.Booking, c Change) *SeatsChange {
	free := seatsOf(before) - seatsOf(c.Booking)
	if free == 0 {
		return nil
	}
	at := c.At
	if c.Ends != nil && c.Ends.Took > 0 {
		at = at.Add(-c.Ends.Took)
	}
	if free > 0 && before.ExternalBookingID == "" && at.After(before.ExpiresAt) {
		at = before.ExpiresAt
	}
	return &SeatsChange{At: at, Free: free}
}
