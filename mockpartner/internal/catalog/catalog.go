// Package catalog holds what a mock partner sells: its products, in the very
// types that GET /products shows, and for each option a schedule, from which
// the platform computes slots for any window.
//
// A catalog comes from one of three places: Default, a small catalog with a bit
// of everything that the contract allows; Parse, a YAML file (default.yaml is
// the documented example); Generate, any number of products drawn from a seed.
// Index turns it into the checked form that a platform works with.
package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // slots are the same on every machine, whatever zones it has

	"partnerkit.dev/schemas/partnerapi"
)

// Catalog is everything that one partner sells, and how it does business.
type Catalog struct {
	Policy   `yaml:",inline"`
	Products []Product `yaml:"products" json:"products"`
	// Generate, in the place of products, has them drawn by Index.
	Generate *Generated `yaml:"generate" json:"generate,omitempty"`

	// source is the file that the catalog was read from, for the lines of its
	// problems.
	source *source
}

type source struct {
	name string
	text []byte
}

// Policy says which of the contract's optional features the partner lacks. Its
// zero value is a partner that has them all.
type Policy struct {
	// NoHolds: reserve keeps no seats; expiresAt lies 24 hours ahead, and
	// confirm takes the seats (RSV-8, CNF-7).
	NoHolds bool `yaml:"noHolds" json:"noHolds,omitempty"`
	// NoCancel: the cancel endpoint answers 404 (CAN-6).
	NoCancel bool `yaml:"noCancel" json:"noCancel,omitempty"`
	// NoTickets: confirm sends no tickets (CNF-6 does not bind the partner).
	NoTickets bool `yaml:"noTickets" json:"noTickets,omitempty"`
	// Codes is the look of codes and booking ids; empty means PlainCodes.
	Codes CodeStyle `yaml:"codes" json:"codes,omitempty"`
}

// CodeStyle says what reservation codes and booking ids look like (RSV-6).
type CodeStyle string

const (
	// PlainCodes are letters, digits and dashes.
	PlainCodes CodeStyle = "plain"
	// AwkwardCodes hold slashes, plus and percent signs, spaces and letters
	// beyond ASCII; one in a sandbox is "..". All of it is lawful.
	AwkwardCodes CodeStyle = "awkward"
)

// Product is a product as the contract shows it, with the schedules of its
// options by option id.
type Product struct {
	partnerapi.Product `yaml:",inline"`
	Schedules          map[string]Schedule `yaml:"schedules" json:"schedules"`
}

// Schedule says when an option has slots and how they sell. Times of day are
// "HH:MM" in the product's zone.
type Schedule struct {
	// Starts are the daily start times of a START_TIME option.
	Starts []string `yaml:"starts" json:"starts,omitempty"`
	// Duration is the length of a START_TIME option's slots.
	Duration time.Duration `yaml:"duration" json:"duration,omitempty"`
	// Opens and Closes bound the daily window of an OPENING_HOURS option; one
	// that closes at or before its opening closes on the next day.
	Opens  string `yaml:"opens" json:"opens,omitempty"`
	Closes string `yaml:"closes" json:"closes,omitempty"`
	// ClosedOn lists the weekdays without slots, such as "Monday".
	ClosedOn []string `yaml:"closedOn" json:"closedOn,omitempty"`
	// CutOff is how long before its start (for OPENING_HOURS: its end) a
	// slot's sale ends; from then on the slot is CLOSED.
	CutOff time.Duration `yaml:"cutOff" json:"cutOff,omitempty"`

	// Capacity bounds the seats of a slot.
	Capacity Seats `yaml:"capacity" json:"capacity,omitzero"`
	// LimitedAt is the number of vacancies from which on downwards a slot is
	// LIMITED; absent means DefaultLimitedAt.
	LimitedAt *int `yaml:"limitedAt" json:"limitedAt,omitempty"`
	// Freesale: the option's slots have no limit and the status FREESALE.
	Freesale bool `yaml:"freesale" json:"freesale,omitempty"`
	// HideVacancies: slots name neither vacancies nor capacity (AVL-14).
	HideVacancies bool `yaml:"hideVacancies" json:"hideVacancies,omitempty"`
	// Seats is how many seats a guest of a unit takes, by unit id; absent means
	// 1, and 0 for units of type INFANT (RSV-9).
	Seats map[string]int `yaml:"seats" json:"seats,omitempty"`

	// SoldOut, Closed and Limited are the shares, in percent, of the slots that
	// begin their life in that status.
	SoldOut int `yaml:"soldOut" json:"soldOut,omitempty"`
	Closed  int `yaml:"closed" json:"closed,omitempty"`
	Limited int `yaml:"limited" json:"limited,omitempty"`
	// UnitPricing says whether slots carry prices of their own.
	UnitPricing PricingStyle `yaml:"unitPricing" json:"unitPricing,omitempty"`

	// Calendar lists the slots one by one, in the place of all that computes them: only
	// CutOff, LimitedAt, Freesale, HideVacancies and Seats go with it.
	Calendar *Calendar `yaml:"calendar" json:"calendar,omitempty"`
}

// MarshalJSON writes the schedule as a catalog file has it.
func (s Schedule) MarshalJSON() ([]byte, error) {
	type plain Schedule // without this method
	written := struct {
		plain
		Duration string `json:"duration,omitempty"`
		CutOff   string `json:"cutOff,omitempty"`
	}{plain: plain(s)}
	if s.Duration != 0 {
		written.Duration = s.Duration.String()
	}
	if s.CutOff != 0 {
		written.CutOff = s.CutOff.String()
	}
	return json.Marshal(written)
}

// DefaultLimitedAt is the LimitedAt of a schedule that names none.
const DefaultLimitedAt = 3

// Seats bounds a number of seats, both ends inclusive.
type Seats struct {
	Min int `yaml:"min" json:"min"`
	Max int `yaml:"max" json:"max"`
}

// PricingStyle says what a slot's unitPricing looks like (AVL-6).
type PricingStyle string

const (
	// PricingAbsent leaves unitPricing out: the option's prices hold. It is
	// what an empty style means.
	PricingAbsent PricingStyle = "absent"
	// PricingOwn gives every slot prices of its own, dearer at weekends.
	PricingOwn PricingStyle = "own"
	// PricingEmpty sends an empty array.
	PricingEmpty PricingStyle = "empty"
	// PricingMixed alternates between the three.
	PricingMixed PricingStyle = "mixed"
)

// parseTimeOfDay reads "HH:MM" as minutes after midnight.
func parseTimeOfDay(s string) (int, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, fmt.Errorf("expected a time of day such as \"09:30\", in quotes, received %q", s)
	}
	return t.Hour()*60 + t.Minute(), nil
}

func parseStarts(starts []string) ([]int, error) {
	minutes := make([]int, 0, len(starts))
	for _, start := range starts {
		minute, err := parseTimeOfDay(start)
		if err != nil {
			return nil, err
		}
		if slices.Contains(minutes, minute) {
			return nil, fmt.Errorf("%s stands twice: slots are told apart by their start", start)
		}
		minutes = append(minutes, minute)
	}
	slices.Sort(minutes)
	return minutes, nil
}

func parseWeekday(name string) (time.Weekday, error) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(name, day.String()) {
			return day, nil
		}
	}
	return 0, fmt.Errorf("expected a weekday such as Monday, received %q", name)
}

func (s Schedule) seatsOf(unit partnerapi.Unit) int {
	if seats, ok := s.Seats[unit.ID]; ok {
		return seats
	}
	if unit.Type == partnerapi.Infant {
		return 0
	}
	return 1
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
