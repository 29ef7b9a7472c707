// Package mockpartner is a partner platform that keeps the partner contract to
// the letter: it serves a catalog, computes slots, holds seats, books, releases
// and cancels, so that a marketplace has a partner to test against.
//
// In a Go test it needs no port of its own:
//
//	mock, err := mockpartner.New(mockpartner.Options{AuthKey: "a-test-key"})
//	server := httptest.NewServer(mock)
//
// Package mocktest does that in one call, package client steers a mock that runs.
//
// A Mock holds sandboxes, each a partner of its own. The partner endpoints of the
// sandbox "default" lie at the root, those of another below /s/{name}/. Beside
// them lies the control API, /_mock/, to move the clock and to look inside.
//
// Below it: catalog (what is sold), clock and platform (the business), journal (what
// was said), script and fault (how it misbehaves), judge (how its callers behave),
// sandbox (who is who), control (the control API), console (its page for people).
package mockpartner

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/metrics"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

// Options say what a mock is like. Only AuthKey is required.
type Options struct {
	// AuthType is how callers present the key (AUTH-1); empty means Bearer.
	AuthType partnerapi.AuthType
	// AuthKey is the key that callers must present.
	AuthKey string
	// Catalog is what the partner sells; nil means DefaultCatalog(). It
	// must not be changed afterwards.
	Catalog *Catalog
	// Clock is what the sandboxes' own clocks run with; nil is the machine's.
	// Each sandbox's clock can be moved on top of it: see Sandbox.Clock.
	Clock clock.Clock
	// Now is where the sandboxes' clocks begin; zero means Clock's time.
	Now time.Time
	// Frozen clocks stand still until they are moved.
	Frozen bool
	// Seed decides the slots, the codes and the booking ids. With the same
	// seed, clock, catalog and requests the answers are the same, byte for byte.
	Seed uint64
	// HoldFor is how long a hold lasts; 0 means platform.DefaultHoldFor, 20
	// minutes. It is not what makes a partner without holds: catalog.Policy does.
	HoldFor time.Duration
	// Scenario is what the mock is to be like, where the options above say
	// nothing, and the faults of every sandbox; nil means none. See also Play.
	Scenario *Scenario
	// Defects are the names of breaches that the default sandbox has, Variants those
	// of lawful variants that it is. See Defects and Variants.
	Defects, Variants []string
	// Webhooks are those of the default sandbox, in place of the scenario's; nil is
	// none. Close ends them.
	Webhooks *webhook.Config
	// LimitScale is what the contract's limits are multiplied by for faults that
	// are just-under or just-over one; 0 means 1.
	LimitScale float64
	// Around wraps the partner endpoints of every sandbox, inside the journal
	// and outside authentication: a test can break requests and answers with it.
	Around func(next http.Handler) http.Handler
	// ControlToken is what callers of the control API must present, as
	// "Authorization: Bearer <token>". Without one the control API answers on
	// loopback addresses only.
	ControlToken string
	// Journal bounds each sandbox's journal; zero means journal.DefaultLimits.
	Journal JournalLimits
	// MaxSandboxes bounds the number of sandboxes; 0 means sandbox.DefaultMax.
	MaxSandboxes int
	// SandboxIdleFor is how long, by Clock, a sandbox may go uncalled before it
	// is deleted; 0 means sandbox.DefaultIdleFor, less than 0 for ever. The
	// default sandbox stays.
	SandboxIdleFor time.Duration
}

// Mock is a mock partner. It is an http.Handler, safe for concurrent use.
type Mock struct {
	sandboxes *sandbox.Registry
	partner   *partner
	control   http.Handler
}

// New returns a mock whose default sandbox is ready. Its error names the option
// that is wrong.
func New(o Options) (*Mock, error) {
	o = o.scripted()
	chosen, err := defects.Choose(o.Defects, o.Variants)
	if err != nil {
		return nil, err
	}
	if o.Catalog == nil {
		o.Catalog = chosen.Catalog
	}
	scenario, err := script.Compile(script.OriginScenario, o.Scenario)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	if o.Catalog == nil {
		o.Catalog = catalog.Default()
	}
	index, err := o.Catalog.Index()
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	counted := metrics.New()
	sandboxes, err := sandbox.NewRegistry(sandbox.Config{
		Observe:  counted.Ended,
		Catalog:  index,
		Clock:    o.Clock,
		Now:      o.Now,
		Frozen:   o.Frozen,
		Seed:     o.Seed,
		HoldFor:  o.HoldFor,
		Journal:  o.Journal,
		AuthType: o.AuthType,
		AuthKey:  o.AuthKey,
		Max:      o.MaxSandboxes,
		IdleFor:  o.SandboxIdleFor,

		LimitScale: o.LimitScale,
	})
	if err != nil {
		return nil, err
	}
	if err := sandboxes.Play(scenario); err != nil {
		return nil, err
	}
	box, _ := sandboxes.Sandbox(sandbox.Default)
	box.Began(o.Scenario)
	for _, part := range chosen.Parts {
		if err := box.Faults().Play(part); err != nil {
			return nil, err
		}
	}
	if o.Webhooks != nil {
		if err := box.Webhooks().Configure(*o.Webhooks); err != nil {
			return nil, fmt.Errorf("webhooks: %w", err)
		}
	}
	counted.Gauge("mockpartner_sandboxes", "How many sandboxes there are.", func() float64 {
		boxes, _ := sandboxes.Size()
		return float64(boxes)
	})
	counted.Gauge("mockpartner_journal_bytes", "How many bytes of exchanges all journals hold.", func() float64 {
		_, bytes := sandboxes.Size()
		return float64(bytes)
	})
	return &Mock{
		sandboxes: sandboxes,
		partner:   newPartner(o.Around),
		control: control.New(control.Config{
			Sandboxes: sandboxes,
			Token:     o.ControlToken,
			Partner:   partnerRoutes(),
			Metrics:   counted.Handler(),
		}),
	}, nil
}

// scripted returns the options with what their scenario says in the place of
// those that say nothing.
func (o Options) scripted() Options {
	if o.Scenario == nil {
		o.Scenario = &script.Scenario{}
	}
	if o.Catalog == nil {
		o.Catalog = o.Scenario.Catalog
	}
	if o.Now.IsZero() {
		o.Now = o.Scenario.Now
	}
	if o.Webhooks == nil {
		o.Webhooks = o.Scenario.Webhooks
	}
	o.Frozen = o.Frozen || o.Scenario.Frozen
	if o.Seed == 0 && o.Scenario.Seed != nil {
		o.Seed = *o.Scenario.Seed
	}
	return o
}

// Play plays a scenario in the place of the one before: its faults, quirks and
// policy in every sandbox, all that it says and the one before did not in the
// default sandbox. What is held and booked stays, as does what was armed in a
// sandbox itself. Its error wraps sandbox.ErrSeed, or begins with the place of
// what is wrong.
func (m *Mock) Play(s *Scenario) error {
	if err := m.Default().Follow(s); err != nil {
		return fmt.Errorf("scenario: %w", err)
	}
	part, err := script.Compile(script.OriginScenario, s)
	if err != nil {
		return fmt.Errorf("scenario: %w", err)
	}
	return m.sandboxes.Play(part)
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
func (m *Mock) Create(s SandboxSpec) (*Sandbox, error) { return m.sandboxes.Create(s) }

// Delete removes a sandbox. Its error wraps sandbox.ErrMissing or
// sandbox.ErrDefault.
func (m *Mock) Delete(name string) error { return m.sandboxes.Delete(name) }

// Close ends the webhooks, and dismisses all who wait for or watch a journal, so
// that a server can come to its end: they would keep it up.
func (m *Mock) Close() { m.sandboxes.Close() }

// Routes lists everything that the mock answers, with paths as templates.
func (m *Mock) Routes() []control.Route { return control.AllRoutes(partnerRoutes()) }

// ServeHTTP finds the sandbox that a request is for, and what it wants there.
func (m *Mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var box *Sandbox
	if rest, named := strings.CutPrefix(r.URL.EscapedPath(), sandbox.PathPrefix); named {
		name, _, _ := strings.Cut(rest, "/")
		r = below(r, sandbox.PathPrefix+name)
		if box, named = m.sandboxes.Sandbox(name); !named {
			control.NoSandbox(w, name)
			return
		}
	} else {
		box = m.sandboxes.Addressed(r)
	}
	m.sandboxes.Enter(box)
	defer m.sandboxes.Leave(box)
	if path := r.URL.EscapedPath(); path == control.Path || strings.HasPrefix(path, control.Path+"/") {
		m.control.ServeHTTP(w, control.WithSandbox(r, box))
		return
	}
	m.partner.serve(box, w, r)
}

// below returns the request relative to prefix, which needs no escaping.
func below(r *http.Request, prefix string) *http.Request {
	inner, address := *r, *r.URL
	address.Path = strings.TrimPrefix(address.Path, prefix)
	address.RawPath = strings.TrimPrefix(address.RawPath, prefix)
	inner.URL = &address
	return &inner
}
