// Package partnerapi defines the partner contract as Go values: the wire types of the six partner
// endpoints, their enumerations, limits and paths.
//
// A partner is a company whose tours and activities a marketplace sells. It serves six endpoints
// below its registered base URL: products, availability, reserve, confirm, release and cancel.
// Programs on either side (the mock partner, the conformance suite, the marketplace) use these
// definitions, so that each constant of the contract is defined only once.
//
// The clauses in the comments (such as PRD-1) are those of docs/contract.md.
package partnerapi
