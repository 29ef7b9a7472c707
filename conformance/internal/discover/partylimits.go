package discover

import (
	"encoding/json"
	"fmt"

	"partnerkit.dev/schemas/partnerapi"
)

// Limits are the smallest and the largest party that an option declares, in guests (EXT-1). 0 stands for no limit. A
// declaration that cannot be read, or that no party can keep, declares nothing.
type Limits struct {
	Min, Max int64
	Flaw     string // what is wrong with the declaration; "" if nothing is
}

// Declared reports whether an option declares a limit that a party can be outside of.
func (l Limits) Declared() bool { return l.Min > 1 || l.Max > 0 }

func readLimits(value any) (limits Limits) {
	object, is := value.(map[string]any)
	if value != nil && !is {
		return Limits{Flaw: fmt.Sprintf("expected an object, received %s", shownValue(value))}
	}
	for _, limit := range []struct {
		name string
		into *int64
	}{{"minUnits", &limits.Min}, {"maxUnits", &limits.Max}} {
		read, sent := integer(object, limit.name), object[limit.name]
		switch {
		case read != nil && *read >= 0:
			*limit.into = *read
		case sent != nil:
			limits.Flaw = fmt.Sprintf("%s: expected a number of guests, or null, received %s", limit.name, shownValue(sent))
		}
	}
	if limits.Max > 0 && limits.Min > limits.Max {
		return Limits{Flaw: fmt.Sprintf("expected minUnits at most maxUnits, %d, received %d", limits.Max, limits.Min)}
	}
	return limits
}

// shownValue returns the beginning of a value's JSON.
func shownValue(value any) string {
	text, _ := json.Marshal(value) // it was read from JSON
	return fmt.Sprintf("%.60s", text)
}

// GuestsIn returns the number of guests of a party.
func GuestsIn(party []partnerapi.UnitQuantity) (guests int64) {
	for _, unit := range party {
		guests += int64(unit.Quantity)
	}
	return guests
}
