package sandbox

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

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

// BaseURL returns where the partner endpoints of the sandbox of that name lie, as the
// caller of r sees it.
func BaseURL(r *http.Request, name string) string {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + Prefix(name)
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
	Policy  *catalog.Policy // takes precedence over the catalog's and the scenario's, as HoldFor does
	Catalog *catalog.Index
	// Parts are played on top of the mock's scenario, in their order.
	Parts []script.Part
	// Webhooks are set up for the sandbox; nil means no webhooks.
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

// Credential is what callers must present (AUTH-1).
type Credential struct {
	kind   partnerapi.AuthType
	digest digest
	key    string // for faults that take what is like it for the key
}

// digest stands for an Authorization header, so that keys are not compared.
type digest [sha256.Size]byte

// NewCredential returns the credential of that key. An empty kind is Bearer.
func NewCredential(kind partnerapi.AuthType, key string) (Credential, error) {
	if kind == "" {
		kind = partnerapi.Bearer
	}
	if !slices.Contains(partnerapi.AuthTypes(), kind) {
		return Credential{}, fmt.Errorf("auth type: expected bearer or api_key, received %q", kind)
	}
	if key == "" {
		return Credential{}, errors.New("auth key: required; it is the key that callers present")
	}
	unfit := func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }
	if strings.TrimSpace(key) != key || strings.ContainsFunc(key, unfit) {
		return Credential{}, errors.New("auth key: it has spaces at an end, line breaks or other characters that no header can carry")
	}
	return Credential{kind: kind, digest: sha256.Sum256([]byte(kind.Authorization(key))), key: key}, nil
}

// Form is the Authorization header to be sent, without the key.
func (c Credential) Form() string { return c.kind.Authorization("<key>") }

// Presented reports whether the request bears the credential. It compares
// digests, so that the time it takes tells nothing of the key.
func (c Credential) Presented(r *http.Request) bool {
	presented, ok := digestOf(r)
	return ok && subtle.ConstantTimeCompare(presented[:], c.digest[:]) == 1
}

func digestOf(r *http.Request) (digest, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return digest{}, false
	}
	return sha256.Sum256([]byte(values[0])), true
}
