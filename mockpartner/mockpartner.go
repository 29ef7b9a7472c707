// Package mockpartner is a partner platform that keeps the partner contract to
// the letter: it serves a catalog, computes slots, holds seats, books, releases
// and cancels, so that whoever integrates with partners has one to test against.
//
// In a Go test it needs no port of its own:
//
//	mock, err := mockpartner.New(mockpartner.Options{AuthKey: "a-test-key"})
//	server := httptest.NewServer(mock)
//
// A Mock holds sandboxes, each a partner of its own. The partner endpoints of the
// sandbox "default" lie at the root, those of another below /s/{name}/. Beside
// them lies the control API, /_mock/, to move the clock and to look inside.
//
// Below it: catalog (what is sold), platform (the business), journal (what was
// said), sandbox (who is who), control (the control API).
package mockpartner

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/control"
	"partnerkit.dev/mockpartner/journal"
	"partnerkit.dev/mockpartner/platform"
	"partnerkit.dev/mockpartner/sandbox"
	"partnerkit.dev/schemas/partnerapi"
)

// Options say what a mock is like. Only AuthKey is required.
type Options struct {
	// AuthType is how callers present the key (AUTH-1); empty means Bearer.
	AuthType partnerapi.AuthType
	// AuthKey is the key that callers must present.
	AuthKey string
	// Catalog is what the partner sells; nil means catalog.Default(). It
	// must not be changed afterwards.
	Catalog *catalog.Catalog
	// Clock is what the sandboxes' own clocks run with; nil is the machine's.
	// Each sandbox's clock can be moved on top of it: see Sandbox.Clock.
	Clock platform.Clock
	// Now is where the sandboxes' clocks begin; zero means Clock's time.
	Now time.Time
	// Frozen clocks stand still until they are moved.
	Frozen bool
	// Seed decides the slots, the codes and the booking ids. With the same
	// seed, clock, catalog and requests the answers are the same, byte for byte.
	Seed uint64
	// HoldFor is how long a hold lives; 0 means platform.DefaultHoldFor, 20
	// minutes. It is not what makes a partner without holds: catalog.Policy does.
	HoldFor time.Duration
	// Around wraps the partner endpoints of every sandbox, inside the journal
	// and outside authentication: a test can break requests and answers with it.
	Around func(next http.Handler) http.Handler
	// ControlToken is what callers of the control API must present, as
	// "Authorization: Bearer <token>". Without one the control API answers on
	// loopback addresses only.
	ControlToken string
	// Journal bounds each sandbox's journal; zero means journal.DefaultLimits.
	Journal journal.Limits
	// MaxSandboxes bounds the number of sandboxes; 0 means sandbox.DefaultMax.
	MaxSandboxes int
}

// Sandbox is one isolated partner of a mock.
type Sandbox = sandbox.Sandbox

// Mock is a mock partner. It is an http.Handler, safe for concurrent use.
type Mock struct {
	sandboxes *sandbox.Registry
	partner   *partner
	control   http.Handler
}

// New returns a mock whose default sandbox is ready. Its error names the option
// that is wrong.
func New(o Options) (*Mock, error) {
	credential, err := newCredential(o.AuthType, o.AuthKey)
	if err != nil {
		return nil, err
	}
	if o.Catalog == nil {
		o.Catalog = catalog.Default()
	}
	index, err := o.Catalog.Index()
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	sandboxes, err := sandbox.NewRegistry(sandbox.Config{
		Catalog: index,
		Clock:   o.Clock,
		Now:     o.Now,
		Frozen:  o.Frozen,
		Seed:    o.Seed,
		HoldFor: o.HoldFor,
		Journal: o.Journal,
		Secrets: []string{o.AuthKey},
		Max:     o.MaxSandboxes,
	})
	if err != nil {
		return nil, err
	}
	return &Mock{
		sandboxes: sandboxes,
		partner:   newPartner(credential, o.Around),
		control: control.New(control.Config{
			Sandboxes: sandboxes,
			Token:     o.ControlToken,
			Partner:   partnerRoutes(),
		}),
	}, nil
}

// Default returns the sandbox at the root.
func (m *Mock) Default() *Sandbox {
	box, _ := m.Sandbox(sandbox.Default)
	return box
}

// Sandbox returns the sandbox of that name.
func (m *Mock) Sandbox(name string) (*Sandbox, bool) { return m.sandboxes.Sandbox(name) }

// Create makes a sandbox. Its error wraps sandbox.ErrTaken or sandbox.ErrFull,
// or says what is wrong with the spec.
func (m *Mock) Create(s sandbox.Spec) (*Sandbox, error) { return m.sandboxes.Create(s) }

// Delete removes a sandbox. Its error wraps sandbox.ErrMissing or
// sandbox.ErrDefault.
func (m *Mock) Delete(name string) error { return m.sandboxes.Delete(name) }

// Routes lists everything that the mock answers, with paths as templates.
func (m *Mock) Routes() []control.Route { return control.AllRoutes(partnerRoutes()) }

// ServeHTTP finds the sandbox that a request is for, and what it wants there.
func (m *Mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := sandbox.Default
	if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), sandbox.PathPrefix); ok {
		name, _, _ = strings.Cut(rest, "/")
		r = below(r, sandbox.PathPrefix+name)
	}
	box, ok := m.sandboxes.Sandbox(name)
	if !ok {
		control.NoSandbox(w, name)
		return
	}
	if path := r.URL.EscapedPath(); path == control.Path || strings.HasPrefix(path, control.Path+"/") {
		m.control.ServeHTTP(w, control.WithSandbox(r, box))
		return
	}
	m.partner.serve(box, w, r)
}

// below returns the request as it is seen below prefix, which needs no escaping.
func below(r *http.Request, prefix string) *http.Request {
	inner, address := *r, *r.URL
	address.Path = strings.TrimPrefix(address.Path, prefix)
	address.RawPath = strings.TrimPrefix(address.RawPath, prefix)
	inner.URL = &address
	return &inner
}
