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

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

// Default is the name of the sandbox at the root, which always exists.
const Default = "default"

// PathPrefix is the path prefix of all sandboxes except Default. The name follows it.
const PathPrefix = "/s/"

// Prefix returns the path below which the sandbox with that name is served, or "" for Default.
func Prefix(name string) string {
	if name == Default {
		return ""
	}
	return PathPrefix + name
}

// BaseURL returns the base URL of the sandbox's partner endpoints, as the caller of r sees it.
func BaseURL(r *http.Request, name string) string {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + Prefix(name)
}

// DefaultMax is the default maximum number of sandboxes.
const DefaultMax = 256

// A registry returns these errors.
var (
	ErrTaken   = errors.New("a sandbox with this name exists already")
	ErrKey     = errors.New("the auth key is in use")
	ErrFull    = errors.New("the maximum number of sandboxes is reached")
	ErrMissing = errors.New("there is no sandbox with this name")
	ErrDefault = errors.New("the sandbox " + Default + " cannot be deleted")
)

// Config is the default configuration of sandboxes. Their Spec takes precedence.
type Config struct {
	Catalog *catalog.Index
	Clock   clock.Clock // the clock that the sandboxes' clocks run on; nil means the machine's
	Now     time.Time   // where they start; zero means Clock's time
	Frozen  bool        // they stand still
	Seed    uint64
	HoldFor time.Duration
	Journal journal.Limits
	// AuthType and AuthKey are the credential of callers without a sandbox of their own (AUTH-1).
	AuthType partnerapi.AuthType
	AuthKey  string
	// Observe receives every exchange of every sandbox; it may be nil.
	Observe journal.Observer
	Max     int // maximum number of sandboxes; 0 means DefaultMax
	// IdleFor is how long, by Clock, a sandbox may receive no calls before it is deleted. 0 means
	// DefaultIdleFor, a negative value means never. Default is never deleted.
	IdleFor time.Duration
	// LimitScale is passed to script.Config.
	LimitScale float64
}

// Spec describes a new sandbox. Zero values mean the mock's own.
type Spec struct {
	Name    string
	Seed    *uint64
	Now     time.Time // where its clock starts
	Frozen  *bool     // whether it stands still
	HoldFor time.Duration
	Policy  *catalog.Policy // takes precedence over the catalog's and the scenario's, as HoldFor does
	Catalog *catalog.Index
	// Parts are played on top of the mock's scenario, in order.
	Parts []script.Part
	// Webhooks configures the sandbox's webhooks; nil means no webhooks.
	Webhooks *webhook.Config
	// AuthKey is the sandbox's own key. Requests at the root that present it go to the sandbox, so
	// that callers need no other address.
	AuthKey string
}

// Registry manages the sandboxes of a mock. It is safe for concurrent use.
type Registry struct {
	config     Config
	credential Credential

	mu       sync.RWMutex
	boxes    map[string]*Sandbox
	byKey    map[digest]*Sandbox // sandboxes with their own key
	scenario script.Part
	swept    time.Time // time of the last check for idle sandboxes
}

// Credential is what callers must present (AUTH-1).
type Credential struct {
	kind   partnerapi.AuthType
	digest digest
	key    string // for faults that accept similar keys
}

// digest represents an Authorization header, so that keys are not compared directly.
type digest [sha256.Size]byte

// NewCredential returns the credential for that key. An empty kind means Bearer.
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

// Bearer returns the credential of the same key that is presented as a bearer token, whatever the type
// of this one.
func (c Credential) Bearer() Credential {
	bearer, _ := NewCredential(partnerapi.Bearer, c.key) // the key was accepted before
	return bearer
}

// Form returns the required Authorization header, without the key.
func (c Credential) Form() string { return c.kind.Authorization("<key>") }

// IsPresented reports whether the request presents the credential. It compares digests in constant
// time.
func (c Credential) IsPresented(r *http.Request) bool {
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
