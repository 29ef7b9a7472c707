package script

import (
	"fmt"
	"slices"
)

// Play lets the sandbox misbehave as the part has it, in the place of the part of
// the same origin before. The scenario's faults are considered first. A
// fault that was armed by itself goes where one of the part has its name. Its error
// is that of a name that another part has, or of too many parts.
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
		return fmt.Errorf("want at most %d at once: take some off", maxParts)
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

// Stop takes off what was played under that origin, and reports whether there
// was anything.
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

// Origins lists what is played, in its order.
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
