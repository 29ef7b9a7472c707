package scenario

import (
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// Hold is a hold that the run tried to make.
type Hold struct {
	Code     string
	Answer   *probe.Answer
	Answered time.Time     // by this machine's clock
	Expires  time.Time     // zero if it cannot be read
	Life     time.Duration // from the answer to Expires
	Guests   int64         // that it is for

	entry  *ledger.Entry
	others map[string]*ledger.Entry // further bookings that confirms of the code returned, by booking id
}

// BookingID returns the id of the hold's booking, or "" if the hold has none.
func (h *Hold) BookingID() string { return h.entry.BookingID }

// Units returns the guests that the hold is for.
func (h *Hold) Units() []partnerapi.UnitQuantity { return h.entry.Units }

// IsHeld reports whether the hold was made and is neither booked nor released.
func (h *Hold) IsHeld() bool { return h.entry.State == ledger.Held }

// WasWon reports whether the reserve returned a code.
func (h *Hold) WasWon() bool { return h.Code != "" }

// Traits is what the run has observed of the partner so far.
type Traits struct {
	NoCancel    bool   // it takes no cancellations
	Cancels     bool   // it has accepted a cancellation, so a later 404 is a breach
	NothingFree string // why no slot can be booked; "" if one can
	early, late int    // of the holds without seats: how many took them nevertheless, and how many did not
	held        bool   // a hold was made
	keeps       bool   // a hold was made that keeps seats
	brief       bool   // the last hold expires within ShortWait
	// without lists the products with holds that keep no seats.
	without map[string]bool
}

// MadeHolds reports whether a hold was made.
func (t Traits) MadeHolds() bool { return t.held }

// Holdless reports whether no hold so far keeps seats (RSV-8).
func (t Traits) Holdless() bool { return t.AnyHoldless() && !t.keeps }

// AnyHoldless reports whether a hold kept no seats.
func (t Traits) AnyHoldless() bool { return len(t.without) > 0 }

// TakesLater reports whether the partner's confirms take the seats, as observed so far.
func (t Traits) TakesLater() bool { return t.Holdless() && t.early <= t.late }

// TakesLaterIn reports the same of the holds of one product.
func (t Traits) TakesLaterIn(product string) bool { return t.without[product] && t.early <= t.late }

// KeepsNone is the reason why a hold is not judged by its seats (RSV-8).
const KeepsNone = "the partner keeps no seats for such a hold"

// Holdless reports whether the hold keeps no seats: it ends far ahead (RSV-8).
func (h *Hold) Holdless() bool { return h != nil && h.Life > partnerapi.HoldlessAfter }
