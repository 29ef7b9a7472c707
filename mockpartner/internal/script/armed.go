package script

import (
	"errors"
	"fmt"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// armed is a fault with its counters.
type armed struct {
	rule
	origin string // the part that it came with; empty: none
	counts Counts
	byKey  tallies
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
	return &armed{rule: r, origin: origin, byKey: tallies{}}
}

// What a Set refuses.
var (
	ErrTaken   = errors.New("there is a fault of that name already")
	ErrFull    = errors.New("there are as many faults as there may be")
	ErrMissing = errors.New("there is no such fault")
)

// MaxFaults bounds the faults that are armed in a sandbox.
const MaxFaults = 256
