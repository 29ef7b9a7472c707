package booking

import (
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// longestHold is how far ahead a hold's expiry is at a partner that holds seats. Further
// ahead, the partner takes no seats before confirm. It is measured from before reserve
// was sent, hence the margin.
const longestHold = 2*time.Hour + 2*time.Minute

// seatsOf is how many seats the partner keeps for a booking, as far as is known: an
// infant may take none.
func seatsOf(b marketplace.Booking) (seats int) {
	for _, g := range b.Guests {
		if g.Type != partnerapi.Infant {
			seats += g.Quantity
		}
	}
	holds := b.Code != "" && b.Release != marketplace.Done && b.ExpiresAt.Sub(b.CreatedAt) <= longestHold
	booked := b.ExternalBookingID != "" && b.Cancellation != marketplace.Done
	if b.ExternalBookingID == "" && holds || booked {
		return seats
	}
	return 0
}

// seatsChange is what a change does to its slot; nil where that is nothing. The partner
// was asked for it when the call was sent that has ended, and a hold that has expired may
// be given back by the partner itself.
func seatsChange(before marketplace.Booking, c Change) *SeatsChange {
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
