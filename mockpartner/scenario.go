package mockpartner

import (
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

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
