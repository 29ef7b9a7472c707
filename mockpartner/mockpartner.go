// Package mockpartner is a partner platform that follows the partner contract exactly. It serves a
// catalog, computes slots, holds seats, confirms, releases and cancels bookings. A marketplace can
// test against it.
//
// In a Go test it needs no port of its own:
//
//	mock, err := mockpartner.New(mockpartner.Options{AuthKey: "a-test-key"})
//	server := httptest.NewServer(mock)
//
// Package mocktest does that in one call. Package client controls a running mock.
//
// A Mock contains sandboxes. Each sandbox is an independent partner. The partner endpoints of the
// sandbox "default" are at the root, those of other sandboxes below /s/{name}/. Next to them is the
// control API, /_mock/, which moves the clock and shows the state.
//
// Package catalog and the internal packages clock and platform are the booking logic. Package journal records
// requests and answers, script and fault cause misbehaviour, and judge judges the callers. Package
// sandbox isolates sandboxes, control is the control API, and console is its web page.
package mockpartner

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rs/cors"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/metrics"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// Options configures a mock. Only AuthKey is required.
type Options struct {
	// AuthType is how callers present the key (AUTH-1); empty means Bearer.
	AuthType partnerapi.AuthType
	// AuthKey is the key that callers must present.
	AuthKey string
	// Catalog is what the partner sells; nil means catalog.Default(). It must not be changed
	// afterwards.
	Catalog *catalog.Catalog
	// Clock is the clock that the sandboxes' own clocks run on; nil means the machine's clock. Each
	// sandbox's clock can be moved relative to it: see Sandbox.Clock.
	Clock clock.Clock
	// Now is the time at which the sandboxes' clocks start; zero means Clock's time.
	Now time.Time
	// Frozen clocks stand still until they are moved.
	Frozen bool
	// Seed determines the slots, the codes and the booking ids. With the same seed, clock, catalog
	// and requests, the answers are identical byte for byte.
	Seed uint64
	// HoldFor is how long a hold lasts; 0 means platform.DefaultHoldFor, 20 minutes. For a partner
	// without holds set catalog.Policy instead.
	HoldFor time.Duration
	// Scenario configures what the options above leave unset, and the faults of every sandbox; nil
	// means no scenario. See also Play.
	Scenario *Scenario
	// Defects are the names of the breaches that the default sandbox has. Variants are the names of
	// the lawful variants that it follows. See Defects and Variants.
	Defects, Variants []string
	// Webhooks takes precedence over the webhooks of the scenario, for the default sandbox. Close
	// stops them.
	Webhooks Webhooks
	// LimitScale multiplies the contract's time limits for faults that answer just under or just
	// over a limit; 0 means 1.
	LimitScale float64
	// Around wraps the partner endpoints of every sandbox, inside the journal and outside
	// authentication. A test can use it to corrupt requests and answers.
	Around func(next http.Handler) http.Handler
	// ControlToken is the token that callers of the control API must present, as "Authorization:
	// Bearer <token>". If it is empty, the control API answers on loopback addresses only.
	ControlToken string
	// CORS are the origins, such as http://localhost:3000, whose pages may call the partner
	// endpoints from a browser; "*" means all. They never may call the control API.
	CORS []string
	// Journal limits each sandbox's journal; zero means 10,000 exchanges and 16 MiB.
	Journal JournalLimits
	// MaxSandboxes limits the number of sandboxes; 0 means sandbox.DefaultMax.
	MaxSandboxes int
	// SandboxIdleFor is how long, by Clock, a sandbox may receive no calls before it is deleted. 0
	// means sandbox.DefaultIdleFor, a negative value means never. The default sandbox is never
	// deleted.
	SandboxIdleFor time.Duration
}

// JournalLimits limits what a journal keeps.
type JournalLimits struct {
	Exchanges int   // maximum number of exchanges
	Bytes     int64 // maximum bytes of bodies and headers, not counting the largest shared body
}

// Webhooks says where a mock sends webhooks.
type Webhooks struct {
	URL    string // the marketplace's base URL for them
	Secret string
}

// Mock is a mock partner. It is an http.Handler, safe for concurrent use.
type Mock struct {
	sandboxes *sandbox.Registry
	partner   *face
	supplier  *face
	control   http.Handler
	cors      *cors.Cors // nil if no page of another origin may call
}

// New returns a mock whose default sandbox is ready. Its error names the invalid option.
func New(o Options) (*Mock, error) {
	o = o.withScenario()
	allowed, err := allowOrigins(o.CORS)
	if err != nil {
		return nil, fmt.Errorf("cors: %w", err)
	}
	chosen, err := defects.Choose(o.Defects, o.Variants)
	if err != nil {
		return nil, err
	}
	webhooks, err := chosen.Webhooks(o.webhooks())
	if err != nil {
		return nil, err
	}
	if o.Catalog == nil {
		o.Catalog = chosen.Catalog
	}
	scenario, err := script.Compile(script.OriginScenario, o.Scenario.Scenario)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	sold := catalog.DefaultIndex
	if o.Catalog != nil {
		sold = o.Catalog.Index
	}
	index, err := sold()
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	counted := metrics.New()
	sandboxes, err := sandbox.NewRegistry(sandbox.Config{
		Observe:  counted.CountExchange,
		Catalog:  index,
		Clock:    o.Clock,
		Now:      o.Now,
		Frozen:   o.Frozen,
		Seed:     o.Seed,
		HoldFor:  o.HoldFor,
		Journal:  journal.Limits(o.Journal),
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
	box.Began(o.Scenario.Scenario)
	for _, part := range chosen.Parts {
		if err := box.Faults().Play(part); err != nil {
			return nil, err
		}
	}
	if webhooks != nil {
		if err := box.Webhooks().Configure(*webhooks); err != nil {
			return nil, fmt.Errorf("webhooks: %w", err)
		}
	}
	counted.Gauge("mockpartner_sandboxes", "Number of sandboxes.", func() float64 {
		boxes, _ := sandboxes.Size()
		return float64(boxes)
	})
	counted.Gauge("mockpartner_journal_bytes", "Size of the exchanges in all journals, in bytes.", func() float64 {
		_, bytes := sandboxes.Size()
		return float64(bytes)
	})
	return &Mock{
		sandboxes: sandboxes,
		partner:   newPartner(o.Around),
		supplier:  newSupplier(),
		cors:      allowed,
		control: control.New(control.Config{
			Sandboxes: sandboxes,
			Token:     o.ControlToken,
			Partner:   partnerRoutes(),
			Metrics:   counted.Handler(),
		}),
	}, nil
}

// withScenario returns the options with unset ones filled in from their scenario.
func (o Options) withScenario() Options {
	if o.Scenario == nil {
		o.Scenario = &Scenario{new(script.Scenario)}
	}
	if o.Catalog == nil {
		o.Catalog = o.Scenario.Catalog
	}
	if o.Now.IsZero() {
		o.Now = o.Scenario.Now
	}
	o.Frozen = o.Frozen || o.Scenario.Frozen
	if o.Seed == 0 && o.Scenario.Seed != nil {
		o.Seed = *o.Scenario.Seed
	}
	return o
}

// webhooks returns the scenario's webhooks with the URL and secret of the options; nil means none.
func (o Options) webhooks() *script.Webhooks {
	if o.Webhooks == (Webhooks{}) {
		return o.Scenario.Webhooks
	}
	var config script.Webhooks
	if o.Scenario.Webhooks != nil {
		config = *o.Scenario.Webhooks
	}
	config.URL = cmp.Or(o.Webhooks.URL, config.URL)
	if o.Webhooks.Secret != "" {
		config.Secret, config.SecretEnv = script.Secret(o.Webhooks.Secret), ""
	}
	return &config
}

// Play replaces the current scenario. Its faults, quirks and policy apply to every sandbox. Its
// other settings apply to the default sandbox if they differ from the previous scenario's. Holds
// and bookings stay, and so do faults that were armed in a sandbox itself. The error wraps
// sandbox.ErrSeed, or begins with the location of the problem.
func (m *Mock) Play(s *Scenario) error {
	if err := m.Default().Play(s); err != nil {
		return fmt.Errorf("scenario: %w", err)
	}
	part, err := script.Compile(script.OriginScenario, s.Scenario)
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

// Sandbox returns the sandbox with that name, and reports whether it exists.
func (m *Mock) Sandbox(name string) (*Sandbox, bool) {
	box, ok := m.sandboxes.Sandbox(name)
	return &Sandbox{box}, ok
}

// Create creates a sandbox like the default one, but without its defects, variants and webhooks.
// Client.CreateSandbox takes more. The error describes what is wrong with the name.
func (m *Mock) Create(name string) (*Sandbox, error) {
	box, err := m.sandboxes.Create(sandbox.Spec{Name: name})
	return &Sandbox{box}, err
}

// Delete removes a sandbox. Its error wraps sandbox.ErrMissing or sandbox.ErrDefault.
func (m *Mock) Delete(name string) error { return m.sandboxes.Delete(name) }

// Close stops the webhooks and ends all requests that wait for or watch a journal. Otherwise those
// requests would keep a server from shutting down.
func (m *Mock) Close() { m.sandboxes.Close() }

// Routes lists everything that the mock answers, with paths as templates.
func (m *Mock) Routes() []control.Route { return control.AllRoutes(partnerRoutes()) }

// OCTO returns the handler that serves the sandboxes as suppliers of OCTO, the open standard for tours
// and activities (octo.travel): with the same catalogs, holds, bookings, clocks, quirks and faults, and
// in the same journals. Faults know its calls as the endpoints of the contract that do the same. Their
// jq programs see OCTO's bodies. Callers present the key as a bearer token, whatever the auth type.
func (m *Mock) OCTO() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if box, r := m.enter(w, r); box != nil {
			defer m.sandboxes.Leave(box)
			m.supplier.serve(box, w, r)
		}
	})
}

// enter returns the sandbox of a request, and the request below it. It answers a request for an
// unknown sandbox, and returns nil. The caller leaves the sandbox.
func (m *Mock) enter(w http.ResponseWriter, r *http.Request) (*sandbox.Sandbox, *http.Request) {
	box := (*sandbox.Sandbox)(nil)
	if rest, named := strings.CutPrefix(r.URL.EscapedPath(), sandbox.PathPrefix); named {
		name, _, _ := strings.Cut(rest, "/")
		r = stripPrefix(r, sandbox.PathPrefix+name)
		if box, named = m.sandboxes.Sandbox(name); !named {
			control.NoSandbox(w, name)
			return nil, r
		}
	} else {
		box = m.sandboxes.SandboxFor(r)
	}
	m.sandboxes.Enter(box)
	return box, r
}

// ServeHTTP routes a request to its sandbox, and there to the control API or a partner endpoint.
func (m *Mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	box, r := m.enter(w, r)
	if box == nil {
		return
	}
	defer m.sandboxes.Leave(box)
	if path := r.URL.EscapedPath(); path == control.Path || strings.HasPrefix(path, control.Path+"/") {
		m.control.ServeHTTP(w, control.WithSandbox(r, box))
		return
	}
	serve := func(w http.ResponseWriter, r *http.Request) { m.partner.serve(box, w, r) }
	if m.cors == nil {
		serve(w, r)
		return
	}
	m.cors.ServeHTTP(w, r, serve) // preflight requests reach no partner
}

// stripPrefix returns the request relative to prefix, which needs no escaping.
func stripPrefix(r *http.Request, prefix string) *http.Request {
	inner, address := *r, *r.URL
	address.Path = strings.TrimPrefix(address.Path, prefix)
	address.RawPath = strings.TrimPrefix(address.RawPath, prefix)
	inner.URL = &address
	return &inner
}
