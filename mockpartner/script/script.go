// Package script makes a mock partner misbehave on demand, the same way every
// time.
//
// A Scenario is what a mock is to be like: its catalog, clock and seed, and its
// faults. It is read from a YAML file (Load, Parse), whose form Schema
// publishes, and read anew whenever the file changes (Watch).
//
// A Fault says to which requests it applies (Match), which of them it is to
// break (Key, After, Until, Times, Probability), and how: by being late, by
// another answer, by changing the real one, or on the wire. Each action has a
// file of its own, named after its key in the file; where WireMock or toxiproxy
// have a word for it, it is theirs.
//
// A Set is the faults that are armed in one sandbox. For each request, Fire
// looks for the first fault that fires, and Firing.Serve lets it do its work. What
// a fault decides depends on the seed, its name, the key and how often that key
// has matched: the order in which concurrent requests of different keys arrive
// changes nothing.
package script

import (
	"time"

	"partnerkit.dev/mockpartner/catalog"
)

// Scenario is what a mock is to be like. Zero values leave it as it is.
type Scenario struct {
	Catalog *catalog.Catalog
	Now     time.Time // where the clocks begin
	Frozen  bool      // they stand still until they are moved
	Seed    *uint64
	Faults  []Fault
}
