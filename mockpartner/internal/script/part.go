package script

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
)

// OriginScenario is the origin of everything that a scenario adds.
const OriginScenario = "scenario"

// Part is a scenario, or something else in its form, that is applied to a running partner: its
// faults, quirks, policy, hold time and answer times. Many sets can share one.
type Part struct {
	origin  string
	rules   []rule
	quirks  []platform.Quirk
	policy  *catalog.Policy
	holdFor time.Duration
	times   *AnswerTimes
}

// Compile compiles a scenario into a part, and names the unnamed faults and quirks. The origin
// identifies the part. The error begins with the location of the problem.
func Compile(origin string, s *Scenario) (Part, error) {
	named, err := prepare(nil, s.Faults)
	if err != nil {
		return Part{}, fmt.Errorf("faults%w", err)
	}
	made := Part{origin: origin, policy: s.Policy, holdFor: s.HoldFor, times: s.AnswerTimes}
	for _, a := range named {
		made.rules = append(made.rules, a.rule)
	}
	if made.quirks, err = nameQuirks(nil, s.Quirks); err != nil {
		return Part{}, fmt.Errorf("quirks%w", err)
	}
	return made, nil
}

// Copy gives this set, of another platform, the faults and quirks of the original. The faults count
// from zero.
func (s *Set) Copy(original *Set) error {
	original.mu.Lock()
	parts, quirks, plain := slices.Clone(original.parts), slices.Clone(original.quirks), original.plain
	var faults []*armed
	for _, a := range original.armed {
		faults = append(faults, newArmed(a.rule, a.origin))
	}
	original.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plain = plain
	s.hold(faults)
	return s.behave(parts, quirks)
}

func (s *Set) behave(parts []Part, quirks []platform.Quirk) error {
	conduct := s.plain
	conduct.Quirks = slices.Clone(conduct.Quirks)
	var times *AnswerTimes
	for _, p := range parts {
		if p.policy != nil {
			conduct.Policy = *p.policy
		}
		if p.holdFor != 0 {
			conduct.HoldFor = p.holdFor
		}
		if p.times != nil {
			times = p.times
		}
		conduct.Quirks = append(conduct.Quirks, p.quirks...)
	}
	conduct.Quirks = append(conduct.Quirks, quirks...)
	if err := s.platform.Behave(conduct); err != nil {
		return err
	}
	s.parts, s.quirks = parts, quirks
	s.times.Store(times)
	return nil
}

// nameQuirks validates quirks that will be added to others, and names the unnamed ones. Its errors
// begin with the location of the problem.
func nameQuirks(beside, quirks []platform.Quirk) ([]platform.Quirk, error) {
	quirks, err := nameAll("quirk", ErrQuirkTaken, names(beside, func(q platform.Quirk) string { return q.Name }), quirks, func(q *platform.Quirk) *string { return &q.Name })
	if err != nil {
		return nil, err
	}
	for i, q := range quirks {
		if err := q.Check(); err != nil {
			return nil, invalid.Item("", i, err)
		}
	}
	return quirks, nil
}

// A Set returns these errors for quirks.
var (
	ErrQuirkTaken   = errors.New("a quirk with this name exists already")
	ErrQuirkMissing = errors.New("there is no quirk with this name")
)

// Quirk is a quirk of the sandbox's platform.
type Quirk struct {
	platform.Quirk
	Origin string `json:"origin,omitempty"` // the part that it belongs to; empty for a quirk that was added by itself
}

// Quirks returns the quirks in the order in which they are tried.
func (s *Set) Quirks() []Quirk {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Quirk{}
	for _, p := range s.parts {
		for _, q := range p.quirks {
			all = append(all, Quirk{q, p.origin})
		}
	}
	for _, q := range s.quirks {
		all = append(all, Quirk{q, ""})
	}
	return all
}

// AddQuirks adds quirks, all or none, after the existing ones, and returns them with their names.
// Its error wraps ErrQuirkTaken, or begins with the location of the problem, such as [1].takes.
func (s *Set) AddQuirks(quirks ...platform.Quirk) ([]Quirk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	named, err := nameQuirks(s.quirks, quirks)
	if err != nil {
		return nil, err
	}
	if err := s.behave(s.parts, append(slices.Clone(s.quirks), named...)); err != nil {
		return nil, err
	}
	var added []Quirk
	for _, q := range named {
		added = append(added, Quirk{q, ""})
	}
	return added, nil
}

// RemoveQuirk removes the quirk with that name. Quirks that belong to a part cannot be removed. Its
// error wraps ErrQuirkMissing.
func (s *Set) RemoveQuirk(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.quirks, func(q platform.Quirk) bool { return q.Name == name })
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrQuirkMissing, name)
	}
	return s.behave(s.parts, slices.Delete(slices.Clone(s.quirks), i, i+1))
}

// ClearQuirks removes all quirks that belong to no part, and returns their number.
func (s *Set) ClearQuirks() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.quirks)
	return n, s.behave(s.parts, nil)
}

// Play applies the part to the sandbox and replaces an earlier part of the same origin. The
// scenario's faults are considered first. A fault of the part replaces a fault of the same name
// that was armed by itself. The error reports a name that another part uses, or too many parts.
func (s *Set) Play(p Part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := make([]*armed, 0, len(p.rules)+len(s.armed))
	taken := map[string]bool{}
	for _, r := range p.rules {
		faults = append(faults, newArmed(r, p.origin))
		taken[r.Name] = true
	}
	var others []*armed
	for _, a := range s.armed {
		switch {
		case a.origin == p.origin || a.origin == "" && taken[a.Name]:
		case taken[a.Name]:
			return fmt.Errorf("%w: %s, of %s", ErrTaken, a.Name, a.origin)
		default:
			others = append(others, a)
		}
	}
	parts := slices.Clone(s.parts)
	at := slices.IndexFunc(parts, func(other Part) bool { return other.origin == p.origin })
	switch {
	case at >= 0:
		parts[at] = p
	case len(parts) >= maxParts:
		return fmt.Errorf("expected at most %d active at the same time; remove some", maxParts)
	case p.origin == OriginScenario:
		parts = slices.Insert(parts, 0, p)
	default:
		parts = append(parts, p)
	}
	if err := s.behave(parts, s.quirks); err != nil {
		return err
	}
	if p.origin == OriginScenario {
		s.hold(append(faults, others...))
	} else {
		s.hold(append(others, faults...))
	}
	return nil
}

// Stop removes the part of that origin, and reports whether it was active.
func (s *Set) Stop(origin string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(s.parts), func(p Part) bool { return p.origin == origin })
	if len(left) == len(s.parts) {
		return false, nil
	}
	if err := s.behave(left, s.quirks); err != nil {
		return false, err
	}
	s.hold(slices.DeleteFunc(slices.Clone(s.armed), func(a *armed) bool { return a.origin == origin }))
	return true, nil
}

// Origins lists the origins of the active parts, in order.
func (s *Set) Origins() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	origins := []string{}
	for _, p := range s.parts {
		origins = append(origins, p.origin)
	}
	return origins
}

const maxParts = 64
