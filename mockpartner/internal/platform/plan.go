package platform

import (
	"fmt"
	"slices"
	"time"
)

// PlannedChange is a change of a slot that is made when the clock gets there.
type PlannedChange struct {
	At                                  time.Time
	ProductID, OptionID, AvailabilityID string
	Change                              SlotChange
}

// MaxPlanned bounds the changes that are planned.
const MaxPlanned = 1000

// Plan has these changes made, and no others, each when the clock gets there.
// Those of the same time are made in their order. Its error names the first that
// is of no slot; whether a slot can be changed as planned shows when the time
// has come.
func (p *Platform) Plan(changes []PlannedChange) error {
	if len(changes) > MaxPlanned {
		return fmt.Errorf("want at most %d planned changes, got %d", MaxPlanned, len(changes))
	}
	planned := slices.Clone(changes)
	slices.SortStableFunc(planned, func(a, b PlannedChange) int { return a.At.Compare(b.At) })
	p.enter()
	defer p.mu.Unlock()
	for i, c := range changes {
		if _, err := p.find(c.ProductID, c.OptionID, c.AvailabilityID); err != nil {
			return fmt.Errorf("[%d].slot: %w", i, err)
		}
	}
	p.state.planned = planned
	return nil
}

// settlePlanned makes the changes whose time has come.
func (p *Platform) settlePlanned(now time.Time) {
	for len(p.state.planned) > 0 && !p.state.planned[0].At.After(now) {
		due := p.state.planned[0]
		p.state.planned = p.state.planned[1:]
		if err := p.alter(due.ProductID, due.OptionID, due.AvailabilityID, setting(due.Change)); err != nil {
			p.announce(Change{
				Cause:     StaffChange,
				ProductID: due.ProductID,
				OptionID:  due.OptionID,
				Problem:   fmt.Errorf("the slot %q could not be changed as planned: %w", due.AvailabilityID, err),
			})
		}
	}
}

// Next settles what the clock has passed, and returns when something happens
// next that shows in a slot: a hold expires, seats move late, or a planned change
// is made. It returns false where nothing of that kind is pending.
func (p *Platform) Next() (at time.Time, pending bool) {
	p.enter()
	defer p.mu.Unlock()
	soonest := func(t time.Time) {
		if !pending || t.Before(at) {
			at, pending = t, true
		}
	}
	if hold, ok := p.state.expiring.Min(); ok {
		soonest(hold.ExpiresAt)
	}
	if len(p.state.late) > 0 {
		soonest(p.state.late[0].at)
	}
	if len(p.state.planned) > 0 {
		soonest(p.state.planned[0].At)
	}
	return at, pending
}

func (p *Platform) plannedChanges(_ time.Time, limit int) (list []Timer) {
	for _, c := range p.state.planned[:min(len(p.state.planned), limit)] {
		list = append(list, Timer{At: c.At.UTC(), Kind: SlotChanges, Subject: c.AvailabilityID})
	}
	return list
}
