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
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
)

// Set is the misbehaviour of one sandbox: its faults, and the quirks of its platform. It is safe
// for concurrent use. Create it with NewSet.
type Set struct {
	platform *platform.Platform
	presents func(*http.Request, Credential) bool
	scale    float64          // factor for the contract's limits
	plain    platform.Conduct // without any part
	busy     atomic.Bool      // whether any fault is armed
	traffic  traffic
	times    atomic.Pointer[AnswerTimes] // of the last part that sets any; nil if no part does
	ending   context.Context             // ends all waiting
	end      context.CancelFunc

	mu     sync.Mutex
	armed  []*armed // in the order in which they apply
	keys   int
	parts  []Part           // in the order in which they were played
	quirks []platform.Quirk // quirks that belong to no part
}

// Armed is a fault that is armed, with its counters.
type Armed struct {
	Fault
	Counts
	// UsedUp is true if the fault will not fire again, for any key.
	UsedUp bool `json:"usedUp"`
	// Origin is the part that the fault belongs to. It is empty if the fault was armed by itself.
	Origin string `json:"origin,omitempty"`
}

// Config configures a set.
type Config struct {
	Platform *platform.Platform
	// Presents reports whether a request presents the key (CredentialGood), or a credential of that
	// other kind.
	Presents func(*http.Request, Credential) bool
	// LimitScale multiplies the contract's limits for just-under and just-over; 0 means 1. A test
	// that shortens the caller's limits sets it to the same factor.
	LimitScale float64
}

// NewSet returns a set without faults.
func NewSet(c Config) *Set {
	s := &Set{platform: c.Platform, presents: c.Presents, scale: cmp.Or(c.LimitScale, 1), plain: c.Platform.Conduct()}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// Close sends the answers that faults delay, so that a server can shut down.
func (s *Set) Close() { s.end() }

// Arm adds faults, all or none, and returns them with their names. They apply after the faults that
// are already armed. Its error wraps ErrTaken or ErrFull, or begins with the location
// of the problem, such as [1].match.method.
func (s *Set) Arm(faults ...Fault) ([]Armed, error) {
	return s.arm(faults, func(armed, added []*armed) []*armed { return append(armed, added...) })
}

func (s *Set) arm(faults []Fault, order func(armed, added []*armed) []*armed) ([]Armed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added, err := prepare(s.armed, faults)
	if err != nil {
		return nil, err
	}
	s.hold(order(slices.Clone(s.armed), added))
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

// Disarm removes the fault with that name. Its error wraps ErrMissing.
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

// Clear removes all faults and returns their number.
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

// Faults returns the armed faults in the order in which they apply.
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

// maxConsidered is the maximum number of faults recorded for one request.
const maxConsidered = 32

// Fire returns the faults that fire for the request, up to the first one that is the last, and the
// decisions of the faults so far. The body is the request's body, read ahead.
func (s *Set) Fire(r *http.Request, body []byte, o Operation) (fault.Firings, []client.Considered) {
	if !s.busy.Load() {
		return nil, nil
	}
	about := &subject{request: r, body: body, platform: s.platform, presents: s.presents, traffic: &s.traffic, Operation: o}
	s.traffic.begin(about)
	s.mu.Lock()
	faults := s.armed
	s.mu.Unlock()
	matches := make([]match, len(faults))
	for i, a := range faults {
		matches[i] = a.match(about) // outside the lock: a predicate may take some time
	}
	var firings fault.Firings
	var considered []client.Considered
	now := s.platform.Now()
	// All faults count a request in one step. So requests at the same time are counted in the same
	// order by each.
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, a := range faults {
		n := a.count(matches[i], s.platform.Seed(), now, &s.keys)
		if len(considered) < maxConsidered || n > 0 {
			considered = append(considered, client.Considered{Fault: a.Name, Matched: matches[i].matched, Fired: n > 0})
		}
		if n == 0 {
			continue
		}
		firings = append(firings, &fault.Firing{
			Fault:     a.Name,
			Ending:    s.ending,
			Scale:     s.scale,
			Effect:    a.effect,
			Memory:    &a.memory,
			Random:    draw(s.platform.Seed(), a.Name, "action\x00"+matches[i].key, n),
			Variables: func() []any { return about.variables(n) },
		})
		if a.Last {
			break
		}
	}
	return firings, considered
}

// RecordEnd records the status with which a request was answered that Fire has seen.
func (s *Set) RecordEnd(r *http.Request, status int) { s.traffic.end(r, status) }

type armed struct {
	rule
	origin string // the part that it belongs to; empty if it was armed by itself
	memory fault.Memory
	counter
}

// match is what a fault makes of a request before it counts it.
type match struct {
	matched bool
	key     string
	problem error
}

func (a *armed) match(about *subject) (m match) {
	m.matched, m.problem = a.matches.fits(about)
	if m.matched {
		m.key, m.matched = about.key(a.Key)
	}
	return m
}

// count counts a request and decides. It returns the number of the match if the fault fires, and 0
// if not. keys is the number of keys in the set.
func (a *armed) count(m match, seed uint64, now time.Time, keys *int) int {
	a.counts.Considered++
	if m.problem != nil {
		a.counts.Problem = m.problem.Error()
	}
	if !m.matched {
		return 0
	}
	return a.counter.match(a.occasion(), seed, a.Name, m.key, now, keys)
}

// prepare compiles and names faults that will be added to others.
func prepare(beside []*armed, faults []Fault) ([]*armed, error) {
	if len(beside)+len(faults) > MaxFaults {
		return nil, fmt.Errorf("%w, %d: remove some", ErrFull, MaxFaults)
	}
	faults, err := nameAll("fault", ErrTaken, names(beside, func(a *armed) string { return a.Name }), faults, func(f *Fault) *string { return &f.Name })
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

// A Set returns these errors for faults.
var (
	ErrTaken   = errors.New("a fault with this name exists already")
	ErrFull    = errors.New("the maximum number of faults is reached")
	ErrMissing = errors.New("there is no fault with this name")
)

// MaxFaults is the maximum number of armed faults in a sandbox.
const MaxFaults = 256
