package script

import (
	"math/rand/v2"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/jq"
)

// WebhookFault is one way in which a mock's webhooks go wrong. Its keys in a file are the names of
// the fields. Name, After, Until, Times and Probability mean the same as in a Fault.
type WebhookFault struct {
	Name        string       `yaml:"name" json:"name,omitempty"`
	Match       WebhookMatch `yaml:"match" json:"match,omitzero"`
	Key         Key          `yaml:"key" json:"key,omitempty"` // none or slot; empty means none
	After       *Bound       `yaml:"after" json:"after,omitempty"`
	Until       *Bound       `yaml:"until" json:"until,omitempty"`
	Times       int          `yaml:"times" json:"times,omitempty"`
	Probability *float64     `yaml:"probability" json:"probability,omitempty"`

	WebhookActions `yaml:",inline"`
}

// WebhookActions are what a webhook's fault does.
type WebhookActions struct {
	// Drop never sends the webhook.
	Drop bool `yaml:"drop" json:"drop,omitempty"`
	// Duplicate sends it twice.
	Duplicate bool `yaml:"duplicate" json:"duplicate,omitempty"`
	// HoldBack sends it only after the next one, so that the two are out of order.
	HoldBack HoldBack `yaml:"hold_back" json:"hold_back,omitempty"`
	// Delay sends it this much later, in real time; webhooks of the same slot wait.
	Delay Duration `yaml:"delay" json:"delay,omitempty"`
	// Stale reports the slot as it was before the change.
	Stale bool `yaml:"stale" json:"stale,omitempty"`
	// Unknown replaces an id in it with one that the marketplace does not know.
	Unknown Unknown `yaml:"unknown" json:"unknown,omitempty"`
	// Secret presents a wrong secret, or omits it.
	Secret string `yaml:"secret" json:"secret,omitempty"`
	// JQ is a jq program that turns a notification's body into another.
	JQ string `yaml:"jq" json:"jq,omitempty"`
}

// WebhookMatch selects the webhooks to which a fault applies. Empty fields match everything.
type WebhookMatch struct {
	Kind    client.WebhookKind `yaml:"kind" json:"kind,omitempty"`
	Product string             `yaml:"product" json:"product,omitempty"`
	Option  string             `yaml:"option" json:"option,omitempty"`
	Slot    string             `yaml:"slot" json:"slot,omitempty"` // its id
}

// WebhookKinds lists the kinds.
func WebhookKinds() []client.WebhookKind { return []client.WebhookKind{client.Trigger, client.Notify} }

// HoldBack selects the webhook after which a webhook that is held back is sent.
type HoldBack string

const (
	HoldBackSlot HoldBack = "slot" // the next one of the same slot
	HoldBackAny  HoldBack = "any"  // the next one of any kind
)

// Unknown selects the id that is replaced.
type Unknown string

// The ids that can be replaced.
const (
	UnknownProduct Unknown = "product"
	UnknownOption  Unknown = "option"
	UnknownSlot    Unknown = "slot"
)

// The replacements of the secret.
const (
	SecretWrong   = "wrong"
	SecretMissing = "missing"
)

func readyWebhookFaults(faults []WebhookFault) ([]WebhookFault, error) {
	if len(faults) > MaxFaults {
		return nil, invalid.ErrorAt("faults", "expected at most %d, received %d", MaxFaults, len(faults))
	}
	ready, err := nameAll("fault", ErrTaken, map[string]bool{}, faults, func(f *WebhookFault) *string { return &f.Name })
	if err != nil {
		return nil, invalid.AddPrefix("faults", err)
	}
	for i, f := range ready {
		if err := f.check(); err != nil {
			return nil, invalid.Item("faults", i, err)
		}
	}
	return ready, nil
}

func (f WebhookFault) check() error {
	if err := invalid.First(
		invalid.Name(f.Name),
		invalid.OneOf("key", f.Key, []Key{KeyNone, KeySlot}),
		invalid.OneOf("match.kind", f.Match.Kind, WebhookKinds()),
		invalid.OneOf("hold_back", f.HoldBack, []HoldBack{HoldBackSlot, HoldBackAny}),
		invalid.OneOf("unknown", f.Unknown, []Unknown{UnknownProduct, UnknownOption, UnknownSlot}),
		invalid.OneOf("secret", f.WebhookActions.Secret, []string{SecretWrong, SecretMissing}),
		f.occasion().check(),
	); err != nil {
		return err
	}
	if _, err := jq.Compile("jq", f.JQ); f.JQ != "" && err != nil {
		return err
	}
	others := f.WebhookActions
	others.Drop = false
	switch {
	case f.WebhookActions == (WebhookActions{}):
		return invalid.ErrorAt("name", "the fault does nothing: give it drop, duplicate, hold_back, delay, stale, unknown, secret or jq")
	case f.Drop && others != (WebhookActions{}):
		return invalid.ErrorAt("drop", "a dropped webhook is never sent: leave out the other actions")
	case f.HoldBack != "" && f.Delay != 0:
		return invalid.ErrorAt("hold_back", "expected hold_back or delay, not both")
	case f.Match.Kind == client.Trigger && (f.aboutSlots() || f.Key == KeySlot):
		return invalid.ErrorAt("match.kind", "a trigger has no slot: leave out key slot, hold_back slot, stale, unknown and jq")
	}
	return nil
}

// aboutSlots reports whether the fault can only apply to a slot's webhooks.
func (f WebhookFault) aboutSlots() bool {
	return f.Stale || f.Unknown != "" || f.JQ != "" || f.HoldBack == HoldBackSlot
}

func (f WebhookFault) occasion() trigger {
	return trigger{f.After, f.Until, f.Times, f.Probability}
}

// WebhookSubject is what a webhook concerns. A trigger has only a kind.
type WebhookSubject struct {
	Kind                  client.WebhookKind
	Product, Option, Slot string
}

func (f WebhookFault) fits(s WebhookSubject) bool {
	matches := func(wanted, got string) bool { return wanted == "" || wanted == got }
	return matches(string(f.Match.Kind), string(s.Kind)) &&
		matches(f.Match.Product, s.Product) && matches(f.Match.Option, s.Option) && matches(f.Match.Slot, s.Slot) &&
		(s.Kind == client.Notify || f.Key != KeySlot && !f.aboutSlots())
}

// WebhookSet is the faults of a sandbox's webhooks, with their counters. It is not safe for
// concurrent use.
type WebhookSet struct {
	seed   uint64
	faults []*armedWebhookFault
	keys   int
}

type armedWebhookFault struct {
	WebhookFault
	counter
}

// ArmedWebhookFault is a fault with its counters.
type ArmedWebhookFault struct {
	WebhookFault
	Counts
}

// NewWebhookSet returns a set of validated faults (Webhooks.Ready).
func NewWebhookSet(seed uint64, faults []WebhookFault) *WebhookSet {
	set := &WebhookSet{seed: seed}
	for _, f := range faults {
		set.faults = append(set.faults, &armedWebhookFault{WebhookFault: f, counter: counter{byKey: tallies{}}})
	}
	return set
}

// Fire returns the first fault that fires for the webhook, with the randomness of that firing. It
// returns false if no fault fires.
func (s *WebhookSet) Fire(about WebhookSubject, now time.Time) (WebhookFault, *rand.Rand, bool) {
	for _, f := range s.faults {
		f.counts.Considered++
		if !f.fits(about) {
			continue
		}
		key := ""
		if f.Key == KeySlot {
			key = about.Product + "\x00" + about.Option + "\x00" + about.Slot
		}
		if n := f.match(f.occasion(), s.seed, f.Name, key, now, &s.keys); n > 0 {
			return f.WebhookFault, draw(s.seed, f.Name, "action\x00"+key, n), true
		}
	}
	return WebhookFault{}, nil, false
}

// Faults returns the faults in the order in which they are considered.
func (s *WebhookSet) Faults() []ArmedWebhookFault {
	all := make([]ArmedWebhookFault, 0, len(s.faults))
	for _, f := range s.faults {
		all = append(all, ArmedWebhookFault{f.WebhookFault, f.counts})
	}
	return all
}
