package server

import (
	"context"
	"errors"
	"net/http"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/octobridge/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// badRequest is the error of a request that is invalid.
type badRequest string

func (b badRequest) Error() string { return string(b) }

// failure is the body of an answer that is not 2xx. OCTO is the supplier's part in it.
type failure struct {
	Message string    `json:"message"`
	OCTO    *octoCall `json:"octo,omitempty"`
}

// octoCall is a call to the supplier that was refused, or had no readable answer.
type octoCall struct {
	Call   string         `json:"call"`
	Status int            `json:"status,omitempty"`
	Error  octo.ErrorCode `json:"error,omitempty"`
	Detail string         `json:"detail,omitempty"`
}

// fail answers a request with an error, and returns the status.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, name partnerapi.Endpoint, err error) int {
	status := statusOf(err)
	body := failure{Message: err.Error(), OCTO: callIn(err)}
	if refused := (*booking.Refusal)(nil); errors.As(err, &refused) {
		body.Message = refused.Message
	}
	switch status {
	case http.StatusGatewayTimeout:
		body.Message = "the OCTO supplier did not answer in time"
	case http.StatusInternalServerError:
		body.Message = "the bridge cannot answer now"
	}
	if refused := (*supplier.Refusal)(nil); errors.As(err, &refused) && status == http.StatusTooManyRequests && refused.RetryAfter != "" {
		w.Header().Set("Retry-After", refused.RetryAfter)
	}
	if status >= http.StatusInternalServerError && r.Context().Err() == nil {
		s.Log.Warn("request failed", "endpoint", string(name), "status", status, "error", err)
	}
	send(w, status, body)
	return status
}

// statusOf returns the status for an error. What the supplier refuses finally is refused too; its own
// faults, and the bridge's key, are not the caller's.
func statusOf(err error) int {
	var (
		invalid     badRequest
		party       offer.Refusal
		refused     *booking.Refusal
		unsupported *booking.Unsupported
		answer      *supplier.Refusal
		none        *supplier.Failure
		tooLarge    *http.MaxBytesError
	)
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &invalid), errors.As(err, &party), errors.As(err, &refused):
		return http.StatusBadRequest
	case errors.As(err, &unsupported):
		return http.StatusNotImplemented
	case errors.As(err, &none) && none.Timeout, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return http.StatusGatewayTimeout
	case errors.As(err, &answer) && answer.Status == http.StatusTooManyRequests:
		return http.StatusTooManyRequests
	case errors.As(err, &answer) && answer.IsFinal():
		return http.StatusBadRequest
	case errors.As(err, &answer), errors.As(err, &none):
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}

// callIn returns the supplier's part in an error, or nil.
func callIn(err error) *octoCall {
	if refused := (*supplier.Refusal)(nil); errors.As(err, &refused) {
		return &octoCall{Call: refused.Call, Status: refused.Status, Error: refused.Code, Detail: refused.Message}
	}
	if none := (*supplier.Failure)(nil); errors.As(err, &none) {
		return &octoCall{Call: none.Call, Detail: none.Err.Error()}
	}
	return nil
}
