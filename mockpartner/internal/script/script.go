// Package script makes a mock partner misbehave on demand, the same way every
// time.
//
// A Scenario is what a mock is to be like: its catalog, clock and seed, its policy,
// and how it misbehaves. Its quirks are mistakes of the business itself, which
// package platform makes; its faults come between the caller and the business. It is read from a YAML file (Load, Parse), whose form Schema
// publishes, and read again whenever the file changes (Watch).
//
// A Fault says to which requests it applies (Match), which of them it is to
// break (Key, After, Until, Times, Probability), and how: by being late, by
// another answer, by changing the real one, or on the wire: see package fault.
//
// A Set is how one sandbox misbehaves: a scenario and whatever else is played in
// its form (Part), and what was armed by itself. For each request, Fire
// looks for the first fault that fires, and fault.Firing.Serve lets it do its work. What
// a fault decides depends on the seed, its name, the key and how often that key
// has matched: the order in which concurrent requests of different keys arrive
// changes nothing.
package script

import (
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/platform"
)

// Scenario describes a mock. Zero values leave it unchanged.
type Scenario struct {
	Catalog *catalog.Catalog
	Now     time.Time // where the clocks begin
	Frozen  bool      // they stand still until they are moved
	Seed    *uint64
	Policy  *catalog.Policy // in place of the catalog's
	HoldFor time.Duration   // how long holds live
	// AnswerTimes is how long answers take; nil means no time.
	AnswerTimes *AnswerTimes
	Quirks      []platform.Quirk
	Faults      []Fault
	// Webhooks are those of the default sandbox.
	Webhooks *Webhooks
}
