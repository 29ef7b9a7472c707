package script

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/invalid"
)

// Fault is one way in which the partner misbehaves. Its keys in a file are the names of the fields.
type Fault struct {
	// Name is the fault's id, and one input of a probability's decision; empty means fault-1,
	// fault-2, ….
	Name  string `yaml:"name" json:"name,omitempty"`
	Match Match  `yaml:"match" json:"match,omitzero"`
	// Key selects what After, Until, Times and Probability count by; empty means none: all matches
	// together.
	Key Key `yaml:"key" json:"key,omitempty"`
	// When says whether an answer is lost, or delayed, before the request has taken effect or after
	// it; empty means before.
	When fault.When `yaml:"when" json:"when,omitempty"`
	// Answered limits the fault to the partner's answers with this status. Others stay as they are;
	// empty means all.
	Answered fault.Answered `yaml:"answered" json:"answered,omitempty"`
	// After skips the first matches of a key, or all before a time, or all within a duration from
	// the key's first match.
	After *Bound `yaml:"after" json:"after,omitempty"`
	// Until skips the matches beyond a number, or from a time on, or after a duration from the
	// key's first match.
	Until *Bound `yaml:"until" json:"until,omitempty"`
	// Times is how often the fault fires for a key; 0 means always.
	Times int `yaml:"times" json:"times,omitempty"`
	// Probability is the share of the remaining matches for which the fault fires, above 0 and at
	// most 1; absent means 1.
	Probability *float64 `yaml:"probability" json:"probability,omitempty"`
	// Last keeps later faults from a request for which this one fires. A fault that does nothing
	// else makes an exception to those.
	Last bool `yaml:"last" json:"last,omitempty"`

	fault.Actions `yaml:",inline"`
}

func (f Fault) occasion() trigger {
	return trigger{f.After, f.Until, f.Times, f.Probability}
}

// Key is what a fault counts by.
type Key string

// The keys. A request without the key's value does not match the fault.
const (
	KeyNone    Key = "none"    // all requests together
	KeySlot    Key = "slot"    // the requested slot, or the slot of the hold or booking
	KeyHold    Key = "hold"    // the reservation code
	KeyBooking Key = "booking" // the booking id
	KeyCaller  Key = "caller"  // the caller's address and User-Agent

	KeyConnection Key = "connection" // the TCP connection
)

func keys() []Key { return []Key{KeyNone, KeySlot, KeyHold, KeyBooking, KeyCaller, KeyConnection} }

// rule is a fault with its patterns and programs compiled.
type rule struct {
	Fault
	matches matcher
	effect  fault.Effect
}

// compile validates the fault. Errors begin with the path of the invalid field.
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
	if reflect.ValueOf(f.Actions).IsZero() && !f.Last {
		return rule{}, invalid.ErrorAt("name", "the fault does nothing: give it one of %s, or last", strings.Join(fault.ActionKeys(), ", "))
	}
	effect, err := f.Actions.Compile(f.When, f.Answered)
	if err != nil {
		return rule{}, err
	}
	return rule{Fault: f, matches: matches, effect: effect}, nil
}

// nameAll gives each unnamed item of a kind the first free name: kind-1, kind-2, …. It returns the
// error taken for a name that is in use or occurs twice.
func nameAll[T any](kind string, taken error, used map[string]bool, list []T, name func(*T) *string) ([]T, error) {
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

// duplicates returns an error for each name that is already used. It marks all names as used.
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
