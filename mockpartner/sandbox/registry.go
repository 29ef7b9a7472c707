package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/journal"
	"partnerkit.dev/mockpartner/platform"
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
	ErrFull    = errors.New("there are as many sandboxes as there may be")
	ErrMissing = errors.New("there is no such sandbox")
	ErrDefault = errors.New("the sandbox " + Default + " stays as long as the mock")
)

// Config is what sandboxes are made of, unless their Spec says otherwise.
type Config struct {
	Catalog *catalog.Index
	Clock   platform.Clock // what the sandboxes' clocks run with
	Now     time.Time      // where they begin; zero means Clock's time
	Frozen  bool           // they stand still
	Seed    uint64
	HoldFor time.Duration
	Journal journal.Limits
	Secrets []string // what journals must not show
	Max     int      // how many sandboxes; 0 means DefaultMax
}

// Spec is what a new sandbox is to be like. Zero values take the mock's own.
type Spec struct {
	Name    string
	Seed    *uint64
	Now     time.Time // where its clock begins
	Frozen  *bool     // whether it stands still
	HoldFor time.Duration
	Policy  *catalog.Policy
	Catalog *catalog.Index
}

// Registry holds the sandboxes of a mock. It is safe for concurrent use.
type Registry struct {
	config Config

	mu    sync.RWMutex
	boxes map[string]*Sandbox
}

// NewRegistry returns a registry that holds the default sandbox.
func NewRegistry(c Config) (*Registry, error) {
	if c.Max <= 0 {
		c.Max = DefaultMax
	}
	r := &Registry{config: c, boxes: map[string]*Sandbox{}}
	if _, err := r.Create(Spec{Name: Default}); err != nil {
		return nil, err
	}
	return r, nil
}

// name is what a sandbox may be called: it is a path segment that needs no
// escaping.
var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Create makes a sandbox. Its error wraps ErrTaken or ErrFull, or says what is
// wrong with the spec.
func (r *Registry) Create(s Spec) (*Sandbox, error) {
	if !name.MatchString(s.Name) {
		return nil, fmt.Errorf("name: want 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, got %q", s.Name)
	}
	box, err := r.make(s)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.boxes[s.Name]; taken {
		return nil, fmt.Errorf("%w: %s", ErrTaken, s.Name)
	}
	if len(r.boxes) >= r.config.Max {
		return nil, fmt.Errorf("%w, %d: delete one", ErrFull, r.config.Max)
	}
	r.boxes[s.Name] = box
	return box, nil
}

func (r *Registry) make(s Spec) (*Sandbox, error) {
	clock := platform.NewVirtualClock(r.config.Clock)
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
	if err != nil {
		return nil, err
	}
	return &Sandbox{
		name:     s.Name,
		created:  time.Now(),
		clock:    clock,
		platform: business,
		journal:  journal.New(r.config.Journal, r.config.Secrets...),
		answers:  newAnswers(business),
	}, nil
}

// Sandbox returns the sandbox of that name.
func (r *Registry) Sandbox(name string) (*Sandbox, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	box, ok := r.boxes[name]
	return box, ok
}

// List returns all sandboxes, by name.
func (r *Registry) List() []*Sandbox {
	r.mu.RLock()
	defer r.mu.RUnlock()
	boxes := make([]*Sandbox, 0, len(r.boxes))
	for _, box := range r.boxes {
		boxes = append(boxes, box)
	}
	slices.SortFunc(boxes, func(a, b *Sandbox) int { return cmp.Compare(a.name, b.name) })
	return boxes
}

// Delete removes a sandbox; calls that are under way in it come to their end.
// Its error wraps ErrMissing or ErrDefault.
func (r *Registry) Delete(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == Default {
		return ErrDefault
	}
	if _, ok := r.boxes[name]; !ok {
		return fmt.Errorf("%w: %s", ErrMissing, name)
	}
	delete(r.boxes, name)
	return nil
}
