package script

import (
	"fmt"
	"slices"

	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/invalid"
)

// Fault is one way in which the partner misbehaves. Its keys in a file are its
// fields' names here.
type Fault struct {
	// Name is the fault's id, and part of what a probability is decided by; empty
	// takes fault-1, fault-2, ….
	Name  string `yaml:"name" json:"name,omitempty"`
	Match Match  `yaml:"match" json:"match,omitzero"`
	// Key is what After, Until, Times and Probability count by; empty means none:
	// all matches together.
	Key Key `yaml:"key" json:"key,omitempty"`
	// When says whether an answer is lost before the request has had its effect
	// or after it, and where a delay lies; empty means before.
	When fault.When `yaml:"when" json:"when,omitempty"`
	// Answered leaves the partner's answers of another status as they are; empty
	// changes all.
	Answered fault.Answered `yaml:"answered" json:"answered,omitempty"`
	// After leaves the first matches of a key alone, or all before a time, or all in
	// so long a time from its first match on.
	After *Bound `yaml:"after" json:"after,omitempty"`
	// Until leaves the matches beyond a number, or from a time on, alone, or those
	// that come so long after the key's first match.
	Until *Bound `yaml:"until" json:"until,omitempty"`
	// Times is how often the fault fires for a key; 0 means always.
	Times int `yaml:"times" json:"times,omitempty"`
	// Probability is the share of the remaining matches for which the fault
	// fires, above 0 and at most 1; absent means 1.
	Probability *float64 `yaml:"probability" json:"probability,omitempty"`

	fault.Actions `yaml:",inline"`
}

func (f Fault) occasion() occasion {
	return occasion{f.After, f.Until, f.Times, f.Probability}
}

// Key is what a fault counts by.
type Key string

// The keys. A request that has no such thing does not match a fault with the key.
const (
	KeyNone    Key = "none"    // all requests together
	KeySlot    Key = "slot"    // the slot that is asked for, or that the hold or booking is of
	KeyHold    Key = "hold"    // the reservation code
	KeyBooking Key = "booking" // the booking id
	KeyCaller  Key = "caller"  // the caller's address and User-Agent

	KeyConnection Key = "connection" // the connection that it comes on
)

func keys() []Key { return []Key{KeyNone, KeySlot, KeyHold, KeyBooking, KeyCaller, KeyConnection} }

// rule is a fault that can be decided: its patterns and programs are compiled.
type rule struct {
	Fault
	matches matcher
	effect  fault.Effect
}

// compile checks the fault. Errors begin with the path of what is wrong.
func compile(f Fault) (rule, error) {
	if err := invalid.First(
		invalid.Name(f.Name),
		invalid.OneOf("key", f.Key, keys()),
		invalid.OneOf("when", f.When, fault.Whens()),
		f.occasion().check(),
	); err != nil {
		return rule{}, err
	}
	matches, err := f.Match.compile()
	if err != nil {
		return rule{}, err
	}
	effect, err := f.Actions.Compile(f.When, f.Answered)
	if err != nil {
		return rule{}, err
	}
	return rule{Fault: f, matches: matches, effect: effect}, nil
}

// named gives things of a kind that have no name one that is free: kind-1, kind-2, ….
// A name that is taken already, or given twice, is the error taken.
func named[T any](kind string, taken error, used map[string]bool, list []T, name func(*T) *string) ([]T, error) {
	list = slices.Clone(list)
	if twice := duplicates(taken, used, list, name); len(twice) > 0 {
		return nil, twice[0]
	}
	for i := range list {
		for n := 1; *name(&list[i]) == ""; n++ {
			if free := fmt.Sprintf("%s-%d", kind, n); !used[free] {
				*name(&list[i]), used[free] = free, true
			}
		}
	}
	return list, nil
}

// duplicates are the errors of the names that are used already. All names count as used
// from then on.
func duplicates[T any](taken error, used map[string]bool, list []T, name func(*T) *string) (twice []error) {
	for i := range list {
		given := *name(&list[i])
		if given != "" && used[given] {
			twice = append(twice, invalid.Item("", i, &invalid.Error{Path: "name", Message: fmt.Sprintf("%v: %s", taken, given), Kind: taken}))
		}
		used[given] = true
	}
	return twice
}

func names[T any](list []T, name func(T) string) map[string]bool {
	used := map[string]bool{}
	for _, one := range list {
		used[name(one)] = true
	}
	return used
}
