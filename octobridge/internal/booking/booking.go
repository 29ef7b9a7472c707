// Package booking takes bookings from reserve to cancel with an OCTO supplier, and keeps the partner
// contract where OCTO leaves a choice.
//
// Every call that can hold, book or cancel is on record before it is sent. The reservation code is the
// uuid that OCTO lets a reseller choose, so a booking is found again whatever happens to the answer,
// and no call makes a second one. Settle decides what was left open.
package booking

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/octobridge/internal/supplier"
)

// Config configures a Service.
type Config struct {
	Supplier *supplier.Client
	Store    *store.Store
	// HoldFor is how long the supplier is asked to hold seats. It may choose another time.
	HoldFor time.Duration
	Log     *slog.Logger
	Now     func() time.Time
}

// Service takes bookings. It is safe for concurrent use.
type Service struct {
	Config
	busy  locks
	calls running
}

// New returns a service.
func New(c Config) *Service {
	return &Service{Config: c, busy: locks{held: map[string]*lock{}}}
}

// callTime bounds a call with all that belongs to it. It is longer than a caller of the bridge waits:
// the outcome counts even if its caller has left.
const callTime = time.Minute

// Refusal is a request that is refused: by the contract (CNF-5), or because the supplier refused.
type Refusal struct {
	Message string // for the customer
	Behind  error  // the supplier's error, or nil
}

func (r *Refusal) Error() string { return r.Message }

func (r *Refusal) Unwrap() error { return r.Behind }

// Unsupported is the error of a cancellation that the supplier does not allow (CAN-6).
type Unsupported struct{ Behind error }

func (u *Unsupported) Error() string { return "the supplier does not cancel this booking" }

func (u *Unsupported) Unwrap() error { return u.Behind }

// refusalIn returns the supplier's refusal if it is final.
func refusalIn(err error) (*supplier.Refusal, bool) {
	refused := (*supplier.Refusal)(nil)
	return refused, errors.As(err, &refused) && refused.IsFinal()
}

// isUnknown reports whether the supplier has said that it has no such booking. Another refusal, such as of a
// call that it does not support, says nothing about the booking.
func isUnknown(err error) bool {
	refused := (*supplier.Refusal)(nil)
	return errors.As(err, &refused) && (refused.Code == octo.InvalidBookingUUID || refused.Status == http.StatusNotFound)
}

// isWithoutEffect reports whether a call surely changed nothing.
func isWithoutEffect(err error) bool {
	refused := (*supplier.Refusal)(nil)
	return errors.As(err, &refused) && refused.IsWithoutEffect()
}

// isLive reports whether a booking with this status takes seats.
func isLive(status string) bool {
	switch status {
	case octo.OnHold, octo.Confirmed, octo.Pending, octo.Redeemed:
		return true
	}
	return false
}

func messageOf(r *supplier.Refusal, otherwise string) string {
	if r.Message == "" {
		return otherwise
	}
	return r.Message
}
