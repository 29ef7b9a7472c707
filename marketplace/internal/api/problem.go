package api

import (
	"cmp"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
)

// problem is the body of every error.
type problem struct {
	client.ErrorBody
	retryAfter time.Duration // 0: no such header
}

// fixedMessages are messages that the contract prescribes. They do not contain the cause.
var fixedMessages = map[int]string{
	http.StatusUnauthorized:        "unauthorized access",
	http.StatusTooManyRequests:     "rate limit exceeded",
	http.StatusInternalServerError: "unexpected error",
}

// httpError is an error that only HTTP knows, such as a wrong method.
func httpError(reason domain.Reason, message string) error {
	return &domain.Error{Reason: reason, Message: message}
}

// writeProblem writes an error's answer. The cause of an internal error is logged and never sent.
func writeProblem(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	p := problemOf(err)
	if r.Context().Err() == nil && (p.Code == http.StatusInternalServerError || p.Code == http.StatusServiceUnavailable) {
		log.ErrorContext(r.Context(), "request failed", slog.String("request_id", requestID(r.Context())), slog.Any("error", err))
	}
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", wholeSeconds(p.retryAfter))
	}
	if err := writeJSON(w, p.Code, p); err != nil {
		panic(err) // strings and numbers can always be encoded
	}
}

func problemOf(err error) problem {
	if domain.CodeOf(err) == domain.Internal {
		if gone := postgres.UnavailableError(err); gone != nil {
			err = gone
		}
	}
	row := domain.ReasonOf(err).Row()
	p := problem{client.ErrorBody{Success: new(int), Code: row.Status, ErrorCode: string(row.Reason), Message: fixedMessages[row.Status]}, row.RetryAfter}
	if ours := (*domain.Error)(nil); errors.As(err, &ours) {
		p.retryAfter = cmp.Or(ours.RetryAfter, p.retryAfter)
		if ours.Due != nil {
			p.PaymentDue = &client.Price{Amount: decimalOf(&ours.Due.Amount), Currency: string(ours.Due.Currency)}
		}
		if p.Message == "" {
			p.Message, p.Error = ours.Message, ours.Details
		}
	}
	if underWay := (*conformance.UnderWay)(nil); errors.As(err, &underWay) {
		p.RunID = underWay.Run.String()
	}
	if len(p.Error) == 0 {
		p.Error = []string{p.Message}
	}
	if p.Code >= http.StatusInternalServerError && p.retryAfter == 0 {
		p.Retry = new(bool)
	}
	return p
}

// withoutRetry marks a problem that a retry does not change.
func (p problem) withoutRetry() problem {
	if p.retryAfter = 0; p.Code >= http.StatusInternalServerError {
		p.Retry = new(bool)
	}
	return p
}

// wholeSeconds formats a duration for a header, rounded up.
func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
