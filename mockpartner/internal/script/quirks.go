package script

import (
	"errors"
	"fmt"
	"slices"

	"partnerkit.dev/mockpartner/internal/platform"
)

// What a Set refuses of quirks.
var (
	ErrQuirkTaken   = errors.New("there is a quirk of that name already")
	ErrQuirkMissing = errors.New("there is no such quirk")
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

// nameQuirks checks quirks that are to be beside others, and names those that have
// no name. Its errors begin with the place of what is wrong.
func nameQuirks(beside, quirks []platform.Quirk) ([]platform.Quirk, error) {
	taken := map[string]bool{}
	for _, q := range beside {
		taken[q.Name] = true
	}
	for i, q := range quirks {
		if q.Name != "" && taken[q.Name] {
			return nil, &pathError{fmt.Sprintf("[%d].name", i), fmt.Sprintf("%v: %s", ErrQuirkTaken, q.Name), ErrQuirkTaken}
		}
		taken[q.Name] = true
	}
	named := slices.Clone(quirks)
	for i := range named {
		q := &named[i]
		if wrong := (*platform.QuirkError)(nil); errors.As(q.Check(), &wrong) {
			return nil, &pathError{fmt.Sprintf("[%d].%s", i, wrong.Key), wrong.Message, nil}
		}
		for n := 1; q.Name == ""; n++ {
			if name := fmt.Sprintf("quirk-%d", n); !taken[name] {
				q.Name, taken[name] = name, true
			}
		}
	}
	return named, nil
}
