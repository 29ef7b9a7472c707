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
	Status       int           // the HTTP status, and the code of the answer
	Code         string        // the error_code of the answer, such as slot_sold_out; "": it has none
	Message      string        // what is wrong, in one line; a partner's own words where it has refused
	Details      []string      // what is wrong, one a cause: each wrong field of a request has a line
	RequestID    string        // under which the service has logged it
	RetryAfter   time.Duration // after which the call may be made again; 0: it is not said

	final   bool // the marketplace says that a retry cannot help
	foreign bool // it is not in the marketplace's shape: something on the way has answered
}

// Error tells all but the request's id.
func (e *Error) Error() string {
	said := e.Message
	if details := strings.Join(e.Details, "; "); details != "" && details != e.Message {
		said += ": " + details
	}
	return fmt.Sprintf("%s %s: %d: %s", e.Method, e.Path, e.Status, said)
}

// IsStatus reports whether the error is the marketplace's answer of that status, such as
// http.StatusConflict.
func IsStatus(err error, status int) bool {
	refusal := (*Error)(nil)
	return errors.As(err, &refusal) && refusal.Status == status
}

// maxForeign bounds what is told of an answer that is not the marketplace's, in bytes.
const maxForeign = 200

// problem is the body of an error.
type problem struct {
	Success *int     `json:"success"`
	Error   []string `json:"error"`
	Message string   `json:"message"`
	Code    int      `json:"code"`
	Word    string   `json:"error_code"`
	Retry   *bool    `json:"retry"` // nil: it is not said
}

func errorOf(r request, response *http.Response, text []byte) *Error {
	e := &Error{Method: r.method, Path: r.path, Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	var body problem
	if json.Unmarshal(text, &body) == nil && body.Success != nil && body.Code == e.Status {
		e.final = body.Retry != nil && !*body.Retry
		e.Code, e.Message, e.Details = body.Word, body.Message, body.Error
		return e
	}
	e.foreign = true
	e.Message = "this is not a marketplace's answer: " + strconv.Quote(strings.ToValidUTF8(string(text[:min(len(text), maxForeign)]), ""))
	return e
}
