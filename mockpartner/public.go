package mockpartner

import (
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// Sandbox is one isolated partner of a mock. Its methods give access to its state.
type Sandbox = sandbox.Sandbox

// SandboxSpec describes a new sandbox.
type SandboxSpec = sandbox.Spec

// These types describe the contents of a sandbox: see Sandbox.Platform.
type (
	// Hold is a hold of a sandbox.
	Hold = platform.Hold
	// Booking is a booking of a sandbox.
	Booking = platform.Booking
	// SlotChange is a change of a slot; nil leaves a field unchanged.
	SlotChange = platform.SlotChange
)

// These are the states of a Hold and of a Booking that tests check most.
const (
	Held      = platform.Held
	Booked    = platform.Booked
	Cancelled = platform.Cancelled
)

// These types describe the traffic of a sandbox: see Sandbox.Journal.
type (
	// Exchange is a request and its answer.
	Exchange = journal.Exchange
	// ExchangeFilter selects exchanges; zero values match everything.
	ExchangeFilter = journal.Filter
	// JournalLimits limits what a journal keeps.
	JournalLimits = journal.Limits
	// Testimony is what only the test knows about the callers.
	Testimony = journal.Testimony
)

// Verdict reports whether the callers followed the contract: see Sandbox.Verdict.
type Verdict = judge.Verdict

// Kept is a Verdict without a breach.
const Kept = judge.Kept

type (
	// Defect is a named breach of one rule of the contract.
	Defect = defects.Partner
	// Variant is a named, unusual behaviour that the contract allows.
	Variant = defects.Partner
)

// FindDefect and FindVariant return these errors for unknown names.
var (
	ErrNoDefect  = defects.ErrNoDefect
	ErrNoVariant = defects.ErrNoVariant
)

// Defects lists all defects except the deep ones, by name.
func Defects() []Defect { return defects.Defects.All() }

// DeepDefects lists the defects that break a rule only in one instance, such as for one product or
// at the third repeat. They are ordered by what the instances differ in.
func DeepDefects() []Defect { return defects.Deep.All() }

// Variants lists all variants, by name.
func Variants() []Variant { return defects.Variants.All() }

// FindDefect returns the defect with that name. Its error wraps ErrNoDefect.
func FindDefect(name string) (Defect, error) { return defects.FindDefect(name) }

// FindVariant returns the variant with that name. Its error wraps ErrNoVariant.
func FindVariant(name string) (Variant, error) { return defects.Variants.Find(name) }

type (
	// Scenario describes a mock and its misbehaviour, in the form of a scenario file.
	Scenario = script.Scenario
	// Fault disturbs exchanges between a caller and the mock.
	Fault = script.Fault
	// Match selects the requests that a Fault applies to.
	Match = script.Match
	// Actions say what a Fault does to an exchange.
	Actions = fault.Actions
	// Quirk is a wrong behaviour of the booking logic.
	Quirk = platform.Quirk
	// Secret is text that is never shown, such as a webhook secret.
	Secret = script.Secret
	// Webhooks configures where and when a mock sends webhooks.
	Webhooks = script.Webhooks
	// WebhookKind is what a webhook reports: Trigger or Notify.
	WebhookKind = script.WebhookKind
)

const (
	OnReserve  = platform.OnReserve  // a Quirk's On
	AmountNone = platform.AmountNone // a Quirk's Takes or Gives

	Notify    = script.Notify     // a slot has changed
	Trigger   = script.Trigger    // the catalog has changed
	Delivered = webhook.Delivered // the state of a webhook that was answered with success
)

// ParseScenario parses a scenario from the text of a file. Its error begins with the file's name
// and the location in it.
func ParseScenario(file string, text []byte) (*Scenario, error) { return script.Parse(file, text) }

// LoadScenario reads a scenario file.
func LoadScenario(path string) (*Scenario, error) { return script.Load(path) }
