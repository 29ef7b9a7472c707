// Package sandbox isolates the users of one mock partner from each other. A Sandbox is an
// independent partner with its own platform, clock, seed and journal. A Registry manages the
// sandboxes of a mock, by name and by key. Sandboxes share immutable data: the catalog and its
// rendered form, and what a clone has not changed.
//
// Creating, cloning, resetting or deleting a sandbox, and taking or restoring a snapshot, take the
// same time whatever its contents.
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

	"partnerkit.dev/mockpartner/client"
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

	origin moment // the initial state
	mu     sync.Mutex
	saved  map[string]moment // the snapshots; nil before the first

	followed script.Scenario // last

	calls atomic.Int64 // in progress
	used  atomic.Int64 // time of the last call, in Unix nanoseconds
}

// Name returns the sandbox's name, the {name} in /s/{name}/.
func (s *Sandbox) Name() string { return s.name }

// CreatedAt returns when the sandbox was created, in real time.
func (s *Sandbox) CreatedAt() time.Time { return s.created }

// Platform returns the sandbox's booking logic: its slots, holds and bookings.
func (s *Sandbox) Platform() *platform.Platform { return s.platform }

// Clock returns the sandbox's clock.
func (s *Sandbox) Clock() *clock.Virtual { return s.clock }

// Journal returns the record of the sandbox's exchanges.
func (s *Sandbox) Journal() *journal.Journal { return s.journal }

// Answers returns the sandbox's remembered availability answers.
func (s *Sandbox) Answers() *Answers { return s.answers }

// Faults returns the faults and quirks of the sandbox.
func (s *Sandbox) Faults() *script.Set { return s.faults }

// Webhooks returns the sender that reports the sandbox's changes to a marketplace, once it is
// configured.
func (s *Sandbox) Webhooks() *webhook.Sender { return s.webhooks }

// Credential returns what callers of the sandbox must present.
func (s *Sandbox) Credential() Credential { return s.credential }

// OwnKey reports whether the sandbox has its own key. Requests at the root that present it also
// reach the sandbox.
func (s *Sandbox) OwnKey() bool { return s.own }

// close removes all watchers of the journal, sends the answers that faults delay, and stops the
// webhooks.
func (s *Sandbox) close() {
	s.journal.Close()
	s.faults.Close()
	s.webhooks.Close()
}

type moment struct {
	platform *platform.Snapshot
	clock    clock.Reading
}

// name matches valid sandbox names, which are path segments that need no escaping.
var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func checkName(s string) error {
	if !name.MatchString(s) {
		return fmt.Errorf("name: expected 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, received %q", s)
	}
	return nil
}

// Verdict reports whether the sandbox's callers kept their side of the contract, according to the
// journal and the clock.
func (s *Sandbox) Verdict() client.Verdict {
	return judge.Judge(judge.Case{
		Record:  s.journal.Record(),
		Catalog: s.platform.Catalog(),
		Form:    s.credential.Form(),
		Now:     s.clock.Now(),
		Real:    time.Now(),
	})
}

// ErrSeed is returned for a scenario with a seed other than the sandbox's.
var ErrSeed = errors.New("seed: a sandbox cannot change its seed: create one with the new seed, or start again")

// Follow applies the parts of a scenario that differ from the previously followed scenario. Holds
// and bookings stay. Its error wraps ErrSeed, or names the problem.
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

// Unfollow removes the faults, quirks and policy of the scenario. Catalog, clock and webhooks stay.
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

// Began records the scenario that the sandbox was created with.
func (s *Sandbox) Began(with *script.Scenario) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followed = *with
}

// MaxSnapshots is the maximum number of snapshots of a sandbox.
const MaxSnapshots = 16

// A sandbox returns these errors for snapshots.
var (
	ErrNoSnapshot   = errors.New("there is no snapshot with this name")
	ErrTooManySaved = errors.New("the maximum number of snapshots of a sandbox is reached")
)

// Snapshot is a moment that can be restored.
type Snapshot struct {
	Name string    `json:"name"`
	At   time.Time `json:"now"` // by the sandbox's clock, in UTC
}

func (s *Sandbox) now() moment {
	// The clock is read last, so that everything up to that time expires on restore.
	kept := s.platform.Snapshot()
	return moment{platform: kept, clock: s.clock.Read()}
}

func (s *Sandbox) goTo(m moment) {
	// The clock is set first: a later time would let restored holds expire.
	s.clock.Show(m.clock)
	s.platform.Restore(m.platform)
}

// Save saves the state of platform and clock under a name, which has the same form as a sandbox's.
// It replaces a snapshot with that name. Its error wraps ErrTooManySaved, or describes the invalid
// name.
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

// Restore restores platform and clock from the snapshot. The journal continues. Its error wraps
// ErrNoSnapshot.
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

// Reset restores the initial state of platform and clock, and empties the journal. The faults count
// from zero, and webhooks are as if just configured. Snapshots stay.
func (s *Sandbox) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.goTo(s.origin)
	s.journal.Clear()
	s.faults.Restart()
	s.webhooks.Restart()
}
