package script

import (
	"strings"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Match says to which requests a fault applies: those that are as every field
// says. Empty fields do not choose.
type Match struct {
	Endpoint partnerapi.Endpoint `yaml:"endpoint" json:"endpoint,omitempty"`
	Method   string              `yaml:"method" json:"method,omitempty"`
	// Path is a pattern for the escaped path below the sandbox: * stands for
	// anything within a segment, ** for anything.
	Path string `yaml:"path" json:"path,omitempty"`
	// Header and Query are patterns for values, by name: * stands for anything. One
	// of the values has to match.
	Header map[string]string `yaml:"header" json:"header,omitempty"`
	Query  map[string]string `yaml:"query" json:"query,omitempty"`
	// Body is a jq predicate on the JSON body, such as .units | length > 1.
	Body string `yaml:"body" json:"body,omitempty"`
	// NoBody wants a request without a body.
	NoBody bool `yaml:"no_body" json:"no_body,omitempty"`
	// Product and Option are the ids of what the request is about, or last: the
	// last product of the catalog, the last option of its product.
	Product string `yaml:"product" json:"product,omitempty"`
	Option  string `yaml:"option" json:"option,omitempty"`
	// Credential is what the caller presents.
	Credential Credential `yaml:"credential" json:"credential,omitempty"`
	// State is how things are when the request arrives.
	State State `yaml:"state" json:"state,omitzero"`
}

// Credential is what a caller presents in place of the key.
type Credential string

// The credentials.
const (
	CredentialGood    Credential = "good"
	CredentialWrong   Credential = "wrong" // another key, or the key in another form
	CredentialMissing Credential = "missing"
)

func credentials() []Credential {
	return []Credential{CredentialGood, CredentialWrong, CredentialMissing}
}

// State is how the slot, hold and booking are that a request is about. A request
// that is about none matches none.
type State struct {
	Slot    string `yaml:"slot" json:"slot,omitempty"`       // a slot status (AVL-9), or unknown
	Hold    string `yaml:"hold" json:"hold,omitempty"`       // held, confirmed, released, expired or unknown
	Booking string `yaml:"booking" json:"booking,omitempty"` // confirmed, cancelled or unknown
}

// unknown is the state of what the platform does not know.
const unknown = "unknown"

func slotStates() []string {
	states := []string{unknown}
	for _, status := range partnerapi.SlotStatuses() {
		states = append(states, string(status))
	}
	return states
}

func holdStates() []string {
	states := []string{unknown}
	for _, state := range []platform.HoldState{platform.Held, platform.Confirmed, platform.Released, platform.Expired} {
		states = append(states, strings.ToLower(string(state)))
	}
	return states
}

func bookingStates() []string {
	states := []string{unknown}
	for _, state := range []platform.BookingState{platform.Booked, platform.Cancelled} {
		states = append(states, strings.ToLower(string(state)))
	}
	return states
}
