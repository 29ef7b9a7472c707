package mockpartner

import (
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// Sandbox is one isolated partner of a mock, as a test in the same process sees it. Package client
// shows the same, and more, over HTTP.
type Sandbox struct{ *sandbox.Sandbox }

// Name returns the sandbox's name, the {name} in /s/{name}/.
func (s *Sandbox) Name() string { return s.Sandbox.Name() }

// Play replaces the sandbox's scenario, as Mock.Play does. Holds and bookings stay.
func (s *Sandbox) Play(scenario *Scenario) error { return s.Follow(scenario.Scenario) }

// Now returns the time of the sandbox's clock.
func (s *Sandbox) Now() time.Time { return s.Clock().Now() }

// SetClock moves the sandbox's clock to t.
func (s *Sandbox) SetClock(t time.Time) { s.Clock().Set(t) }

// Holds returns every remembered hold, oldest first.
func (s *Sandbox) Holds() []client.Hold { return s.Platform().Holds() }

// Bookings returns every remembered booking, oldest first.
func (s *Sandbox) Bookings() []client.Booking { return s.Platform().Bookings() }

// Slots returns every slot that the option has on the given number of days from the date on, by
// start. A zero date means today in the product's zone.
func (s *Sandbox) Slots(productID, optionID string, from time.Time, days int) ([]client.SlotState, error) {
	return s.Platform().Calendar(productID, optionID, from, days)
}

// SetSlot changes a slot as the partner's own staff would.
func (s *Sandbox) SetSlot(productID, optionID, availabilityID string, change client.SlotChange) error {
	return s.Platform().SetSlot(productID, optionID, availabilityID, change)
}

// Invariants lists the violated invariants of the inventory; an empty list is healthy.
func (s *Sandbox) Invariants() []client.Violation { return s.Platform().Invariants() }

// Exchanges returns the matching requests and answers, in the order of arrival. Bodies and headers
// must not be changed.
func (s *Sandbox) Exchanges(f client.Filter) []client.Exchange { return s.Journal().Exchanges(f) }

// Testify gives the judge of the callers what the mock cannot see. It returns the testimony with
// the omitted times filled in.
func (s *Sandbox) Testify(t client.Testimony) (client.Testimony, error) {
	return s.Journal().Testify(t)
}

// Verdict reports whether the sandbox's callers followed the contract.
func (s *Sandbox) Verdict() client.Verdict { return s.Sandbox.Verdict() }
