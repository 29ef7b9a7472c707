package sandbox

import (
	"errors"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

// Default is the name of the sandbox at the root, which is always there.
const Default = "default"

// PathPrefix is where the sandboxes but Default lie; their name follows.
const PathPrefix = "/s/"

// Prefix returns the path below which the sandbox of that name is served, ""
// for Default.
func Prefix(name string) string {
	if name == Default {
		return ""
	}
	return PathPrefix + name
}

// DefaultMax is how many sandboxes a registry takes unless told otherwise.
const DefaultMax = 256

// What a registry refuses.
var (
	ErrTaken   = errors.New("there is such a sandbox already")
	ErrKey     = errors.New("the auth key is in use")
	ErrFull    = errors.New("there are as many sandboxes as there may be")
	ErrMissing = errors.New("there is no such sandbox")
	ErrDefault = errors.New("the sandbox " + Default + " stays as long as the mock")
)

// Config is what sandboxes are made of, unless their Spec says otherwise.
type Config struct {
	Catalog *catalog.Index
	Clock   clock.Clock // what the sandboxes' clocks run with; nil is the machine's
	Now     time.Time   // where they begin; zero means Clock's time
	Frozen  bool        // they stand still
	Seed    uint64
	HoldFor time.Duration
	Journal journal.Limits
	// AuthType and AuthKey are what callers present who name no sandbox of
	// their own (AUTH-1).
	AuthType partnerapi.AuthType
	AuthKey  string
	// Observe is told of every exchange of every sandbox; it may be nil.
	Observe journal.Observer
	Max     int // how many sandboxes; 0 means DefaultMax
	// IdleFor is how long, by Clock, a sandbox may go uncalled before it is
	// deleted; 0 means DefaultIdleFor, less than 0 for ever. Default stays.
	IdleFor time.Duration
	// LimitScale is script.Config's.
	LimitScale float64
}

// Spec is what a new sandbox is to be like. Zero values take the mock's own.
type Spec struct {
	Name    string
	Seed    *uint64
	Now     time.Time // where its clock begins
	Frozen  *bool     // whether it stands still
	HoldFor time.Duration
	Policy  *catalog.Policy // stands before the catalog's and the scenario's, as HoldFor does
	Catalog *catalog.Index
	// Parts are played on top of the mock's scenario, in their order.
	Parts []script.Part
	// Webhooks are set up for the sandbox; nil is none.
	Webhooks *webhook.Config
	// AuthKey is a key of the sandbox's own. Requests at the root that present
	// it are the sandbox's, so that who calls needs no other address.
	AuthKey string
}

// Registry holds the sandboxes of a mock. It is safe for concurrent use.
type Registry struct {
	config     Config
	credential Credential

	mu       sync.RWMutex
	boxes    map[string]*Sandbox
	byKey    map[digest]*Sandbox // those with a key of their own
	scenario script.Part
	swept    time.Time // when idle sandboxes were last looked for
}
