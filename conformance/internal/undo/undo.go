// Package undo releases the holds and cancels the bookings that are still open in a ledger: at the
// end of a run, or in the ledger of a killed run.
package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	atOnce = 8
	tries  = 2
)

// MostCalls is the maximum number of calls that undoing an entry takes: release, confirm to see
// whether there is a booking, and cancel; and everything once more.
const MostCalls = 2 * (2*tries + 1)

// NoBookingID is the reason why a booking cannot be cancelled.
const NoBookingID = "the answer to confirm had no externalBookingId"

// Undoing releases and cancels what a ledger has open.
type Undoing struct {
	Client     *probe.Client
	Ledger     *ledger.Ledger
	Now        func() time.Time // the target's time
	LimitScale float64          // of the contract's limits
}

// All undoes what can be undone and records the outcome of each entry. What is open afterwards
// could not be undone. All may be called again.
func (u Undoing) All(ctx context.Context) {
	u.undoEach(ctx, atOnce)
	u.undoEach(ctx, 1) // the partner may refuse concurrent calls
}

func (u Undoing) undoEach(ctx context.Context, atOnce int) {
	var running errgroup.Group
	running.SetLimit(atOnce)
	for _, entry := range u.Ledger.Open() {
		running.Go(func() error {
			u.one(ctx, entry)
			return nil
		})
	}
	_ = running.Wait() // each entry records its own outcome
}

func (u Undoing) one(ctx context.Context, entry *ledger.Entry) {
	switch entry.State {
	case ledger.Attempted:
		u.giveUp(entry, "the run ended before reserve was answered: there may be a hold until it expires")
	case ledger.Unanswered:
		u.giveUp(entry, "reserve was never answered: there may be a hold until it expires")
	case ledger.Held:
		if u.release(ctx, entry) {
			u.Ledger.Record(entry, setUndone)
		}
	case ledger.Booked:
		u.cancel(ctx, entry)
	case ledger.Doubtful:
		u.settleUnanswered(ctx, entry)
	}
}

func setUndone(e *ledger.Entry) { e.State, e.Problem = ledger.Undone, "" }

// giveUp records that a hold with an unknown code may exist, until it must have expired.
func (u Undoing) giveUp(entry *ledger.Entry, why string) {
	ended := u.Now().After(u.Ledger.LatestExpiry(*entry))
	u.Ledger.Record(entry, func(e *ledger.Entry) {
		switch {
		case ended:
			e.State, e.Problem = ledger.Expired, ""
		case e.Problem == "":
			e.State, e.Problem = ledger.Unanswered, why
		default:
			e.State = ledger.Unanswered
		}
	})
}

// settleUnanswered undoes an entry whose confirm was sent without an answer being read. A release alone
// proves nothing: it leaves a booking unchanged (REL-6). So settleDoubt then confirms the code once
// more. A refusal means that nothing is left; any other answer names the booking, which is
// cancelled.
func (u Undoing) settleUnanswered(ctx context.Context, entry *ledger.Entry) {
	if !u.release(ctx, entry) {
		return
	}
	body, _ := json.Marshal(partnerapi.ConfirmRequest{ReservationConfirmationCode: entry.Code}) // encoding a string never fails
	answer := u.send(ctx, probe.Call{
		Endpoint: partnerapi.Confirm, Purpose: "clean up: see whether there is a booking",
		Method: http.MethodPost, Path: partnerapi.ConfirmPath, Body: body,
	})
	switch {
	case answer.HasStatus(http.StatusOK):
		id, _ := discover.Object(answer.Raw)["externalBookingId"].(string)
		u.Ledger.Record(entry, func(e *ledger.Entry) { e.State, e.BookingID, e.Problem = ledger.Booked, id, NoBookingID })
		u.cancel(ctx, entry)
	case answer.Failure == nil && answer.Response.Status/100 == 4:
		u.Ledger.Record(entry, setUndone)
	default:
		u.Ledger.Record(entry, func(e *ledger.Entry) { e.Problem = "confirm was never answered: there may be a booking" })
	}
}

func (u Undoing) release(ctx context.Context, entry *ledger.Entry) bool {
	if entry.Code == "" {
		return false
	}
	return u.try(ctx, entry, probe.Call{
		Endpoint: partnerapi.Release, Purpose: "clean up: release a hold",
		Method: http.MethodDelete, Path: partnerapi.ReleasePath(entry.Code),
	})
}

func (u Undoing) cancel(ctx context.Context, entry *ledger.Entry) {
	if entry.BookingID == "" {
		return
	}
	if u.try(ctx, entry, probe.Call{
		Endpoint: partnerapi.Cancel, Purpose: "clean up: cancel a booking",
		Method: http.MethodPost, Path: partnerapi.CancelPath(entry.BookingID),
	}) {
		u.Ledger.Record(entry, setUndone)
	}
}

// try sends a call that undoes something, and repeats it if that may help. It reports whether it
// succeeded; if not, it records why.
func (u Undoing) try(ctx context.Context, entry *ledger.Entry, call probe.Call) bool {
	for range tries {
		answer := u.send(ctx, call)
		if Done(answer) {
			return true
		}
		unsupported := answer.HasStatus(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented)
		u.Ledger.Record(entry, func(e *ledger.Entry) {
			e.Problem = fmt.Sprintf("%s was answered with %s", call.Endpoint, answer.Words())
			if answer.HasStatus(http.StatusOK) {
				e.Problem += " and success false"
			}
			if unsupported && call.Endpoint == partnerapi.Cancel {
				e.State = ledger.Kept
			}
		})
		if unsupported {
			return false // another try would not help
		}
	}
	return false
}

// Done reports whether an answer to release or cancel leaves no doubt that it succeeded.
func Done(answer *probe.Answer) bool {
	return answer.HasStatus(http.StatusOK) && discover.Object(answer.Raw)["success"] != false
}

// send sends a call with the longest deadline that the marketplace ever uses.
func (u Undoing) send(ctx context.Context, call probe.Call) *probe.Answer {
	call.Limit = time.Duration(u.LimitScale * float64(call.Endpoint.Timeout(partnerapi.Degraded)))
	call.Deadline = call.Limit
	return u.Client.Do(ctx, call)
}

// Leftovers returns the entries that could not be undone. words prepares texts for display.
func Leftovers(l *ledger.Ledger, words func(string) string) []report.Leftover {
	left := []report.Leftover{}
	for _, entry := range l.Open() {
		left = append(left, Describe(l, *entry, words))
	}
	return left
}

// Describe returns what a ledger entry is, and its state. words prepares text for display.
func Describe(l *ledger.Ledger, entry ledger.Entry, words func(string) string) report.Leftover {
	one := report.Leftover{
		Kind: "hold", Code: entry.Code, Reference: entry.Reference,
		ProductID: entry.ProductID, OptionID: entry.OptionID, AvailabilityID: entry.AvailabilityID, Start: entry.Start,
		Reason: entry.Problem, ExpiresAt: entry.ExpiresAt,
	}
	switch entry.State {
	case ledger.Unanswered:
		one.ExpiresAt = l.LatestExpiry(entry).UTC().Format(time.RFC3339)
	case ledger.Undone:
		one.Reason, one.ExpiresAt = "released", ""
		if entry.BookingID != "" {
			one.Reason = "cancelled"
		}
	case ledger.Expired:
		one.Reason = "a hold would have expired by now"
	}
	if entry.BookingID != "" || entry.State == ledger.Booked {
		one.Kind, one.Code, one.ExpiresAt = "booking", entry.BookingID, ""
	}
	for _, text := range []*string{
		&one.Code, &one.Reference, &one.ProductID, &one.OptionID, &one.AvailabilityID, &one.Start, &one.Reason, &one.ExpiresAt,
	} {
		*text = words(*text)
	}
	return one
}
