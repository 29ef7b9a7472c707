package domain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the kind of an error. Its Reason is more specific.
type Code string

// The codes.
const (
	Invalid       Code = "invalid"        // invalid request; Details say where
	Unauthorized  Code = "unauthorized"   // missing or wrong credentials
	Forbidden     Code = "forbidden"      // requires another role
	NotFound      Code = "not_found"      // it does not exist or belongs to another account
	Conflict      Code = "conflict"       // not possible in this state
	Unprocessable Code = "unprocessable"  // valid, but refused: the Reason says why
	RateLimited   Code = "rate_limited"   // too many requests
	PartnerFailed Code = "partner_failed" // the partner could not be reached, or its answer was invalid
	PartnerLate   Code = "partner_late"   // the partner did not answer in time
	Unavailable   Code = "unavailable"    // temporarily not possible; the change may or may not have been stored
	Internal      Code = "internal"       // a fault of the service; the cause is only logged
)

// Error is the only error type that leaves the domain. Message and Details are for the caller and
// contain no secrets. Cause is for the log.
type Error struct {
	Code    Code
	Message string
	Reason  Reason   // "": the default of the Code
	Details []string // one for each mistake in the request
	Cause   error
	// RetryAfter is how long to wait before a retry; 0: the Reason's default.
	RetryAfter time.Duration
	// Due is what the customer still has to pay; nil: nothing.
	Due *Price
	// PartnerStatus is the HTTP status of the partner's refusal; 0: no refusal.
	PartnerStatus int
}

func (e *Error) Error() string {
	if e.Cause != nil && !strings.HasSuffix(e.Message, e.Cause.Error()) { // Errorf includes it in the message
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// orNil returns the error if it has details, otherwise nil.
func (e *Error) orNil() error {
	if len(e.Details) == 0 {
		return nil
	}
	return e
}

// Errorf returns an error with that code. A %w argument is its cause and part of its message, so
// wrap only errors that callers may read.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// MessageOf returns the part of an error that callers may read.
func MessageOf(err error) string {
	var ours *Error
	if errors.As(err, &ours) {
		return ours.Message
	}
	return "the call was given up"
}

// CodeOf returns the code of an error, or Internal if it is not an *Error.
func CodeOf(err error) Code {
	var ours *Error
	if errors.As(err, &ours) {
		return ours.Code
	}
	return Internal
}

// ReasonOf returns the reason of an error, or UnexpectedError if it is not an *Error.
func ReasonOf(err error) Reason {
	var ours *Error
	if errors.As(err, &ours) && ours.Reason != "" {
		return ours.Reason
	}
	return usual[CodeOf(err)]
}
