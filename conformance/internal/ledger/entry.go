package ledger

import (
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

// State is how far an attempt to make a hold has come.
type State string

// The states of an entry.
const (
	Attempted  State = "attempted" // reserve is being sent; its answer is not yet read
	Refused    State = "refused"   // reserve was refused; nothing is held
	Unanswered State = "unheard"   // reserve was sent and never answered; there may be a hold
	Held       State = "held"
	Booked     State = "booked"
	Doubtful   State = "doubtful" // confirm is being sent and its answer is not yet read; a hold or a booking
	Undone     State = "undone"   // released or cancelled
	Kept       State = "kept"     // booked, but the partner does not support cancellation
	Expired    State = "expired"  // never answered; any hold has expired
)

func states() []State {
	return []State{Attempted, Refused, Unanswered, Held, Booked, Doubtful, Undone, Kept, Expired}
}

// Slot is the slot that a reserve requests, by the partner's ids.
type Slot struct {
	ProductID      string `json:"product_id"`
	OptionID       string `json:"option_id"`
	AvailabilityID string `json:"availability_id"`
	Start          string `json:"start"` // as the partner writes it
}

// SlotOf returns the slot of an offer.
func SlotOf(offer discover.Offer) Slot {
	return Slot{ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Start: offer.Slot.StartText}
}

// Entry is one attempt to make a hold, and its state.
type Entry struct {
	Slot
	Units     []partnerapi.UnitQuantity
	Reference string    // unique to the run and the attempt; sent as resellerReference if the request has one
	At        time.Time // of the attempt, by the target's clock

	State     State
	Code      string // of the hold
	ExpiresAt string // as the partner writes it
	BookingID string
	Problem   string // why it could not be undone

	// These are not written to the file.
	Changed time.Time // when its state changed last, by this machine's clock
	Lapsed  bool      // it was a hold until then, and had expired
	Further bool      // a booking of a hold that had another one before

	number int // 1 is the first
}

// Open reports whether there is, or may be, a hold or a booking.
func (e *Entry) Open() bool {
	return e.State != Refused && e.State != Undone && e.State != Expired
}

// Guests returns the number of guests that the reserve was for; 0 if it was malformed.
func (e *Entry) Guests() int64 { return discover.GuestsIn(e.Units) }

// MayHold reports whether the entry may still take seats: it is open, or its reserve failed so that a hold may have been
// made.
func (e *Entry) MayHold() bool { return e.Open() || e.State == Refused && e.Problem != "" }
