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

type (
	// Catalog is what a mock sells, as a catalog file has it.
	Catalog = catalog.Catalog
	// Schedule says when an option takes place, and with how many seats.
	Schedule = catalog.Schedule
	// Seats are from how many to how many seats a slot has.
	Seats = catalog.Seats
)

const (
	// PricingEmpty is a Schedule's UnitPricing of slots whose prices are an empty list.
	PricingEmpty = catalog.PricingEmpty
	// AwkwardCodes are the Policy's Codes of a partner whose codes are hard to escape.
	AwkwardCodes = catalog.AwkwardCodes
)

// DefaultCatalog returns eight products with a bit of everything that the contract
// allows.
func DefaultCatalog() *Catalog { return catalog.Default() }

// GenerateCatalog draws a catalog from the seed. Its error names the number that is
// out of bounds.
func GenerateCatalog(seed uint64, products, options int) (*Catalog, error) {
	return catalog.Generate(seed, products, options)
}

type (
	// Defect is a named breach of one rule of the contract.
	Defect = defects.Partner
	// Variant is a named partner that is unlike most and keeps the contract.
	Variant = defects.Partner
)

// What FindDefect and FindVariant say of a name that they do not know.
var (
	ErrNoDefect  = defects.ErrNoDefect
	ErrNoVariant = defects.ErrNoVariant
)

// Defects lists all defects that are not deep, by name.
func Defects() []Defect { return defects.Defects.All() }

// DeepDefects lists the defects that break a rule in one instance alone, such as for one product or at
// the third repeat, by what the instances differ in.
func DeepDefects() []Defect { return defects.Deep.All() }

// Variants lists all variants, by name.
func Variants() []Variant { return defects.Variants.All() }

// FindDefect returns the defect of that name. Its error wraps ErrNoDefect.
func FindDefect(name string) (Defect, error) { return defects.FindDefect(name) }

// FindVariant returns the variant of that name. Its error wraps ErrNoVariant.
func FindVariant(name string) (Variant, error) { return defects.Variants.Find(name) }

type (
	// Scenario is what a mock is like and how it misbehaves, as a scenario file has it.
	Scenario = script.Scenario
	// Fault comes between a caller and the mock's business: a Match says which
	// requests it breaks, its Actions how.
	Fault   = script.Fault
	Match   = script.Match
	Actions = fault.Actions
	// Quirk is a mistake of the business itself.
	Quirk = platform.Quirk
	// Secret is text that is never shown, such as that of webhooks.
	Secret = script.Secret
	// WebhookKind is what a webhook tells: Trigger or Notify.
	WebhookKind = script.WebhookKind
)

const (
	OnReserve  = platform.OnReserve  // a Quirk's On
	AmountNone = platform.AmountNone // a Quirk's Takes or Gives

	Notify    = script.Notify     // a slot has changed
	Trigger   = script.Trigger    // the catalog has changed
	Delivered = webhook.Delivered // the state of a webhook that was answered with success
)

// ParseScenario reads a scenario from the text of a file. Its error begins with the
// file's name and the place in it.
func ParseScenario(file string, text []byte) (*Scenario, error) { return script.Parse(file, text) }

// LoadScenario reads a scenario file.
func LoadScenario(path string) (*Scenario, error) { return script.Load(path) }
