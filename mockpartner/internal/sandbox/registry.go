package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
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

// NewRegistry returns a registry that holds the default sandbox.
func NewRegistry(c Config) (*Registry, error) {
	if c.Max <= 0 {
		c.Max = DefaultMax
	}
	if c.IdleFor == 0 {
		c.IdleFor = DefaultIdleFor
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	credential, err := NewCredential(c.AuthType, c.AuthKey)
	if err != nil {
		return nil, err
	}
	r := &Registry{config: c, credential: credential, boxes: map[string]*Sandbox{}, byKey: map[digest]*Sandbox{}}
	r.swept = r.now()
	if _, err := r.Create(Spec{Name: Default}); err != nil {
		return nil, err
	}
	return r, nil
}

// name is what a sandbox may be called: it is a path segment that needs no
// escaping.
var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func checkName(s string) error {
	if !name.MatchString(s) {
		return fmt.Errorf("name: want 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, got %q", s)
	}
	return nil
}

// Create makes a sandbox. Its error wraps ErrTaken, ErrKey or ErrFull, or says
// what is wrong with the spec.
func (r *Registry) Create(s Spec) (*Sandbox, error) {
	clock, business, err := r.business(s)
	if err != nil {
		return nil, err
	}
	own, err := script.Compile("sandbox", &script.Scenario{Policy: s.Policy, HoldFor: s.HoldFor})
	if err != nil {
		return nil, err
	}
	box, err := r.add(s.Name, s.AuthKey, clock, business, func(faults *script.Set) error {
		for _, part := range append([]script.Part{r.scenario, own}, s.Parts...) {
			if err := faults.Play(part); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || s.Webhooks == nil {
		return box, err
	}
	if err := box.webhooks.Configure(*s.Webhooks); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.remove(box)
		return nil, fmt.Errorf("webhooks: %w", err)
	}
	return box, nil
}

// Clone makes a sandbox of that name that is like the original: what has been
// sold, seed, time and misbehaviour; its journal is empty, and its faults count
// from nothing. It has no webhooks. An authKey of "" is the
// mock's. Errors are those of Create.
func (r *Registry) Clone(original *Sandbox, name, authKey string) (*Sandbox, error) {
	clock := clock.NewVirtual(r.config.Clock)
	clock.Show(original.clock.Read())
	return r.add(name, authKey, clock, original.platform.Clone(clock), func(faults *script.Set) error {
		return faults.Copy(original.faults)
	})
}

// add makes a sandbox around its business, lets it misbehave, and enters it.
func (r *Registry) add(name, authKey string, clock *clock.Virtual, business *platform.Platform, misbehave func(*script.Set) error) (*Sandbox, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	box := &Sandbox{
		name:       name,
		created:    time.Now(),
		clock:      clock,
		platform:   business,
		answers:    newAnswers(),
		credential: r.credential,
		own:        authKey != "",
	}
	secrets := []string{r.config.AuthKey}
	if box.own {
		var err error
		if box.credential, err = NewCredential(r.config.AuthType, authKey); err != nil {
			return nil, err
		}
		secrets = append(secrets, authKey)
	}
	box.faults = script.NewSet(script.Config{Platform: business, Presents: box.credential.Presented, LimitScale: r.config.LimitScale})
	box.journal = journal.New(r.config.Journal, secrets...)
	box.journal.Observe(r.config.Observe)
	box.webhooks = webhook.New(business, clock, box.journal.Blank)
	box.origin = box.now()
	r.touch(box)
	if err := r.enter(box, misbehave); err != nil {
		return nil, err
	}
	return box, nil
}

func (r *Registry) enter(box *Sandbox, misbehave func(*script.Set) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, nameTaken := r.boxes[box.name]
	_, keyTaken := r.byKey[box.credential.digest]
	full := len(r.boxes) >= r.config.Max
	if r.sweep(nameTaken || keyTaken || full); r.boxes[box.name] != nil {
		return fmt.Errorf("%w: %s", ErrTaken, box.name)
	}
	if box.own && (r.byKey[box.credential.digest] != nil || box.credential == r.credential) {
		return fmt.Errorf("%w: give each sandbox a key of its own", ErrKey)
	}
	if len(r.boxes) >= r.config.Max {
		return fmt.Errorf("%w, %d: delete one", ErrFull, r.config.Max)
	}
	if err := misbehave(box.faults); err != nil {
		return err
	}
	r.boxes[box.name] = box
	if box.own {
		r.byKey[box.credential.digest] = box
	}
	return nil
}

// remove wants the lock.
func (r *Registry) remove(box *Sandbox) {
	delete(r.boxes, box.name)
	if box.own {
		delete(r.byKey, box.credential.digest)
	}
	box.close()
}

// business makes what a new sandbox is about.
func (r *Registry) business(s Spec) (*clock.Virtual, *platform.Platform, error) {
	clock := clock.NewVirtual(r.config.Clock)
	if s.Frozen == nil {
		s.Frozen = &r.config.Frozen
	}
	if s.Now.IsZero() {
		s.Now = r.config.Now
	}
	// Frozen first: a running clock would have moved on from where it is set.
	if *s.Frozen {
		clock.Freeze()
	}
	if !s.Now.IsZero() {
		clock.Set(s.Now)
	}
	config := platform.Config{
		Catalog: cmp.Or(s.Catalog, r.config.Catalog),
		Clock:   clock,
		Seed:    r.config.Seed,
		HoldFor: cmp.Or(s.HoldFor, r.config.HoldFor),
		Policy:  s.Policy,
	}
	if s.Seed != nil {
		config.Seed = *s.Seed
	}
	business, err := platform.New(config)
	return clock, business, err
}

// Sandbox returns the sandbox of that name, which counts as a call of it.
func (r *Registry) Sandbox(name string) (*Sandbox, bool) {
	r.mu.RLock()
	box, ok := r.boxes[name]
	r.mu.RUnlock()
	if !ok || !r.awake(box) {
		return nil, false
	}
	return box, true
}

// Addressed returns the sandbox whose own key the request presents, and Default
// for every other request.
func (r *Registry) Addressed(request *http.Request) *Sandbox {
	r.mu.RLock()
	box := r.boxes[Default]
	if len(r.byKey) > 0 {
		if presented, ok := digestOf(request); ok && r.byKey[presented] != nil {
			box = r.byKey[presented]
		}
	}
	r.mu.RUnlock()
	if !r.awake(box) {
		box, _ = r.Sandbox(Default)
	}
	return box
}

// awake deletes the sandbox if it is idle, and else notes that it was called.
func (r *Registry) awake(box *Sandbox) bool {
	if !r.idle(box, r.now()) {
		r.touch(box)
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.boxes[box.name] == box {
		r.remove(box)
	}
	return false
}

// List returns all sandboxes, by name.
func (r *Registry) List() []*Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep(true)
	boxes := slices.Collect(maps.Values(r.boxes))
	slices.SortFunc(boxes, func(a, b *Sandbox) int { return cmp.Compare(a.name, b.name) })
	return boxes
}

// Size is how many sandboxes there are, and how many bytes of exchanges their
// journals hold.
func (r *Registry) Size() (boxes int, bytes int64) {
	for _, box := range r.List() {
		boxes++
		bytes += box.journal.Count().Bytes
	}
	return boxes, bytes
}

// Close lets all sandboxes come to their end; what they hold stays.
func (r *Registry) Close() {
	for _, box := range r.List() {
		box.close()
	}
}

// Delete removes a sandbox; calls that are under way in it come to their end.
// Its error wraps ErrMissing or ErrDefault.
func (r *Registry) Delete(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == Default {
		return ErrDefault
	}
	box, ok := r.boxes[name]
	if !ok {
		return fmt.Errorf("%w: %s", ErrMissing, name)
	}
	r.remove(box)
	return nil
}
