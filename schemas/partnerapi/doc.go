// Package partnerapi holds the partner contract as Go values: the wire types of
// the six partner endpoints, their enumerations, limits and paths.
//
// A partner is a company whose tours and activities a marketplace sells. It
// serves six endpoints below the base URL it registered: products,
// availability, reserve, confirm, release and cancel. A program that plays one of the
// two sides (the mock partner, the conformance suite, the marketplace) takes
// the vocabulary from here, so that no constant of the contract stands twice.
//
// The clauses named in the comments (such as PRD-1) are those of
// docs/contract.md.
package partnerapi
