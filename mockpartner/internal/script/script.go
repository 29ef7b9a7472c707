// Package script makes a mock partner misbehave on demand, the same way every time.
//
// A Scenario describes a mock: its catalog, clock, seed and policy, and how it misbehaves. Its
// quirks are wrong behaviours of the booking logic, which package platform implements. Its faults
// come between the caller and the booking logic. A scenario is read from a YAML file (Load, Parse),
// whose form Schema publishes. It is read again whenever the file changes (Watch).
//
// A Fault says to which requests it applies (Match) and for which matches it fires (Key, After,
// Until, Times, Probability). Package fault implements what it does: a delay, another answer, a
// changed answer, or a disturbance on the wire.
//
// A Set is the misbehaviour of one sandbox: a scenario, other parts in its form (Part), and faults
// that were armed by themselves. For each request, Fire returns the faults that fire, and
// fault.Firings.Serve carries them out. A fault's decision depends on the seed, its name, the key, and
// how often that key has matched. The order in which concurrent requests with different keys arrive
// changes nothing.
package script

import (
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/platform"
)

// Scenario describes a mock. Zero values leave it unchanged.
type Scenario struct {
	Catalog *catalog.Catalog
	Now     time.Time // where the clocks start
	Frozen  bool      // the clocks stand still until they are moved
	Seed    *uint64
	Policy  *catalog.Policy // replaces the catalog's
	HoldFor time.Duration   // how long holds last
	// AnswerTimes is how long answers take; nil means that they are immediate.
	AnswerTimes *AnswerTimes
	Quirks      []platform.Quirk
	Faults      []Fault
	// Webhooks are the webhooks of the default sandbox.
	Webhooks *Webhooks
}
