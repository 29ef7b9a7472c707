package scenario

import (
	"crypto/rand"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// Bounds limits how many holds and bookings the run may make.
type Bounds struct{ MaxHolds, MaxBookings int }

// Account records the run's holds and bookings in the ledger, each before its request is sent, and
// its outcome before anything else happens. It keeps them within the bounds of the run.
type Account struct {
	ledger     *ledger.Ledger
	bounds     Bounds
	readOnly   bool
	footprint  *Bounds     // of a quick run with a broken rule; nil: no further bounds
	crowded    func() bool // other customers were seen
	lifecycles bool        // random lifecycles are to be played, which make holds of their own
	made       int         // number of bookings
	stuck      []*Hold     // bookings with a cancellation that failed
}

// most returns the bounds that are in force, and whether they are those of a quick run with a broken rule.
func (a *Account) most() (most Bounds, footprint bool) {
	if a.footprint == nil || a.crowded() {
		return a.bounds, false
	}
	most = Bounds{MaxHolds: min(a.footprint.MaxHolds, a.bounds.MaxHolds), MaxBookings: min(a.footprint.MaxBookings, a.bounds.MaxBookings)}
	return most, most != a.bounds
}

// attempt records a reserve before it is sent. If it returns a stop, the reserve must not be sent:
// it is out of bounds or could not be recorded.
func (a *Account) attempt(offer discover.Offer, units []partnerapi.UnitQuantity) (*ledger.Entry, *partner.Stop) {
	if a.readOnly {
		return nil, partner.NewBoundStop(partner.ReadOnly).WithRemedy(partner.NotReadOnly)
	}
	switch most, footprint := a.most(); {
	case a.ledger.Holds() < most.MaxHolds:
	case footprint:
		return nil, partner.FootprintStop()
	default:
		return nil, partner.NewBoundStop("no more than %s may be made (--max-holds)", plural.Count(most.MaxHolds, "hold")).WithRemedy("Run with a higher --max-holds.")
	}
	entry, err := a.ledger.Attempt(ledger.SlotOf(offer), units)
	if err != nil {
		return nil, ledgerStop(err)
	}
	return entry, nil
}

// holdsNone reports whether no hold or booking of the run takes seats of a slot.
func (a *Account) holdsNone(offer discover.Offer) bool { return a.holdsNoneBut(&Hold{}, offer) }

func (a *Account) holdsNoneBut(own *Hold, offer discover.Offer) bool {
	return !a.ledger.MayHold(ledger.SlotOf(offer), own.entry)
}

// recordReserve records the outcome of a reserve: nil if it was not sent. Any 2xx answer with a code is a
// hold that must be released.
func (a *Account) recordReserve(entry *ledger.Entry, answer *probe.Answer) {
	a.ledger.Record(entry, func(entry *ledger.Entry) {
		switch {
		case answer == nil: // not sent
			entry.State = ledger.Refused
		case answer.Failure != nil:
			entry.State = ledger.Unanswered
		default:
			entry.Code, entry.ExpiresAt = partner.Text(answer, "reservationConfirmationCode"), partner.Text(answer, "expiresAt")
			switch {
			case entry.Code != "" && answer.Response.Status/100 == 2:
				entry.State = ledger.Held
			case answer.Response.Status/100 == 2:
				entry.State, entry.Problem = ledger.Unanswered, "the answer to reserve had no code"
			default:
				if entry.State, entry.Code = ledger.Refused, ""; answer.Response.Status >= 500 {
					entry.Problem = "reserve was answered with " + answer.Words()
				}
			}
		}
	})
}

// recordAttempt records the outcome of an attempt.
func (a *Account) recordAttempt(attempt *Hold, answer *probe.Answer) {
	a.recordReserve(attempt.entry, answer)
	attempt.Answer, attempt.Answered = answer, answer.StartedAt.Add(answer.Duration)
	if attempt.IsHeld() {
		attempt.Code = attempt.entry.Code
	}
}

// Tests that could use any number of holds and bookings stop when the run has used a share of them,
// so that every rule is judged once. They are played in this order.
const (
	CaseShare        = 0.5
	TogetherShare    = 0.6
	SeatRaceShare    = 0.75
	BookingRaceShare = 0.9
	AgainShare       = 0.97
	ExpiryShare      = 1

	lifecyclesShare = 0.15 // random lifecycles need it

	// What is played last, malformed input, has this many holds, or a share of all.
	keptHolds, keptShare = 16, 4
)

// HoldsOfACase is approximately the number of holds of a case.
const HoldsOfACase = 10

// Plenty reports whether the run will have used less than a share of its holds and bookings after
// this many more holds.
func (a *Account) Plenty(share float64, more int) bool {
	if a.lifecycles {
		share -= lifecyclesShare
	}
	most, _ := a.most()
	kept := min(keptHolds, most.MaxHolds/keptShare)
	return float64(a.ledger.Holds()+more) < share*float64(most.MaxHolds-kept) && float64(a.made) < share*float64(most.MaxBookings)
}

// Bookings returns the number of bookings made.
func (a *Account) Bookings() int { return a.made }

// beginConfirm records that a hold's code is about to be confirmed: until the answer is read, a
// booking may exist. The caller passes the answers to settle. The stop is the reason why the code
// must not be confirmed.
func (a *Account) beginConfirm(h *Hold) (settle func(...*probe.Answer), stop *partner.Stop) {
	switch most, footprint := a.most(); {
	case !h.IsHeld() || a.made < most.MaxBookings:
	case footprint:
		return nil, partner.FootprintStop()
	default:
		return nil, partner.NewBoundStop("no more than %s may be made (--max-bookings)", plural.Count(most.MaxBookings, "booking")).WithRemedy("Run with a higher --max-bookings.")
	}
	was := h.entry.State
	if was == ledger.Held || was == ledger.Undone {
		a.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Doubtful })
	}
	back := func() { a.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = was }) }
	if err := a.ledger.Err(); err != nil {
		back()
		return nil, ledgerStop(err)
	}
	return func(answers ...*probe.Answer) {
		booked, unanswered := false, false
		for _, answer := range answers {
			switch {
			case answer == nil: // it was not sent
			case answer.Failure != nil:
				unanswered = true
			case answer.Response.Status/100 == 2:
				booked = a.recordBooking(h, partner.Text(answer, "externalBookingId")) || booked
			}
		}
		if !booked && !unanswered {
			back()
		}
	}, nil
}

// recordBooking records a booking of a hold and reports whether it is the hold's own. A booking
// with another id than the hold's first becomes a separate entry, to be cancelled as well.
func (a *Account) recordBooking(h *Hold, id string) bool {
	entry := h.entry
	if entry.BookingID != "" && entry.BookingID != id {
		if entry = h.others[id]; entry == nil {
			entry = a.ledger.Add(h.entry.Slot, h.entry.Units)
			if h.others == nil {
				h.others = map[string]*ledger.Entry{}
			}
			h.others[id], entry.Further = entry, true
		}
	}
	if entry.State == ledger.Booked {
		return true // a repeat that was answered with the same booking
	}
	a.made++
	a.ledger.Record(entry, func(e *ledger.Entry) {
		e.State, e.BookingID = ledger.Booked, id
		if id == "" {
			e.State, e.Problem = ledger.Doubtful, undo.NoBookingID
		}
	})
	return entry == h.entry
}

// Settle records that a hold was released, or a booking cancelled, if the answer leaves no doubt. A
// release does not change a booking.
func (a *Account) Settle(answer *probe.Answer, h *Hold) {
	if !undo.Done(answer) {
		if answer.Endpoint == partnerapi.Cancel && h.entry.State == ledger.Booked && !slices.Contains(a.stuck, h) {
			a.stuck = append(a.stuck, h)
		}
		return
	}
	if answer.Endpoint == partnerapi.Cancel {
		a.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Undone })
		return
	}
	a.recordUndone(h)
}

// stuckBookings returns the live bookings with a cancellation that failed.
func (a *Account) stuckBookings() []*Hold {
	a.stuck = slices.DeleteFunc(a.stuck, func(h *Hold) bool { return h.entry.State != ledger.Booked })
	return a.stuck
}

func (a *Account) recordUndone(h *Hold) {
	a.ledger.Record(h.entry, func(e *ledger.Entry) {
		if e.State == ledger.Held {
			e.State = ledger.Undone
		}
	})
}

// UnknownHold returns a hold that does not exist, with a code that no partner can know. If the partner
// still books it, that booking is cancelled like any other.
func (a *Account) UnknownHold(offer discover.Offer) *Hold {
	return &Hold{entry: a.ledger.Add(ledger.SlotOf(offer), nil), Code: a.UnknownCode()}
}

// UnknownCode returns a code that no partner can know.
func (a *Account) UnknownCode() string {
	return "unknown-" + a.ledger.Head().Run + "-" + rand.Text()
}

func ledgerStop(err error) *partner.Stop {
	return partner.NewStop("the ledger cannot be written: %v", err).WithRemedy("Name a file that can be written with --ledger.")
}
