package script

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
)

// OriginScenario is the origin of what a scenario brings.
const OriginScenario = "scenario"

// Part is what a scenario, or something else in its form, makes of a partner that
// is running: its faults and quirks, and what it says of policy and holds. Many
// sets can share one.
type Part struct {
	origin  string
	rules   []rule
	quirks  []platform.Quirk
	policy  *catalog.Policy
	holdFor time.Duration
}

// Compile makes a part of a scenario, and names the faults and quirks that have
// no name. The origin tells it from other parts. The error begins with the place
// of what is wrong.
func Compile(origin string, s *Scenario) (Part, error) {
	named, err := prepare(nil, s.Faults)
	if err != nil {
		return Part{}, fmt.Errorf("faults%w", err)
	}
	made := Part{origin: origin, policy: s.Policy, holdFor: s.HoldFor}
	for _, a := range named {
		made.rules = append(made.rules, a.rule)
	}
	if made.quirks, err = nameQuirks(nil, s.Quirks); err != nil {
		return Part{}, fmt.Errorf("quirks%w", err)
	}
	return made, nil
}

// Copy makes this set, of another platform, misbehave like the original; its
// faults count from nothing.
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

// behave makes the platform do business as the parts and the quirks have it.
func (s *Set) behave(parts []Part, quirks []platform.Quirk) error {
	conduct := s.plain
	conduct.Quirks = slices.Clone(conduct.Quirks)
	for _, p := range parts {
		if p.policy != nil {
			conduct.Policy = *p.policy
		}
		if p.holdFor != 0 {
			conduct.HoldFor = p.holdFor
		}
		conduct.Quirks = append(conduct.Quirks, p.quirks...)
	}
	conduct.Quirks = append(conduct.Quirks, quirks...)
	if err := s.platform.Behave(conduct); err != nil {
		return err
	}
	s.parts, s.quirks = parts, quirks
	return nil
}

// nameQuirks checks quirks that are to be beside others, and names those that have
// no name. Its errors begin with the place of what is wrong.
func nameQuirks(beside, quirks []platform.Quirk) ([]platform.Quirk, error) {
	quirks, err := named("quirk", ErrQuirkTaken, names(beside, func(q platform.Quirk) string { return q.Name }), quirks, func(q *platform.Quirk) *string { return &q.Name })
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

// What a Set refuses of quirks.
var (
	ErrQuirkTaken   = errors.New("there is a quirk of that name already")
	ErrQuirkMissing = errors.New("there is no such quirk")
)
