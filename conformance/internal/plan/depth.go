package plan

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Depth is how much a run tests.
type Depth string

const (
	Quick    Depth = "quick"    // each rule once
	Standard Depth = "standard" // each rule on a covering set of instances
	Thorough Depth = "thorough" // each rule on many more instances
)

// Depths lists the depths, the shortest first.
func Depths() []Depth { return []Depth{Quick, Standard, Thorough} }

// ParseDepth reads a depth; "" is Standard. Its error lists the depths.
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

// Cases returns the maximum number of cases that are played.
func (d Depth) Cases() int {
	return map[Depth]int{Standard: 40, Thorough: 160}[d]
}

// MaxExpiringCases returns the maximum number of cases that are left to expire.
func (d Depth) MaxExpiringCases() int {
	return map[Depth]int{Standard: 10, Thorough: 60}[d]
}

// BadInputs returns the maximum number of options for which malformed windows are asked for and malformed
// parties are reserved, in addition to the first.
func (d Depth) BadInputs() int {
	return map[Depth]int{Standard: 6, Thorough: 60}[d]
}

// Products returns the maximum number of products in which codes near live ones are tried, in addition to the first.
func (d Depth) Products() int {
	return map[Depth]int{Thorough: 20}[d]
}

// OpenQuestions returns the maximum number of products whose slots are asked for with fields that the contract does not
// name, in addition to the first.
func (d Depth) OpenQuestions() int {
	return map[Depth]int{Standard: 8, Thorough: 20}[d]
}

// Repeats returns how often a call that must be idempotent is repeated.
func (d Depth) Repeats() int {
	return map[Depth]int{Quick: 1, Standard: 3, Thorough: 5}[d]
}

// Age returns the minimum age at which holds and bookings from early in the run are checked again;
// 0: they are not.
func (d Depth) Age() time.Duration {
	return map[Depth]time.Duration{Standard: 2500 * time.Millisecond, Thorough: 20 * time.Second}[d]
}

// Together returns how often each lifecycle of several holds and bookings of one slot is played.
func (d Depth) Together() int {
	return map[Depth]int{Quick: 1, Standard: 1, Thorough: 2}[d]
}

// Parts returns the maximum number of parts of the window that are read.
func (d Depth) Parts() int {
	return map[Depth]int{Standard: 100, Thorough: 400}[d]
}

// Rounds returns how often a race is run, given its number of rounds at the standard depth.
func (d Depth) Rounds(standard int) int {
	return map[Depth]int{Quick: 1, Standard: standard, Thorough: 10 * standard}[d]
}

// OptionChecks returns the maximum number of options that are held once each.
func (d Depth) OptionChecks() int {
	if d == Quick {
		return 2
	}
	return 6
}

// Usual is approximately what a run makes at the bundled mock partner without other customers, and
// how long that takes on two cores.
type Usual struct {
	Calls    int `json:"calls"`
	Holds    int `json:"holds"`
	Bookings int `json:"bookings"`
	Seconds  int `json:"seconds"`
}

// usualFile is measured and written by go test ./examples/docstest -run Shows -update.
//
//go:embed usual.json
var usualFile []byte

var usual = sync.OnceValue(func() (measured map[Depth]Usual) {
	if err := json.Unmarshal(usualFile, &measured); err != nil {
		panic(err) // the file is a part of the program
	}
	return measured
})

// UsualCalls returns what was measured at this depth.
func (d Depth) UsualCalls() Usual { return usual()[d] }

// MostOnceBroken returns what a run makes at most once a rule is known to be broken; false if that is not limited. A quick
// run stays cheap whatever fails: what is broken must be repaired first.
func (d Depth) MostOnceBroken() (most Usual, limited bool) {
	return Usual{Calls: 300, Holds: 30, Bookings: 8}, d == Quick
}
