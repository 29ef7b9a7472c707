package script

import (
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// AnswerTimes is how long the partner takes to answer, by endpoint, before any fault. Its keys in a
// file are the names of the fields. A missing key means that the partner answers immediately.
type AnswerTimes struct {
	Products platform.Duration `yaml:"products" json:"products,omitempty"`
	// Probe is GET /products with a limit; absent means Products.
	Probe        platform.Duration `yaml:"probe" json:"probe,omitempty"`
	Availability platform.Duration `yaml:"availability" json:"availability,omitempty"`
	Reserve      platform.Duration `yaml:"reserve" json:"reserve,omitempty"`
	Confirm      platform.Duration `yaml:"confirm" json:"confirm,omitempty"`
	Release      platform.Duration `yaml:"release" json:"release,omitempty"`
	Cancel       platform.Duration `yaml:"cancel" json:"cancel,omitempty"`
}

func (t *AnswerTimes) answerTime(r *http.Request, endpoint partnerapi.Endpoint) time.Duration {
	var d platform.Duration
	switch endpoint {
	case partnerapi.Products:
		if d = t.Products; t.Probe != 0 && r.URL.Query().Has("limit") {
			d = t.Probe
		}
	case partnerapi.Availability:
		d = t.Availability
	case partnerapi.Reserve:
		d = t.Reserve
	case partnerapi.Confirm:
		d = t.Confirm
	case partnerapi.Release:
		d = t.Release
	case partnerapi.Cancel:
		d = t.Cancel
	}
	return time.Duration(d)
}

// TakeTime waits for the partner's answer time. The request takes effect even if the caller has
// disconnected meanwhile, as with a real partner.
func (s *Set) TakeTime(w http.ResponseWriter, r *http.Request, o Operation) {
	times := s.times.Load()
	if times == nil {
		return
	}
	wait := times.answerTime(r, o.Endpoint)
	if wait <= 0 {
		return
	}
	// The answer may be later than the server's general write deadline.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ending.Done():
	}
}
