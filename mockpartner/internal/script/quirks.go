package script

import (
	"fmt"
	"slices"

	"partnerkit.dev/mockpartner/internal/platform"
)

// Quirk is a quirk of the sandbox's platform.
type Quirk struct {
	platform.Quirk
	Origin string `json:"origin,omitempty"` // the part that it came with; empty: none
}

// Quirks returns the quirks in the order in which they are held against a case.
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

// AddQuirks adds quirks, all or none, after those that there are, and returns
// them with their names. Its error wraps ErrQuirkTaken, or begins with the place
// of what is wrong, such as [1].takes.
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

// RemoveQuirk removes the quirk of that name, of those that came with no part.
// Its error wraps ErrQuirkMissing.
func (s *Set) RemoveQuirk(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.quirks, func(q platform.Quirk) bool { return q.Name == name })
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrQuirkMissing, name)
	}
	return s.behave(s.parts, slices.Delete(slices.Clone(s.quirks), i, i+1))
}

// ClearQuirks removes all quirks that came with no part, and returns how many
// there were.
func (s *Set) ClearQuirks() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.quirks)
	return n, s.behave(s.parts, nil)
}
