package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

// State is where an entry stands.
type State string

// The states.
const (
	Attempted State = "attempted" // reserve is sent, its answer not yet read
	Refused   State = "refused"   // reserve was refused: nothing is held
	Unheard   State = "unheard"   // reserve was sent and never answered: there may be a hold
	Held      State = "held"
	Booked    State = "booked"
	Doubtful  State = "doubtful" // confirm is sent and its answer not read: hold or booking
	Undone    State = "undone"   // released or cancelled
	Kept      State = "kept"     // booked, and the partner takes no cancellations
	Expired   State = "expired"  // never answered, and any hold's time is over
)

func states() []State {
	return []State{Attempted, Refused, Unheard, Held, Booked, Doubtful, Undone, Kept, Expired}
}

// Slot is what a reserve asks for, by the partner's ids.
type Slot struct {
	ProductID      string `json:"product_id"`
	OptionID       string `json:"option_id"`
	AvailabilityID string `json:"availability_id"`
	Start          string `json:"start"` // as the partner writes it
}

// SlotOf names the slot of an offer.
func SlotOf(offer discover.Offer) Slot {
	return Slot{ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Start: offer.Slot.StartText}
}

// Entry is one attempt to make a hold, and what became of it.
type Entry struct {
	Slot
	Units     []partnerapi.UnitQuantity
	Reference string    // of the run and the attempt; sent as resellerReference where the request has one
	At        time.Time // of the attempt, by the target's clock

	State     State
	Code      string // of the hold
	ExpiresAt string // as the partner writes it
	BookingID string
	Trouble   string // why it could not be undone

	number int // 1 is the first
}

// Open reports whether there is, or may be, a hold or a booking.
func (e *Entry) Open() bool {
	return e.State != Refused && e.State != Undone && e.State != Expired
}

const (
	version = 2
	// withoutMACs is the version before, which is read, but proves nothing.
	withoutMACs = 1
	// longestID is how many bytes of an id are kept to be shown.
	longestID = 1000
	// longestCode is how many bytes a code or booking id may have that is kept to
	// be used. No server takes a longer path.
	longestCode = 8 << 10
	// mostUnits is how many units of a party are kept.
	mostUnits = 20
)

// Head is the first line: what the ledger is about. The key is never in it.
type Head struct {
	Version      int                 `json:"ledger"` // of this format
	Run          string              `json:"run"`    // tells this run's references from any other's
	BaseURL      string              `json:"base_url"`
	AuthType     partnerapi.AuthType `json:"auth_type"`
	SuiteVersion string              `json:"suite_version"`
	StartedAt    time.Time           `json:"started_at"`
}

// line is one change of an entry. The first of an entry tells the attempt, each
// further one what has become of it since, whole.
type line struct {
	Entry int       `json:"entry"` // 1 is the first
	At    time.Time `json:"at"`
	State State     `json:"state"`

	*Slot
	Units     []partnerapi.UnitQuantity `json:"units,omitempty"`
	Reference string                    `json:"reference,omitempty"`

	Code      string `json:"code,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"`
	BookingID string `json:"booking_id,omitempty"`
	Trouble   string `json:"trouble,omitempty"`
}

// decode reads one line strictly.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("want one JSON object a line, got more")
	}
	return nil
}
