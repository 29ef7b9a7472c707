package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

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
// empties the journal; the faults count anew. Webhooks are as if they had been
// set up just now. Snapshots stay.
func (s *Sandbox) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.goTo(s.origin)
	s.journal.Clear()
	s.faults.Restart()
	s.webhooks.Restart()
}
