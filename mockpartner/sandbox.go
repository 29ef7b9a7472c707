package mockpartner

import (
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// Sandbox is one isolated partner of a mock: look inside with its methods.
type Sandbox = sandbox.Sandbox

// SandboxSpec is what a new sandbox is to be like.
type SandboxSpec = sandbox.Spec

// What a sandbox has in it: see Sandbox.Platform.
type (
	Hold       = platform.Hold
	Booking    = platform.Booking
	SlotChange = platform.SlotChange
)

// The states of a Hold and of a Booking that tests ask for.
const (
	Held      = platform.Held
	Booked    = platform.Booked
	Cancelled = platform.Cancelled
)

// What a sandbox and its callers have said: see Sandbox.Journal.
type (
	Exchange       = journal.Exchange
	ExchangeFilter = journal.Filter
	JournalLimits  = journal.Limits
	// Testimony is what only a test can know of the callers.
	Testimony = journal.Testimony
)

// Verdict tells whether the callers kept their side of the contract: see
// Sandbox.Verdict.
type Verdict = judge.Verdict

// Kept is a Verdict without a breach.
const Kept = judge.Kept
