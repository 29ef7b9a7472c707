package mockpartner

import (
	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// What a mock sells.
type (
	Catalog  = catalog.Catalog
	Schedule = catalog.Schedule
	Seats    = catalog.Seats
)

const PricingEmpty = catalog.PricingEmpty

func DefaultCatalog() *Catalog { return catalog.Default() }

var (
	GenerateCatalog = catalog.Generate
	AwkwardCodes    = catalog.AwkwardCodes
)

// What a mock knows of its holds and bookings.
type (
	Hold       = platform.Hold
	Booking    = platform.Booking
	SlotChange = platform.SlotChange
	Quirk      = platform.Quirk
)

const (
	Held       = platform.Held
	Booked     = platform.Booked
	Cancelled  = platform.Cancelled
	AmountNone = platform.AmountNone
	OnReserve  = platform.OnReserve
)

// How a mock misbehaves.
type (
	Scenario    = script.Scenario
	Fault       = script.Fault
	Match       = script.Match
	Actions     = script.Actions
	Secret      = script.Secret
	WebhookKind = script.WebhookKind
	Defect      = defects.Defect
	Variant     = defects.Variant
)

const (
	Notify    = script.Notify
	Trigger   = script.Trigger
	Delivered = webhook.Delivered
)

var (
	ParseScenario = script.Parse
	LoadScenario  = script.Load
	Defects       = defects.Defects
	Variants      = defects.Variants
	FindDefect    = defects.FindDefect
	FindVariant   = defects.FindVariant

	ErrNoDefect  = defects.ErrNoDefect
	ErrNoVariant = defects.ErrNoVariant
)

type SandboxSpec = sandbox.Spec

// What was said, and what it says of the caller.
type (
	JournalLimits  = journal.Limits
	Exchange       = journal.Exchange
	ExchangeFilter = journal.Filter
	Testimony      = journal.Testimony
	Verdict        = judge.Verdict
)

const Kept = judge.Kept
