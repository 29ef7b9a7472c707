package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is an error answer of the marketplace.
type Error struct {
	Method, Path string
	Status       int           // the HTTP status
	Code         string        // the error_code of the answer, such as slot_sold_out; "": no code
	Message      string        // one line; the partner's own message if the partner refused
	Details      []string      // one line for each cause, such as each invalid field
	RequestID    string        // the id in the service's log
	RetryAfter   time.Duration // wait this long before a retry; 0: not stated
	PaymentDue   *Price        // what a new slot costs more, for the code payment_required; nil: nothing

	final   bool // a retry cannot succeed
	foreign bool // not in the marketplace's format: an intermediary answered
}

// Price is an amount in a currency.
type Price struct {
	Amount   Decimal `json:"amount"`
	Currency string  `json:"currency"`
}

// Error returns the message without the request id.
func (e *Error) Error() string {
	message := e.Message
	if details := strings.Join(e.Details, "; "); details != "" && details != e.Message {
		message += ": " + details
	}
	return fmt.Sprintf("%s %s: %d: %s", e.Method, e.Path, e.Status, message)
}

// IsStatus reports whether err is an answer of the marketplace with that status, such as
// http.StatusConflict.
func IsStatus(err error, status int) bool {
	refusal := (*Error)(nil)
	return errors.As(err, &refusal) && refusal.Status == status
}

// maxForeign limits the quotation of an answer that is not the marketplace's, in bytes.
const maxForeign = 200

// ErrorBody is the JSON of an error answer. Calls return an *Error.
type ErrorBody struct {
	Success    *int     `json:"success"` // 0
	Error      []string `json:"error"`   // one line for each cause
	Message    string   `json:"message"`
	Code       int      `json:"code"` // the HTTP status
	ErrorCode  string   `json:"error_code"`
	Retry      *bool    `json:"retry,omitempty"`       // false: a 5xx that a retry does not change
	RunID      string   `json:"run_id,omitempty"`      // of the conformance run in progress
	PaymentDue *Price   `json:"payment_due,omitempty"` // what the new slot of a reschedule costs more
}

func errorOf(r request, response *http.Response, text []byte) *Error {
	e := &Error{Method: r.method, Path: r.path, Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	var body ErrorBody
	if json.Unmarshal(text, &body) == nil && body.Success != nil && body.Code == e.Status {
		e.final = body.Retry != nil && !*body.Retry
		e.Code, e.Message, e.Details, e.PaymentDue = body.ErrorCode, body.Message, body.Error, body.PaymentDue
		return e
	}
	e.foreign = true
	e.Message = "this is not a marketplace's answer: " + strconv.Quote(strings.ToValidUTF8(string(text[:min(len(text), maxForeign)]), ""))
	return e
}
