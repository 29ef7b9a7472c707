// Package partnertest configures clients of partners for tests.
package partnertest

import "time"

// Unhurried is the scale of a client's limits in tests that are not about time: a slow machine may
// need minutes for what the contract allows seconds.
func Unhurried(limit time.Duration) time.Duration { return 100 * limit }
