package marketplace

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code says what kind of failure an error is. Its Reason tells callers more.
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
	Unavailable   Code = "unavailable"    // the service cannot do it now; whether it was done may be unknown
	Internal      Code = "internal"       // ours; the cause is for the log alone
)

// Error is the one error that leaves the domain. Message and Details are for the
// caller and hold no secret; Cause is for the log.
type Error struct {
	Code    Code
	Message string
	Reason  Reason   // "": the usual one of the Code
	Details []string // a line for each mistake in the request
	Cause   error
	// RetryAfter is when the request may be sent again; 0 leaves it to the Reason.
	RetryAfter time.Duration
	// PartnerStatus is the HTTP status that a partner has refused a call with; 0: it has
	// not.
	PartnerStatus int
}

func (e *Error) Error() string {
	if e.Cause != nil && !strings.HasSuffix(e.Message, e.Cause.Error()) { // Errorf has it in the message
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

// MessageOf returns what callers may read of an error: not its cause.
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
