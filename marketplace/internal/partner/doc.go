// Package partner calls partners: each of the contract's endpoints within its limit,
// with the registered key, to addresses that are public, and never at the cost of
// another partner. What came of a call is told to whoever keeps the partners' health.
package partner
