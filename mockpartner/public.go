package mockpartner

import (
	"partnerkit.dev/mockpartner/internal/catalog"
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
	Hold       = platform.Hold
	Booking    = platform.Booking
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
	Exchange       = journal.Exchange
	ExchangeFilter = journal.Filter
	JournalLimits  = journal.Limits
	// Testimony is what only the test knows about the callers.
	Testimony = journal.Testimony
)

// Verdict reports whether the callers followed the contract: see Sandbox.Verdict.
type Verdict = judge.Verdict

// Kept is a Verdict without a breach.
const Kept = judge.Kept

type (
	// Catalog is what a mock sells, in the form of a catalog file.
	Catalog = catalog.Catalog
	// Schedule describes when an option takes place, and with how many seats.
	Schedule = catalog.Schedule
	// Seats is a range for the number of seats of a slot.
	Seats = catalog.Seats
)

const (
	// PricingEmpty is the Schedule.UnitPricing of slots whose prices are an empty list.
	PricingEmpty = catalog.PricingEmpty
	// AwkwardCodes is the Policy.Codes of a partner whose codes are hard to escape.
	AwkwardCodes = catalog.AwkwardCodes
)

// DefaultCatalog returns eight products with an example of everything that the contract allows.
func DefaultCatalog() *Catalog { return catalog.Default() }

// GenerateCatalog generates a catalog from the seed. Its error names the number that is out of
// range.
func GenerateCatalog(seed uint64, products, options int) (*Catalog, error) {
	return catalog.Generate(seed, products, options)
}

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
	// Fault disturbs exchanges between a caller and the mock. Its Match selects the requests, its
	// Actions say what happens to them.
	Fault   = script.Fault
	Match   = script.Match
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
