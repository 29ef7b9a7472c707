// Package sandbox isolates the users of one mock partner from each other. A
// Sandbox is a partner of its own: platform, clock, seed and journal. A Registry
// holds the sandboxes of a mock, by name; what they can share without noticing
// (the catalog and its rendered form) they share.
package sandbox

import (
	"time"

	"partnerkit.dev/mockpartner/journal"
	"partnerkit.dev/mockpartner/platform"
)

// Sandbox is one isolated partner.
type Sandbox struct {
	name     string
	created  time.Time
	clock    *platform.VirtualClock
	platform *platform.Platform
	journal  *journal.Journal
	answers  *Answers
}

// Name is the sandbox's name, the {name} of /s/{name}/.
func (s *Sandbox) Name() string { return s.name }

// Created is when the sandbox was made, in real time.
func (s *Sandbox) Created() time.Time { return s.created }

// Platform is the sandbox's business: its slots, holds and bookings.
func (s *Sandbox) Platform() *platform.Platform { return s.platform }

// Clock is the sandbox's clock.
func (s *Sandbox) Clock() *platform.VirtualClock { return s.clock }

// Journal holds the sandbox's exchanges.
func (s *Sandbox) Journal() *journal.Journal { return s.journal }

// Answers remembers the sandbox's availability answers.
func (s *Sandbox) Answers() *Answers { return s.answers }
