package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Set is how one sandbox misbehaves: its faults, and the quirks of its platform.
// It is safe for concurrent use; use NewSet.
type Set struct {
	platform *platform.Platform
	presents func(*http.Request, Credential) bool
	scale    float64          // of the contract's limits
	plain    platform.Conduct // without any part
	busy     atomic.Bool      // whether any fault is armed
	traffic  traffic
	times    atomic.Pointer[AnswerTimes] // of the last part that has any; nil: none has
	ending   context.Context             // ends all waiting
	end      context.CancelFunc

	mu     sync.Mutex
	armed  []*armed // in the order in which they are considered
	keys   int
	parts  []Part           // in the order in which they were played
	quirks []platform.Quirk // those of no part
}

// Armed is a fault that is armed, with its counters.
type Armed struct {
	Fault
	Counts
	// UsedUp: it will not fire again, for no key.
	UsedUp bool `json:"usedUp"`
	// Origin is the part that the fault came with, and goes with; empty where it
	// was armed by itself.
	Origin string `json:"origin,omitempty"`
}

// Config is what a set goes by.
type Config struct {
	Platform *platform.Platform
	// Presents reports whether a request presents the key (CredentialGood), or something that is
	// like it in that way.
	Presents func(*http.Request, Credential) bool
	// LimitScale is what the contract's limits are multiplied by for just-under
	// and just-over, 0 means 1: who shortens them in a test does so here too.
	LimitScale float64
}

// NewSet returns a set without faults.
func NewSet(c Config) *Set {
	s := &Set{platform: c.Platform, presents: c.Presents, scale: cmp.Or(c.LimitScale, 1), plain: c.Platform.Conduct()}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// Close lets answers that faults keep waiting go out, so that a server can come
// to its end.
func (s *Set) Close() { s.end() }

// Arm adds faults, all or none. They are considered after those that are armed
// already. It returns them with their names. Its error wraps ErrTaken or
// ErrFull, or begins with the place of what is wrong, such as [1].match.method.
func (s *Set) Arm(faults ...Fault) ([]Armed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added, err := prepare(s.armed, faults)
	if err != nil {
		return nil, err
	}
	s.hold(append(slices.Clone(s.armed), added...))
	return s.list(added), nil
}

func (s *Set) hold(faults []*armed) {
	s.armed, s.keys = faults, 0
	watches := false
	for _, a := range faults {
		s.keys += len(a.byKey)
		watches = watches || a.Match.If != ""
	}
	s.traffic.watched.Store(watches)
	s.busy.Store(len(faults) > 0)
}

// Disarm removes the fault of that name. Its error wraps ErrMissing.
func (s *Set) Disarm(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.armed, func(a *armed) bool { return a.Name == name })
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrMissing, name)
	}
	s.hold(slices.Delete(slices.Clone(s.armed), i, i+1))
	return nil
}

// Clear removes all faults and returns how many there were.
func (s *Set) Clear() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.armed)
	s.hold(nil)
	return n
}

// Restart resets all counts, as if all faults had just been armed.
func (s *Set) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := make([]*armed, 0, len(s.armed))
	for _, a := range s.armed {
		fresh = append(fresh, newArmed(a.rule, a.origin))
	}
	s.hold(fresh)
}

// Faults returns the armed faults in the order in which they are considered.
func (s *Set) Faults() []Armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list(s.armed)
}

func (s *Set) list(faults []*armed) []Armed {
	all, now := make([]Armed, 0, len(faults)), s.platform.Now()
	for _, a := range faults {
		all = append(all, Armed{Fault: a.Fault, Counts: a.counts, UsedUp: a.occasion().usedUp(a.Key, a.counts, now), Origin: a.origin})
	}
	return all
}

// maxConsidered bounds the faults of which is told what they made of a request.
const maxConsidered = 32

// Fire returns the first fault that breaks the request, and nil where none does,
// with what each fault up to that one made of it. The body is the request's, read
// ahead.
func (s *Set) Fire(r *http.Request, body []byte) (*fault.Firing, []journal.Considered) {
	if !s.busy.Load() {
		return nil, nil
	}
	var considered []journal.Considered
	about := &subject{request: r, body: body, platform: s.platform, presents: s.presents, traffic: &s.traffic, endpoint: partnerapi.EndpointOf(r)}
	s.traffic.begin(about)
	s.mu.Lock()
	faults := s.armed
	s.mu.Unlock()
	for _, a := range faults {
		// Outside the lock: a predicate may take its time.
		fits, problem := a.matches.fits(about)
		key, has := "", false
		if fits {
			key, has = about.key(a.Key)
		}
		n := s.count(a, fits && has, key, problem)
		if len(considered) < maxConsidered || n > 0 {
			considered = append(considered, journal.Considered{Fault: a.Name, Matched: fits && has, Fired: n > 0})
		}
		if n > 0 {
			return &fault.Firing{
				Fault:     a.Name,
				Ending:    s.ending,
				Scale:     s.scale,
				Effect:    a.effect,
				Memory:    &a.memory,
				Random:    draw(s.platform.Seed(), a.Name, "action\x00"+key, n),
				Variables: func() []any { return about.variables(n) },
			}, considered
		}
	}
	return nil, considered
}

// Ended notes how a request that Fire has seen was answered.
func (s *Set) Ended(r *http.Request, status int) { s.traffic.end(r, status) }

// count counts a request and decides: it returns the number of the match that
// the fault fires for, and 0 where it does not fire.
func (s *Set) count(a *armed, matched bool, key string, problem error) int {
	now := s.platform.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	a.counts.Considered++
	if problem != nil {
		a.counts.Problem = problem.Error()
	}
	if !matched {
		return 0
	}
	return a.match(a.occasion(), s.platform.Seed(), a.Name, key, now, &s.keys)
}

type armed struct {
	rule
	origin string // the part that it came with; empty: none
	memory fault.Memory
	counter
}

// prepare compiles faults that are to be armed beside others, and names them.
func prepare(beside []*armed, faults []Fault) ([]*armed, error) {
	if len(beside)+len(faults) > MaxFaults {
		return nil, fmt.Errorf("%w, %d: disarm some", ErrFull, MaxFaults)
	}
	faults, err := named("fault", ErrTaken, names(beside, func(a *armed) string { return a.Name }), faults, func(f *Fault) *string { return &f.Name })
	if err != nil {
		return nil, err
	}
	added := make([]*armed, 0, len(faults))
	for i, f := range faults {
		r, err := compile(f)
		if err != nil {
			return nil, invalid.Item("", i, err)
		}
		added = append(added, newArmed(r, ""))
	}
	return added, nil
}

func newArmed(r rule, origin string) *armed {
	return &armed{rule: r, origin: origin, counter: counter{byKey: tallies{}}}
}

// What a Set refuses.
var (
	ErrTaken   = errors.New("there is a fault of that name already")
	ErrFull    = errors.New("there are as many faults as there may be")
	ErrMissing = errors.New("there is no such fault")
)

// MaxFaults bounds the faults that are armed in a sandbox.
const MaxFaults = 256
