package script

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"partnerkit.dev/mockpartner/platform"
)

// What a Set refuses.
var (
	ErrTaken   = errors.New("there is a fault of that name already")
	ErrFull    = errors.New("there are as many faults as there may be")
	ErrMissing = errors.New("there is no such fault")
)

// maxKeys bounds the keys that a set counts, of all its faults together.
// Beyond it new keys are left alone.
const maxKeys = 100_000

// Set is the faults that are armed in one sandbox. It is safe for concurrent
// use; use NewSet.
type Set struct {
	platform *platform.Platform
	busy     atomic.Bool // whether any fault is armed

	mu    sync.Mutex
	armed []*armed // in the order in which they are considered
	keys  int
}

// armed is a fault with its counters.
type armed struct {
	rule
	scenario bool // it came with the scenario
	counts   Counts
	byKey    map[[8]byte]*tally // by the key's digest
}

// tally counts for one key.
type tally struct{ matched, fired int }

// Counts tell what became of a fault.
type Counts struct {
	Considered uint64 `json:"considered"`        // requests that it was held against
	Matched    uint64 `json:"matched"`           // of those, the ones that it applies to
	Fired      uint64 `json:"fired"`             // of those, the ones that it broke
	Keys       int    `json:"keys"`              // how many keys it has counted by
	LeftAlone  uint64 `json:"leftAlone"`         // matches of keys that there was no room to count
	Problem    string `json:"problem,omitempty"` // what kept it from being decided, last
}

// Armed is a fault that is armed, with its counters.
type Armed struct {
	Fault
	Counts
	// Scenario: the fault came with the scenario, and goes when a new version
	// of it comes.
	Scenario bool `json:"scenario"`
}

// NewSet returns a set without faults, for requests to that platform.
func NewSet(p *platform.Platform) *Set { return &Set{platform: p} }

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
	return list(added), nil
}

// Rules are the faults of a scenario, compiled: many sets can share them.
type Rules struct{ list []rule }

// Compile checks the faults of a scenario and names those that have no name. Its
// errors are those of Arm.
func Compile(faults []Fault) (Rules, error) {
	named, err := prepare(nil, faults)
	if err != nil {
		return Rules{}, err
	}
	var rules Rules
	for _, a := range named {
		rules.list = append(rules.list, a.rule)
	}
	return rules, nil
}

// Replace puts the faults of a scenario in the place of those of the one
// before. They are considered first; faults that were armed otherwise stay,
// unless one of the scenario has their name.
func (s *Set) Replace(scenario Rules) {
	if len(scenario.list) == 0 && !s.busy.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := make([]*armed, 0, len(scenario.list)+len(s.armed))
	taken := map[string]bool{}
	for _, r := range scenario.list {
		faults = append(faults, &armed{rule: r, scenario: true, byKey: map[[8]byte]*tally{}})
		taken[r.Name] = true
	}
	for _, a := range s.armed {
		if !a.scenario && !taken[a.Name] {
			faults = append(faults, a)
		}
	}
	s.hold(faults)
}

// prepare compiles faults that are to be armed beside others, and names them.
func prepare(beside []*armed, faults []Fault) ([]*armed, error) {
	if len(beside)+len(faults) > MaxFaults {
		return nil, fmt.Errorf("%w, %d: disarm some", ErrFull, MaxFaults)
	}
	taken := map[string]bool{}
	for _, a := range beside {
		taken[a.Name] = true
	}
	for i, f := range faults {
		if f.Name != "" && taken[f.Name] {
			return nil, &pathError{fmt.Sprintf("[%d].name", i), fmt.Sprintf("%v: %s", ErrTaken, f.Name), ErrTaken}
		}
		taken[f.Name] = true
	}
	added := make([]*armed, 0, len(faults))
	for i, f := range faults {
		r, err := compile(f)
		if err != nil {
			return nil, inside(i, err)
		}
		for n := 1; r.Name == ""; n++ {
			if name := fmt.Sprintf("fault-%d", n); !taken[name] {
				r.Name, taken[name] = name, true
			}
		}
		added = append(added, &armed{rule: r, byKey: map[[8]byte]*tally{}})
	}
	return added, nil
}

// inside returns the error of the i-th fault of a list.
func inside(i int, err error) error {
	if placed := (*pathError)(nil); errors.As(err, &placed) {
		return &pathError{fmt.Sprintf("[%d].%s", i, placed.path), placed.message, placed.kind}
	}
	return err
}

// hold makes faults the armed ones.
func (s *Set) hold(faults []*armed) {
	s.armed, s.keys = faults, 0
	for _, a := range faults {
		s.keys += len(a.byKey)
	}
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

// Restart counts anew from nothing, as if all faults had been armed just now.
func (s *Set) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := make([]*armed, 0, len(s.armed))
	for _, a := range s.armed {
		fresh = append(fresh, &armed{rule: a.rule, scenario: a.scenario, byKey: map[[8]byte]*tally{}})
	}
	s.hold(fresh)
}

// Faults returns the armed faults in the order in which they are considered.
func (s *Set) Faults() []Armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return list(s.armed)
}

func list(faults []*armed) []Armed {
	all := make([]Armed, 0, len(faults))
	for _, a := range faults {
		all = append(all, Armed{Fault: a.Fault, Counts: a.counts, Scenario: a.scenario})
	}
	return all
}

// Fire returns the first fault that breaks the request, and nil where none does.
// The body is the request's, read ahead.
func (s *Set) Fire(r *http.Request, body []byte) *Firing {
	if !s.busy.Load() {
		return nil
	}
	about := newSubject(r, body, s.platform)
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
		if n := s.count(a, fits && has, key, problem); n > 0 {
			return &Firing{
				Fault:    a.Name,
				Endpoint: about.endpoint,
				rule:     a.rule,
				random:   draw(s.platform.Seed(), a.Name, "action\x00"+key, n),
			}
		}
	}
	return nil
}

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
	a.counts.Matched++
	t, ok := s.tally(a, key)
	if !ok {
		a.counts.LeftAlone++
		return 0
	}
	t.matched++
	n := t.matched
	switch {
	case a.After != nil && !a.After.passed(n, now),
		a.Until != nil && a.Until.passed(n, now),
		a.Times > 0 && t.fired >= a.Times,
		a.Probability != nil && draw(s.platform.Seed(), a.Name, key, n).Float64() >= *a.Probability:
		return 0
	}
	t.fired++
	a.counts.Fired++
	return n
}

// tally returns the counters of a key, and false where there is no room.
func (s *Set) tally(a *armed, key string) (*tally, bool) {
	digest := sha256.Sum256([]byte(key))
	short := [8]byte(digest[:8])
	if t, ok := a.byKey[short]; ok {
		return t, true
	}
	if s.keys >= maxKeys {
		return nil, false
	}
	t := &tally{}
	a.byKey[short] = t
	s.keys++
	a.counts.Keys++
	return t, true
}
