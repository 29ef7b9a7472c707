package api

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// problem is the body of every error, on every surface.
type problem struct {
	Success int      `json:"success"` // 0
	Error   []string `json:"error"`
	Message string   `json:"message"`
	Code    int      `json:"code"` // the status
}

// The words that the contract has for what callers cannot mend in the request itself.
const (
	saysUnauthorized = "unauthorized access"
	saysRateLimited  = "rate limit exceeded"
	saysInternal     = "unexpected error"
)

// statuses maps the domain's codes, once.
var statuses = map[marketplace.Code]int{
	marketplace.Invalid:       http.StatusBadRequest,
	marketplace.Unauthorized:  http.StatusUnauthorized,
	marketplace.Forbidden:     http.StatusForbidden,
	marketplace.NotFound:      http.StatusNotFound,
	marketplace.Conflict:      http.StatusConflict,
	marketplace.Unprocessable: http.StatusUnprocessableEntity,
	marketplace.RateLimited:   http.StatusTooManyRequests,
	marketplace.PartnerFailed: http.StatusBadGateway,
	marketplace.PartnerLate:   http.StatusGatewayTimeout,
	marketplace.Internal:      http.StatusInternalServerError,
}

// statusError is a mistake that only HTTP knows, such as a wrong method.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string { return e.message }

// writeProblem writes an error's answer. What is ours is logged with its cause, and
// told to nobody.
func writeProblem(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	p := problemOf(err)
	if p.Code == http.StatusInternalServerError && r.Context().Err() == nil {
		log.ErrorContext(r.Context(), "request failed", slog.String("request_id", requestID(r.Context())), slog.Any("error", err))
	}
	if ours := (*marketplace.Error)(nil); errors.As(err, &ours) && ours.RetryAfter > 0 {
		w.Header().Set("Retry-After", wholeSeconds(ours.RetryAfter))
	}
	if err := writeJSON(w, p.Code, p); err != nil {
		panic(err) // texts and numbers can always be written
	}
}

func problemOf(err error) problem {
	if only := (*statusError)(nil); errors.As(err, &only) {
		return problem{Error: []string{only.message}, Message: only.message, Code: only.status}
	}
	p := problem{Code: statuses[marketplace.CodeOf(err)]}
	switch p.Code {
	case http.StatusUnauthorized:
		p.Message = saysUnauthorized
	case http.StatusTooManyRequests:
		p.Message = saysRateLimited
	case http.StatusInternalServerError:
		p.Message = saysInternal
	default:
		var ours *marketplace.Error
		errors.As(err, &ours)
		p.Message, p.Error = ours.Message, ours.Details
	}
	if len(p.Error) == 0 {
		p.Error = []string{p.Message}
	}
	return p
}

// wholeSeconds is a time as headers have it, rounded up.
func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
