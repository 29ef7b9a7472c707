// Package sandbox isolates the users of one mock partner from each other. A
// Sandbox is a partner of its own: platform, clock, seed and journal. A Registry
// holds the sandboxes of a mock, by name and by the key that their callers
// present; what they can share without noticing (the catalog and its rendered
// form, and all that a clone has not changed) they share.
//
// To make, clone, reset or delete a sandbox, and to take or restore a snapshot,
// takes the same time whatever is in it.
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// Sandbox is one isolated partner.
type Sandbox struct {
	name       string
	created    time.Time
	clock      *clock.Virtual
	platform   *platform.Platform
	journal    *journal.Journal
	answers    *Answers
	faults     *script.Set
	webhooks   *webhook.Sender
	credential Credential
	own        bool // the credential is not the mock's

	origin moment // what the sandbox was made with
	mu     sync.Mutex
	saved  map[string]moment // the snapshots; nil before the first

	followed script.Scenario // last

	calls atomic.Int64 // under way
	used  atomic.Int64 // when it was last called, in Unix nanoseconds
}

// Name is the sandbox's name, the {name} of /s/{name}/.
func (s *Sandbox) Name() string { return s.name }

// Created is when the sandbox was made, in real time.
func (s *Sandbox) Created() time.Time { return s.created }

// Platform is the sandbox's business: its slots, holds and bookings.
func (s *Sandbox) Platform() *platform.Platform { return s.platform }

// Clock is the sandbox's clock.
func (s *Sandbox) Clock() *clock.Virtual { return s.clock }

// Journal holds the sandbox's exchanges.
func (s *Sandbox) Journal() *journal.Journal { return s.journal }

// Answers remembers the sandbox's availability answers.
func (s *Sandbox) Answers() *Answers { return s.answers }

// Faults are the ways in which the sandbox misbehaves.
func (s *Sandbox) Faults() *script.Set { return s.faults }

// Webhooks sends what changes in the sandbox to a marketplace, once it is set up.
func (s *Sandbox) Webhooks() *webhook.Sender { return s.webhooks }

// Credential is what callers of the sandbox must present.
func (s *Sandbox) Credential() Credential { return s.credential }

// OwnKey reports whether callers present a key of the sandbox's own, by which it
// is found at the root too.
func (s *Sandbox) OwnKey() bool { return s.own }

// close dismisses all who watch the journal, lets answers that faults keep waiting
// go out, and ends the webhooks.
func (s *Sandbox) close() {
	s.journal.Close()
	s.faults.Close()
	s.webhooks.Close()
}

type moment struct {
	platform *platform.Snapshot
	clock    clock.Reading
}

// name is what a sandbox may be called: it is a path segment that needs no
// escaping.
var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func checkName(s string) error {
	if !name.MatchString(s) {
		return fmt.Errorf("name: expected 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, received %q", s)
	}
	return nil
}

// Verdict tells whether the sandbox's callers kept their side of the contract, by
// what the journal holds and by the clock.
func (s *Sandbox) Verdict() judge.Verdict {
	return judge.Judge(judge.Case{
		Record:  s.journal.Record(),
		Catalog: s.platform.Catalog(),
		Form:    s.credential.Form(),
		Now:     s.clock.Now(),
		Real:    time.Now(),
	})
}

// ErrSeed is the error of a scenario with another seed than the sandbox's.
var ErrSeed = errors.New("seed: what a sandbox has in it follows from its seed: make one with the new seed, or start again")

// Follow makes the sandbox what a scenario says, as far as that differs from the
// scenario that it followed before. What is held and booked stays. Its error wraps
// ErrSeed, or names what is wrong.
func (s *Sandbox) Follow(is *script.Scenario) error {
	part, err := script.Compile(script.OriginScenario, is)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if is.Seed != nil && *is.Seed != s.platform.Seed() {
		return ErrSeed
	}
	if is.Catalog != nil {
		if err := s.platform.Sell(is.Catalog); err != nil {
			return err
		}
	}
	if err := s.faults.Play(part); err != nil {
		return err
	}
	if is.Webhooks != nil && !reflect.DeepEqual(is.Webhooks, s.followed.Webhooks) {
		if err := s.webhooks.Configure(*is.Webhooks); err != nil {
			return err
		}
	}
	s.followClock(is)
	s.followed = *is
	return nil
}

// Unfollow takes off what a scenario made the sandbox do: its faults, quirks and
// policy. Catalog, clock and webhooks stay.
func (s *Sandbox) Unfollow() error {
	s.mu.Lock()
	plain := &script.Scenario{Now: s.followed.Now, Frozen: s.followed.Frozen, Webhooks: s.followed.Webhooks}
	s.mu.Unlock()
	return s.Follow(plain)
}

func (s *Sandbox) followClock(is *script.Scenario) {
	if is.Frozen != s.followed.Frozen {
		if is.Frozen {
			s.clock.Freeze()
		} else {
			s.clock.Run()
		}
	}
	if !is.Now.IsZero() && !is.Now.Equal(s.followed.Now) {
		s.clock.Set(is.Now)
	}
}

// Began notes the scenario that the sandbox was made with.
func (s *Sandbox) Began(with *script.Scenario) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followed = *with
}

// MaxSnapshots is how many snapshots a sandbox keeps.
const MaxSnapshots = 16

// What a sandbox refuses.
var (
	ErrNoSnapshot   = errors.New("there is no such snapshot")
	ErrTooManySaved = errors.New("the sandbox has as many snapshots as it may have")
)

// Snapshot is a moment that can be gone back to.
type Snapshot struct {
	Name string    `json:"name"`
	At   time.Time `json:"now"` // by the sandbox's clock, in UTC
}

func (s *Sandbox) now() moment {
	// The clock last: what it passes meanwhile expires when it is restored.
	kept := s.platform.Snapshot()
	return moment{platform: kept, clock: s.clock.Read()}
}

func (s *Sandbox) goTo(m moment) {
	// The clock first: a later one would let restored holds expire.
	s.clock.Show(m.clock)
	s.platform.Restore(m.platform)
}

// Save keeps the state of platform and clock under a name of the form of a
// sandbox's; it replaces a snapshot of that name. Its error wraps
// ErrTooManySaved, or says what is wrong with the name.
func (s *Sandbox) Save(name string) (Snapshot, error) {
	if err := checkName(name); err != nil {
		return Snapshot{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.saved[name]; !again && len(s.saved) >= MaxSnapshots {
		return Snapshot{}, fmt.Errorf("%w, %d: delete one", ErrTooManySaved, MaxSnapshots)
	}
	if s.saved == nil {
		s.saved = map[string]moment{}
	}
	now := s.now()
	s.saved[name] = now
	return Snapshot{Name: name, At: now.clock.At.UTC()}, nil
}

// Restore puts platform and clock back to where they were when the snapshot was
// taken. The journal goes on. Its error wraps ErrNoSnapshot.
func (s *Sandbox) Restore(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	saved, ok := s.saved[name]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoSnapshot, name)
	}
	s.goTo(saved)
	return nil
}

// Forget deletes a snapshot. Its error wraps ErrNoSnapshot.
func (s *Sandbox) Forget(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.saved[name]; !ok {
		return fmt.Errorf("%w: %s", ErrNoSnapshot, name)
	}
	delete(s.saved, name)
	return nil
}

// Snapshots lists the snapshots, by name.
func (s *Sandbox) Snapshots() []Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Snapshot, 0, len(s.saved))
	for name, saved := range s.saved {
		list = append(list, Snapshot{Name: name, At: saved.clock.At.UTC()})
	}
	slices.SortFunc(list, func(a, b Snapshot) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Reset makes platform and clock what they were when the sandbox was made, and
// empties the journal; the faults count from zero. Webhooks are as if they had been
// set up just now. Snapshots stay.
func (s *Sandbox) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.goTo(s.origin)
	s.journal.Clear()
	s.faults.Restart()
	s.webhooks.Restart()
}
