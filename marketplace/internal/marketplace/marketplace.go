// Package marketplace is the service's domain: its types and invariants. It depends on neither SQL
// nor HTTP.
//
// One file a noun. Below it: pricing (what a reseller pays), health (how a partner
// fares), catalog (a partner's products become activities), partner (the calls to
// partners), postgres (all SQL), api (all HTTP), worker (what happens by itself).
package marketplace
