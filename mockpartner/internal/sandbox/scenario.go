package sandbox

import (
	"errors"
	"reflect"

	"partnerkit.dev/mockpartner/internal/script"
)

// ErrSeed is the error of a scenario with another seed than the sandbox's.
var ErrSeed = errors.New("seed: what a sandbox has in it follows from its seed: make one with the new seed, or start again")

// Follow makes the sandbox what a scenario says, as far as that differs from the
// scenario that it followed before. What is held and booked stays. Its error wraps
// ErrSeed, or names what is wrong.
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
	if err := s.followWebhooks(is); err != nil {
		return err
	}
	s.followClock(is)
	s.followed = *is
	return nil
}

// Unfollow takes off what a scenario made the sandbox do: its faults, quirks and
// policy. Catalog, clock and webhooks stay.
func (s *Sandbox) Unfollow() error {
	s.mu.Lock()
	plain := &script.Scenario{Now: s.followed.Now, Frozen: s.followed.Frozen, Webhooks: s.followed.Webhooks}
	s.mu.Unlock()
	return s.Follow(plain)
}

func (s *Sandbox) followWebhooks(is *script.Scenario) error {
	if is.Webhooks == nil || reflect.DeepEqual(is.Webhooks, s.followed.Webhooks) {
		return nil
	}
	return s.webhooks.Configure(*is.Webhooks)
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

// Began notes the scenario that the sandbox was made with.
func (s *Sandbox) Began(with *script.Scenario) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followed = *with
}
