package booking

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// Job is work that outlives whoever asked for it.
type Job struct {
	Kind    JobKind
	Booking uuid.UUID
	At      time.Time // not before
}

// JobKind is what a job does.
type JobKind string

// The kinds.
const (
	ConfirmJob JobKind = "booking_confirm" // DeliverConfirm
	ReleaseJob JobKind = "booking_release" // DeliverRelease
	CancelJob  JobKind = "booking_cancel"  // DeliverCancel
)

// Call is a call to the partner that is on record before it is sent.
type Call struct {
	ID       uuid.UUID
	Endpoint partnerapi.Endpoint
	At       time.Time
}

// CallEnd is what came of a call.
type CallEnd struct {
	ID     uuid.UUID
	Status int // of the answer; 0 where none was read
	Took   time.Duration
	Error  string // "" of one that did what it should
}

// Known is what is known of it: nil where nothing is.
func (e CallEnd) Known() (status *int, milliseconds *int64) {
	if e.Status != 0 {
		status = &e.Status
	}
	if e.Took >= 0 {
		milliseconds = new(e.Took.Milliseconds())
	}
	return status, milliseconds
}

// over is the call in its booking's history, once it has ended.
func (c Call) over(e CallEnd) marketplace.HistoryEntry {
	entry := marketplace.HistoryEntry{At: c.At, Kind: marketplace.CallKind, Endpoint: c.Endpoint, Error: e.Error}
	entry.Status, entry.Duration = e.Known()
	return entry
}

// Breach is how a partner has broken the contract, in an answer that was used all the
// same.
type Breach struct {
	At       time.Time           `json:"at"`
	Booking  uuid.UUID           `json:"booking_id"`
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	Message  string              `json:"message"`
}

// Change is what a move writes, all of it or nothing.
type Change struct {
	At         time.Time
	Booking    marketplace.Booking        // as it is afterwards
	History    []marketplace.HistoryEntry // moves
	Begins     *Call
	Ends       *CallEnd
	Payment    *marketplace.Payment
	Commission *decimal.Decimal // of its affiliate, which accrues now
	Reverses   bool             // that commission
	Breaches   []Breach
	Answers    *Key // of the request that has made it, with its answer
	Jobs       []Job
}

// move is what an event makes of a booking. The error is Conflict, and names the state.
// message is for an operator, where the move raises attention; why tells in the history
// what moved it; call is the confirm that the move begins, or that has ended.
func move(b marketplace.Booking, on Event, at time.Time, why, message string, call uuid.UUID) (Change, error) {
	row, err := Next(b, on)
	if err != nil {
		return Change{}, err
	}
	c := Change{At: at, Booking: apply(b, row, at, message, call)}
	if row.From != row.To || why != "" {
		c.History = []marketplace.HistoryEntry{{At: at, Kind: marketplace.MoveKind, From: row.From, To: row.To, Why: why}}
	}
	switch row.Ask {
	case AskConfirm:
		c.Begins = &Call{ID: call, Endpoint: partnerapi.Confirm, At: at}
	case AskConfirmAgain:
		c.Jobs = []Job{{Kind: ConfirmJob, Booking: b.ID, At: at.Add(pause(b.ConfirmTries - 1))}}
	case AskRelease:
		c.Jobs = []Job{{Kind: ReleaseJob, Booking: b.ID, At: at}}
	case AskCancel:
		c.Jobs = []Job{{Kind: CancelJob, Booking: b.ID, At: at}}
	}
	c.Reverses = row.From == marketplace.Confirmed && row.From != row.To
	return c, nil
}

// apply returns the booking after a move.
func apply(b marketplace.Booking, row Row, at time.Time, message string, call uuid.UUID) marketplace.Booking {
	b.Status = row.To
	if row.Reason != "" {
		b.Reason = row.Reason
	}
	if row.Release != "" {
		b.Release = row.Release
	}
	if row.Cancel != "" {
		b.Cancellation = row.Cancel
	}
	switch row.Ask {
	case AskConfirm:
		b.ConfirmCall, b.ConfirmTries = call, b.ConfirmTries+1
	case AskRelease:
		b.ReleaseTries, b.ReleaseSince = 0, at
	case AskCancel:
		b.CancelTries, b.CancelSince = 0, at
	}
	switch row.On {
	case ConfirmAccept: // another one that is under way has nothing to add
		b.ConfirmCall = uuid.Nil
	case ConfirmRefuse, ConfirmFail, ConfirmUnanswered, ConfirmGiveUp:
		if b.ConfirmCall == call { // else this one came late, and another one is under way
			b.ConfirmCall = uuid.Nil
		}
	}
	b.Doubted = row.On != ConfirmAccept && (b.Doubted || slices.Contains(doubting, row.On))
	b.Attention = slices.DeleteFunc(slices.Clone(b.Attention), func(a marketplace.Attention) bool {
		return a.Reason == row.Raises || slices.Contains(row.Settles, a.Reason)
	})
	if row.Raises != "" {
		b.Attention = append(b.Attention, marketplace.Attention{Reason: row.Raises, Since: at, Message: message})
	}
	return b
}
