package plan

import (
	"fmt"
	"strings"
	"time"
)

// Depth is how much a run tries.
type Depth string

const (
	Quick    Depth = "quick"    // each rule once: at most 300 calls
	Standard Depth = "standard" // each rule on a covering set of instances
	Thorough Depth = "thorough" // and on many more of them
)

func Depths() []Depth { return []Depth{Quick, Standard, Thorough} }

// ParseDepth reads a depth; "" is Standard. The error lists the depths.
func ParseDepth(text string) (Depth, error) {
	if text == "" {
		return Standard, nil
	}
	for _, known := range Depths() {
		if string(known) == text {
			return known, nil
		}
	}
	return "", fmt.Errorf("%q is not a depth: expected %s", text, strings.Join([]string{string(Quick), string(Standard), string(Thorough)}, ", "))
}

// Cases is how many cases are played at most.
func (d Depth) Cases() int {
	return map[Depth]int{Standard: 40, Thorough: 160}[d]
}

// Expiring is how many cases are held to expire, at most.
func (d Depth) Expiring() int {
	return map[Depth]int{Standard: 18, Thorough: 60}[d]
}

// Repeats is how often a call that has to be idempotent is sent again.
func (d Depth) Repeats() int {
	return map[Depth]int{Quick: 1, Standard: 3, Thorough: 5}[d]
}

// Age is how old holds and bookings of early in the run are at least when they are looked at
// again; 0: they are not.
func (d Depth) Age() time.Duration {
	return map[Depth]time.Duration{Standard: 2500 * time.Millisecond, Thorough: 20 * time.Second}[d]
}

// Rounds is how often a race is run that is run so often at the standard depth.
func (d Depth) Rounds(standard int) int {
	switch d {
	case Quick:
		return 1
	case Thorough:
		return 4 * standard
	default:
		return standard
	}
}

// Visits is how many options are held once each, at most.
func (d Depth) Visits() int {
	if d == Quick {
		return 4
	}
	return 6
}

// Usual is about what a run makes of the bundled mock partner while no other customer
// uses it.
type Usual struct{ Calls, Holds, Bookings int }

func (d Depth) Usual() Usual {
	return map[Depth]Usual{
		Quick:    {Calls: 290, Holds: 30, Bookings: 7},
		Standard: {Calls: 9100, Holds: 850, Bookings: 170},
		Thorough: {Calls: 18000, Holds: 1000, Bookings: 250},
	}[d]
}
