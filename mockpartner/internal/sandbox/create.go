package sandbox

import (
	"cmp"
	"fmt"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// NewRegistry returns a registry with the default sandbox.
func NewRegistry(c Config) (*Registry, error) {
	c.Max = cmp.Or(max(c.Max, 0), DefaultMax)
	c.IdleFor = cmp.Or(c.IdleFor, DefaultIdleFor)
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

// Create creates a sandbox. Its error wraps ErrTaken, ErrKey or ErrFull, or describes what is wrong
// with the spec.
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

// Clone creates a sandbox with that name as a copy of the original: holds and bookings, seed, time
// and misbehaviour. Its journal is empty, its faults count from zero, and it has no webhooks. An
// empty authKey means the mock's key. Errors are those of Create.
func (r *Registry) Clone(original *Sandbox, name, authKey string) (*Sandbox, error) {
	clock := clock.NewVirtual(r.config.Clock)
	clock.Show(original.clock.Read())
	return r.add(name, authKey, clock, original.platform.Clone(clock), func(faults *script.Set) error {
		return faults.Copy(original.faults)
	})
}

// add creates a sandbox for a platform, applies its misbehaviour, and registers it.
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
	box.faults = script.NewSet(script.Config{Platform: business, Presents: box.credential.Bears, LimitScale: r.config.LimitScale})
	box.journal = journal.New(r.config.Journal, secrets...)
	box.journal.Observe(r.config.Observe)
	box.webhooks = webhook.New(business, clock, box.journal.AddSecret)
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
		return fmt.Errorf("%w: give each sandbox its own key", ErrKey)
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

func (r *Registry) business(s Spec) (*clock.Virtual, *platform.Platform, error) {
	clock := clock.NewVirtual(r.config.Clock)
	if s.Frozen == nil {
		s.Frozen = &r.config.Frozen
	}
	if s.Now.IsZero() {
		s.Now = r.config.Now
	}
	// Frozen first: a running clock would move on before it is frozen.
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
		HoldFor: r.config.HoldFor,
	}
	if s.Seed != nil {
		config.Seed = *s.Seed
	}
	business, err := platform.New(config)
	return clock, business, err
}
