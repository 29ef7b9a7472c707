package fault

import (
	"encoding/json"
	"net/http"

	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/reply"
)

// Answer replaces the partner's answer.
type Answer struct {
	// Status is the answer's status. With a body it may be omitted and is then 200.
	Status int `yaml:"status" json:"status,omitempty"`
	// Body is sent as JSON, a string unchanged. If absent, a message names the fault.
	Body any `yaml:"body" json:"body,omitempty"`
}

func (a Answer) compile() (any, error) {
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if err := invalid.RequireRange("status", a.Status, 200, 599); err != nil {
		return nil, err
	}
	if _, err := json.Marshal(a.Body); err != nil {
		return nil, invalid.ErrorAt("body", "expected a JSON value: %v", err)
	}
	return a, nil
}

func (a Answer) replace(fault string) *response {
	answer := refusal(a.Status, "This is the fault "+fault+".")
	switch body := a.Body.(type) {
	case nil:
	case string:
		answer.body = []byte(body)
	default:
		answer.body, _ = reply.Marshal(body) // compile has validated it
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		answer.body = nil
	}
	return answer
}
