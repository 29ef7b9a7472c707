package marketplace

import (
	"errors"
	"fmt"
	"time"
)

// Code says what kind of failure an error is. The api maps each to one status.
type Code string

// The codes.
const (
	Invalid       Code = "invalid"        // the request is wrong; Details say where
	Unauthorized  Code = "unauthorized"   // no credentials, or wrong ones
	Forbidden     Code = "forbidden"      // another role's surface
	NotFound      Code = "not_found"      // no such thing, or another account's
	Conflict      Code = "conflict"       // not in this state
	Unprocessable Code = "unprocessable"  // an idempotency key with another body
	RateLimited   Code = "rate_limited"   // too many requests
	PartnerFailed Code = "partner_failed" // the partner could not be reached, or answered nonsense
	PartnerLate   Code = "partner_late"   // the partner did not answer in time
	Internal      Code = "internal"       // ours; the cause is for the log alone
)

// Error is the one error that leaves the domain. Message and Details are for the
// caller and hold no secret; Cause is for the log.
type Error struct {
	Code    Code
	Message string
	Details []string // a line for each mistake in the request
	Cause   error
	// RetryAfter is in how long a request that is RateLimited, or under way already, may
	// be made again; 0 says nothing.
	RetryAfter time.Duration
	// PartnerStatus is the HTTP status that a partner has refused a call with; 0: it has
	// not.
	PartnerStatus int
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// orNil returns the error where it has details, else none.
func (e *Error) orNil() error {
	if len(e.Details) == 0 {
		return nil
	}
	return e
}

// Errorf returns an error of that code. A %w among the arguments is its cause, and
// part of its message: wrap only what callers may read.
func Errorf(code Code, format string, args ...any) *Error {
	said := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: said.Error(), Cause: errors.Unwrap(said)}
}

// CodeOf returns the code of an error; Internal where it is none of ours.
func CodeOf(err error) Code {
	var ours *Error
	if errors.As(err, &ours) {
		return ours.Code
	}
	return Internal
}
