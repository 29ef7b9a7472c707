package suite

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"partnerkit.dev/conformance/ledger"
	"partnerkit.dev/conformance/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// cleanupTime bounds the undoing of what a run has left behind.
	cleanupTime = 20 * time.Second
	// cleaners is how many holds and bookings are undone at once.
	cleaners = 8
	// cleanupTries is how often each is tried.
	cleanupTries = 2
)

// cleanUp releases every hold and cancels every booking that is still there. It
// has a time of its own, and no limit, filter or signal keeps it from trying.
func (s *session) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTime)
	defer cancel()
	var running sync.WaitGroup
	free := make(chan struct{}, cleaners)
	for _, entry := range s.ledger.Open() {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			s.undo(ctx, entry)
		})
	}
	running.Wait()
}

// undo releases or cancels one entry. Where the answer to confirm was not read,
// a release alone proves nothing: it leaves a booking as it is (REL-6). The code
// is confirmed once more then: a refusal says that nothing is left, and any other
// answer names the booking, which is cancelled.
func (s *session) undo(ctx context.Context, entry *ledger.Entry) {
	doubtful := entry.State == ledger.Doubtful
	if !s.tryUndoing(ctx, entry) || !doubtful {
		return
	}
	answer := s.client.Do(ctx, s.unhurried(probe.Call{
		Endpoint: partnerapi.Confirm, Purpose: "clean up: see whether there is a booking",
		Method: http.MethodPost, Path: partnerapi.ConfirmPath,
		Body: encode(partnerapi.ConfirmRequest{ReservationConfirmationCode: entry.Code}),
	}))
	switch {
	case answer.OK(http.StatusOK):
		s.ledger.Record(entry, func(e *ledger.Entry) {
			e.State, e.BookingID, e.Trouble = ledger.Booked, readObject(answer.Raw).text("externalBookingId"), noBookingID
		})
		s.tryUndoing(ctx, entry)
	case answer.Failure != nil || answer.Response.Status/100 != 4:
		s.ledger.Record(entry, func(e *ledger.Entry) {
			e.State, e.Trouble = ledger.Doubtful, "confirm was never answered: there may be a booking"
		})
	}
}

// tryUndoing sends the call that undoes an entry, and reports whether it did.
func (s *session) tryUndoing(ctx context.Context, entry *ledger.Entry) bool {
	call, ok := undoing(*entry)
	if !ok {
		return false
	}
	for range cleanupTries {
		answer := s.client.Do(ctx, s.unhurried(call))
		if undone(answer) {
			s.ledger.Record(entry, func(e *ledger.Entry) { e.State, e.Trouble = ledger.Undone, "" })
			return true
		}
		s.ledger.Record(entry, func(e *ledger.Entry) {
			e.Trouble = fmt.Sprintf("%s was answered with %s", call.Endpoint, got(answer))
			if answer.OK(http.StatusOK) {
				e.Trouble += " and success false"
			}
		})
		if answer.OK(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
			break // it is not supported; a second try changes nothing
		}
	}
	return false
}

// undone reports whether an answer to release or cancel leaves no doubt that it
// was done.
func undone(answer *probe.Answer) bool {
	return answer.OK(http.StatusOK) && readObject(answer.Raw)["success"] != false
}

// unhurried gives a call all the time that the marketplace ever gives it.
func (s *session) unhurried(call probe.Call) probe.Call {
	call.Limit = s.scaled(call.Endpoint.Timeout(partnerapi.Healthy))
	call.Deadline = s.longest(call.Endpoint, call.Limit)
	return call
}

// undoing returns the call that undoes an entry, and false where nothing can:
// its code or booking id never arrived.
func undoing(entry ledger.Entry) (probe.Call, bool) {
	switch {
	case entry.State == ledger.Booked && entry.BookingID != "":
		return probe.Call{
			Endpoint: partnerapi.Cancel, Purpose: "clean up: cancel a booking",
			Method: http.MethodPost, Path: partnerapi.CancelPath(entry.BookingID),
		}, true
	case entry.State == ledger.Held, entry.State == ledger.Doubtful:
		return probe.Call{
			Endpoint: partnerapi.Release, Purpose: "clean up: release a hold",
			Method: http.MethodDelete, Path: partnerapi.ReleasePath(entry.Code),
		}, entry.Code != ""
	default:
		return probe.Call{}, false
	}
}

// leftovers lists what could not be undone.
func (s *session) leftovers() []report.Leftover {
	left := []report.Leftover{}
	for _, entry := range s.ledger.Open() {
		l := report.Leftover{
			Kind: "hold", Code: entry.Code,
			ProductID: entry.Offer.Product.ID, OptionID: entry.Offer.Option.ID,
			AvailabilityID: entry.Offer.Slot.ID, Start: entry.Offer.Slot.StartText,
			Reason: entry.Trouble, ExpiresAt: entry.ExpiresAt,
		}
		switch entry.State {
		case ledger.Booked:
			l.Kind, l.Code, l.ExpiresAt = "booking", entry.BookingID, ""
		case ledger.Unheard:
			if l.Reason == "" {
				l.Reason = "reserve was never answered: there may be a hold, which ends when it expires"
			}
		case ledger.Attempted:
			l.Reason = "the run ended before reserve was answered: there may be a hold, which ends when it expires"
		}
		for _, text := range []*string{&l.Code, &l.ProductID, &l.OptionID, &l.AvailabilityID, &l.Start, &l.Reason, &l.ExpiresAt} {
			*text = s.words(*text)
		}
		left = append(left, l)
	}
	return left
}
